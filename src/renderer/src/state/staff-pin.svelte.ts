/** The staff's PIN while a person has the screen: how long the pad waits after wrong ones, and the way out if it was forgotten. */
import type { AppError } from '../../../shared/contract/errors.ts'
import type { PinState } from '../../../shared/contract/views.ts'
import { type Api, settled, together } from '../api.ts'
import { type Clock, Seconds } from './clock.ts'
import { Resource } from './resource.svelte.ts'

/** Who the pad gives a PIN to. */
export interface TakesPin {
  /** Whether staff stands at it, as against a person who signs. */
  readonly isOffice: boolean
  /** Seconds until a PIN is taken again. */
  readonly pinWait: number
  /** Why the newest PIN was not taken. */
  readonly pinError: AppError | undefined
  readonly pinBusy: boolean
  /** Staff have names: someone else than who works here gives theirs with the PIN, and a badge is taken, too. */
  readonly asksName: boolean
  /** Nobody of them works here yet: without a name a PIN is nobody’s. */
  readonly needsName: boolean
  /** Seconds until a PIN is taken with the name that was given last. */
  readonly namedPinWait: number
  /** What was typed before the pad was there: given once, to the pad. */
  takeFirstKey(): string
  unlock(pin: string, name?: string): Promise<void>
}

/** Whether a key belongs to a PIN, or, where staff have names, to the code that a badge’s reader types. */
export function isTypedAtPad(key: string, { asksName }: Pick<TakesPin, 'asksName'>): boolean {
  return asksName ? /^[!-~]$/.test(key) : /^\d$/.test(key)
}

/**
 * How long the pad waits after wrong PINs: counted from the moment that it is told on what no change of the computer's clock
 * makes jump, so that the pad is never dead for longer than was said.
 */
export class PinWait {
  readonly #clock: Clock
  readonly #seconds: Seconds
  #until = $state(0)
  #told: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#seconds = new Seconds(clock)
  }

  /** So long from now. */
  begin(milliseconds: number): void {
    const until = this.#clock.monotonic() + milliseconds
    this.#until = until
    // The seconds that are told may lie beside the end.
    this.#clock.after(milliseconds, () => {
      if (this.#until === until) this.#until = 0
    })
  }

  /** What a session says of it; the same moment said again changes nothing. */
  told(moment: number | undefined): void {
    if (moment === this.#told) return
    this.#told = moment
    if (moment === undefined) this.#until = 0
    else this.begin(Math.max(0, moment - this.#clock.now()))
  }

  /** Whole seconds until a PIN is taken again; 0 where one is taken now. */
  get left(): number {
    const left = this.#until - this.#clock.monotonic()
    if (left <= 0) return 0
    // Where nothing is waited for, nothing ticks.
    void this.#seconds.now
    return Math.ceil(left / 1000)
  }
}

/**
 * The way out for staff who forgot the PIN: it is asked for in one session, and stays asked for while the computer is locked and
 * unlocked. Whether a new PIN may be chosen is the main process's to say.
 */
export class ForgottenPin {
  readonly #api: Api
  readonly #pin: Resource<PinState>
  #askedIn = $state<string>()
  #isLate = $state(false)
  #error = $state.raw<AppError>()

  constructor(api: Api) {
    this.#api = api
    this.#pin = new Resource(() => api.counter.pin())
  }

  /** Where the PIN stands, once it is known. */
  get pin(): PinState | undefined {
    return this.#pin.value
  }
  /** Why that can't be known, or could not be asked for. */
  get error(): AppError | undefined {
    return this.#error ?? this.#pin.error
  }
  /** The time for choosing a new one ran out before one was kept. */
  get isLate() {
    return this.#isLate
  }

  isAskedIn(session: string | undefined): boolean {
    return session !== undefined && this.#askedIn === session
  }

  /** Asks for it, unless that has been done, or only the administrator can. */
  async ask(session: string): Promise<void> {
    this.#askedIn = session
    this.#isLate = false
    this.#error = undefined
    this.#pin.clear()
    // Not by `load`: another reading may overtake that, and what is asked for next rests on this answer.
    let result = await settled(this.#api.counter.pin())
    if (result.ok && isToBeAsked(result.value)) result = await settled(this.#api.counter.resetPin())
    if (result.ok) this.#pin.put(result.value)
    else this.#error = result.error
  }

  /** The new PIN came too late. */
  async late(): Promise<void> {
    this.#isLate = true
    await this.#pin.load()
  }

  leave(): void {
    this.#askedIn = undefined
  }

  /** Follows whether a new one may be chosen. Answers what stops following. */
  follow(host: Window): () => void {
    const { follow } = this.#pin
    follow()
    host.addEventListener('focus', follow)
    return together(this.#api.on('settings.changed', follow), () => host.removeEventListener('focus', follow))
  }
}

function isToBeAsked({ isSet, canReset, reset }: PinState): boolean {
  return isSet && canReset && reset === 'none'
}
