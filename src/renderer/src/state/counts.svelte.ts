/** The numbers beside the entries of the side bar. */

import type { CounterEntry, DocumentCounts, DownloadSummary } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import type { Outbox } from './outbox.svelte.ts'
import { peopleOf } from './queued-people.ts'
import { Resource } from './resource.svelte.ts'

export class Counts {
  readonly #outbox: Outbox
  readonly #documents: Resource<DocumentCounts>
  readonly #queue: Resource<CounterEntry[]>
  readonly #downloads: Resource<DownloadSummary>

  constructor(api: Api, outbox: Outbox) {
    this.#outbox = outbox
    this.#documents = new Resource(() => api.documents.counts())
    this.#queue = new Resource(() => api.counter.queue())
    this.#downloads = new Resource(() => api.downloads.summary())
  }

  /** Sends that need a person: refused, uncertain, not sent. */
  get outbox() {
    return this.#outbox.attention
  }
  /** Sends that have not left yet, or are leaving. */
  get waiting() {
    return this.#outbox.waiting
  }
  get folders(): Record<string, number> {
    return this.#documents.value?.folders ?? {}
  }
  /** By a saved view's id. */
  get views(): Record<string, number> {
    return this.#documents.value?.views ?? {}
  }
  /** Documents to which something happened since the person last looked at them. */
  get unread() {
    return this.#documents.value?.unread ?? 0
  }
  /** People who can sign at the counter, however many documents wait for them. */
  get counter() {
    return peopleOf(this.#queue.value ?? []).filter(({ first }) => first).length
  }
  /** Files that are on their way, or wait for their turn. */
  get downloads() {
    const counts = this.#downloads.value?.counts
    return counts ? counts.running + counts.waiting : 0
  }

  /** What is in the folders and views alone. */
  loadFolders(): Promise<void> {
    return this.#documents.load()
  }
  async loadDocuments(): Promise<void> {
    await Promise.all([this.#documents.load(), this.#queue.load()])
  }
  loadDownloads(): Promise<void> {
    return this.#downloads.load()
  }
  async load(): Promise<void> {
    await Promise.all([this.loadDocuments(), this.loadDownloads()])
  }

  clear(): void {
    this.#documents.clear()
    this.#queue.clear()
    this.#downloads.clear()
  }
}
