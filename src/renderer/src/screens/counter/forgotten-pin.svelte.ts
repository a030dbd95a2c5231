/**
 * The way out for staff who forgot the PIN while a person has the screen: it is asked for in one session, and stays asked for
 * while the computer is locked and unlocked. Whether a new PIN may be chosen is the main process's to say.
 */
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { PinState } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Resource } from '../../state/resource.svelte.ts'

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
    const load = () => void this.#pin.load()
    load()
    const stop = this.#api.on('settings.changed', load)
    host.addEventListener('focus', load)
    return () => {
      stop()
      host.removeEventListener('focus', load)
    }
  }
}

function isToBeAsked({ isSet, canReset, reset }: PinState): boolean {
  return isSet && canReset && reset === 'none'
}
