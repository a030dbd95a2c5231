/** Whether the office's own window is locked because nobody was there, and the PIN that opens it. */
import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { RequestName } from '../../../shared/contract/requests.ts'
import type { OfficeLockState, PinState } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'
import type { ScreenName } from './router.svelte.ts'
import { PinWait, type TakesPin } from './staff-pin.svelte.ts'

/** So long without anything entered a one-time PIN is remembered, in milliseconds: its owner has gone. */
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
  /** While one is set with it. */
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
  /** Whether signing in to the computer opens it, too. */
  get opensBySignIn() {
    return this.#state.value?.opensBySignIn ?? false
  }
  /** A one-time PIN that was right, with the name it was given for: its owner chooses their own, and it is forgotten then. */
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
  /** Whether who works here is the one of that name. */
  isOf(name: string | undefined): boolean {
    return name !== undefined && this.#state.value?.who === name
  }
  get namedPinWait() {
    return this.#namedWait.left
  }

  /** Why the role of who works here refuses a screen as a whole; undefined where it doesn't. */
  closes(screen: ScreenName): string | undefined {
    return (this.#state.value?.closed as Partial<Record<ScreenName, string>> | undefined)?.[screen]
  }

  /**
   * Why the role of who works here refuses what a control would ask of main; undefined where it may be asked. Main has the table, and
   * refuses all the same: whatever offers such a request says by this that it can't be done.
   */
  refusal(takes: RequestName | undefined): string | undefined {
    return takes && this.#state.value?.refused?.[takes]
  }

  takeFirstKey(): string {
    return ''
  }

  /** Reads it, then follows it. Answers what stops following. */
  async open(): Promise<() => void> {
    const stop = this.#api.on('lock.changed', () => {
      // Theirs may be another by now, or Countersign open. That one is set with it is told in the same way.
      if (!this.#isSetting) this.forget()
      void this.#load()
    })
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

  /** Gives the PIN. It is kept nowhere, but for a one-time PIN until another is chosen. */
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

  /** Something was entered of the PIN that they choose. */
  entered(): void {
    this.#stopRemembering?.()
    this.#stopRemembering = this.#clock.after(REMEMBERED_FOR, () => {
      if (!this.#isSetting) this.forget()
    })
  }

  /** Sets the PIN of their own choice with the one that they were given. */
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

  /** The one-time PIN counts no more, as where they were given another since: they give one again. */
  refused(error: AppError): void {
    const name = this.#once?.name
    this.forget()
    this.#refused(error, name)
  }

  /** They have chosen their own PIN. */
  async chosen(pin: string): Promise<void> {
    await this.unlock(pin, this.#once?.name)
  }

  /** They don’t choose one now. */
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
