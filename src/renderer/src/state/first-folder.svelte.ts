/** Asks once, before the first download, where files are saved; the download then continues. */
import type { DownloadFolder } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Action } from './action.svelte.ts'

export class FirstFolderPrompt {
  #pending = $state.raw<{ folder: DownloadFolder; proceed: () => Promise<void> }>()
  readonly #api: Api
  readonly choosing = new Action<DownloadFolder | null>()
  readonly saving = new Action<unknown>()

  constructor(api: Api) {
    this.#api = api
  }

  /** The folder proposed while the question is open. */
  get folder(): DownloadFolder | undefined {
    return this.#pending?.folder
  }

  /**
   * Continues at once if a folder was chosen earlier, otherwise once one is chosen. If that can't be determined, the
   * download itself reports the error.
   */
  async ensureFolder(proceed: () => Promise<void>): Promise<void> {
    const settings = await settled(this.#api.downloads.settings())
    if (!settings.ok || settings.value.isFolderChosen) return proceed()
    this.choosing.clear()
    this.saving.clear()
    this.#pending = { folder: settings.value.folder, proceed }
  }

  /** Lets the user pick another folder in the system's dialog. */
  async change(): Promise<void> {
    const folder = await this.choosing.run(() => this.#api.downloads.chooseFolder())
    if (folder && this.#pending) this.#pending = { ...this.#pending, folder }
  }

  /** Takes the proposed folder, also for later downloads. */
  async accept(): Promise<void> {
    const pending = this.#pending
    if (!pending) return
    const saved = await this.saving.run(() => this.#api.downloads.configure({ folderId: pending.folder.id }))
    if (!saved || this.#pending !== pending) return
    this.#pending = undefined
    await pending.proceed()
  }

  /** Downloads nothing; the question is asked again next time. */
  cancel(): void {
    this.#pending = undefined
  }
}
