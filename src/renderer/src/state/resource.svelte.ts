/** Something read from the main process: its value, whether it is being read, and why the newest reading failed. What has more to say of it extends this. */
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import { settled } from '../api.ts'
import { type Clock, coalesced } from './clock.ts'

export class Resource<Value> {
  #value = $state.raw<Value>()
  #error = $state.raw<AppError>()
  #reading = $state(false)
  #newest = 0
  readonly #read: () => Promise<Result<Value>>
  /** Reads again after a change; many in a short time are followed together where there is a pause. */
  readonly follow: () => void

  /** @param pause the least time between two changes that are followed, in milliseconds. */
  constructor(read: () => Promise<Result<Value>>, pause?: { clock: Clock; milliseconds: number }) {
    this.#read = read
    const follow = () => void this.load()
    this.follow = pause ? coalesced(pause.clock, pause.milliseconds, follow) : follow
  }

  /** The newest value that could be read; stays while a later reading fails. */
  get value() {
    return this.#value
  }
  /** Whether it has been read. */
  get known() {
    return this.#value !== undefined
  }
  get error() {
    return this.#error
  }
  get reading() {
    return this.#reading
  }

  /** Reads (again). Where readings overlap, the one begun last counts. */
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

  /** Puts a value that a call answered in place of the one read. */
  put(value: Value): void {
    this.#newest++
    this.#reading = false
    this.#value = value
    this.#error = undefined
  }

  /** Forgets the value, as when another account is chosen. */
  clear(): void {
    this.#newest++
    this.#reading = false
    this.#value = undefined
    this.#error = undefined
  }
}
