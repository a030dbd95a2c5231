/**
 * Scheduling of jobs in lanes. Each account, folder or queue has its own lane, which sleeps until its next job is due,
 * is woken by events, and pauses while all of its jobs would fail for the same reason. Nothing is polled.
 */

import type { AppError } from '../../../shared/contract/index.ts'
import { getOrMake } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import { backoff } from '../lib/time.ts'

/**
 * Upper bound of a sleep, in milliseconds. The wall clock may jump, so anything that waits for a time of day is
 * rechecked this often.
 */
const MAX_SLEEP = 60_000

/** The lanes of a queue, each created when first needed. */
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

/** Turns of a lane with several jobs in flight: each starts what can start, and says when the next turn is. */
export class DispatchLoop {
  readonly #time: Pick<Time, 'after'>
  readonly #dispatch: () => void
  #isPlanned = false
  #cancelSleep: (() => void) | undefined

  constructor(time: Pick<Time, 'after'>, dispatch: () => void) {
    this.#time = time
    this.#dispatch = dispatch
  }

  /** Takes a turn once the current events are handled, so that answers that arrive together are one turn. */
  wake(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => {
      this.#isPlanned = false
      this.#dispatch()
    })
  }

  /** Takes the next turn after this many milliseconds, or after a minute if that is sooner. */
  sleep(milliseconds: number): void {
    this.stopSleeping()
    this.#cancelSleep = this.#time.after(Math.min(MAX_SLEEP, Math.max(1, milliseconds)), () => this.wake())
  }

  stopSleeping(): void {
    this.#cancelSleep?.()
    this.#cancelSleep = undefined
  }
}

/** A lane's work that never runs twice at the same time, started now or later. */
export class SerialTask<Answer> {
  readonly #time: Pick<Time, 'after'>
  readonly #work: () => Promise<Answer>
  readonly #onIdle: () => void
  #running: Promise<Answer> | undefined
  #next: Promise<Answer> | undefined
  #cancel: (() => void) | undefined

  /** @param onIdle called each time the work has ended, whether it succeeded or failed. */
  constructor(time: Pick<Time, 'after'>, work: () => Promise<Answer>, onIdle: () => void = () => undefined) {
    this.#time = time
    this.#work = work
    this.#onIdle = onIdle
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Starts the work now, or joins the work in progress. Rejects as the work does. */
  run(): Promise<Answer> {
    this.cancel()
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined
      this.#onIdle()
    })
    return this.#running
  }

  /** Starts the work now, or right after the work in progress, which may no longer see recent changes. */
  runFresh(): Promise<Answer> {
    this.cancel()
    if (!this.#running) return this.run()
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.run()
      })
    return this.#next
  }

  /** Starts the work after this many milliseconds, replacing what was planned. Its errors are ignored then. */
  schedule(milliseconds: number): void {
    this.cancel()
    this.#cancel = this.#time.after(Math.max(0, milliseconds), () => void this.run().catch(() => undefined))
  }

  cancel(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** Cancels what was planned; resolves once no work is in progress. */
  async close(): Promise<void> {
    this.cancel()
    await this.whenIdle()
  }

  /** Resolves once no work is in progress. */
  async whenIdle(): Promise<void> {
    await this.#running?.catch(() => undefined)
  }
}

export interface Pause {
  readonly error: AppError
  /** When it began, by the wall clock, in milliseconds since 1970 UTC. */
  readonly since: number
  /** On the monotonic clock; infinite if only a person, or a change of the network, ends it. */
  readonly until: number
  /** The number of consecutive failures that led to it. */
  readonly failures: number
}

/**
 * Why nothing of a lane (an account, a folder) may leave, and until when. If all jobs of the lane would fail for the
 * same reason, only one has to. Each consecutive failure makes the pause longer. Pauses last for this run only; a queue
 * stores what must outlast it.
 */
export class Pauses {
  readonly #time: Pick<Time, 'now' | 'elapsed' | 'random'>
  readonly #pauses = new Map<string, Pause>()

  constructor(time: Pick<Time, 'now' | 'elapsed' | 'random'>) {
    this.#time = time
  }

  /**
   * Records that a job failed for a reason that the lane's other jobs would meet too. Jobs in flight together fail
   * together: while the lane is paused, that counts as one failure, and only `atLeast` extends the pause.
   * @param first how long the first pause lasts, in milliseconds; each further one is about twice as long as the one
   * before.
   * @param atLeast how long the service asked us to wait, in milliseconds.
   */
  recordFailure(
    lane: string,
    { error, first, atLeast = 0 }: { error: AppError; first: number; atLeast?: number }
  ): void {
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

  /** Pauses the lane for this many milliseconds from now, unless a longer pause is in effect. */
  pauseFor(lane: string, error: AppError, milliseconds: number): void {
    const known = this.#pauses.get(lane)
    const now = this.#time.elapsed()
    const until = now + milliseconds
    if (known && known.until >= until) return
    const since = known && known.until > now ? known.since : this.#time.now()
    this.#pauses.set(lane, { error, since, until, failures: known?.failures ?? 0 })
  }

  /** Pauses the lane until `tryNow` or `clear`, if retries wouldn't help or would prompt the user each time. */
  block(lane: string, error: AppError): void {
    this.#pauses.set(lane, { error, since: this.#time.now(), until: Number.POSITIVE_INFINITY, failures: 1 })
  }

  /** Ends the pause of this lane, or of all, as a job succeeded or the cause may be over. */
  clear(lane?: string): void {
    if (lane === undefined) this.#pauses.clear()
    else this.#pauses.delete(lane)
  }

  /** Lets the next job run now. If it fails too, that counts as a further consecutive failure. */
  tryNow(lane?: string): void {
    const now = this.#time.elapsed()
    for (const [key, pause] of this.#pauses) {
      if (lane === undefined || lane === key) this.#pauses.set(key, { ...pause, until: Math.min(pause.until, now) })
    }
  }

  /** Returns the milliseconds until something of the lane may leave; 0 for now, infinite if blocked. */
  remaining(lane: string): number {
    const pause = this.#pauses.get(lane)
    return pause ? Math.max(0, pause.until - this.#time.elapsed()) : 0
  }

  /** Returns the lane's pause, even after its time is over, until a job shows whether the cause is gone. */
  of(lane: string): Pause | undefined {
    return this.#pauses.get(lane)
  }
}

/** Runs each work once more if possible, then none. @param stopPlanning called in between; plan nothing after it. */
export async function drain(lanes: Iterable<SerialTask<void>>, stopPlanning: () => void): Promise<void> {
  const all = [...lanes]
  await Promise.allSettled(all.map((lane) => lane.runFresh()))
  stopPlanning()
  await Promise.all(all.map((lane) => lane.close()))
}
