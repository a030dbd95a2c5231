/** Time as a dependency, and helpers built on it: tests pass in a clock that they advance themselves. */
import { createSubscriber } from 'svelte/reactivity'

export interface Clock {
  now(): number
  /** Milliseconds from an arbitrary start, unaffected by changes to the computer's clock. */
  monotonic(): number
  /** Runs once after this many milliseconds. Returns a function that cancels it. */
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
 * Throttles a function: the first request runs it at once.
 * @param pause minimum milliseconds between two runs. Requests during the pause are combined into one run at its end.
 * @returns a function that requests a run.
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

/**
 * A reactive clock reading that updates its dependents from time to time. It doesn't tick while nothing depends on it.
 */
class Ticking {
  readonly #clock: Clock
  readonly #follow: () => void

  /** @param untilNext milliseconds from a given time until the next update. */
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

/** The current time, updated at the start of each minute. */
export class Minutes extends Ticking {
  constructor(clock: Clock) {
    super(clock, (now) => MINUTE - (now % MINUTE))
  }
}

/** The current time, updated every second. */
export class Seconds extends Ticking {
  constructor(clock: Clock) {
    super(clock, () => 1000)
  }
}
