/** Time as a parameter, and what follows from it: tests hand in a clock that they move themselves. */
import { createSubscriber } from 'svelte/reactivity'

export interface Clock {
  now(): number
  /** Milliseconds from any moment on, that no change of the computer's clock makes jump. */
  monotonic(): number
  /** Runs once after so many milliseconds; answers what cancels it. */
  after(milliseconds: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  }
}

/**
 * Lets something run at once and then no more often than every so many milliseconds, however often it is asked for.
 * @param pause milliseconds between two runs at least. What is asked for meanwhile runs once, when they have passed.
 * @returns what asks for a run.
 */
export function coalesced(clock: Clock, pause: number, run: () => void): () => void {
  let waiting = false
  let asked = false

  function rest() {
    waiting = true
    clock.after(pause, () => {
      waiting = false
      if (!asked) return
      asked = false
      run()
      rest()
    })
  }

  return () => {
    if (waiting) {
      asked = true
      return
    }
    run()
    rest()
  }
}

/** A reading of the clock that is told again now and then to whatever depends on it; nothing ticks while nobody looks. */
class Ticking {
  readonly #clock: Clock
  readonly #follow: () => void

  /** @param untilNext how long after a moment the next one is told, in milliseconds. */
  constructor(clock: Clock, untilNext: (now: number) => number) {
    this.#clock = clock
    this.#follow = createSubscriber((update) => {
      let stop = () => {}
      const tick = () => {
        stop = clock.after(untilNext(clock.now()), () => {
          update()
          tick()
        })
      }
      tick()
      return () => stop()
    })
  }

  /** Milliseconds since 1970 UTC. */
  get now(): number {
    this.#follow()
    return this.#clock.now()
  }
}

const MINUTE = 60_000

/** The time, told again as each minute begins to whatever depends on it. */
export class Minutes extends Ticking {
  constructor(clock: Clock) {
    super(clock, (now) => MINUTE - (now % MINUTE))
  }
}

/** The time, told again each second to whatever shows it. */
export class Seconds extends Ticking {
  constructor(clock: Clock) {
    super(clock, () => 1000)
  }
}
