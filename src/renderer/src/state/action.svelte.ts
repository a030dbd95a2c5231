/** An operation the user starts: idle, busy, done or failed. Starting it again while busy does nothing. */

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
  /** The result of the newest run that has ended; undefined if it failed. */
  get value() {
    return this.#value
  }
  get error() {
    return this.#error
  }

  /**
   * Runs a call. Returns its value, or undefined if it failed, was cleared meanwhile, or another run was in progress.
   */
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

  /** Forgets the error, as what caused it is being changed; a run in progress goes on. */
  dismissError(): void {
    this.#error = undefined
  }

  /** Clears the result, and ignores the result of a run in progress. */
  clear(): void {
    this.#newest++
    this.#busy = false
    this.#value = undefined
    this.#error = undefined
  }
}
