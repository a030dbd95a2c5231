/**
 * Calls and numbers of an office's counters: someone called at one counter isn't called at another at the same time,
 * and no number is given twice a day. Both are claimed at the office's server. While it is away, each counter carries
 * on alone.
 */
import type { DecodedInput } from '../../../shared/contract/index.ts'
import { clockTextOf } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { type Time, within } from '../lib/time.ts'
import type { ExclusiveTasks } from '../office/exclusive-tasks.ts'
import type { BlockingTask } from '../office/tasks.ts'
import { type Appointments, BEFORE_COUNTER, CALL_DURATION } from './appointments.ts'
import type { StoredAppointment } from './appointments-table.ts'

interface CallsDeps {
  appointments: Pick<Appointments, 'table' | 'get' | 'add' | 'mark' | 'arrive' | 'call' | 'nextNumber' | 'todaySpan'>
  /** The account of what is created here. */
  accountId: () => string
  exclusiveTasks: ExclusiveTasks
  time: Time
  newId: () => string
}

interface CallClaim {
  readonly until: number
  readonly end: () => Promise<unknown>
  /** Set once it is being released. */
  ending?: Promise<void>
}

/** How long staff wait for the office's server, in milliseconds. */
const OFFICE_TIMEOUT = 3_000
/** How many numbers are tried, because others may have given some that aren't known here yet. */
const MAX_NUMBERS_TRIED = 20
/** The longest possible claim; by then the others know the number. In milliseconds. */
const NUMBER_CLAIM_DURATION = 600_000

export class Calls {
  readonly #deps: CallsDeps
  /** This counter's claims at the office, by appointment, and when they expire. */
  readonly #claims = new Map<string, CallClaim>()
  /** The appointments whose calls wait for the office. */
  readonly #calling = new Set<string>()

  constructor(deps: CallsDeps) {
    this.#deps = deps
  }

  /** @throws AppFailure like `Appointments.add`. */
  async add(input: DecodedInput<'appointments.add'>): Promise<void> {
    // Another may be chosen while the office is asked.
    const accountId = this.#deps.accountId()
    const number = input.hasArrived ? await this.#claimNumber({ accountId }) : undefined
    this.#deps.appointments.add(input, number, accountId)
  }

  /** @throws AppFailure like `Appointments.mark`. */
  async mark(id: string, as: DecodedInput<'appointments.mark'>['as']): Promise<void> {
    const { appointments } = this.#deps
    if (as === 'arrived') {
      const before = appointments.get(id)
      const number = await this.#claimNumber(before)
      // Another account may be chosen while the office was asked.
      const now = appointments.table.byId(id) ?? appointments.get(id)
      // A person marked otherwise meanwhile stays so.
      if (now.state === before.state && now.state !== as) appointments.arrive(now, number)
    } else appointments.mark(id, as)
    await this.#release(id)
  }

  /** @throws AppFailure `busy` if another counter has just called them; otherwise like `Appointments.call`. */
  async call(id: string): Promise<void> {
    this.#calling.add(id)
    try {
      await this.#call(id)
    } finally {
      this.#calling.delete(id)
      this.appointmentsChanged()
    }
  }

  /** Called when appointments changed: other counters may call the people that this one no longer calls. */
  appointmentsChanged(): void {
    const isCalled = (id: string) => this.#deps.appointments.table.byId(id)?.state === 'called'
    for (const id of this.#claims.keys()) if (!this.#calling.has(id) && !isCalled(id)) void this.#release(id)
  }

  async #call(id: string): Promise<void> {
    const { appointments, time } = this.#deps
    const appointment = appointments.get(id)
    const other = await this.#claimCall(appointment)
    if (other) {
      const since = clockTextOf(time.now() - other.ago, time.zone(), time.now())
      fail('busy', `${other.holder} called this person at ${since}.`, {
        next: 'Choose someone else, or ask at that counter.'
      })
    }
    const number = await this.#claimNumber(appointment)
    const { state } = appointments.get(id)
    // They may have come, or been marked as missed, while the office was asked.
    if (state === appointment.state || BEFORE_COUNTER.includes(state)) appointments.call(id, number)
  }

  /**
   * Claims a call. Returns the counter that has called them instead; undefined if there is none, or the office can't be
   * asked.
   */
  async #claimCall({ id, key, accountId }: StoredAppointment): Promise<BlockingTask | undefined> {
    const { exclusiveTasks, time, newId } = this.#deps
    const place = exclusiveTasks.of(accountId)
    if (!place || place === 'away') return undefined
    const request = { accountId: place.accountId, id: newId(), ms: CALL_DURATION }
    // An appointment made by hand has the same id at each workstation, an imported one the same key.
    const about = JSON.stringify(['appointment', key ?? id])
    let other: BlockingTask | undefined
    const claimed = place.tasks.claim('turn', { ...request, about: [about] }).then((claim) => {
      if (!claim.isGranted) [other] = claim.by
      else {
        const task = { ...request, about, epoch: claim.epochs.get(about) ?? 0 }
        const now = time.now()
        for (const [appointmentId, { until }] of this.#claims) if (until < now) this.#claims.delete(appointmentId)
        this.#claims.set(id, { until: now + CALL_DURATION, end: () => place.tasks.finish('turn', task, 'free') })
        // The answer may have come too late.
        this.appointmentsChanged()
      }
    })
    await this.#waitBriefly(claimed)
    return other
  }

  /** Returns a number that no other counter gives today; undefined if they have one, or the office can't be asked. */
  async #claimNumber(one: { accountId: string; number?: number | undefined }): Promise<number | undefined> {
    const { appointments, exclusiveTasks, newId } = this.#deps
    const place = exclusiveTasks.of(one.accountId)
    if (one.number !== undefined || !place || place === 'away') return undefined
    let claimedNumber: number | undefined
    let isWaiting = true
    const claimed = async () => {
      for (let tried = 0; tried < MAX_NUMBERS_TRIED && isWaiting; tried++) {
        const number = appointments.nextNumber()
        const about = [JSON.stringify(['number', appointments.todaySpan().from, number])]
        const request = { accountId: place.accountId, about, id: newId(), ms: NUMBER_CLAIM_DURATION }
        if (!(await place.tasks.claim('turn', request)).isGranted) continue
        claimedNumber = number
        return
      }
    }
    await this.#waitBriefly(claimed())
    isWaiting = false
    return claimedNumber
  }

  /**
   * Releases a call, because they have come or it was undone, so that others may call them. If the release fails, the
   * claim expires.
   */
  async #release(appointment: string): Promise<void> {
    const claim = this.#claims.get(appointment)
    if (!claim) return
    claim.ending ??= this.#waitBriefly(claim.end())
    await claim.ending
    if (this.#claims.get(appointment) === claim) this.#claims.delete(appointment)
  }

  /** Waits for the office, but lets staff go on if it doesn't answer or refuses. */
  async #waitBriefly(call: Promise<unknown>): Promise<void> {
    const answered = call.catch(() => undefined)
    await within(OFFICE_TIMEOUT, answered, this.#deps.time)
  }
}
