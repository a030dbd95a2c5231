/**
 * Reserves the turns of a session at the office's server, so that a person is at only one of the office's counters. A
 * reservation lasts as long as the session, or until its workstation is gone. While the server is away, turns go on
 * without one.
 */
import type { CounterEntry, CounterSession } from '../../../shared/contract/index.ts'
import { SerialTask } from '../jobs/lanes.ts'
import { clockTextOf } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { getOrMake } from '../lib/objects.ts'
import { type Time, within } from '../lib/time.ts'
import type { ExclusiveTasks } from '../office/exclusive-tasks.ts'
import type { BlockingTask, OthersTasks } from '../office/tasks.ts'

type Turn = Pick<CounterEntry, 'documentReference' | 'signer' | 'person'>

/** How long a reservation lasts without a renewal, and how often it's renewed, in milliseconds. */
const LEASE = 60_000
const RENEWAL_INTERVAL = 20_000
/** How long a person at the counter waits for the office's server, in milliseconds. */
const SERVER_TIMEOUT = 3_000

/**
 * The turns of a session. `until`: on the monotonic clock; in the past if they aren't reserved. `isTaken`: another
 * counter has some of them.
 */
interface Reservation {
  readonly accountId: string
  readonly id: string
  readonly about: readonly string[]
  epochs: ReadonlyMap<string, number>
  until: number
  isTaken: boolean
}

/** What others had at their counters when it was read: when, on the monotonic clock and on the wall clock. */
interface OthersSnapshot {
  readonly others: OthersTasks
  readonly elapsed: number
  readonly at: number
}

interface ReservationDeps {
  exclusiveTasks: ExclusiveTasks
  time: Time
  newId: () => string
  /** Called when other counters called someone or no longer have them, or this session's reservation changed. */
  changed: () => void
}

export class Reservations {
  readonly #deps: ReservationDeps
  readonly #renewing: SerialTask<void>
  readonly #readers = new Map<string, SerialTask<void>>()
  readonly #snapshots = new Map<string, OthersSnapshot>()
  #reservation: Reservation | undefined
  #releasing = Promise.resolve()
  /** The last state that was announced. */
  #announced: CounterSession['notReserved']

  constructor(deps: ReservationDeps) {
    this.#deps = deps
    this.#renewing = new SerialTask(
      deps.time,
      () => this.#renew(),
      () => this.#reservation && this.#renewing.schedule(RENEWAL_INTERVAL)
    )
    deps.exclusiveTasks.listen({
      available: (accountId) => {
        this.#refresh(accountId)
        if (this.#reservation?.accountId === accountId) void this.#renewing.runFresh()
      },
      notified: (accountId) => this.#refresh(accountId)
    })
  }

  /** Returns which other counter has this turn, as far as known, and since when by the wall clock. */
  otherCounterOf(accountId: string, turn: Turn): CounterEntry['elsewhere'] {
    const { exclusiveTasks, time } = this.#deps
    if (!exclusiveTasks.of(accountId)) return undefined
    const read = this.#snapshots.get(accountId)
    if (!read) {
      this.#refresh(accountId)
      return undefined
    }
    const [its] = aboutOf(turn).flatMap((about) => read.others.of(about) ?? [])
    // A lease that nobody renews while the server is away has expired.
    if (!its || read.elapsed + its.remaining <= time.elapsed()) return undefined
    return { workstation: its.holder, since: Math.round(read.at - its.ago) }
  }

  /** Whether a session that started now couldn't be reserved. */
  isServerAway(accountId: string): boolean {
    return this.#deps.exclusiveTasks.of(accountId) === 'away'
  }

  /** Why the turns aren't reserved: another counter has called these people, or could. Undefined if they are. */
  whyNotReserved(): CounterSession['notReserved'] {
    if (!this.#reservation || this.#reservation.until > this.#deps.time.elapsed()) return undefined
    return this.#reservation.isTaken ? 'taken' : 'away'
  }

  /** Reserves the turns of a session that starts. @throws AppFailure `busy` if another counter has one of them. */
  async reserve(accountId: string, turns: readonly Turn[]): Promise<void> {
    const { exclusiveTasks, time, newId } = this.#deps
    await this.release()
    if (!exclusiveTasks.of(accountId)) return
    const about = [...new Set(turns.flatMap(aboutOf))]
    const reservation: Reservation = {
      accountId,
      id: newId(),
      about,
      epochs: new Map(),
      until: Number.NEGATIVE_INFINITY,
      isTaken: false
    }
    let takenBy: readonly BlockingTask[] = []
    const claimed = this.#claim(reservation).then((others) => {
      takenBy = others
    })
    await within(SERVER_TIMEOUT, claimed, time)
    const [first] = takenBy
    if (first) refuseIfReserved({ workstation: first.holder, since: time.now() - first.ago }, time)
    this.#reservation = reservation
    this.#announced = this.whyNotReserved()
    this.#renewing.schedule(RENEWAL_INTERVAL)
    // The server may answer only now, perhaps once the session is over.
    void claimed.then(() => (this.#reservation === reservation ? this.#announce() : this.#releaseTasks(reservation)))
  }

  /** Releases the turns, so that other counters can call these people. Never rejects. */
  async release(): Promise<void> {
    const reservation = this.#reservation
    if (reservation) {
      this.#reservation = undefined
      this.#renewing.cancel()
      this.#releasing = within(SERVER_TIMEOUT, this.#releaseTasks(reservation), this.#deps.time)
    }
    // Ending the application also waits for a release that began earlier.
    await this.#releasing
  }

  async #releaseTasks(reservation: Reservation): Promise<void> {
    await this.#renewing.whenIdle()
    const access = this.#deps.exclusiveTasks.of(reservation.accountId)
    // If the server can't be told, the lease expires.
    if (!access || access === 'away') return
    const { id, epochs } = reservation
    const ends = [...epochs].map(([about, epoch]) =>
      access.tasks.finish('turn', { accountId: access.accountId, about, id, epoch }, 'free')
    )
    await Promise.allSettled(ends)
  }

  async #renew(): Promise<void> {
    const reservation = this.#reservation
    if (!reservation) return
    await this.#claim(reservation)
    if (this.#reservation === reservation) this.#announce()
  }

  #announce(): void {
    if (this.whyNotReserved() === this.#announced) return
    this.#announced = this.whyNotReserved()
    this.#deps.changed()
  }

  /** Returns who has any of them instead. */
  async #claim(reservation: Reservation): Promise<readonly BlockingTask[]> {
    const access = this.#deps.exclusiveTasks.of(reservation.accountId)
    if (!access || access === 'away') return []
    const request = { accountId: access.accountId, about: reservation.about, id: reservation.id, ms: LEASE }
    const claim = await access.tasks.claim('turn', request).catch(() => undefined)
    if (!claim) return []
    reservation.isTaken = !claim.isGranted
    if (!claim.isGranted) {
      reservation.until = Number.NEGATIVE_INFINITY
      return claim.by
    }
    reservation.epochs = claim.epochs
    reservation.until = claim.until
    return []
  }

  #refresh(accountId: string): void {
    const lane = getOrMake(
      this.#readers,
      accountId,
      () => new SerialTask(this.#deps.time, () => this.#readOthers(accountId))
    )
    void lane.runFresh()
  }

  async #readOthers(accountId: string): Promise<void> {
    const { exclusiveTasks, time } = this.#deps
    const access = exclusiveTasks.of(accountId)
    if (!access) return
    const scheduleRead = (milliseconds: number) => this.#readers.get(accountId)?.schedule(milliseconds)
    const before = this.#snapshots.get(accountId)
    const [elapsed, at] = [time.elapsed(), time.now()]
    const others =
      access === 'away' ? undefined : await access.tasks.ofOthers('turn', access.accountId).catch(() => undefined)
    if (others) {
      this.#snapshots.set(accountId, { others, elapsed, at })
      // A workstation that is gone doesn't notify anyone.
      if (others.count > 0) scheduleRead(others.soonest + 1)
    } else if (access !== 'away' || (before && before.elapsed + LEASE >= elapsed)) {
      // Only while some of them may expire; we're notified when the server comes back.
      scheduleRead(RENEWAL_INTERVAL)
    }
    if ((before?.others.count ?? 0) + (others?.count ?? 0) > 0) this.#deps.changed()
  }
}

/** @throws AppFailure */
export function refuseIfReserved(otherCounter: CounterEntry['elsewhere'], time: Pick<Time, 'now' | 'zone'>): void {
  if (!otherCounter) return
  const at = clockTextOf(otherCounter.since, time.zone(), time.now())
  fail('busy', `${otherCounter.workstation} has been signing with this person since ${at}.`, {
    next: 'Choose someone else, or ask at that counter.'
  })
}

/** The signature, and the person: the same person can't be at two counters, even with different documents. */
function aboutOf({ documentReference, signer, person }: Turn): string[] {
  return [JSON.stringify([documentReference, signer]), JSON.stringify(['person', person])]
}
