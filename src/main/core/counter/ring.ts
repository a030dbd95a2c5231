/**
 * The sound that calls staff to the second display: at once, and again until someone is on their way or the call is
 * over.
 */
import type { Time } from '../lib/time.ts'

/** Milliseconds between sounds: long enough to get up and go there. */
export const RINGS_EVERY = 20_000

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
  set(isCalled: boolean): void {
    if (isCalled === (this.#cancel !== undefined) || this.#isOver) return
    if (isCalled) this.#ring()
    else {
      this.#cancel?.()
      this.#cancel = undefined
    }
  }

  /** Silences it for good, as the application ends. */
  end(): void {
    this.set(false)
    this.#isOver = true
  }

  #ring(): void {
    this.#sound()
    this.#cancel = this.#after(RINGS_EVERY, () => this.#ring())
  }
}
