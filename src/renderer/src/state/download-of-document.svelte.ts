/** The downloads of one document, newest first; the newest of each type stands for it. */
import type { DownloadPage, DownloadType, DownloadView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'

/** Milliseconds between two readings. */
const PAUSE = 250
/** As many as are looked through for the newest of each type. */
const MOST = 50

export class DownloadsOfDocument extends Resource<DownloadPage> {
  readonly #sorted = $derived.by(() => [...(this.value?.items ?? [])].sort((one, two) => two.queuedAt - one.queuedAt))

  constructor(api: Api, clock: Clock, reference: string) {
    super(() => api.downloads.list({ reference, offset: 0, limit: MOST }), { clock, milliseconds: PAUSE })
  }

  /** The newest of each type. */
  get newest(): DownloadView[] {
    return this.#sorted.filter((one) => this.newestOf(one.type) === one)
  }
  newestOf(type: DownloadType): DownloadView | undefined {
    return this.#sorted.find((one) => one.type === type)
  }
  /** The newest of the type whose file is there. */
  savedOf(type: DownloadType): DownloadView | undefined {
    return this.#sorted.find((one) => one.type === type && one.state === 'done')
  }
  find(id: string): DownloadView | undefined {
    return this.#sorted.find((one) => one.id === id)
  }
  /** Whether it is certain that this one is no more: all of them have been read, and it isn't among them. */
  isWithout(id: string): boolean {
    const list = this.value
    return list !== undefined && list.items.length >= list.total && this.find(id) === undefined
  }
}
