/**
 * How long the next PIN has to wait after wrong ones: long enough that a person at the counter can't try them all, and
 * never longer than that, whatever is done to the computer's clock.
 */

const TRIES_AT_ONCE = 3
const SECOND = 1000
const DELAYS = [5 * SECOND, 15 * SECOND, 30 * SECOND, 60 * SECOND, 300 * SECOND]
const LONGEST = 300 * SECOND

/** Milliseconds, after so many wrong PINs in a row. */
function delayAfter(wrong: number): number {
  return wrong < TRIES_AT_ONCE ? 0 : (DELAYS[wrong - TRIES_AT_ONCE] ?? LONGEST)
}

/** How many tries have failed in a row, and when the last of them began, in milliseconds since 1970 UTC. */
export interface Tries {
  wrong: number
  triedAt: number
}

export interface WaitEffects {
  clock: () => number
  /** Milliseconds from any moment on, that no change of the clock makes jump (`performance.now`). */
  monotonic: () => number
}

/**
 * Within a run of the application waiting is measured by what can't be set. What an earlier run left is measured by the
 * clock once, and one that was set back since makes it the whole delay again, and no more.
 */
export function openWaits({ clock, monotonic }: WaitEffects) {
  let known: (Tries & { until: number }) | undefined

  return {
    /** A try begins now; returns what is to be kept of it before anything else happens. */
    begin(wrong: number): Tries {
      const tries = { wrong, triedAt: clock() }
      known = { ...tries, until: monotonic() + delayAfter(wrong) }
      return tries
    },

    /** Milliseconds until the next PIN is taken; 0 where it is taken now. */
    left({ wrong, triedAt }: Tries): number {
      if (known?.wrong !== wrong || known.triedAt !== triedAt) {
        const delay = delayAfter(wrong)
        const rest = Math.min(Math.max(triedAt + delay - clock(), 0), delay)
        known = { wrong, triedAt, until: monotonic() + rest }
      }
      return Math.max(known.until - monotonic(), 0)
    }
  }
}
