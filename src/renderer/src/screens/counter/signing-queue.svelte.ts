/** Who can sign here, as far as is known; appointments of today; and how true that is where the documents can't be read. */
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { CounterEntry } from '../../../../shared/contract/views.ts'
import { type Api, ofAccount, settled, together } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { type Clock, coalesced } from '../../state/clock.ts'
import { Resource } from '../../state/resource.svelte.ts'

/** Milliseconds between two readings while documents change. */
const PAUSE = 500

/** How far the documents behind the queue are known. */
export interface QueueStand {
  /** When they were last read; absent where they never were. */
  lookedAt?: number
  /** Why they could not be read. */
  problem?: AppError
}

export type QueuePlace = Pick<CounterEntry, 'accountId' | 'documentReference' | 'signer'>

export class SigningQueue {
  readonly refreshing = new Action<null>()
  readonly #entries: Resource<CounterEntry[]>
  readonly #stand: Resource<QueueStand>
  readonly #api: Api
  readonly #follow: () => void

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#entries = new Resource(() => api.counter.queue())
    this.#stand = new Resource(() => standOf(api))
    this.#follow = coalesced(clock, PAUSE, () => void this.load())
  }

  get entries(): readonly CounterEntry[] {
    return this.#entries.value ?? []
  }
  /** Whether it is known who can sign, and how true that is. */
  get known() {
    return this.#entries.value !== undefined && this.#stand.value !== undefined
  }
  get stand(): QueueStand {
    return this.#stand.value ?? {}
  }
  get error() {
    return this.#entries.error
  }
  get reading() {
    return this.#entries.reading
  }

  /** Reads the queue, then follows it. Answers what stops following. */
  open(): () => void {
    void this.load()
    return together(this.#api.on('documents.changed', this.#follow), this.#api.on('counter.changed', this.#follow))
  }

  async load(): Promise<void> {
    await Promise.all([this.#entries.load(), this.#stand.load()])
  }

  /** Has the documents read from the service, then the queue. */
  async refresh(): Promise<void> {
    await this.refreshing.run(() => this.#api.documents.refresh())
    await this.load()
  }

  /** Pins someone to today, or unpins them. Answers why that could not be kept. */
  async pin({ accountId, documentReference, signer }: QueuePlace, isToday: boolean): Promise<AppError | undefined> {
    const result = await settled(
      ofAccount(this.#api, accountId).counter.pinEntry({ documentReference, signer, isToday })
    )
    await this.load()
    return result.ok ? undefined : result.error
  }

  /** The first who can sign a document here: read again where nobody is known, as right after it was sent. */
  async firstOf(document: DocumentKey): Promise<CounterEntry | undefined> {
    if (!this.known) await this.load()
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

async function standOf(api: Api): Promise<Result<QueueStand>> {
  const list = await settled(api.documents.list({ query: {}, offset: 0, limit: 1 }))
  const problem = list.ok ? list.value.problem : list.error
  const lookedAt = list.ok ? list.value.lookedAt : undefined
  return { ok: true, value: { ...(lookedAt !== undefined && { lookedAt }), ...(problem && { problem }) } }
}
