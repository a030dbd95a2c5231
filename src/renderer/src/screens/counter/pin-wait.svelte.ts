/**
 * How long the pad waits after wrong PINs: counted from the moment that it is told on what no change of the computer's clock
 * makes jump, so that the pad is never dead for longer than was said.
 */
import type { Clock } from '../../state/clock.ts'
import { Seconds } from '../../state/seconds.svelte.ts'

export class PinWait {
  readonly #clock: Clock
  readonly #seconds: Seconds
  #until = $state(0)
  #told: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#seconds = new Seconds(clock)
  }

  /** So long from now. */
  begin(milliseconds: number): void {
    const until = this.#clock.monotonic() + milliseconds
    this.#until = until
    // The seconds that are told may lie beside the end.
    this.#clock.after(milliseconds, () => {
      if (this.#until === until) this.#until = 0
    })
  }

  /** What a session says of it; the same moment said again changes nothing. */
  told(moment: number | undefined): void {
    if (moment === this.#told) return
    this.#told = moment
    if (moment === undefined) this.#until = 0
    else this.begin(Math.max(0, moment - this.#clock.now()))
  }

  /** Whole seconds until a PIN is taken again; 0 where one is taken now. */
  get left(): number {
    const left = this.#until - this.#clock.monotonic()
    if (left <= 0) return 0
    // Where nothing is waited for, nothing ticks.
    void this.#seconds.now
    return Math.ceil(left / 1000)
  }
}
