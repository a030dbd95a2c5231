/**
 * A value loaded from the main process: the value, whether it is loading, and why the newest load failed. Extend it to
 * add more.
 */
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import { settled } from '../api.ts'
import { type Clock, coalesced } from './clock.ts'

export class Resource<Value> {
  #value = $state.raw<Value>()
  #error = $state.raw<AppError>()
  #reading = $state(false)
  #newest = 0
  readonly #read: () => Promise<Result<Value>>
  /** Reloads after a change; throttled if there is a `pause`, so that many changes cause one reload. */
  readonly follow: () => void

  /** @param pause minimum milliseconds between two reloads. */
  constructor(read: () => Promise<Result<Value>>, pause?: { clock: Clock; milliseconds: number }) {
    this.#read = read
    const follow = () => void this.load()
    this.follow = pause ? coalesced(pause.clock, pause.milliseconds, follow) : follow
  }

  /** The newest value loaded, kept if a later load fails. */
  get value() {
    return this.#value
  }
  /** Whether it has been loaded. */
  get known() {
    return this.#value !== undefined
  }
  get error() {
    return this.#error
  }
  get reading() {
    return this.#reading
  }

  /** Loads the value, or loads it again. If loads overlap, the one started last wins. */
  async load(): Promise<void> {
    const mine = ++this.#newest
    this.#reading = true
    const result = await settled(this.#read())
    if (mine !== this.#newest) return
    this.#reading = false
    if (result.ok) {
      this.#value = result.value
      this.#error = undefined
    } else {
      this.#error = result.error
    }
  }

  /** Replaces the loaded value with one that a call returned. */
  put(value: Value): void {
    this.#newest++
    this.#reading = false
    this.#value = value
    this.#error = undefined
  }

  /** Clears the value, for example when another account is chosen. */
  clear(): void {
    this.#newest++
    this.#reading = false
    this.#value = undefined
    this.#error = undefined
  }
}
