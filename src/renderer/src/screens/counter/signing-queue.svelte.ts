/**
 * Who can sign here as far as is known, which of them have an appointment today, and how current this is if documents
 * can't be read.
 */
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { CounterEntry } from '../../../../shared/contract/views.ts'
import { type Api, ofAccount, settled, together } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { type Clock, throttled } from '../../state/clock.ts'
import { Resource } from '../../state/resource.svelte.ts'

/** Minimum time between two reads while documents change, in milliseconds. */
const RELOAD_INTERVAL = 500

/** How current the documents behind the queue are. */
export interface QueueStatus {
  /** When they were last read; absent if never. */
  lookedAt?: number
  /** Why they could not be read. */
  problem?: AppError
}

export type QueuePlace = Pick<CounterEntry, 'accountId' | 'documentReference' | 'signer'>

export class SigningQueue {
  readonly refreshing = new Action<null>()
  readonly #entries: Resource<CounterEntry[]>
  readonly #status: Resource<QueueStatus>
  readonly #api: Api
  readonly #scheduleReload: () => void

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#entries = new Resource(() => api.counter.queue())
    this.#status = new Resource(() => loadStatus(api))
    this.#scheduleReload = throttled(clock, RELOAD_INTERVAL, () => void this.load())
  }

  get entries(): readonly CounterEntry[] {
    return this.#entries.value ?? []
  }
  /** Whether both the queue and its currency have been loaded. */
  get isLoaded() {
    return this.#entries.value !== undefined && this.#status.value !== undefined
  }
  get status(): QueueStatus {
    return this.#status.value ?? {}
  }
  get error() {
    return this.#entries.error
  }
  get isLoading() {
    return this.#entries.isLoading
  }

  /** Loads the queue and subscribes to changes. Returns a function that unsubscribes. */
  open(): () => void {
    void this.load()
    return together(
      this.#api.on('documents.changed', this.#scheduleReload),
      this.#api.on('counter.changed', this.#scheduleReload)
    )
  }

  async load(): Promise<void> {
    await Promise.all([this.#entries.load(), this.#status.load()])
  }

  /** Has the documents read from the service, then reloads the queue. */
  async refresh(): Promise<void> {
    await this.refreshing.run(() => this.#api.documents.refresh())
    await this.load()
  }

  /** Pins someone to today, or unpins them. */
  async pin({ accountId, documentReference, signer }: QueuePlace, isToday: boolean): Promise<Result<null>> {
    const result = await settled(
      ofAccount(this.#api, accountId).counter.pinEntry({ documentReference, signer, isToday })
    )
    await this.load()
    return result
  }

  /** Returns the first person who can sign a document here. Refreshes if nobody is known, as right after sending. */
  async firstOf(document: DocumentKey): Promise<CounterEntry | undefined> {
    if (!this.isLoaded) await this.load()
    if (!this.#firstKnown(document)) await this.refresh()
    return this.#firstKnown(document)
  }

  #firstKnown({ accountId, reference }: DocumentKey): CounterEntry | undefined {
    const ofDocument = this.entries.filter(
      (entry) => entry.accountId === accountId && entry.documentReference === reference
    )
    return ofDocument.sort((one, other) => one.signer - other.signer)[0]
  }
}

async function loadStatus(api: Api): Promise<Result<QueueStatus>> {
  const list = await settled(api.documents.list({ query: {}, offset: 0, limit: 1 }))
  const problem = list.ok ? list.value.problem : list.error
  const lookedAt = list.ok ? list.value.lookedAt : undefined
  return { ok: true, value: { ...(lookedAt !== undefined && { lookedAt }), ...(problem && { problem }) } }
}
