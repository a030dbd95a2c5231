/**
 * When a lane of jobs does something: each account, folder or queue has a lane of its own, which sleeps until the next job is
 * due, and is woken by what happens. Nothing is polled.
 */
import type { Time } from '../lib/time.ts'

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
    const known = this.#lanes.get(key)
    if (known) return known
    const lane = this.#make(key)
    this.#lanes.set(key, lane)
    return lane
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

  /** Works after so many milliseconds instead of when it was planned before. What it throws concerns nobody then. */
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
