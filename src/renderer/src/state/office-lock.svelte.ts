/** Whether the office window is locked after inactivity, and the PIN that unlocks it. */
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { OfficeLockState, PinState } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'
import type { ScreenName } from './router.svelte.ts'
import { type PinTarget, PinWait } from './staff-pin.svelte.ts'

/** Milliseconds without input after which a one-time PIN is forgotten: its owner has gone. */
const ONE_TIME_PIN_TIMEOUT = 60_000

export class OfficeLock implements PinTarget {
  readonly isOffice = true
  readonly #api: Api
  readonly #clock: Clock
  readonly #state: Resource<OfficeLockState>
  readonly #wait: PinWait
  readonly #namedWait: PinWait
  #error = $state.raw<AppError>()
  #busy = $state(false)
  #oneTimePin = $state.raw<{ pin: string; name?: string }>()
  #cancelTimeout: (() => void) | undefined
  /** True while a new PIN is being set with the one-time PIN. */
  #isSettingPin = false

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
  get oneTimePin() {
    return this.#oneTimePin
  }
  get pinError() {
    return this.#error
  }
  get pinBusy() {
    return this.#busy
  }
  get pinWait() {
    return this.#wait.secondsLeft
  }
  get asksName() {
    return this.#state.value?.asksName ?? false
  }
  get needsName() {
    return this.#state.value?.needsName ?? false
  }
  /** The staff member working here; undefined if staff have no names, or nobody has entered a PIN. */
  get who() {
    return this.#state.value?.who
  }
  /** Whether the staff member working here has this name. */
  isCurrentStaff(name: string | undefined): boolean {
    return name !== undefined && this.#state.value?.who === name
  }
  get namedPinWait() {
    return this.#namedWait.secondsLeft
  }

  /** Why the staff member's role refuses a whole screen. Undefined if it doesn't. */
  screenRefusal(screen: ScreenName): string | undefined {
    return (this.#state.value?.closed as Partial<Record<ScreenName, string>> | undefined)?.[screen]
  }

  /**
   * Returns why the staff member's role refuses a control's request, or undefined if it is allowed. The main process
   * holds the table and enforces it in any case; controls use this to show that the action is unavailable.
   */
  refusal(request: RequestName | undefined): string | undefined {
    return request && this.#state.value?.refused?.[request]
  }

  takeFirstKey(): string {
    return ''
  }

  /** Loads the state, then follows it. Returns a function that stops following. */
  async open(): Promise<() => void> {
    const stop = this.#api.on('lock.changed', () => {
      // Their PIN may have been replaced meanwhile, or the window unlocked. Setting a PIN raises this event too.
      if (!this.#isSettingPin) this.forgetOneTimePin()
      void this.#load()
    })
    await this.#load()
    return stop
  }

  /** Locks the window when staff leave the computer. */
  async lock(): Promise<Result<OfficeLockState>> {
    const result = await settled(this.#api.counter.lockOffice())
    if (result.ok) this.#state.put(result.value)
    return result
  }

  /** Submits the PIN. It is never stored, except for a one-time PIN until another is chosen. */
  async unlock(pin: string, name?: string): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.#error = undefined
    const credentials = { pin, ...(name !== undefined && { name }) }
    const result = await settled(this.#api.counter.unlockOffice(credentials))
    this.#busy = false
    this.forgetOneTimePin()
    if (result.ok) return this.#state.put(result.value)
    if (result.error.code !== 'pin-once') return this.#reject(result.error, name)
    this.#oneTimePin = credentials
    this.restartTimeout()
  }

  /** Restarts the timeout, because part of the new PIN was entered. */
  restartTimeout(): void {
    this.#cancelTimeout?.()
    this.#cancelTimeout = this.#clock.after(ONE_TIME_PIN_TIMEOUT, () => {
      if (!this.#isSettingPin) this.forgetOneTimePin()
    })
  }

  /** Sets a PIN of their own choice, authorised by the one-time PIN. */
  async setOwnPin(pin: string): Promise<Result<PinState>> {
    const { pin: current, name } = this.#oneTimePin ?? {}
    this.#isSettingPin = true
    try {
      return await this.#api.counter.setPin({
        pin,
        ...(current !== undefined && { current }),
        ...(name !== undefined && { name })
      })
    } finally {
      this.#isSettingPin = false
      this.restartTimeout()
    }
  }

  /** The one-time PIN is no longer valid, for example because another was issued since: one has to be entered again. */
  rejectOneTimePin(error: AppError): void {
    const name = this.#oneTimePin?.name
    this.forgetOneTimePin()
    this.#reject(error, name)
  }

  /** Unlocks with the PIN they have just chosen. */
  async unlockWithNewPin(pin: string): Promise<void> {
    await this.unlock(pin, this.#oneTimePin?.name)
  }

  /** Forgets the one-time PIN: they aren't choosing their own now. */
  forgetOneTimePin(): void {
    this.#cancelTimeout?.()
    this.#oneTimePin = undefined
  }

  #reject(error: AppError, name: string | undefined): void {
    this.#error = error
    const wait = name === undefined ? this.#wait : this.#namedWait
    wait.start(error.retryAfterMs ?? 0)
  }

  async #load(): Promise<void> {
    await this.#state.load()
    this.#error = undefined
    this.#wait.syncWith(this.#state.value?.waitUntil)
  }
}
