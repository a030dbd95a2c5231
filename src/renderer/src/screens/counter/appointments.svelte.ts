/** Who is expected today, as the Counter screen shows them: what can be done with each, and how late each is. */
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type { Appointment, AppointmentsToday } from '../../../../shared/contract/views.ts'
import { type Api, ofAccount, settled, together } from '../../api.ts'
import { type Clock, Minutes } from '../../state/clock.ts'
import type { QueuedPerson } from '../../state/queued-people.ts'
import { Resource } from '../../state/resource.svelte.ts'
import { clockTime } from '../../words/dates.ts'
import type { StatusTone } from '../../words/statuses.ts'

/** Milliseconds between two readings while documents change. */
const PAUSE = 500
const MINUTE = 60_000
/** As long as the display shows a call. */
const CALL_HOLDS = 5 * MINUTE

/** An appointment, with the one of the queue who it is of. */
export interface ExpectedPerson {
  appointment: Appointment
  person: QueuedPerson | undefined
}

export interface Standing {
  words: string
  tone: StatusTone
}

export class AppointmentList {
  readonly #api: Api
  readonly #today: Resource<AppointmentsToday>
  readonly #minutes: Minutes
  readonly #failed: (error: AppError) => void

  /** @param failed says what could not be done. */
  constructor(api: Api, clock: Clock, failed: (error: AppError) => void) {
    this.#api = api
    this.#failed = failed
    this.#minutes = new Minutes(clock)
    this.#today = new Resource(() => api.appointments.today(), { clock, milliseconds: PAUSE })
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
  /** Told again as each minute begins. */
  get now() {
    return this.#minutes.now
  }

  /** Follows them once they are read. Answers what stops following. */
  open(): () => void {
    return together(
      this.#api.on('appointments.changed', () => void this.#today.load()),
      this.#api.on('documents.changed', this.#today.follow),
      this.#api.on('accounts.changed', this.#today.follow),
      this.#api.on('settings.changed', this.#today.follow)
    )
  }

  load(): Promise<void> {
    return this.#today.load()
  }

  /** Who is still to come, or here, each with the row of the queue that is theirs. */
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

  /** Who is done, or didn't come. */
  get over(): Appointment[] {
    return this.all.filter(({ state }) => state === 'done' || state === 'no-show')
  }

  /** Whom to call next: of those who wait, who was to come first, and of these who did. */
  get next(): Appointment | undefined {
    const waiting = this.all.filter(({ state }) => state === 'arrived')
    return waiting.toSorted((one, other) => one.at - other.at || (one.arrivedAt ?? 0) - (other.arrivedAt ?? 0))[0]
  }

  /** Who is to come next: the others' time comes later, and of who should have been here long ago it isn't expected. */
  get nextExpected(): Appointment | undefined {
    return this.all.find((one) => one.state === 'expected' && !this.isMissed(one))
  }

  /** Whether it is suggested that they didn't come. Who has arrived and was called is on the way, however late their appointment has become. */
  isMissed({ state, at, calledAt }: Appointment): boolean {
    if (state === 'called') return this.now - (calledAt ?? at) >= CALL_HOLDS
    return state === 'expected' && this.now - at >= (this.#today.value?.noShowAfter ?? 15) * MINUTE
  }

  /**
   * Another counter of the office has just called them: they are on their way there. That is by its clock: one that is ahead by more than a
   * minute says nothing of when that was.
   */
  isCalledElsewhere({ state, desk, calledAt }: Appointment): boolean {
    const ago = this.now - (calledAt ?? 0)
    return state === 'called' && desk !== undefined && ago >= -MINUTE && ago < CALL_HOLDS
  }

  /**
   * Why nobody sees the number of someone who was called here, and what that means; undefined where it is shown, or is over.
   * @param isDisplayInUse someone signs on the second display.
   */
  unseenCallOf({ id, state, desk }: Appointment, isDisplayInUse: boolean): Standing | undefined {
    const today = this.#today.value
    if (!today || state !== 'called' || desk !== undefined) return undefined
    if (!today.hasDisplay) return { words: 'No second display: call them by name', tone: 'warn' }
    if (!isDisplayInUse || today.calling !== id) return undefined
    return { words: 'Second display in use: their number shows once it’s free', tone: 'quiet' }
  }

  /** Where they stand, in a few words. @param isBusy someone signs at this moment. */
  standingOf({ state, at, arrivedAt, calledAt, desk }: Appointment, isBusy = false): Standing {
    const span = (from: number) => spanOf(this.now - from)
    if (desk && state === 'called') {
      const ago = this.now - (calledAt ?? at)
      if (ago < -MINUTE) return { words: `Called by ${desk}`, tone: 'quiet' }
      const words = ago < MINUTE ? `Called by ${desk} just now` : `Called by ${desk} ${span(calledAt ?? at)} ago`
      return { words, tone: 'quiet' }
    }
    if (desk && state === 'here') return { words: `Went to ${desk}`, tone: 'quiet' }
    switch (state) {
      case 'expected':
        return this.now - at < MINUTE
          ? { words: 'Expected', tone: 'quiet' }
          : { words: `${span(at)} late`, tone: 'warn' }
      case 'arrived':
        return { words: `Waiting for ${span(arrivedAt ?? at)}`, tone: 'accent' }
      case 'called':
        return this.now - (calledAt ?? at) < MINUTE
          ? { words: 'Called just now', tone: 'accent' }
          : { words: `Called ${span(calledAt ?? at)} ago`, tone: 'warn' }
      case 'here':
        // Who has not signed everything may have left since.
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
   * Answers why it was not kept.
   * @param accountId whose it is; absent: of the account that is worked in.
   */
  async save(given: Input<'appointments.save'>, accountId?: string): Promise<AppError | undefined> {
    const api = accountId === undefined ? this.#api : ofAccount(this.#api, accountId)
    const result = await settled(api.appointments.save(given))
    await this.#today.load()
    return result.ok ? undefined : result.error
  }

  /** Answers whether it was done. */
  async #do(asked: Promise<Result<null>>): Promise<boolean> {
    const result = await settled(asked)
    await this.#today.load()
    if (!result.ok) this.#failed(result.error)
    return result.ok
  }
}

/** "10:30", or "10:30 · Room 2". */
export function timeAndPlace({ at, place }: Pick<Appointment, 'at' | 'place'>): string {
  return place ? `${clockTime(at)} · ${place}` : clockTime(at)
}

/** "1 min", "45 min", "2 h 5 min": how long someone waits, to the minute. */
export function spanOf(milliseconds: number): string {
  const minutes = Math.max(1, Math.floor(milliseconds / MINUTE))
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
