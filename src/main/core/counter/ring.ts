/** What is heard where the person at the second display wants staff: at once, and again until someone is on their way or it is over. */
import type { Time } from '../lib/time.ts'

/** Milliseconds from one to the next: long enough to get up and go there. */
export const RINGS_EVERY = 20_000

export class Ring {
  readonly #after: Time['after']
  readonly #sound: () => void
  #cancel: (() => void) | undefined
  #isOver = false

  /** @param sound is made once each time. */
  constructor({ after }: Pick<Time, 'after'>, sound: () => void) {
    this.#after = after
    this.#sound = sound
  }

  /** Told as often as one likes: it begins and ends where the answer is another one. */
  set(isCalled: boolean): void {
    if (isCalled === (this.#cancel !== undefined) || this.#isOver) return
    if (isCalled) this.#ring()
    else {
      this.#cancel?.()
      this.#cancel = undefined
    }
  }

  /** At the application's end: whatever is told after that is silent. */
  end(): void {
    this.set(false)
    this.#isOver = true
  }

  #ring(): void {
    this.#sound()
    this.#cancel = this.#after(RINGS_EVERY, () => this.#ring())
  }
}
