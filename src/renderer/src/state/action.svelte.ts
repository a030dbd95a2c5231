/** Something that a person sets off: idle, busy, done or failed. A second press while it is busy does nothing. */

import type { AppError, Result } from '../../../shared/contract/errors.ts'
import { settled } from '../api.ts'

export class Action<Value> {
  #busy = $state(false)
  #value = $state.raw<Value>()
  #error = $state.raw<AppError>()
  #newest = 0

  get busy() {
    return this.#busy
  }
  /** What the newest run answered; gone as soon as another begins. */
  get value() {
    return this.#value
  }
  get error() {
    return this.#error
  }

  /** Runs a call; answers its value, or undefined if it failed, was forgotten, or one was under way. */
  async run<Answer extends Value>(call: () => Promise<Result<Answer>>): Promise<Answer | undefined> {
    if (this.#busy) return undefined
    const mine = ++this.#newest
    this.#busy = true
    this.#error = undefined
    const result = await settled(call())
    if (mine !== this.#newest) return undefined
    this.#busy = false
    if (!result.ok) {
      this.#error = result.error
      this.#value = undefined
      return undefined
    }
    this.#value = result.value
    return result.value
  }

  /** Forgets what came of it, also of a run that is still under way. */
  clear(): void {
    this.#newest++
    this.#busy = false
    this.#value = undefined
    this.#error = undefined
  }
}
