/**
 * Why nothing of a lane (an account, a folder) leaves just now, and until when: what all of its jobs would meet, one of them
 * meets for all. A pause grows with each failure in a row. It is known in this run only; what must outlast it is its
 * queue's to keep.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { backoff } from '../lib/retry.ts'
import type { Time } from '../lib/time.ts'

export interface Pause {
  readonly error: AppError
  /** When it began, by the wall clock, in milliseconds since 1970 UTC. */
  readonly since: number
  /** On the clock that never jumps; infinite if only a person, or news of the network, ends it. */
  readonly until: number
  /** How many failures in a row led to it. */
  readonly failures: number
}

export class Pauses {
  readonly #time: Pick<Time, 'now' | 'elapsed' | 'random'>
  readonly #pauses = new Map<string, Pause>()

  constructor(time: Pick<Time, 'now' | 'elapsed' | 'random'>) {
    this.#time = time
  }

  /**
   * A job failed for a reason that the others of its lane would meet too. Jobs that were under way together fail together:
   * while the lane is paused that is the same failure, and only `atLeast` makes the pause longer.
   * @param first how long the first pause lasts, in milliseconds; each further one about twice as long as the one before.
   * @param atLeast how long the service asked us to wait, in milliseconds.
   */
  failed(lane: string, { error, first, atLeast = 0 }: { error: AppError; first: number; atLeast?: number }): void {
    const known = this.#pauses.get(lane)
    const now = this.#time.elapsed()
    if (known && known.until > now) {
      this.#pauses.set(lane, { ...known, error, until: Math.max(known.until, now + atLeast) })
      return
    }
    const failures = (known?.failures ?? 0) + 1
    const until = now + Math.max(atLeast, backoff(first, failures, this.#time.random))
    this.#pauses.set(lane, { error, since: known?.since ?? this.#time.now(), until, failures })
  }

  /** Pauses the lane for so many milliseconds from now; a pause that lasts longer stays as it is. */
  hold(lane: string, error: AppError, milliseconds: number): void {
    const known = this.#pauses.get(lane)
    const now = this.#time.elapsed()
    const until = now + milliseconds
    if (known && known.until >= until) return
    const since = known && known.until > now ? known.since : this.#time.now()
    this.#pauses.set(lane, { error, since, until, failures: known?.failures ?? 0 })
  }

  /** Pauses the lane until `tryNow` or `clear`: trying by itself would not help, or would ask the person each time. */
  block(lane: string, error: AppError): void {
    this.#pauses.set(lane, { error, since: this.#time.now(), until: Number.POSITIVE_INFINITY, failures: 1 })
  }

  /** A job went well, or what was wrong may be over: of this lane, or of all. */
  clear(lane?: string): void {
    if (lane === undefined) this.#pauses.clear()
    else this.#pauses.delete(lane)
  }

  /** The next is tried now. Where it fails too, that counts as one more failure in a row. */
  tryNow(lane?: string): void {
    const now = this.#time.elapsed()
    for (const [key, pause] of this.#pauses) {
      if (lane === undefined || lane === key) this.#pauses.set(key, { ...pause, until: Math.min(pause.until, now) })
    }
  }

  /** Milliseconds until something of the lane may leave; 0 for now, infinite while it is blocked. */
  left(lane: string): number {
    const pause = this.#pauses.get(lane)
    return pause ? Math.max(0, pause.until - this.#time.elapsed()) : 0
  }

  /** The lane's pause, also once its time is over and it isn't known yet whether the next job goes well. */
  of(lane: string): Pause | undefined {
    return this.#pauses.get(lane)
  }
}
