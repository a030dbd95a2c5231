/**
 * The sound that calls staff to the second display: at once, and again until someone is on their way or the call is
 * over.
 */
import type { Time } from '../lib/time.ts'

/** Milliseconds between sounds: long enough to get up and go there. */
export const RING_INTERVAL = 20_000

export class Ring {
  readonly #after: Time['after']
  readonly #sound: () => void
  #cancel: (() => void) | undefined
  #isOver = false

  /** @param sound plays the sound once. */
  constructor({ after }: Pick<Time, 'after'>, sound: () => void) {
    this.#after = after
    this.#sound = sound
  }

  /** Starts or stops the sound. May be called any number of times: only a change has an effect. */
  setRinging(shouldRing: boolean): void {
    if (shouldRing === (this.#cancel !== undefined) || this.#isOver) return
    if (shouldRing) this.#ring()
    else {
      this.#cancel?.()
      this.#cancel = undefined
    }
  }

  /** Silences it for good, as the application ends. */
  end(): void {
    this.setRinging(false)
    this.#isOver = true
  }

  #ring(): void {
    this.#sound()
    this.#cancel = this.#after(RING_INTERVAL, () => this.#ring())
  }
}
