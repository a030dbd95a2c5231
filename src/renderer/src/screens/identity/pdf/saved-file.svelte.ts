/** The file of a document's identity PDF, where it was downloaded: how far that is, and where it lies. */
import type { DownloadPage, DownloadView } from '../../../../../shared/contract/views.ts'
import type { Api } from '../../../api.ts'
import { Action } from '../../../state/action.svelte.ts'
import { Resource } from '../../../state/resource.svelte.ts'

/** As many of the document's downloads as are looked through. */
const MOST = 50

export class SavedFile {
  readonly #api: Api
  readonly #reference: string
  readonly #list: Resource<DownloadPage>
  readonly #newest = $derived.by(() =>
    [...(this.#list.value?.items ?? [])]
      .filter(({ type }) => type === 'pdf')
      .sort((one, two) => two.queuedAt - one.queuedAt)
  )
  readonly starting = new Action<DownloadView>()
  readonly revealing = new Action<null>()

  constructor(api: Api, reference: string) {
    this.#api = api
    this.#reference = reference
    this.#list = new Resource(() => api.downloads.list({ reference, offset: 0, limit: MOST }))
  }

  /** The newest whose file is there. */
  get done(): DownloadView | undefined {
    return this.#newest.find(({ state }) => state === 'done')
  }
  get isUnderWay(): boolean {
    const state = this.#newest[0]?.state
    return this.starting.busy || state === 'waiting' || state === 'running'
  }
  /** What was asked for last and didn't come, and why. */
  get failed(): DownloadView | undefined {
    const [newest] = this.#newest
    return newest?.state === 'failed' ? newest : undefined
  }

  load(): Promise<void> {
    return this.#list.load()
  }

  async download(): Promise<void> {
    const { failed } = this
    // What failed begins again in its own place, so that it isn't in the list twice.
    if (failed) await this.#api.downloads.again({ ids: [failed.id] })
    else await this.starting.run(() => this.#api.downloads.start({ reference: this.#reference, type: 'pdf' }))
    await this.load()
  }

  async reveal(): Promise<void> {
    const { done } = this
    if (done) await this.revealing.run(() => this.#api.downloads.reveal({ id: done.id }))
  }
}
