/** How long the next PIN has to wait after wrong ones, also after the application was ended and started again. */
import { z } from 'zod'
import type { Time } from '../lib/time.ts'

type Clocks = Pick<Time, 'now' | 'elapsed'>

/**
 * How many tries in a row have failed, when the last one began, in milliseconds since 1970 UTC, and whether its wait
 * was ended early.
 */
export const Tries = z.object({
  wrong: z.int().min(0).max(1_000_000),
  triedAt: z.number().min(0),
  isWaived: z.literal(true).optional()
})
export type Tries = z.infer<typeof Tries>

const SECOND = 1000
const MINUTE = 60 * SECOND

const TRIES_AT_ONCE = 3
/** Milliseconds of delay after each further wrong PIN in a row; the last value applies to all later ones. */
const DELAYS = [5 * SECOND, 15 * SECOND, 30 * SECOND, 60 * SECOND, 5 * MINUTE]

/** How many wrong PINs cause no delay, and the delay after each further one. */
interface Steps {
  atOnce: number
  delays: readonly number[]
}

function delayAfter(wrong: number, { atOnce, delays }: Steps): number {
  return wrong < atOnce ? 0 : (delays[Math.min(wrong - atOnce, delays.length - 1)] as number)
}

/**
 * How long the next PIN has to wait after wrong ones: long enough that a person at the counter can't try them all.
 * Within a run the wait is measured by the monotonic clock, which nobody can set. What remains from an earlier run is
 * computed from the wall clock once; if that was set back since, the whole delay applies again, but never more.
 */
export class Delays {
  readonly #time: Clocks
  readonly #steps: Steps
  #known: (Tries & { until: number }) | undefined

  constructor(time: Clocks, steps: Steps = { atOnce: TRIES_AT_ONCE, delays: DELAYS }) {
    this.#time = time
    this.#steps = steps
  }

  /** Begins a try; returns what must be stored before anything else happens. */
  begin(wrong: number): Tries {
    const tries = { wrong, triedAt: this.#time.now() }
    this.#known = { ...tries, until: this.#time.elapsed() + delayAfter(wrong, this.#steps) }
    return tries
  }

  /** Milliseconds until the next PIN is accepted; 0 if it's accepted now. */
  remaining({ wrong, triedAt, isWaived }: Tries): number {
    if (isWaived) return 0
    if (this.#known?.wrong !== wrong || this.#known.triedAt !== triedAt) {
      const delay = delayAfter(wrong, this.#steps)
      const rest = Math.min(Math.max(triedAt + delay - this.#time.now(), 0), delay)
      this.#known = { wrong, triedAt, until: this.#time.elapsed() + rest }
    }
    return Math.max(this.#known.until - this.#time.elapsed(), 0)
  }
}
