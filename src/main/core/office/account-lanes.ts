/**
 * Schedules the sync of what an office's workstations share, per account: at once when something is new, every 75
 * seconds anyway, and with backoff while the server fails. Nothing is asked while the server is away.
 */
import { Lanes, SerialTask } from '../jobs/lanes.ts'
import { backoff, type Time } from '../lib/time.ts'

/**
 * The interval between rounds, and the first retry delay, in milliseconds. It is longer than that between greetings,
 * each of which starts a round.
 */
const SYNC_INTERVAL = 75_000
const FIRST_WAIT = 2_000
/** How often a steady stream of changes is synced, in milliseconds. */
export const SYNC_THROTTLE = 500

interface AccountLanesDeps {
  time: Time
  /** The shared accounts, each with the office's id for it. */
  accounts: () => ReadonlyMap<string, string>
  /** Reads and writes everything outstanding for one account. */
  sync: (accountId: string, officeId: string) => Promise<void>
}

interface Lane {
  readonly syncing: SerialTask<void>
  failures: number
  isSyncRequested: boolean
}

export class AccountLanes {
  readonly #deps: AccountLanesDeps
  readonly #lanes: Lanes<Lane>
  #isConnected = false

  constructor(deps: AccountLanesDeps) {
    this.#deps = deps
    this.#lanes = new Lanes((accountId) => ({
      syncing: new SerialTask(
        deps.time,
        () => this.#sync(accountId),
        () => this.#scheduleNext(accountId)
      ),
      failures: 0,
      isSyncRequested: false
    }))
  }

  /** Called when the office's server is available. */
  connect(): void {
    this.#isConnected = true
    this.syncAllSoon()
  }

  /** Called when the server is away, or the workstation has left the office. */
  disconnect(): void {
    this.#isConnected = false
    for (const { syncing } of this.#lanes.all()) syncing.cancel()
  }

  /** Schedules a round: something may be new here or at the office. */
  syncSoon(accountId: string, wait = 0): void {
    if (!this.#isConnected || !this.#deps.accounts().has(accountId)) return
    const lane = this.#lanes.of(accountId)
    // A running round may be past the change already, so another follows it.
    if ((wait === 0 || !lane.isSyncRequested) && !lane.syncing.isRunning) lane.syncing.schedule(wait)
    lane.isSyncRequested = true
  }

  syncAllSoon(wait = 0): void {
    for (const accountId of this.#deps.accounts().keys()) this.syncSoon(accountId, wait)
  }

  /** Makes another round follow, also the running one. */
  syncAgain(accountId: string): void {
    this.syncSoon(accountId, SYNC_THROTTLE)
  }

  /** Runs a round that sees everything there is now. Rejects if the server can't be reached. */
  syncNow(accountId: string): Promise<void> {
    return this.#lanes.of(accountId).syncing.runFresh()
  }

  /** Resolves once no round of the account is running. */
  whenIdle(accountId: string): Promise<void> {
    return this.#lanes.of(accountId).syncing.whenIdle()
  }

  cancel(accountId: string): void {
    this.#lanes.of(accountId).syncing.cancel()
  }

  async close(): Promise<void> {
    this.#isConnected = false
    await Promise.all(this.#lanes.all().map(({ syncing }) => syncing.close()))
  }

  async #sync(accountId: string): Promise<void> {
    const officeId = this.#deps.accounts().get(accountId)
    if (officeId === undefined) return
    const lane = this.#lanes.of(accountId)
    lane.isSyncRequested = false
    try {
      await this.#deps.sync(accountId, officeId)
      lane.failures = 0
    } catch (error) {
      lane.failures++
      throw error
    }
  }

  #scheduleNext(accountId: string): void {
    if (!this.#isConnected || !this.#deps.accounts().has(accountId)) return
    const { random } = this.#deps.time
    const { failures, isSyncRequested, syncing } = this.#lanes.of(accountId)
    const usual = isSyncRequested ? SYNC_THROTTLE : SYNC_INTERVAL * (1 - random() / 5)
    syncing.schedule(failures > 0 ? backoff(FIRST_WAIT, failures, random) : usual)
  }
}
