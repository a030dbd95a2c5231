/**
 * Reserves the turns of a session at the office's server, so that a person is at only one of the office's counters. A
 * reservation lasts as long as the session, or until its workstation is gone. While the server is away, turns go on
 * without one.
 */
import type { CounterEntry, CounterSession } from '../../../shared/contract/index.ts'
import { OneAtATime } from '../jobs/lanes.ts'
import { clockTextOf } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { getOrMake } from '../lib/objects.ts'
import { type Time, within } from '../lib/time.ts'
import type { Once } from '../office/once.ts'
import type { OthersTasks, TakenTask } from '../office/tasks.ts'

/** Identifies the person and the document. */
type Turn = Pick<CounterEntry, 'documentReference' | 'signer' | 'person'>

/** How long a reservation lasts without a renewal, and how often it's renewed, in milliseconds. */
const LEASE = 60_000
const EVERY = 20_000
/** How long a person at the counter waits for the office's server, in milliseconds. */
const PATIENCE = 3_000

/**
 * The turns of a session. `until`: on the monotonic clock; in the past if they aren't reserved. `isTaken`: another
 * counter has some of them.
 */
interface Held {
  readonly accountId: string
  readonly id: string
  readonly about: readonly string[]
  epochs: ReadonlyMap<string, number>
  until: number
  isTaken: boolean
}

/** What others had at their counters when it was read: when, on the monotonic clock and on the wall clock. */
interface Read {
  readonly others: OthersTasks
  readonly elapsed: number
  readonly at: number
}

interface ReservationDeps {
  once: Once
  time: Time
  newId: () => string
  /** Called when other counters called someone or no longer have them, or this session's reservation changed. */
  changed: () => void
}

export class Reservations {
  readonly #deps: ReservationDeps
  readonly #renewing: OneAtATime<void>
  readonly #reading = new Map<string, OneAtATime<void>>()
  readonly #read = new Map<string, Read>()
  #held: Held | undefined
  #releasing = Promise.resolve()
  /** The last state that was announced. */
  #told: CounterSession['notReserved']

  constructor(deps: ReservationDeps) {
    this.#deps = deps
    this.#renewing = new OneAtATime(
      deps.time,
      () => this.#renew(),
      () => this.#held && this.#renewing.later(EVERY)
    )
    deps.once.listen({
      back: (accountId) => {
        this.#look(accountId)
        if (this.#held?.accountId === accountId) void this.#renewing.fresh()
      },
      rung: (accountId) => this.#look(accountId)
    })
  }

  /** Returns which other counter has this turn, as far as known, and since when by the wall clock. */
  elsewhere(accountId: string, turn: Turn): CounterEntry['elsewhere'] {
    const { once, time } = this.#deps
    if (!once.of(accountId)) return undefined
    const read = this.#read.get(accountId)
    if (!read) {
      this.#look(accountId)
      return undefined
    }
    const [its] = aboutOf(turn).flatMap((about) => read.others.of(about) ?? [])
    // A lease that nobody renews while the server is away has expired.
    if (!its || read.elapsed + its.left <= time.elapsed()) return undefined
    return { desk: its.holder, since: Math.round(read.at - its.ago) }
  }

  /** Whether a session that started now couldn't be reserved. */
  isAway(accountId: string): boolean {
    return this.#deps.once.of(accountId) === 'away'
  }

  /** Why the turns aren't reserved: another counter has called these people, or could. Undefined if they are. */
  lacking(): CounterSession['notReserved'] {
    if (!this.#held || this.#held.until > this.#deps.time.elapsed()) return undefined
    return this.#held.isTaken ? 'taken' : 'away'
  }

  /** Reserves the turns of a session that starts. @throws AppFailure `busy` if another counter has one of them. */
  async take(accountId: string, turns: readonly Turn[]): Promise<void> {
    const { once, time, newId } = this.#deps
    await this.release()
    if (!once.of(accountId)) return
    const about = [...new Set(turns.flatMap(aboutOf))]
    const held: Held = {
      accountId,
      id: newId(),
      about,
      epochs: new Map(),
      until: Number.NEGATIVE_INFINITY,
      isTaken: false
    }
    let by: readonly TakenTask[] = []
    const claimed = this.#claim(held).then((others) => {
      by = others
    })
    await within(PATIENCE, claimed, time)
    const [first] = by
    if (first) refuseCalled({ desk: first.holder, since: time.now() - first.ago }, time)
    this.#held = held
    this.#told = this.lacking()
    this.#renewing.later(EVERY)
  }

  /** Releases the turns, so that other counters can call these people. Never rejects. */
  async release(): Promise<void> {
    const held = this.#held
    if (held) {
      this.#held = undefined
      this.#renewing.cancel()
      this.#releasing = within(PATIENCE, this.#free(held), this.#deps.time)
    }
    // Ending the application also waits for a release that began earlier.
    await this.#releasing
  }

  async #free(held: Held): Promise<void> {
    await this.#renewing.ended()
    const place = this.#deps.once.of(held.accountId)
    // If the server can't be told, the lease expires.
    if (!place || place === 'away') return
    const { id, epochs } = held
    const ends = [...epochs].map(([about, epoch]) =>
      place.tasks.end('turn', { accountId: place.accountId, about, id, epoch }, 'free')
    )
    await Promise.allSettled(ends)
  }

  async #renew(): Promise<void> {
    const held = this.#held
    if (!held) return
    await this.#claim(held)
    if (this.#held !== held || this.lacking() === this.#told) return
    this.#told = this.lacking()
    this.#deps.changed()
  }

  /** Returns who has any of them instead. */
  async #claim(held: Held): Promise<readonly TakenTask[]> {
    const place = this.#deps.once.of(held.accountId)
    if (!place || place === 'away') return []
    const wanted = { accountId: place.accountId, about: held.about, id: held.id, ms: LEASE }
    const claim = await place.tasks.claim('turn', wanted).catch(() => undefined)
    if (!claim) return []
    held.isTaken = !claim.isTaken
    if (!claim.isTaken) {
      held.until = Number.NEGATIVE_INFINITY
      return claim.by
    }
    held.epochs = claim.epochs
    held.until = claim.until
    return []
  }

  #look(accountId: string): void {
    const lane = getOrMake(
      this.#reading,
      accountId,
      () => new OneAtATime(this.#deps.time, () => this.#readOthers(accountId))
    )
    void lane.fresh()
  }

  async #readOthers(accountId: string): Promise<void> {
    const { once, time } = this.#deps
    const place = once.of(accountId)
    if (!place) return
    const later = (milliseconds: number) => this.#reading.get(accountId)?.later(milliseconds)
    const before = this.#read.get(accountId)
    const [elapsed, at] = [time.elapsed(), time.now()]
    const others =
      place === 'away' ? undefined : await place.tasks.ofOthers('turn', place.accountId).catch(() => undefined)
    if (others) {
      this.#read.set(accountId, { others, elapsed, at })
      // A workstation that is gone doesn't notify anyone.
      if (others.count > 0) later(others.soonest + 1)
    } else if (place !== 'away' || (before && before.elapsed + LEASE >= elapsed)) {
      // Only while some of them may expire; we're notified when the server comes back.
      later(EVERY)
    }
    if ((before?.others.count ?? 0) + (others?.count ?? 0) > 0) this.#deps.changed()
  }
}

/** @throws AppFailure */
export function refuseCalled(elsewhere: CounterEntry['elsewhere'], time: Pick<Time, 'now' | 'zone'>): void {
  if (!elsewhere) return
  const at = clockTextOf(elsewhere.since, time.zone(), time.now())
  fail('busy', `${elsewhere.desk} has been signing with this person since ${at}.`, {
    next: 'Choose someone else, or ask at that counter.'
  })
}

/** The signature, and the person: the same person can't be at two counters, even with different documents. */
function aboutOf({ documentReference, signer, person }: Turn): string[] {
  return [JSON.stringify([documentReference, signer]), JSON.stringify(['person', person])]
}
