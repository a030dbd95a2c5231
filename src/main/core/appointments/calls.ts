/**
 * Calls and numbers of an office's counters: someone called at one counter isn't called at another at the same time,
 * and no number is given twice a day. Both are claimed at the office's server. While it is away, each counter carries
 * on alone.
 */
import type { DecodedInput } from '../../../shared/contract/index.ts'
import { clockTextOf } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { type Time, within } from '../lib/time.ts'
import type { Once } from '../office/once.ts'
import type { TakenTask } from '../office/tasks.ts'
import { type Appointments, CALL_SHOWN } from './appointments.ts'
import type { KeptAppointment } from './appointments-table.ts'

interface CallsDeps {
  appointments: Pick<Appointments, 'named' | 'save' | 'mark' | 'call' | 'nextNumber' | 'day'>
  /** The account of what is created here. */
  accountId: () => string
  once: Once
  time: Time
  newId: () => string
}

/** How long staff wait for the office's server, in milliseconds. */
const PATIENCE = 3_000
/** How many numbers are tried, because others may have given some that aren't known here yet. */
const MOST_TRIED = 20
/** The longest possible claim; by then the others know the number. In milliseconds. */
const NUMBER_HELD = 600_000

export class Calls {
  readonly #deps: CallsDeps
  /** This counter's claims at the office, by appointment, and when they expire. */
  readonly #claims = new Map<string, { until: number; end: () => Promise<unknown> }>()

  constructor(deps: CallsDeps) {
    this.#deps = deps
  }

  /** @throws AppFailure like `Appointments.save`. */
  async save(given: DecodedInput<'appointments.save'>): Promise<void> {
    const { appointments, accountId } = this.#deps
    const before = given.id === undefined ? undefined : appointments.named(given.id)
    const number = given.hasArrived ? await this.#number(before ?? { accountId: accountId() }) : undefined
    appointments.save(given, number)
  }

  /** @throws AppFailure like `Appointments.mark`. */
  async mark(id: string, as: DecodedInput<'appointments.mark'>['as']): Promise<void> {
    const { appointments } = this.#deps
    appointments.mark(id, as, as === 'arrived' ? await this.#number(appointments.named(id)) : undefined)
    await this.#free(id)
  }

  /** @throws AppFailure `busy` if another counter has just called them; otherwise like `Appointments.call`. */
  async call(id: string): Promise<void> {
    const { appointments, time } = this.#deps
    const one = appointments.named(id)
    const other = await this.#claim(one)
    if (other) {
      const since = clockTextOf(time.now() - other.ago, time.zone(), time.now())
      fail('busy', `${other.holder} called this person at ${since}.`, {
        next: 'Choose someone else, or ask at that counter.'
      })
    }
    appointments.call(id, await this.#number(one))
  }

  /**
   * Claims a call. Returns the counter that has called them instead; undefined if there is none, or the office can't be
   * asked.
   */
  async #claim({ id, key, accountId }: KeptAppointment): Promise<TakenTask | undefined> {
    const { once, time, newId } = this.#deps
    const place = once.of(accountId)
    if (!place || place === 'away') return undefined
    const wanted = { accountId: place.accountId, id: newId(), ms: CALL_SHOWN }
    // An appointment made by hand has the same id at each workstation, an imported one the same key.
    const about = JSON.stringify(['appointment', key ?? id])
    let other: TakenTask | undefined
    const claimed = place.tasks.claim('turn', { ...wanted, about: [about] }).then((claim) => {
      if (!claim.isTaken) [other] = claim.by
      else {
        const task = { ...wanted, about, epoch: claim.epochs.get(about) ?? 0 }
        const now = time.now()
        for (const [other, { until }] of this.#claims) if (until < now) this.#claims.delete(other)
        this.#claims.set(id, { until: now + CALL_SHOWN, end: () => place.tasks.end('turn', task, 'free') })
      }
    })
    await this.#patiently(claimed)
    return other
  }

  /** Returns a number that no other counter gives today; undefined if they have one, or the office can't be asked. */
  async #number(one: { accountId: string; number?: number | undefined }): Promise<number | undefined> {
    const { appointments, once, newId } = this.#deps
    const place = once.of(one.accountId)
    if (one.number !== undefined || !place || place === 'away') return undefined
    let given: number | undefined
    let isWaiting = true
    const claimed = async () => {
      for (let tried = 0; tried < MOST_TRIED && isWaiting; tried++) {
        const number = appointments.nextNumber()
        const about = [JSON.stringify(['number', appointments.day().from, number])]
        const wanted = { accountId: place.accountId, about, id: newId(), ms: NUMBER_HELD }
        if (!(await place.tasks.claim('turn', wanted)).isTaken) continue
        given = number
        return
      }
    }
    await this.#patiently(claimed())
    isWaiting = false
    return given
  }

  /**
   * Releases a call, because they have come or it was undone, so that others may call them. If the release fails, the
   * claim expires.
   */
  async #free(appointment: string): Promise<void> {
    const claim = this.#claims.get(appointment)
    if (!claim) return
    this.#claims.delete(appointment)
    await this.#patiently(claim.end())
  }

  /** Waits for the office, but lets staff go on if it doesn't answer or refuses. */
  async #patiently(asked: Promise<unknown>): Promise<void> {
    const answered = asked.catch(() => undefined)
    await within(PATIENCE, answered, this.#deps.time)
  }
}
