/** Gathers what changed, so that a batch that goes tells the screens of many sends at once, and at most ten times a second. */
import type { Time } from '../lib/time.ts'
import type { ChangeListeners } from './deps.ts'

/** The shortest time between two reports, in milliseconds. */
const INTERVAL = 100

export class Changes {
  readonly #time: Time
  readonly #listeners: ChangeListeners
  readonly #sends = new Set<string>()
  readonly #batches = new Set<string>()
  readonly #drafts = new Set<string>()
  #outbox = false
  #reportedAt = Number.NEGATIVE_INFINITY
  #cancel: (() => void) | undefined
  #isStopped = false

  constructor({ time, changed }: { time: Time; changed: ChangeListeners }) {
    this.#time = time
    this.#listeners = changed
  }

  send({ id, batchId }: { id: string; batchId?: string | undefined }): void {
    this.#sends.add(id)
    if (batchId !== undefined) this.#batches.add(batchId)
    this.outbox()
  }

  outbox(): void {
    this.#outbox = true
    this.#soon()
  }

  batch(id: string): void {
    this.#batches.add(id)
    this.#soon()
  }

  draft(id: string | undefined): void {
    if (id === undefined) return
    this.#drafts.add(id)
    this.#soon()
  }

  /** Reports nothing any more. */
  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
  }

  #soon(): void {
    if (this.#cancel || this.#isStopped) return
    const wait = Math.max(0, this.#reportedAt + INTERVAL - this.#time.elapsed())
    this.#cancel = this.#time.after(wait, () => this.#report())
  }

  #report(): void {
    this.#cancel = undefined
    this.#reportedAt = this.#time.elapsed()
    const [sends, batches, drafts, outbox] = [[...this.#sends], [...this.#batches], [...this.#drafts], this.#outbox]
    this.#sends.clear()
    this.#batches.clear()
    this.#drafts.clear()
    this.#outbox = false
    if (sends.length > 0) this.#listeners.sends(sends)
    if (outbox) this.#listeners.outbox()
    for (const id of batches) this.#listeners.batch(id)
    for (const id of drafts) this.#listeners.draft(id)
  }
}
