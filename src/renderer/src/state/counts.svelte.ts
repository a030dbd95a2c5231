/** The numbers beside the entries of the side bar. */

import type { CounterEntry, DocumentList, DownloadView, SendView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { Resource } from './resource.svelte.ts'

export class Counts {
  readonly #sends: Resource<SendView[]>
  readonly #documents: Resource<DocumentList>
  readonly #queue: Resource<CounterEntry[]>
  readonly #downloads: Resource<DownloadView[]>

  constructor(api: Api) {
    this.#sends = new Resource(() => api.sends.list())
    this.#documents = new Resource(() => api.documents.list({ folder: 'InBox', search: '', offset: 0, limit: 1 }))
    this.#queue = new Resource(() => api.counter.queue())
    this.#downloads = new Resource(() => api.downloads.list())
  }

  /** Sends that need a person: refused, uncertain, not sent. */
  get outbox() {
    return (this.#sends.value ?? []).filter((send) => send.state !== 'sent' && send.state !== 'sending').length
  }
  /** Whether one of them is uncertain. */
  get uncertain() {
    return (this.#sends.value ?? []).some((send) => send.state === 'uncertain')
  }
  get folders(): Record<string, number> {
    return this.#documents.value?.counts ?? {}
  }
  get counter() {
    return this.#queue.value?.length ?? 0
  }
  get downloads() {
    return (this.#downloads.value ?? []).filter((download) => download.state === 'running').length
  }

  loadSends(): Promise<void> {
    return this.#sends.load()
  }
  async loadDocuments(): Promise<void> {
    await Promise.all([this.#documents.load(), this.#queue.load()])
  }
  loadDownloads(): Promise<void> {
    return this.#downloads.load()
  }
  async load(): Promise<void> {
    await Promise.all([this.loadSends(), this.loadDocuments(), this.loadDownloads()])
  }

  clear(): void {
    this.#sends.clear()
    this.#documents.clear()
    this.#queue.clear()
    this.#downloads.clear()
  }
}
