/** How long to rest between two rounds over an account's folders, and how to tell of many things at once. Nothing here waits. */
import type { AppError } from '../../../../shared/contract/index.ts'
import type { Time } from '../../lib/time.ts'

/** All in milliseconds. */
export const PACE = {
  /** While someone looks at the account. */
  shown: 10_000,
  /** While nobody does. */
  hidden: 120_000,
  /** After a first round that failed; each further one doubles it. */
  failing: 30_000,
  longestFailing: 300_000,
  /** While the line is down, one folder is asked for now and then, to learn that it is back. */
  probeShown: 30_000,
  probeHidden: 120_000,
  /** However long a round took: a clock that was put right, or a machine that slept, makes it look longer. */
  longestFair: 600_000,
  /** However long the service asks for: it may have been wrong, and a timer knows no longer than 24 days. */
  longestAskedFor: 3_600_000
}

/** A round that took long leaves so many times as long to everything else on the line. */
const REST_FOR_EACH = 5
/** Rests are lengthened by up to this share after errors, so that fifty workstations don't come back at once. */
const SPREAD = 0.2

/** How an account, or a folder of it, stands after a round. */
export interface Fortune {
  /** The window is shown, and it is this account's. */
  isLookedAt: boolean
  /** Rounds on end that failed. */
  failures: number
  /** The last error, where the last round failed. */
  error?: Pick<AppError, 'code' | 'retryAfterMs'> | undefined
  /** Whether the service couldn't be reached at all. */
  isOffline: boolean
  /** How long the round took. */
  took: number
}

/**
 * Milliseconds until the next round.
 * @param random 0 up to 1.
 */
export function restAfter({ isLookedAt, failures, error, isOffline, took }: Fortune, random: number): number {
  const usual = isLookedAt ? PACE.shown : PACE.hidden
  const fair = Math.max(usual, Math.min(PACE.longestFair, took * REST_FOR_EACH))
  if (failures === 0) return fair
  const spread = 1 + SPREAD * random
  if (isOffline) return (isLookedAt ? PACE.probeShown : PACE.probeHidden) * spread
  // The keychain might ask the person each time.
  const patience =
    error?.code === 'keychain' ? PACE.longestFailing : Math.min(PACE.longestFailing, PACE.failing * 2 ** (failures - 1))
  return Math.max(fair, patience * spread, Math.min(error?.retryAfterMs ?? 0, PACE.longestAskedFor))
}

/**
 * Makes of `task` one that is run at once, and then no more than once in so many milliseconds, however often it is asked
 * for; what was asked for last is never left out.
 */
export function throttled(
  time: Pick<Time, 'after'>,
  interval: number,
  task: () => void
): { ask: () => void; stop: () => void } {
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
