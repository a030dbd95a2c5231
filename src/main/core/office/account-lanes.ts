/**
 * When what an office's workstations have in common is read and told, an account at a time: at once where something is new, every 75 seconds in any case,
 * later and later while the server fails. Nothing is asked while it isn't there.
 */
import { Lanes, OneAtATime } from '../jobs/lanes.ts'
import { backoff, type Time } from '../lib/time.ts'

/** Between two rounds, and first where the server is away, in milliseconds. Longer than between two greetings, each of which begins one. */
const EVERY = 75_000
const FIRST_WAIT = 2_000
/** Steady changes go over so often, in milliseconds. */
export const STEADY = 500

interface AccountLanesDeps {
  time: Time
  /** The accounts that are shared, by the office's ids. */
  accounts: () => ReadonlyMap<string, string>
  /** Reads and tells all that there is of one. */
  sync: (accountId: string, officeId: string) => Promise<void>
}

interface Lane {
  readonly syncing: OneAtATime<void>
  failures: number
  isWanted: boolean
}

export class AccountLanes {
  readonly #deps: AccountLanesDeps
  readonly #lanes: Lanes<Lane>
  #isThere = false

  constructor(deps: AccountLanesDeps) {
    this.#deps = deps
    this.#lanes = new Lanes((accountId) => ({
      syncing: new OneAtATime(
        deps.time,
        () => this.#sync(accountId),
        () => this.#rested(accountId)
      ),
      failures: 0,
      isWanted: false
    }))
  }

  /** The office's server is there. */
  connect(): void {
    this.#isThere = true
    this.allSoon()
  }

  /** It isn't, or not ours any more. */
  disconnect(): void {
    this.#isThere = false
    for (const { syncing } of this.#lanes.all()) syncing.cancel()
  }

  /** Something may be new at the office, or is to go there. */
  soon(accountId: string, wait = 0): void {
    if (!this.#isThere || !this.#deps.accounts().has(accountId)) return
    const lane = this.#lanes.of(accountId)
    // One that is under way may be past it, and is followed by another.
    if ((wait === 0 || !lane.isWanted) && !lane.syncing.isRunning) lane.syncing.later(wait)
    lane.isWanted = true
  }

  allSoon(wait = 0): void {
    for (const accountId of this.#deps.accounts().keys()) this.soon(accountId, wait)
  }

  /** The round that is under way is followed by another. */
  want(accountId: string): void {
    this.#lanes.of(accountId).isWanted = true
  }

  /** A round that sees all that there is now. Rejects where the server can't be reached. */
  fresh(accountId: string): Promise<void> {
    return this.#lanes.of(accountId).syncing.fresh()
  }

  /** Resolves once no round of it is under way. */
  ended(accountId: string): Promise<void> {
    return this.#lanes.of(accountId).syncing.ended()
  }

  cancel(accountId: string): void {
    this.#lanes.of(accountId).syncing.cancel()
  }

  async close(): Promise<void> {
    this.#isThere = false
    await Promise.all(this.#lanes.all().map(({ syncing }) => syncing.close()))
  }

  async #sync(accountId: string): Promise<void> {
    const officeId = this.#deps.accounts().get(accountId)
    if (officeId === undefined) return
    const lane = this.#lanes.of(accountId)
    lane.isWanted = false
    try {
      await this.#deps.sync(accountId, officeId)
      lane.failures = 0
    } catch (error) {
      lane.failures++
      throw error
    }
  }

  #rested(accountId: string): void {
    if (!this.#isThere || !this.#deps.accounts().has(accountId)) return
    const { random } = this.#deps.time
    const { failures, isWanted, syncing } = this.#lanes.of(accountId)
    const usual = isWanted ? STEADY : EVERY * (1 - random() / 5)
    syncing.later(failures > 0 ? backoff(FIRST_WAIT, failures, random) : usual)
  }
}
