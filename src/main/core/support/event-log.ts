/**
 * Logs a run's events: start, account states with reasons, counter sessions, set-aside files, the keychain. Only ids,
 * codes and counts: never a name, an address, or anything that a user typed.
 */
import type { AppError, ConnectionView, CounterSession, StoreTrouble } from '../../../shared/contract/index.ts'
import type { OpenedDatabase } from '../storage/database.ts'
import type { KeychainState } from '../storage/keychain.ts'

type Write = (message: string, detail?: Record<string, unknown>) => void

export interface EventLogDeps {
  log: { info: Write; warn: Write }
  /** The system's log, for what monitors need: starts, ends, and problems. */
  system: { info: Write; warn: Write }
}

/** The running version; `system` is like "Linux 6.8.0 x64". */
export interface RunFacts {
  version: string
  system: string
  electron: string
}

export interface LoggedAccount {
  id: string
  kind: string
  scheme: string
  folders: readonly string[]
}

export class EventLog {
  readonly #log: EventLogDeps['log']
  readonly #system: EventLogDeps['system']
  readonly #accounts = new Map<string, string>()
  readonly #connections = new Map<string, string>()
  readonly #troubles = new Set<string>()
  #session: { id: string; startedAt: number } | undefined

  constructor({ log, system }: EventLogDeps) {
    this.#log = log
    this.#system = system
  }

  started(facts: RunFacts): void {
    this.#info('Countersign started.', { ...facts })
  }

  ended(): void {
    this.#info('Countersign ended.')
  }

  keychain(found: KeychainState): void {
    if (found.state === 'available') this.#log.info('The keychain is available.')
    else this.#warn('The keychain can’t be used.', { reason: found.reason, detail: found.detail })
  }

  storage(opened: Pick<OpenedDatabase, 'state'> & { because?: string; hasData?: boolean }): void {
    if (opened.state === 'encrypted') this.#log.info('The database is open.')
    else this.#warn('The database is in memory only.', { because: opened.because, hasData: opened.hasData })
  }

  troubles(list: readonly StoreTrouble[]): void {
    for (const trouble of list) {
      const { kind, store, reason } = trouble
      const key = `${kind} ${store} ${kind === 'set-aside' ? trouble.name : reason}`
      if (this.#troubles.has(key)) continue
      this.#troubles.add(key)
      if (kind === 'set-aside') this.#warn('A file was set aside.', { store, reason, folder: trouble.name })
      else if (kind === 'no-new-key') this.#warn('The database kept its key.', { reason })
      else if (kind === 'no-backup') this.#warn('No backup could be made as planned.', { reason })
      else this.#warn('A file is in memory only.', { store, reason })
    }
  }

  /** Logs accounts that were added, removed or changed since the last call. */
  accounts(list: readonly LoggedAccount[]): void {
    for (const { id, kind, folders, ...account } of list) {
      // The practice office's scheme changes with each start.
      const scheme = kind === 'practice' ? 'none' : account.scheme
      const now = `${kind} ${scheme} ${folders.length}`
      const before = this.#accounts.get(id)
      if (before === now) continue
      this.#accounts.set(id, now)
      const detail = { account: id, kind, scheme, folders: folders.length }
      this.#log.info(before === undefined ? 'An account is here.' : 'An account was changed.', detail)
    }
    for (const id of this.#accounts.keys()) {
      if (list.some((account) => account.id === id)) continue
      this.#accounts.delete(id)
      this.#connections.delete(id)
      this.#log.info('An account was removed.', { account: id })
    }
  }

  connection(accountId: string, { state, error }: ConnectionView): void {
    const now = `${state} ${error?.code ?? ''}`
    if (state === 'unknown' || this.#connections.get(accountId) === now) return
    this.#connections.set(accountId, now)
    const detail = { account: accountId, state, ...reasonOf(error) }
    if (state === 'online') this.#info('An account is online.', detail)
    else this.#warn('An account can’t be used.', detail)
  }

  session(session: CounterSession | null, now: number): void {
    const running = session && session.phase !== 'ended' ? session : undefined
    if (this.#session && running?.id !== this.#session.id) {
      const seconds = Math.max(0, Math.round((now - this.#session.startedAt) / 1000))
      this.#log.info('A counter session ended.', { session: this.#session.id, seconds, ...outcomesOf(session) })
      this.#session = undefined
    }
    if (!running || this.#session) return
    this.#session = { id: running.id, startedAt: now }
    const detail = { session: running.id, turns: running.turns.length, place: running.place }
    if (running.wasInterrupted) this.#warn('A counter session was interrupted.', detail)
    else this.#log.info('A counter session began.', detail)
  }

  #info(message: string, detail?: Record<string, unknown>): void {
    this.#log.info(message, detail)
    this.#system.info(message, detail)
  }

  #warn(message: string, detail?: Record<string, unknown>): void {
    this.#log.warn(message, detail)
    this.#system.warn(message, detail)
  }
}

/** An error's message may quote the service. */
function reasonOf(error: AppError | undefined): Record<string, unknown> {
  return error ? { reason: error.code } : {}
}

function outcomesOf(session: CounterSession | null): Record<string, unknown> {
  const kinds = session?.turns.flatMap(({ outcome }) => outcome?.signed ?? []) ?? []
  return kinds.length > 0 ? { outcomes: kinds } : {}
}
