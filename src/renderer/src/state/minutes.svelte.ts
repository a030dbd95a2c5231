/** The time, told again as each minute begins to whatever depends on it. */
import type { Clock } from './clock.ts'
import { Ticking } from './ticking.ts'

const MINUTE = 60_000

export class Minutes extends Ticking {
  constructor(clock: Clock) {
    super(clock, (now) => MINUTE - (now % MINUTE))
  }
}
