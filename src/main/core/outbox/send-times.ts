/**
 * When a ready send may leave: after the time in which sending can be undone, or at the time that a person gave it. Neither
 * is shortened or lengthened by a clock that is put forwards or back.
 */
import type { Time } from '../lib/time.ts'

/** The wall clock and the clock that never jumps may drift apart by this much, in milliseconds. */
const DRIFT = 5 * 60_000

/** As much of a send as says when it may leave. `goesAt` is 0 for at once. */
export interface Waits {
  readonly id: string
  readonly batchId: string | undefined
  readonly isScheduled: boolean
  readonly goesAt: number
}

interface Moment {
  wall: number
  elapsed: number
}

export class SendTimes {
  readonly #time: Pick<Time, 'now' | 'elapsed'>
  /** When the undo window of a send or a batch ends, on the clock that never jumps. */
  readonly #undoUntil = new Map<string, number>()
  /** When a send or a batch was given its time. */
  readonly #given = new Map<string, Moment>()
  /** When the wall clock was last known to be right: at the start of this run, and when the computer woke. */
  #trusted: Moment

  constructor(time: Pick<Time, 'now' | 'elapsed'>) {
    this.#time = time
    this.#trusted = this.#moment()
  }

  /**
   * Opens the undo window of a send or a batch. An earlier run's is taken over with what was left of it.
   * @param milliseconds from now.
   */
  allowUndo(id: string, milliseconds: number): void {
    if (milliseconds > 0) this.#undoUntil.set(id, this.#time.elapsed() + milliseconds)
  }

  /** Closes the undo window: it goes now, or was taken back. */
  endUndo(id: string): void {
    this.#undoUntil.delete(id)
  }

  /** A person has just given this send, or this batch, its time by the wall clock as it is. */
  schedule(id: string): void {
    this.#given.set(id, this.#moment())
  }

  /** The computer slept, or is at work again: the wall clock is right as it is. */
  trustClock(): void {
    this.#given.clear()
    this.#trusted = this.#moment()
  }

  /** How long until a ready send may leave, in milliseconds; 0 or less if its time has come. */
  left({ id, batchId, isScheduled, goesAt }: Waits): number {
    if (goesAt === 0) return 0
    return isScheduled ? this.#scheduledLeft(batchId ?? id, goesAt) : this.#undoLeft(batchId ?? id)
  }

  #undoLeft(id: string): number {
    const until = this.#undoUntil.get(id)
    if (until === undefined) return 0
    const left = until - this.#time.elapsed()
    if (left <= 0) this.#undoUntil.delete(id)
    return Math.max(0, left)
  }

  /**
   * The wall clock says when a time comes, but a jump of it alone makes nothing leave: how long is left is also measured on
   * the clock that never jumps, from when the time was given or from when the wall clock was last trusted.
   */
  #scheduledLeft(id: string, at: number): number {
    const from = this.#given.get(id) ?? this.#trusted
    const byWall = at - this.#time.now()
    const measured = at - from.wall - (this.#time.elapsed() - from.elapsed)
    return byWall <= 0 && measured > DRIFT ? measured : byWall
  }

  #moment(): Moment {
    return { wall: this.#time.now(), elapsed: this.#time.elapsed() }
  }
}
