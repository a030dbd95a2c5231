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
  awake: () => AbortSignal
}

export interface OnceListener {
  /** Called when the office's server is available again for an account. */
  back: (accountId: string) => void
  /** Called when a task began or ended at any workstation. */
  rung?: (accountId: string) => void
  /** Called when the server was restored: it may have forgotten what it was told about an account. */
  restored?: (accountId: string) => void
  /**
   * Called when the workstation leaves the office with an account. Rejects with an AppFailure if it can't leave yet.
   */
  leaves?: (accountId: string) => Promise<void>
}

/** Where to ask about an account; `away` if the server isn't available. */
type OncePlace = { readonly accountId: string; readonly tasks: OfficeTasks } | 'away'

const NONE: SharedAccounts = {
  accounts: () => new Map(),
  isAway: () => false,
  awake: () => new AbortController().signal
}

export class Once {
  readonly #listeners: OnceListener[] = []
  readonly #there = new Set<string>()
  #shared = NONE
  #tasks: OfficeTasks | undefined

  /** Sets the accounts. Call it once, when the outbox is created. */
  follow(shared: SharedAccounts): void {
    this.#shared = shared
  }

  listen(listener: OnceListener): void {
    this.#listeners.push(listener)
  }

  connect(tasks: OfficeTasks): void {
    // What was available through another connection is announced again.
    if (this.#tasks !== tasks) this.#there.clear()
    this.#tasks = tasks
    this.changed()
  }

  disconnect(): void {
    this.#tasks = undefined
    this.changed()
  }

  /** Called when the set of shared accounts, or the server's availability for them, may have changed. */
  changed(): void {
    for (const accountId of this.#there) if (!this.#isThere(accountId)) this.#there.delete(accountId)
    for (const accountId of this.#shared.accounts().keys()) {
      if (this.#there.has(accountId) || !this.#isThere(accountId)) continue
      this.#there.add(accountId)
      for (const { back } of this.#listeners) back(accountId)
    }
  }

  /** Called when the server notified about an account, by the office's id. */
  rung(officeId: string): void {
    for (const [accountId, its] of this.#shared.accounts()) {
      if (its === officeId) for (const { rung } of this.#listeners) rung?.(accountId)
    }
  }

  /** Called when the server began a new life, before it is available again; see `OnceListener`. */
  restored(): void {
    for (const accountId of this.#shared.accounts().keys()) {
      for (const { restored } of this.#listeners) restored?.(accountId)
    }
  }

  /**
   * Called when the workstation leaves with an account.
   * @throws AppFailure `busy`
   */
  async leaves(accountId: string): Promise<void> {
    for (const { leaves } of this.#listeners) await leaves?.(accountId)
  }

  /** Undefined if the account isn't shared. */
  of(accountId: string): OncePlace | undefined {
    const officeId = this.#shared.accounts().get(accountId)
    const isAway = this.#shared.isAway(accountId)
    if (officeId === undefined) return isAway ? 'away' : undefined
    return isAway || !this.#tasks ? 'away' : { accountId: officeId, tasks: this.#tasks }
  }

  awake(): AbortSignal {
    return this.#shared.awake()
  }

  #isThere(accountId: string): boolean {
    const place = this.of(accountId)
    return place !== undefined && place !== 'away'
  }
}
