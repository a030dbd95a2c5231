/** Today's appointments as the Counter screen shows them: what can be done with each, and how late each is. */
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type { Appointment, AppointmentsToday } from '../../../../shared/contract/views.ts'
import { type Api, ofAccount, settled, together } from '../../api.ts'
import { type Clock, Minutes } from '../../state/clock.ts'
import type { QueuedPerson } from '../../state/queued-people.ts'
import { Resource } from '../../state/resource.svelte.ts'
import { clockTime } from '../../words/dates.ts'
import type { StatusTone } from '../../words/statuses.ts'

/** Minimum time between two reads while documents change, in milliseconds. */
const RELOAD_INTERVAL = 500
const MINUTE = 60_000
/** How long the display shows a call. */
const CALL_DURATION = 5 * MINUTE

/** An appointment with the matching person in the queue. */
export interface ExpectedPerson {
  appointment: Appointment
  person: QueuedPerson | undefined
}

export interface AppointmentStatus {
  words: string
  tone: StatusTone
}

export class AppointmentList {
  readonly #api: Api
  readonly #today: Resource<AppointmentsToday>
  readonly #minutes: Minutes
  readonly #onFailure: (error: AppError) => void

  /** @param onFailure reports what could not be done. */
  constructor(api: Api, clock: Clock, onFailure: (error: AppError) => void) {
    this.#api = api
    this.#onFailure = onFailure
    this.#minutes = new Minutes(clock)
    this.#today = new Resource(() => api.appointments.today(), { clock, milliseconds: RELOAD_INTERVAL })
  }

  get all(): readonly Appointment[] {
    return this.#today.value?.appointments ?? []
  }
  get places(): readonly string[] {
    return this.#today.value?.places ?? []
  }
  get calling() {
    return this.#today.value?.calling
  }
  get error() {
    return this.#today.error
  }
  /** Updates at the start of each minute. */
  get now() {
    return this.#minutes.now
  }

  /** Subscribes to changes; loading the list is up to the caller. Returns a function that unsubscribes. */
  open(): () => void {
    return together(
      this.#api.on('appointments.changed', () => void this.#today.load()),
      this.#api.on('documents.changed', this.#today.scheduleReload),
      this.#api.on('accounts.changed', this.#today.scheduleReload),
      this.#api.on('settings.changed', this.#today.scheduleReload)
    )
  }

  load(): Promise<void> {
    return this.#today.load()
  }

  /** Returns those still to come or here, each with their person in the queue. */
  expected(people: readonly QueuedPerson[]): ExpectedPerson[] {
    return this.all
      .filter(({ state }) => state !== 'done' && state !== 'no-show')
      .map((appointment) => ({
        appointment,
        person: people.find(
          ({ accountId, person }) => accountId === appointment.accountId && person === appointment.person
        )
      }))
  }

  /** Those who are done or didn't come. */
  get finished(): Appointment[] {
    return this.all.filter(({ state }) => state === 'done' || state === 'no-show')
  }

  /** The person to call next: of those waiting, the one with the earliest appointment, then the earliest arrival. */
  get next(): Appointment | undefined {
    const waiting = this.all.filter(({ state }) => state === 'arrived')
    return waiting.toSorted((one, other) => one.at - other.at || (one.arrivedAt ?? 0) - (other.arrivedAt ?? 0))[0]
  }

  /** The next person expected, skipping those who are presumed missed. */
  get nextExpected(): Appointment | undefined {
    return this.all.find((one) => one.state === 'expected' && !this.isMissed(one))
  }

  /**
   * Returns whether to suggest that they didn't come. Someone who has arrived is never missed, however late; someone
   * called is on the way until the call times out.
   */
  isMissed({ state, at, calledAt }: Appointment): boolean {
    if (state === 'called') return this.now - (calledAt ?? at) >= CALL_DURATION
    return state === 'expected' && this.now - at >= (this.#today.value?.noShowAfter ?? 15) * MINUTE
  }

  /**
   * Returns whether another counter of the office has just called them, so they are on their way there. This goes by
   * that counter's clock: if it is ahead by more than a minute, it says nothing about when the call was.
   */
  isCalledAtOtherStation({ state, workstation, calledAt }: Appointment): boolean {
    const ago = this.now - (calledAt ?? 0)
    return state === 'called' && workstation !== undefined && ago >= -MINUTE && ago < CALL_DURATION
  }

  /**
   * Explains why the number of someone called here isn't shown, and what to do; undefined if it is shown or the call is
   * over.
   * @param isDisplayInUse someone is signing on the second display.
   */
  hiddenCallOf({ id, state, workstation }: Appointment, isDisplayInUse: boolean): AppointmentStatus | undefined {
    const today = this.#today.value
    if (!today || state !== 'called' || workstation !== undefined) return undefined
    if (!today.hasDisplay) return { words: 'No second display: call them by name', tone: 'warn' }
    if (!isDisplayInUse || today.calling !== id) return undefined
    return { words: 'Second display in use: their number shows once it’s free', tone: 'quiet' }
  }

  /**
   * Describes their progress in a few words.
   * @param isBusy someone is signing now.
   */
  statusOf({ state, at, arrivedAt, calledAt, workstation }: Appointment, isBusy = false): AppointmentStatus {
    const span = (from: number) => waitInWords(this.now - from)
    if (workstation && state === 'called') {
      const ago = this.now - (calledAt ?? at)
      if (ago < -MINUTE) return { words: `Called by ${workstation}`, tone: 'quiet' }
      const words =
        ago < MINUTE ? `Called by ${workstation} just now` : `Called by ${workstation} ${span(calledAt ?? at)} ago`
      return { words, tone: 'quiet' }
    }
    if (workstation && state === 'here') return { words: `Went to ${workstation}`, tone: 'quiet' }
    switch (state) {
      case 'expected':
        return this.now - at < MINUTE
          ? { words: 'Expected', tone: 'quiet' }
          : { words: `${span(at)} late`, tone: 'warn' }
      case 'arrived':
        return this.now - (arrivedAt ?? at) < MINUTE
          ? { words: 'Just arrived', tone: 'accent' }
          : { words: `Waiting for ${span(arrivedAt ?? at)}`, tone: 'accent' }
      case 'called':
        return this.now - (calledAt ?? at) < MINUTE
          ? { words: 'Called just now', tone: 'accent' }
          : { words: `Called ${span(calledAt ?? at)} ago`, tone: 'warn' }
      case 'here':
        // If they haven't signed everything they may have left since.
        return isBusy ? { words: 'At the counter', tone: 'ok' } : { words: 'Came to the counter', tone: 'quiet' }
      case 'done':
        return { words: 'Done', tone: 'ok' }
      case 'no-show':
        return { words: 'Didn’t come', tone: 'warn' }
    }
  }

  readonly mark = (id: string, as: Input<'appointments.mark'>['as']) =>
    this.#do(this.#api.appointments.mark({ id, as }))
  readonly call = (id: string) => this.#do(this.#api.appointments.call({ id }))
  readonly endCall = () => this.#do(this.#api.appointments.endCall())
  readonly remove = (id: string) => this.#do(this.#api.appointments.remove({ id }))
  readonly choose = (id: string, person: string) => this.#do(this.#api.appointments.choosePerson({ id, person }))

  /**
   * Adds an appointment. Reporting a failure is up to the caller.
   * @param accountId the account it belongs to; absent for the current account.
   */
  add(appointment: Input<'appointments.add'>, accountId?: string): Promise<Result<null>> {
    return this.#saved(this.#apiOf(accountId).appointments.add(appointment))
  }

  /** As `add`. */
  change(changes: Input<'appointments.change'>, accountId: string): Promise<Result<null>> {
    return this.#saved(this.#apiOf(accountId).appointments.change(changes))
  }

  #apiOf(accountId: string | undefined): Api {
    return accountId === undefined ? this.#api : ofAccount(this.#api, accountId)
  }

  async #saved(call: Promise<Result<null>>): Promise<Result<null>> {
    const result = await settled(call)
    await this.#today.load()
    return result
  }

  /** Reports a failure, so that no caller has to. */
  async #do(call: Promise<Result<null>>): Promise<Result<null>> {
    const result = await this.#saved(call)
    if (!result.ok) this.#onFailure(result.error)
    return result
  }
}

/** Formats "10:30", or "10:30 · Room 2". */
export function timeAndPlace({ at, place }: Pick<Appointment, 'at' | 'place'>): string {
  return place ? `${clockTime(at)} · ${place}` : clockTime(at)
}

/** Formats a waiting time to the minute: "1 min", "45 min", "2 h 5 min". */
export function waitInWords(milliseconds: number): string {
  const minutes = Math.max(1, Math.floor(milliseconds / MINUTE))
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
