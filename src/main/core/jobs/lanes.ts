/**
 * When a lane of jobs does something: each account, folder or queue has a lane of its own, which sleeps until the next job is
 * due, is woken by what happens, and pauses while all of its jobs would meet the same trouble. Nothing is polled.
 */

import type { AppError } from '../../../shared/contract/index.ts'
import { getOrMake } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import { backoff } from '../lib/time.ts'

/** The wall clock may jump: what waits for a time of day is looked at this often, in milliseconds. */
const LONGEST_SLEEP = 60_000

/** The lanes of a queue, each made when it is first asked for. */
export class Lanes<Lane> {
  readonly #lanes = new Map<string, Lane>()
  readonly #make: (key: string) => Lane

  constructor(make: (key: string) => Lane) {
    this.#make = make
  }

  of(key: string): Lane {
    return getOrMake(this.#lanes, key, () => this.#make(key))
  }

  all(): Lane[] {
    return [...this.#lanes.values()]
  }
}

/** Turns of a lane in which several jobs may be under way: each turn begins what can begin, and says when the next one is. */
export class Turns {
  readonly #time: Pick<Time, 'after'>
  readonly #take: () => void
  #isPlanned = false
  #cancelSleep: (() => void) | undefined

  constructor(time: Pick<Time, 'after'>, take: () => void) {
    this.#time = time
    this.#take = take
  }

  /** Takes a turn once all that is happening just now has happened: answers that come together are one turn. */
  wake(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      this.#take()
    })
  }

  /** Takes the next turn after so many milliseconds, or after a minute where that is sooner. */
  sleep(milliseconds: number): void {
    this.stopSleeping()
    this.#cancelSleep = this.#time.after(Math.min(LONGEST_SLEEP, Math.max(1, milliseconds)), () => this.wake())
  }

  stopSleeping(): void {
    this.#cancelSleep?.()
    this.#cancelSleep = undefined
  }
}

/** Work of a lane that is never done twice at the same time, now or later. */
export class OneAtATime<Answer> {
  readonly #time: Pick<Time, 'after'>
  readonly #work: () => Promise<Answer>
  readonly #rested: () => void
  #running: Promise<Answer> | undefined
  #next: Promise<Answer> | undefined
  #cancel: (() => void) | undefined

  /** @param rested called each time the work has ended, however it ended. */
  constructor(time: Pick<Time, 'after'>, work: () => Promise<Answer>, rested: () => void = () => undefined) {
    this.#time = time
    this.#work = work
    this.#rested = rested
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Works now, or joins the work that is under way. Rejects as the work does. */
  now(): Promise<Answer> {
    this.cancel()
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined
      this.#rested()
    })
    return this.#running
  }

  /** Works now, or right after the work that is under way, which may be past the point where it would see what is new. */
  fresh(): Promise<Answer> {
    this.cancel()
    if (!this.#running) return this.now()
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.now()
      })
    return this.#next
  }

  /** Works after so many milliseconds instead of when it was planned before. What it throws concerns no one then. */
  later(milliseconds: number): void {
    this.cancel()
    this.#cancel = this.#time.after(Math.max(0, milliseconds), () => void this.now().catch(() => undefined))
  }

  /** Forgets what was planned. */
  cancel(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Forgets what was planned; resolves once nothing is under way. */
  async close(): Promise<void> {
    this.cancel()
    await this.ended()
  }

  /** Resolves once nothing is under way. */
  async ended(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }
}

export interface Pause {
  readonly error: AppError
  /** When it began, by the wall clock, in milliseconds since 1970 UTC. */
  readonly since: number
  /** On the clock that never jumps; infinite if only a person, or news of the network, ends it. */
  readonly until: number
  /** How many failures in a row led to it. */
  readonly failures: number
}

/**
 * Why nothing of a lane (an account, a folder) leaves just now, and until when: what all of its jobs would meet, one of them
 * meets for all. A pause grows with each failure in a row. It is known in this run only; what must outlast it is its
 * queue's to keep.
 */
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

/** Has each work once more, where it can, and none of them after that. @param over called in between: nothing is planned any more. */
export async function workedOff(lanes: Iterable<OneAtATime<void>>, over: () => void): Promise<void> {
  const all = [...lanes]
  await Promise.allSettled(all.map((lane) => lane.fresh()))
  over()
  await Promise.all(all.map((lane) => lane.close()))
}
