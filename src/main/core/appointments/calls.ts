/**
 * Calls and numbers of an office's counters: who was called at one isn't called at another just then, and no number is given twice on a day. Both
 * are claimed at the office's server. While it is away each counter goes on by itself.
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
  /** The account of what is made here. */
  accountId: () => string
  once: Once
  time: Time
  newId: () => string
}

/** How long staff waits for the office's server, in milliseconds. */
const PATIENCE = 3_000
/** So many numbers are tried: others may have given some that aren't known here yet. */
const MOST_TRIED = 20
/** As long as a claim can last; by then the others know of the number. In milliseconds. */
const NUMBER_HELD = 600_000

export class Calls {
  readonly #deps: CallsDeps
  /** What the office has of this counter's calls, by appointment, and until when. */
  readonly #claims = new Map<string, { until: number; end: () => Promise<unknown> }>()

  constructor(deps: CallsDeps) {
    this.#deps = deps
  }

  /** @throws AppFailure as `Appointments.save`. */
  async save(given: DecodedInput<'appointments.save'>): Promise<void> {
    const { appointments, accountId } = this.#deps
    const before = given.id === undefined ? undefined : appointments.named(given.id)
    const number = given.hasArrived ? await this.#number(before ?? { accountId: accountId() }) : undefined
    appointments.save(given, number)
  }

  /** @throws AppFailure as `Appointments.mark`. */
  async mark(id: string, as: DecodedInput<'appointments.mark'>['as']): Promise<void> {
    const { appointments } = this.#deps
    appointments.mark(id, as, as === 'arrived' ? await this.#number(appointments.named(id)) : undefined)
    await this.#free(id)
  }

  /** @throws AppFailure `busy` where another counter has just called them; as `Appointments.call`. */
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

  /** Answers who has called them instead; undefined where nobody has, or the office can't be asked. */
  async #claim({ id, key, accountId }: KeptAppointment): Promise<TakenTask | undefined> {
    const { once, time, newId } = this.#deps
    const place = once.of(accountId)
    if (!place || place === 'away') return undefined
    const wanted = { accountId: place.accountId, id: newId(), ms: CALL_SHOWN }
    // A hand-made one has its id at each workstation, and an imported one its key.
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

  /** A number that no other counter gives today; undefined where they have one, or the office can't be asked. */
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

  /** They have come, or it was taken back: others may call them. Where nobody hears of it, it runs out. */
  async #free(appointment: string): Promise<void> {
    const claim = this.#claims.get(appointment)
    if (!claim) return
    this.#claims.delete(appointment)
    await this.#patiently(claim.end())
  }

  /** Staff goes on without the office where it doesn't answer, or refuses. */
  async #patiently(asked: Promise<unknown>): Promise<void> {
    const answered = asked.catch(() => undefined)
    await within(PATIENCE, answered, this.#deps.time)
  }
}
