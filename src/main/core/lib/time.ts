/**
 * Time and chance, as everything that depends on them is given them: the system's in the product, a test's own in a test. And how
 * long to wait: before something that failed is tried again, for something to end, and between two times of one thing.
 */

export interface Time {
  /** Milliseconds since 1970 UTC by the clock on the wall, which people and servers may set forwards and backwards. */
  now(): number
  /** Milliseconds since some moment, by a clock that never jumps: for how long something took or has lasted. */
  elapsed(): number
  /**
   * Runs `task` once, `delay` milliseconds from now; returns what cancels it. A delay that is longer than 24 days comes
   * early: anyone who waits that long looks again how long is left.
   */
  after(delay: number, task: () => void): () => void
  /** From 0 up to, but not including, 1. */
  random(): number
  /** The IANA name of the zone that this computer's clock shows, such as `Pacific/Auckland`. */
  zone(): string
}

/** Node runs a task with a longer delay at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The time and chance of this computer. */
export const systemTime: Time = {
  now: Date.now,
  elapsed: () => performance.now(),
  after(delay, task) {
    const timer = setTimeout(task, Math.min(delay, LONGEST_TIMER))
    return () => clearTimeout(timer)
  },
  random: Math.random,
  zone: () => Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** No wait is longer than this, in milliseconds. */
const LONGEST = 60_000

/**
 * A wait that doubles with every failure, and of which up to a fifth is left to chance, so that the workstations of an
 * office don't all come back at once.
 * @param first in milliseconds.
 * @param failures 1 for the first.
 * @param random from 0 to 1.
 */
export function backoff(first: number, failures: number, random: () => number): number {
  return Math.min(LONGEST, first * 2 ** Math.min(failures - 1, 10)) * (1 - random() / 5)
}

/** Resolves as `work` does, or after `limit` milliseconds. */
export function within(limit: number, work: Promise<unknown>, time: Pick<Time, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = time.after(limit, resolve)
    void work.then(() => {
      cancel()
      resolve()
    })
  })
}

export interface Throttled {
  ask: () => void
  stop: () => void
}

/**
 * Makes of `task` one that is run at once, and then no more than once in so many milliseconds, however often it is asked
 * for; what was asked for last is never left out.
 */
export function throttled(time: Pick<Time, 'after'>, interval: number, task: () => void): Throttled {
  let resting: (() => void) | undefined
  let isWanted = false
  let isStopped = false

  function run(): void {
    isWanted = false
    resting = time.after(interval, () => {
      resting = undefined
      if (isWanted && !isStopped) run()
    })
    task()
  }

  return {
    ask() {
      if (isStopped) return
      if (resting) isWanted = true
      else run()
    },
    stop() {
      isStopped = true
      resting?.()
    }
  }
}

/**
 * A clock by which everything comes after what was before, however the wall clock is put: what is known of a document is
 * ordered by it, and nothing else, as it stays ahead where the wall clock was. Anyone who looks and anyone who acts must share
 * one.
 */
export function neverBackwards(clock: () => number): () => number {
  let last = 0
  return () => {
    last = Math.max(clock(), last + 1)
    return last
  }
}
