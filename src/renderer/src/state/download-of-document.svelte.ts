/** One document's downloads, newest first. The newest of each type represents that type. */
import type { DownloadPage, DownloadType, DownloadView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'

/** Minimum milliseconds between reloads. */
const RELOAD_INTERVAL = 250
/** How many downloads are searched for the newest of each type. */
const MAX_SEARCHED = 50

export class DownloadsOfDocument extends Resource<DownloadPage> {
  readonly #sorted = $derived.by(() => [...(this.value?.items ?? [])].sort((one, two) => two.queuedAt - one.queuedAt))

  constructor(api: Api, clock: Clock, reference: string) {
    super(() => api.downloads.list({ reference, offset: 0, limit: MAX_SEARCHED }), {
      clock,
      milliseconds: RELOAD_INTERVAL
    })
  }

  get newest(): DownloadView[] {
    return this.#sorted.filter((one) => this.newestOf(one.type) === one)
  }
  newestOf(type: DownloadType): DownloadView | undefined {
    return this.#sorted.find((one) => one.type === type)
  }
  /** Returns the newest download of the type whose file is saved. */
  savedOf(type: DownloadType): DownloadView | undefined {
    return this.#sorted.find((one) => one.type === type && one.state === 'done')
  }
  find(id: string): DownloadView | undefined {
    return this.#sorted.find((one) => one.id === id)
  }
  /** Whether this download certainly no longer exists: all have been loaded, and it isn't among them. */
  isGone(id: string): boolean {
    const list = this.value
    return list !== undefined && list.items.length >= list.total && this.find(id) === undefined
  }
}
