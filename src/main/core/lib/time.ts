/**
 * Time and randomness, injected wherever needed: the system's in the product, a test's own in tests. Also how long to
 * wait: before a retry, for something to end, and between two runs of a task.
 */

export interface Time {
  /** Milliseconds since 1970 UTC by the wall clock, which people and servers may set forwards and backwards. */
  now(): number
  /** Milliseconds since an arbitrary moment, by a clock that never jumps: for durations. */
  elapsed(): number
  /**
   * Runs `task` once after `delay` milliseconds; returns a function that cancels it. Delays above 24 days fire early:
   * the caller has to check again how long is left.
   */
  after(delay: number, task: () => void): () => void
  /** From 0 up to, but not including, 1. */
  random(): number
  /** The IANA name of the zone that this computer's clock shows, such as `Pacific/Auckland`. */
  zone(): string
}

/** Node runs a task with a longer delay immediately. */
const MAX_TIMER = 2 ** 31 - 1

/** This computer's time and randomness. */
export const systemTime: Time = {
  now: Date.now,
  elapsed: () => performance.now(),
  after(delay, task) {
    const timer = setTimeout(task, Math.min(delay, MAX_TIMER))
    return () => clearTimeout(timer)
  },
  random: Math.random,
  zone: () => Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Whether something is younger than `maxAge` milliseconds. After the clock was set back, its age is unknown. */
export function isFresh(time: Pick<Time, 'now'>, at: number, maxAge: number): boolean {
  const age = time.now() - at
  return age >= 0 && age < maxAge
}

/** Maximum backoff, in milliseconds. */
const MAX_BACKOFF = 60_000

/**
 * Returns an exponential backoff with up to a fifth of jitter, so that the workstations of an office don't all retry at
 * once.
 * @param first in milliseconds.
 * @param failures 1 for the first.
 * @param random from 0 to 1.
 */
export function backoff(first: number, failures: number, random: () => number): number {
  return Math.min(MAX_BACKOFF, first * 2 ** Math.min(failures - 1, 10)) * (1 - random() / 5)
}

/**
 * Resolves when `work` ends, even if it fails, or after `limit` milliseconds. A failure is an unhandled rejection, which
 * is logged.
 */
export function within(limit: number, work: Promise<unknown>, time: Pick<Time, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = time.after(limit, resolve)
    void work.finally(() => {
      cancel()
      resolve()
    })
  })
}

/**
 * Returns a check whether a claim just obtained outlasts a request that starts now. The monotonic clock may stop while
 * the computer sleeps, the wall clock doesn't, so the larger elapsed time counts.
 * @param until by the monotonic clock.
 * @param limit how long a request may take, in milliseconds.
 */
export function claimValidityCheck(time: Pick<Time, 'now' | 'elapsed'>, until: number, limit: number): () => boolean {
  const [began, elapsed] = [time.now(), time.elapsed()]
  return () => Math.max(time.elapsed() - elapsed, time.now() - began) + limit <= until - elapsed
}

export interface Throttled {
  request: () => void
  stop: () => void
}

/**
 * Throttles `task`: runs it at once, and then at most once per `interval` milliseconds. The last request is never
 * dropped.
 */
export function throttled(time: Pick<Time, 'after'>, interval: number, task: () => void): Throttled {
  let cancelCooldown: (() => void) | undefined
  let isRequested = false
  let isStopped = false

  function run(): void {
    isRequested = false
    cancelCooldown = time.after(interval, () => {
      cancelCooldown = undefined
      if (isRequested && !isStopped) run()
    })
    task()
  }

  return {
    request() {
      if (isStopped) return
      if (cancelCooldown) isRequested = true
      else run()
    },
    stop() {
      isStopped = true
      cancelCooldown?.()
    }
  }
}

/**
 * Returns a strictly increasing clock, even if the wall clock is set back. Use it only to order what is known of a
 * document, since it may run ahead of the wall clock. Reads and actions must share one.
 */
export function increasingClock(clock: () => number): () => number {
  let last = 0
  return () => {
    last = Math.max(clock(), last + 1)
    return last
  }
}
