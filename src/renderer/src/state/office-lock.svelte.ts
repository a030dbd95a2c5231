/** Whether the office window is locked after inactivity, and the PIN that unlocks it. */
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { OfficeLockState, PinState } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'
import type { ScreenName } from './router.svelte.ts'
import { PinWait, type TakesPin } from './staff-pin.svelte.ts'

/** Milliseconds without input after which a one-time PIN is forgotten: its owner has gone. */
const REMEMBERED_FOR = 60_000

export class OfficeLock implements TakesPin {
  readonly isOffice = true
  readonly #api: Api
  readonly #clock: Clock
  readonly #state: Resource<OfficeLockState>
  readonly #wait: PinWait
  readonly #namedWait: PinWait
  #error = $state.raw<AppError>()
  #busy = $state(false)
  #once = $state.raw<{ pin: string; name?: string }>()
  #stopRemembering: (() => void) | undefined
  /** True while a new PIN is being set with the one-time PIN. */
  #isSetting = false

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#clock = clock
    this.#state = new Resource(() => api.counter.lock())
    this.#wait = new PinWait(clock)
    this.#namedWait = new PinWait(clock)
  }

  get isLocked() {
    return this.#state.value?.isLocked ?? false
  }
  /** Whether signing in to the computer also unlocks it. */
  get opensBySignIn() {
    return this.#state.value?.opensBySignIn ?? false
  }
  /**
   * A correct one-time PIN, with the name it was entered for. It is forgotten once its owner has chosen their own PIN.
   */
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
  get needsName() {
    return this.#state.value?.needsName ?? false
  }
  /** Whether the staff member working here has this name. */
  isOf(name: string | undefined): boolean {
    return name !== undefined && this.#state.value?.who === name
  }
  get namedPinWait() {
    return this.#namedWait.left
  }

  /** Why the staff member's role refuses a whole screen. Undefined if it doesn't. */
  closes(screen: ScreenName): string | undefined {
    return (this.#state.value?.closed as Partial<Record<ScreenName, string>> | undefined)?.[screen]
  }

  /**
   * Returns why the staff member's role refuses a control's request, or undefined if it is allowed. The main process
   * holds the table and enforces it in any case; controls use this to show that the action is unavailable.
   */
  refusal(takes: RequestName | undefined): string | undefined {
    return takes && this.#state.value?.refused?.[takes]
  }

  takeFirstKey(): string {
    return ''
  }

  /** Loads the state, then follows it. Returns a function that stops following. */
  async open(): Promise<() => void> {
    const stop = this.#api.on('lock.changed', () => {
      // Their PIN may have been replaced meanwhile, or the window unlocked. Setting a PIN raises this event too.
      if (!this.#isSetting) this.forget()
      void this.#load()
    })
    await this.#load()
    return stop
  }

  /** Locks the window when staff leave the computer. Returns the error if it failed. */
  async lock(): Promise<AppError | undefined> {
    const result = await settled(this.#api.counter.lockOffice())
    if (!result.ok) return result.error
    this.#state.put(result.value)
    return undefined
  }

  /** Submits the PIN. It is never stored, except for a one-time PIN until another is chosen. */
  async unlock(pin: string, name?: string): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.#error = undefined
    const given = { pin, ...(name !== undefined && { name }) }
    const result = await settled(this.#api.counter.unlockOffice(given))
    this.#busy = false
    this.forget()
    if (result.ok) return this.#state.put(result.value)
    if (result.error.code !== 'pin-once') return this.#refused(result.error, name)
    this.#once = given
    this.entered()
  }

  /** Restarts the timeout, because part of the new PIN was entered. */
  entered(): void {
    this.#stopRemembering?.()
    this.#stopRemembering = this.#clock.after(REMEMBERED_FOR, () => {
      if (!this.#isSetting) this.forget()
    })
  }

  /** Sets a PIN of their own choice, authorised by the one-time PIN. */
  async setOwn(pin: string): Promise<Result<PinState>> {
    const { pin: current, name } = this.#once ?? {}
    this.#isSetting = true
    try {
      return await this.#api.counter.setPin({
        pin,
        ...(current !== undefined && { current }),
        ...(name !== undefined && { name })
      })
    } finally {
      this.#isSetting = false
      this.entered()
    }
  }

  /** The one-time PIN is no longer valid, for example because another was issued since: one has to be entered again. */
  refused(error: AppError): void {
    const name = this.#once?.name
    this.forget()
    this.#refused(error, name)
  }

  /** Unlocks with the PIN they have just chosen. */
  async chosen(pin: string): Promise<void> {
    await this.unlock(pin, this.#once?.name)
  }

  /** Forgets the one-time PIN: they aren't choosing their own now. */
  forget(): void {
    this.#stopRemembering?.()
    this.#once = undefined
  }

  #refused(error: AppError, name: string | undefined): void {
    this.#error = error
    const wait = name === undefined ? this.#wait : this.#namedWait
    wait.begin(error.retryAfterMs ?? 0)
  }

  async #load(): Promise<void> {
    await this.#state.load()
    this.#error = undefined
    this.#wait.told(this.#state.value?.waitUntil)
  }
}
