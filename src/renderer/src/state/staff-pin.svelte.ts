/**
 * The staff PIN while a person has the screen: how long the pad waits after wrong PINs, and the way out if it was
 * forgotten.
 */
import type { AppError } from '../../../shared/contract/errors.ts'
import type { PinState } from '../../../shared/contract/views.ts'
import { type Api, settled, together } from '../api.ts'
import { type Clock, Seconds } from './clock.ts'
import { Resource } from './resource.svelte.ts'

/** What the PIN pad submits to. */
export interface PinTarget {
  /** Whether staff are at the pad, rather than a person who signs. */
  readonly isOffice: boolean
  /** Seconds until a PIN is accepted again. */
  readonly pinWait: number
  /** Why the newest PIN was rejected. */
  readonly pinError: AppError | undefined
  readonly pinBusy: boolean
  /**
   * Whether staff have names: anyone but the staff member working here enters a name with the PIN, and badges are
   * accepted, too.
   */
  readonly asksName: boolean
  /** Whether no staff member works here yet: a PIN without a name is then nobody's. */
  readonly needsName: boolean
  /** Seconds until a PIN is accepted with the last name entered. */
  readonly namedPinWait: number
  /** Returns, only once, what was typed before the pad was shown. */
  takeFirstKey(): string
  unlock(pin: string, name?: string): Promise<void>
}

/** Whether a key belongs to a PIN or, if staff have names, to the code typed by a badge reader. */
export function isPadKey(key: string, { asksName }: Pick<PinTarget, 'asksName'>): boolean {
  return asksName ? /^[!-~]$/.test(key) : /^\d$/.test(key)
}

/**
 * How long the pad waits after wrong PINs. It counts on the monotonic clock from when the wait is reported, so that a
 * change of the computer's clock never blocks the pad for longer than announced.
 */
export class PinWait {
  readonly #clock: Clock
  readonly #seconds: Seconds
  #until = $state(0)
  #lastReported: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#seconds = new Seconds(clock)
  }

  /** Starts a wait of this length. */
  start(milliseconds: number): void {
    const until = this.#clock.monotonic() + milliseconds
    this.#until = until
    // The ticks of `#seconds` may not coincide with the end.
    this.#clock.after(milliseconds, () => {
      if (this.#until === until) this.#until = 0
    })
  }

  /** Takes the end of the wait from a session. The same time again changes nothing. */
  syncWith(moment: number | undefined): void {
    if (moment === this.#lastReported) return
    this.#lastReported = moment
    if (moment === undefined) this.#until = 0
    else this.start(Math.max(0, moment - this.#clock.now()))
  }

  /** Whole seconds until a PIN is accepted again; 0 if one is accepted now. */
  get secondsLeft(): number {
    const remaining = this.#until - this.#clock.monotonic()
    if (remaining <= 0) return 0
    // Subscribed only while waiting, so that nothing ticks otherwise.
    void this.#seconds.now
    return Math.ceil(remaining / 1000)
  }
}

/**
 * The way out for staff who forgot the PIN: requested in one session, and still requested after the computer is locked
 * and unlocked. The main process decides whether a new PIN may be chosen.
 */
export class PinRecovery {
  readonly #api: Api
  readonly #pin: Resource<PinState>
  #requestedIn = $state<string>()
  #isExpired = $state(false)
  #error = $state.raw<AppError>()

  constructor(api: Api) {
    this.#api = api
    this.#pin = new Resource(() => api.counter.pin())
  }

  get pin(): PinState | undefined {
    return this.#pin.value
  }
  /** Why it couldn't be loaded, or the reset couldn't be requested. */
  get error(): AppError | undefined {
    return this.#error ?? this.#pin.error
  }
  /** Whether the time for choosing a new PIN ran out before one was saved. */
  get isExpired() {
    return this.#isExpired
  }

  isRequestedIn(session: string | undefined): boolean {
    return session !== undefined && this.#requestedIn === session
  }

  /** Requests a reset, unless that has been done or only the administrator can do it. */
  async request(session: string): Promise<void> {
    this.#requestedIn = session
    this.#isExpired = false
    this.#error = undefined
    this.#pin.clear()
    // Not through `load`: another load may overtake it, and the next request depends on this answer.
    let result = await settled(this.#api.counter.pin())
    if (result.ok && shouldRequestReset(result.value)) result = await settled(this.#api.counter.resetPin())
    if (result.ok) this.#pin.put(result.value)
    else this.#error = result.error
  }

  /** Records that the new PIN came too late. */
  async expire(): Promise<void> {
    this.#isExpired = true
    await this.#pin.load()
  }

  cancel(): void {
    this.#requestedIn = undefined
  }

  /** Follows whether a new PIN may be chosen. Returns a function that stops following. */
  follow(host: Window): () => void {
    const { scheduleReload } = this.#pin
    scheduleReload()
    host.addEventListener('focus', scheduleReload)
    return together(this.#api.on('settings.changed', scheduleReload), () =>
      host.removeEventListener('focus', scheduleReload)
    )
  }
}

function shouldRequestReset({ isSet, canReset, reset }: PinState): boolean {
  return isSet && canReset && reset === 'none'
}
