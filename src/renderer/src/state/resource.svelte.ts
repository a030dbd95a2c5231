/**
 * A value loaded from the main process: the value, whether it is loading, and why the newest load failed. Extend it to
 * add more.
 */
import { untrack } from 'svelte'
import type { EventName } from '../../../shared/contract/api.ts'
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import { type Api, settled, together } from '../api.ts'
import { type Clock, throttled } from './clock.ts'

export class Resource<Value> {
  #value = $state.raw<Value>()
  #error = $state.raw<AppError>()
  #isLoading = $state(false)
  #newest = 0
  readonly #read: () => Promise<Result<Value>>
  /** Reloads after a change; throttled if there is a `throttle`, so that many changes cause one reload. */
  readonly scheduleReload: () => void

  /** @param throttle minimum milliseconds between two reloads. */
  constructor(read: () => Promise<Result<Value>>, throttle?: { clock: Clock; milliseconds: number }) {
    this.#read = read
    const reload = () => void this.load()
    this.scheduleReload = throttle ? throttled(throttle.clock, throttle.milliseconds, reload) : reload
  }

  /** The newest value loaded, kept if a later load fails. */
  get value() {
    return this.#value
  }
  get isLoaded() {
    return this.#value !== undefined
  }
  get error() {
    return this.#error
  }
  get isLoading() {
    return this.#isLoading
  }

  /** Loads the value, or loads it again. If loads overlap, the one started last wins. */
  async load(): Promise<void> {
    const mine = ++this.#newest
    this.#isLoading = true
    const result = await settled(this.#read())
    if (mine !== this.#newest) return
    this.#isLoading = false
    if (result.ok) {
      this.#value = result.value
      this.#error = undefined
    } else {
      this.#error = result.error
    }
  }

  /**
   * Loads the value, and again after each of the events, for the life of the component. Call it during component
   * initialisation.
   */
  whileShown(api: Pick<Api, 'on'>, ...events: EventName[]): this {
    $effect(() =>
      untrack(() => {
        void this.load()
        return together(...events.map((event) => api.on(event, this.scheduleReload)))
      })
    )
    return this
  }

  /** Replaces the loaded value with one that a call returned. */
  put(value: Value): void {
    this.#newest++
    this.#isLoading = false
    this.#value = value
    this.#error = undefined
  }

  /** Clears the value, for example when another account is chosen. */
  clear(): void {
    this.#newest++
    this.#isLoading = false
    this.#value = undefined
    this.#error = undefined
  }
}
