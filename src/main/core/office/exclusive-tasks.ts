/**
 * Access to the tasks that only one workstation of an office does at a time: for which accounts that applies, and
 * whether the office's server is available. Accounts that aren't shared need to ask no one.
 */
import type { OfficeTasks } from './tasks.ts'

/** The part of `SharedSends` used here. */
interface SharedAccounts {
  /** The shared accounts, each with the office's id for it. */
  accounts: () => ReadonlyMap<string, string>
  isAway: (accountId: string) => boolean
  /** Aborted when the computer goes to sleep, to cancel what is in flight. */
  sleepSignal: () => AbortSignal
}

export interface ExclusiveTasksListener {
  /** Called when the office's server is available again for an account. */
  available: (accountId: string) => void
  /** Called when a task began or ended at any workstation. */
  notified?: (accountId: string) => void
  /** Called when the server was restored: it may have forgotten what it was told about an account. */
  restored?: (accountId: string) => void
  /**
   * Called when the workstation leaves the office with an account. Rejects with an AppFailure if it can't leave yet.
   */
  beforeLeaving?: (accountId: string) => Promise<void>
}

/** Where to ask about an account; `away` if the server isn't available. */
type TaskAccess = { readonly accountId: string; readonly tasks: OfficeTasks } | 'away'

const NO_ACCOUNTS: SharedAccounts = {
  accounts: () => new Map(),
  isAway: () => false,
  sleepSignal: () => new AbortController().signal
}

export class ExclusiveTasks {
  readonly #listeners: ExclusiveTasksListener[] = []
  readonly #available = new Set<string>()
  readonly #leaving = new Set<string>()
  #shared = NO_ACCOUNTS
  #tasks: OfficeTasks | undefined

  /** Sets the accounts. Call it once, when the outbox is created. */
  setAccounts(shared: SharedAccounts): void {
    this.#shared = shared
  }

  listen(listener: ExclusiveTasksListener): void {
    this.#listeners.push(listener)
  }

  connect(tasks: OfficeTasks): void {
    // What was available through another connection is announced again.
    if (this.#tasks !== tasks) this.#available.clear()
    this.#tasks = tasks
    this.availabilityChanged()
  }

  disconnect(): void {
    this.#tasks = undefined
    this.availabilityChanged()
  }

  /** Called when the set of shared accounts, or the server's availability for them, may have changed. */
  availabilityChanged(): void {
    for (const accountId of this.#available) if (!this.#isAvailable(accountId)) this.#available.delete(accountId)
    for (const accountId of this.#shared.accounts().keys()) {
      if (this.#available.has(accountId) || !this.#isAvailable(accountId)) continue
      this.#available.add(accountId)
      for (const { available } of this.#listeners) available(accountId)
    }
  }

  /** Called when the server notified about an account, by the office's id. */
  notified(officeId: string): void {
    for (const [accountId, its] of this.#shared.accounts()) {
      if (its === officeId) for (const { notified } of this.#listeners) notified?.(accountId)
    }
  }

  /** Called when the server began a new life, before it is available again; see `ExclusiveTasksListener`. */
  restored(): void {
    for (const accountId of this.#shared.accounts().keys()) {
      for (const { restored } of this.#listeners) restored?.(accountId)
    }
  }

  /** Leaves with an account: what was done is reported first, and nothing more is begun. @throws AppFailure `busy` */
  async leave(accountId: string, leave: () => Promise<void>): Promise<void> {
    this.#leaving.add(accountId)
    try {
      await this.beforeLeaving(accountId)
      await leave()
    } finally {
      this.#leaving.delete(accountId)
    }
  }

  /** Whether the workstation is leaving with an account just now: the office wouldn't hear how an action ended. */
  isLeaving(accountId: string): boolean {
    return this.#leaving.has(accountId)
  }

  /** Called when the workstation leaves with an account. @throws AppFailure `busy` */
  async beforeLeaving(accountId: string): Promise<void> {
    for (const { beforeLeaving } of this.#listeners) await beforeLeaving?.(accountId)
  }

  /** Undefined if the account isn't shared. */
  of(accountId: string): TaskAccess | undefined {
    const officeId = this.#shared.accounts().get(accountId)
    const isAway = this.#shared.isAway(accountId)
    if (officeId === undefined) return isAway ? 'away' : undefined
    return isAway || !this.#tasks ? 'away' : { accountId: officeId, tasks: this.#tasks }
  }

  sleepSignal(): AbortSignal {
    return this.#shared.sleepSignal()
  }

  #isAvailable(accountId: string): boolean {
    const place = this.of(accountId)
    return place !== undefined && place !== 'away'
  }
}
