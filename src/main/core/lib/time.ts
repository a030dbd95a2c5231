/** Time and chance, as everything that depends on them is given them: the system's in the product, a test's own in a test. */

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
