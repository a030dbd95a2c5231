/** The time, told again each second to whatever shows it. */
import type { Clock } from './clock.ts'
import { Ticking } from './ticking.ts'

export class Seconds extends Ticking {
  constructor(clock: Clock) {
    super(clock, () => 1000)
  }
}
