/**
 * The way to what an office's workstations do one at a time: which accounts that concerns, and whether the office's server is there to be
 * asked. Where an account is no office's, nothing is asked of anyone.
 */
import type { OfficeTasks } from './tasks.ts'

/** As much of the shared outbox as it takes; see `SharedSends`. */
interface SharedAccounts {
  /** By the office's ids. */
  accounts: () => ReadonlyMap<string, string>
  isAway: (accountId: string) => boolean
  /** Aborted as the computer goes to sleep: what is on its way is broken off. */
  awake: () => AbortSignal
}

export interface OnceListener {
  /** The office's server is there again for an account. */
  back: (accountId: string) => void
  /** Something that is done by one at a time began or ended. */
  rung?: (accountId: string) => void
  /** The server was put back to an earlier moment: it may not know any more what it was told of an account. */
  restored?: (accountId: string) => void
  /** The workstation leaves the office with an account. Rejects with an AppFailure where it can't yet. */
  leaves?: (accountId: string) => Promise<void>
}

/** Whom to ask about an account; away: nobody just now. */
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

  /** From now on these are the accounts; to be called once, as the outbox is made. */
  follow(shared: SharedAccounts): void {
    this.#shared = shared
  }

  listen(listener: OnceListener): void {
    this.#listeners.push(listener)
  }

  connect(tasks: OfficeTasks): void {
    // What was there by another line is asked again.
    if (this.#tasks !== tasks) this.#there.clear()
    this.#tasks = tasks
    this.changed()
  }

  disconnect(): void {
    this.#tasks = undefined
    this.changed()
  }

  /** Which accounts are shared, or whether the server is there for them, may be other than before. */
  changed(): void {
    for (const accountId of this.#there) if (!this.#isThere(accountId)) this.#there.delete(accountId)
    for (const accountId of this.#shared.accounts().keys()) {
      if (this.#there.has(accountId) || !this.#isThere(accountId)) continue
      this.#there.add(accountId)
      for (const { back } of this.#listeners) back(accountId)
    }
  }

  /** The server rang for an account, by the office's id. */
  rung(officeId: string): void {
    for (const [accountId, its] of this.#shared.accounts()) {
      if (its === officeId) for (const { rung } of this.#listeners) rung?.(accountId)
    }
  }

  /** The server has begun another life: see `OnceListener`. To be called before it is there again. */
  restored(): void {
    for (const accountId of this.#shared.accounts().keys()) {
      for (const { restored } of this.#listeners) restored?.(accountId)
    }
  }

  /** The workstation leaves with an account. @throws AppFailure `busy` */
  async leaves(accountId: string): Promise<void> {
    for (const { leaves } of this.#listeners) await leaves?.(accountId)
  }

  /** Undefined where the account is no office's. */
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
