/** Before the first download: where files are to be saved, asked once, after which the download goes on by itself. */
import type { DownloadFolder } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Action } from './action.svelte.ts'

export class FirstFolder {
  #asked = $state.raw<{ folder: DownloadFolder; goOn: () => Promise<void> }>()
  readonly #api: Api
  readonly choosing = new Action<DownloadFolder | null>()
  readonly saving = new Action<unknown>()

  constructor(api: Api) {
    this.#api = api
  }

  /** The folder that is proposed while it is asked for. */
  get folder(): DownloadFolder | undefined {
    return this.#asked?.folder
  }

  /** Goes on at once where a folder was chosen before, and else once one is. Where that can't be read, the download itself says why. */
  async before(goOn: () => Promise<void>): Promise<void> {
    const settings = await settled(this.#api.downloads.settings())
    if (!settings.ok || settings.value.isFolderChosen) return goOn()
    this.choosing.clear()
    this.saving.clear()
    this.#asked = { folder: settings.value.folder, goOn }
  }

  /** Another one, by the system's dialog. */
  async change(): Promise<void> {
    const folder = await this.choosing.run(() => this.#api.downloads.chooseFolder())
    if (folder && this.#asked) this.#asked = { ...this.#asked, folder }
  }

  /** It is this one, for later downloads, too. */
  async accept(): Promise<void> {
    const asked = this.#asked
    if (!asked) return
    const saved = await this.saving.run(() => this.#api.downloads.configure({ folderId: asked.folder.id }))
    if (!saved || this.#asked !== asked) return
    this.#asked = undefined
    await asked.goOn()
  }

  /** Nothing is downloaded, and it is asked again the next time. */
  cancel(): void {
    this.#asked = undefined
  }
}
