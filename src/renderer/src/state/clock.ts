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
 * @param interval minimum milliseconds between two runs. Requests during the pause are combined into one run at its end.
 * @returns a function that requests a run.
 */
export function throttled(clock: Clock, interval: number, run: () => void): () => void {
  let waiting = false
  let isRequested = false

  function startInterval() {
    waiting = true
    clock.after(interval, () => {
      waiting = false
      if (!isRequested) return
      isRequested = false
      run()
      startInterval()
    })
  }

  return () => {
    if (waiting) {
      isRequested = true
      return
    }
    run()
    startInterval()
  }
}

/**
 * A reactive clock reading that updates its dependents from time to time. It doesn't tick while nothing depends on it.
 */
class Ticking {
  readonly #clock: Clock
  readonly #subscribe: () => void

  /** @param untilNext milliseconds from a given time until the next update. */
  constructor(clock: Clock, untilNext: (now: number) => number) {
    this.#clock = clock
    this.#subscribe = createSubscriber((update) => {
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
    this.#subscribe()
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
