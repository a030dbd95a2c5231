/** Whether the office's own window is locked because nobody was there, and the PIN that opens it. */
import type { AppError } from '../../../shared/contract/errors.ts'
import type { OfficeLockState } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'
import type { ScreenName } from './router.svelte.ts'
import { PinWait, type TakesPin } from './staff-pin.svelte.ts'

export class OfficeLock implements TakesPin {
  readonly isOffice = true
  readonly #api: Api
  readonly #state: Resource<OfficeLockState>
  readonly #wait: PinWait
  readonly #namedWait: PinWait
  #error = $state.raw<AppError>()
  #busy = $state(false)
  #once = $state.raw<{ pin: string; name?: string }>()

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#state = new Resource(() => api.counter.lock())
    this.#wait = new PinWait(clock)
    this.#namedWait = new PinWait(clock)
  }

  get isLocked() {
    return this.#state.value?.isLocked ?? false
  }
  /** Whether signing in to the computer opens it, too. */
  get opensBySignIn() {
    return this.#state.value?.opensBySignIn ?? false
  }
  /** A PIN for one use that was right, with the name it was given for: its owner chooses their own, and it is forgotten then. */
  get once() {
    return this.#once
  }
  get pinError() {
    return this.#error
  }
  get pinBusy() {
    return this.#busy
  }
  get pinWait() {
    return this.#wait.left
  }
  get asksName() {
    return this.#state.value?.asksName ?? false
  }
  get namedPinWait() {
    return this.#namedWait.left
  }

  /** Whether the role of who works here refuses a screen as a whole. */
  closes(screen: ScreenName): boolean {
    return this.#state.value?.closed?.some((closed) => closed === screen) ?? false
  }

  takeFirstKey(): string {
    return ''
  }

  /** Reads it, then follows it. Answers what stops following. */
  async open(): Promise<() => void> {
    const stop = this.#api.on('lock.changed', () => void this.#load())
    await this.#load()
    return stop
  }

  /** Locks it, as staff leaves the computer. Answers why it was not. */
  async lock(): Promise<AppError | undefined> {
    const result = await settled(this.#api.counter.lockOffice())
    if (!result.ok) return result.error
    this.#state.put(result.value)
    return undefined
  }

  /** Gives the PIN. It is kept nowhere, but for one for one use until another is chosen. */
  async unlock(pin: string, name?: string): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.#error = undefined
    const given = { pin, ...(name !== undefined && { name }) }
    const result = await settled(this.#api.counter.unlockOffice(given))
    this.#busy = false
    this.#once = !result.ok && result.error.code === 'pin-once' ? given : undefined
    if (this.#once) return
    if (result.ok) return this.#state.put(result.value)
    this.#error = result.error
    const wait = name === undefined ? this.#wait : this.#namedWait
    wait.begin(result.error.retryAfterMs ?? 0)
  }

  /** They have chosen their own PIN. */
  async chosen(pin: string): Promise<void> {
    await this.unlock(pin, this.#once?.name)
  }

  /** They don’t choose one now. */
  forget(): void {
    this.#once = undefined
  }

  async #load(): Promise<void> {
    await this.#state.load()
    this.#error = undefined
    this.#wait.told(this.#state.value?.waitUntil)
  }
}
