/**
 * This workstation's audit trail: events at the counter, in its settings and in the accounts, each entry chained to the
 * previous one. An entry is on disk when `note` returns, or waits for disk space with its original time; entries lost
 * that way are counted. Entries never change, and tampering is detected.
 */

import type { AuditCheck, AuditEntry, AuditPage } from '../../../shared/contract/index.ts'
import type { TableFormat } from '../bulk/table-file.ts'
import { isoFormatter } from '../lib/calendar.ts'
import { codeOf, fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { inSlices, type Sliced } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { KeychainError, type SecretSlot } from '../storage/keychain.ts'
import { type Meta, openMeta } from '../storage/meta.ts'
import { type MissingReason, openAnchor, type TrailPosition, type Unwritten } from './anchor.ts'
import { type AuditTable, type DetailBeginning, type Link, openAuditTable, searchText } from './audit-table.ts'
import { BEFORE_FIRST, hashAfter, textOf } from './chain.ts'
import { exportTrail } from './export.ts'

/** An entry as a part of the application reports it. */
export type AuditNote = Pick<AuditEntry, 'what'> &
  Partial<Pick<AuditEntry, 'session' | 'documentReference' | 'documentName' | 'signerName' | 'detail'>>

/**
 * Writes one entry, with time, zone and staff member. If it can't be written, that is reported and retried, in order
 * and with its original time. With `now-or-never`, the database's error is thrown instead and the entry is dropped.
 * `along` is run in the same transaction as the entry; it may be called more than once. Within a transaction of the
 * caller's, only this entry is written, and earlier ones go on waiting: if that transaction fails, it is undone with it.
 */
export type NoteInAudit = (note: AuditNote, when?: 'now-or-never' | undefined, along?: (() => void) | undefined) => void

type UnnumberedEntry = Omit<AuditEntry, 'seq'>
interface PendingEntry {
  entry: UnnumberedEntry
  along: (() => void) | undefined
}

/** Maximum number of entries waiting for disk space; beyond that they are only counted. */
const MAX_WAITING = 1000
/** Meta key for the last loss of an earlier run that is in the trail. */
const LOSS_NOTED_KEY = 'audit-loss-noted'
/** Milliseconds until pending entries are retried. */
const RETRY_DELAY = 10_000

export interface AuditDeps {
  db: Db
  /** `auditAnchor` of a keychain that lasts as long as `db`: an in-memory one if the database is in memory. */
  anchor: SecretSlot
  time: Pick<Time, 'after' | 'now' | 'zone'>
  /** The staff member on this computer. */
  staff: () => string
  changed: () => void
  /** Reports a disk or keychain error from writing or anchoring. */
  onError: (error: unknown) => void
}

export class Audit {
  readonly #deps: AuditDeps
  readonly #meta: Meta
  readonly #table: AuditTable
  readonly #anchor: ReturnType<typeof openAnchor>
  /** Entries that couldn't be written yet, oldest first. */
  #pending: PendingEntry[] = []
  /** Entries dropped because too many were waiting. */
  #lost: Unwritten | undefined
  #cancelRetry: (() => void) | undefined
  #startCheck: AuditCheck | null = null

  constructor(deps: AuditDeps) {
    const { db, anchor: slot, onError } = deps
    this.#deps = deps
    this.#meta = openMeta(db)
    this.#table = openAuditTable(db)
    this.#anchor = openAnchor({
      slot,
      onError,
      table: this.#table,
      meta: this.#meta,
      unwritten: () => this.#unwritten(),
      reportLost: (...loss) => this.#noteLostEarlier(...loss)
    })
    // Catches up if the last run ended before the keychain had the newest entry.
    this.#anchor.requestUpdate()
  }

  readonly note: NoteInAudit = ({ detail = {}, ...rest }, when, along) => {
    const { db, time, staff, onError } = this.#deps
    const entry = { at: time.now(), zone: time.zone(), staff: staff(), ...rest, detail }
    const newEntry = { entry, along }
    this.#pending.push(newEntry)
    try {
      if (db.inTransaction) this.#writeNewest(newEntry)
      else this.#writePending()
    } catch (error) {
      const newest = when === 'now-or-never' || this.#pending.length > MAX_WAITING ? this.#pending.pop() : undefined
      if (when === 'now-or-never') throw error
      if (newest) this.#lost = addToCount(this.#lost, newest.entry)
      onError(error)
      this.#anchor.requestUpdate()
    }
  }

  /** Newest first; see `AuditTable.list`. */
  list(search: string, offset: number, limit: number): Promise<AuditPage> {
    return inSlices(this.#table.list(search, offset, limit))
  }

  /** Verifies the whole trail. @throws AppFailure `keychain` if the chain is intact, but its end can't be verified. */
  check(): Promise<AuditCheck> {
    return this.#check('all')
  }

  /**
   * Verifies what was added since the last successful check, so that it takes as long in the fifth year as on the first
   * day. Never rejects: errors go to `onError`.
   */
  async checkAtStart(): Promise<void> {
    this.#startCheck = await this.#check('new').catch((error: unknown) => {
      this.#deps.onError(error)
      return null
    })
    this.#deps.changed()
  }

  /** Result of `checkAtStart`; null before. A later full check replaces it. */
  get startCheck(): AuditCheck | null {
    return this.#startCheck
  }

  async #check(scope: 'all' | 'new'): Promise<AuditCheck> {
    // Read before following the chain: known entries are in it by then, whatever is appended meanwhile.
    const known = await this.#anchor.readKnown().catch((error: unknown) => {
      if (error instanceof KeychainError) return undefined
      throw error
    })
    const from = scope === 'new' ? known?.checked : undefined
    const { entries, brokenAt, isDamaged, until } = await inSlices(followChain(this.#table, from))
    if (!known && brokenAt === undefined && !isDamaged) {
      fail(
        'keychain',
        'No entries were changed. Whether the last ones are missing couldn’t be checked, because the keychain didn’t respond.',
        { next: 'Unlock the keychain, or restart Countersign if it stopped. Then verify again.' }
      )
    }
    const missing = isDamaged ? undefined : known?.missing()
    const isWhole = brokenAt === undefined && missing === undefined && !isDamaged
    if (isWhole && until) this.#anchor.recordChecked(until)
    const unwritten = this.#unwritten()?.count
    const after = from?.seq
    const found = {
      isWhole,
      entries,
      isCutOff: missing !== undefined,
      ...defined({ after, brokenAt, missing, isDamaged, unwritten })
    }
    if (scope === 'all' && this.#startCheck) this.#startCheck = found
    return found
  }

  /** Exports the whole trail, streamed to a file; see `AuditExports`. */
  export(format: TableFormat | 'json'): ReturnType<typeof exportTrail> {
    return exportTrail(this.#table, format)
  }

  /**
   * Returns a session's entries, oldest first, with any later entries that report lost ones, and whether the chain is
   * intact since its first entry. Empty if there are none.
   */
  sessionTrail(id: string): Promise<SessionTrail> {
    return inSlices(readSessionTrail(this.#table, id))
  }

  newestOf(what: AuditEntry['what'], detail?: DetailBeginning): Promise<AuditEntry | undefined> {
    return inSlices(this.#table.newestOf(what, detail))
  }

  /**
   * Returns the number of the newest receipt made on this computer, also if the trail was restored from before it;
   * undefined if unknown. @throws KeychainError
   */
  newestReceipt(): Promise<string | undefined> {
    return this.#anchor.newestReceipt()
  }

  /** Whether entries are waiting to be written. */
  get hasPendingEntries(): boolean {
    return this.#unwritten() !== undefined
  }

  /** The newest entry; undefined if there are none. */
  newest(): TrailPosition | undefined {
    return this.#table.newest()
  }

  async whyWithout({ seq }: TrailPosition): Promise<'restored' | MissingReason> {
    const restored = await this.newestOf('data-restored')
    if (Number(restored?.detail.before ?? 0) >= seq) return 'restored'
    const known = await this.#anchor.readKnown().catch((error: unknown) => {
      if (error instanceof KeychainError) return undefined
      throw error
    })
    // If the keychain agrees, both were rewritten.
    return known?.missing() ?? 'cut'
  }

  /** Whether the trail contains this entry unchanged. */
  hasEntry({ seq, hash }: TrailPosition): boolean {
    return (this.#table.hashOf(seq) ?? BEFORE_FIRST) === hash
  }

  /**
   * Called before the application ends: retries pending entries, and resolves once the keychain has the newest entry
   * and the number of missing ones, or has failed.
   */
  flush(): Promise<void> {
    this.#retryWrite()
    this.#stopRetrying()
    return this.#anchor.whenIdle()
  }

  /** Writes pending entries in order. @throws SQLite's error; the remaining entries keep waiting and are retried. */
  #writePending(): void {
    const before = this.#pending.length
    try {
      for (let next = this.#pending[0]; next; next = this.#pending[0]) {
        this.#write(next)
        this.#pending.shift()
      }
    } finally {
      this.#afterWriting(before)
    }
    const lost = this.#lost
    this.#lost = undefined
    if (lost) this.#noteLost(lost)
  }

  /** Writes the newest entry only. @throws SQLite's error; it waits behind the others then. */
  #writeNewest(newest: PendingEntry): void {
    const before = this.#pending.length
    try {
      this.#write(newest)
      this.#pending.pop()
    } finally {
      this.#afterWriting(before)
    }
  }

  #write({ entry, along }: PendingEntry): void {
    this.#deps.db.transaction(() => {
      this.#table.append(entry)
      along?.()
    })()
    if (entry.what === 'receipt-made' && entry.detail.number) this.#anchor.recordReceipt(entry.detail.number)
  }

  /** Retries later what still waits, and reports what was written, of `before` entries that waited. */
  #afterWriting(before: number): void {
    const { changed, time } = this.#deps
    if (this.#pending[0]) this.#cancelRetry ??= time.after(RETRY_DELAY, () => this.#retryWrite())
    else this.#stopRetrying()
    if (this.#pending.length === before) return
    this.#anchor.requestUpdate()
    changed()
  }

  #stopRetrying(): void {
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
  }

  #retryWrite(): void {
    this.#stopRetrying()
    try {
      this.#writePending()
    } catch (error) {
      this.#deps.onError(error)
    }
  }

  /** Number and time range of the entries missing at the moment. */
  #unwritten(): Unwritten | undefined {
    return this.#pending.reduce<Unwritten | undefined>((lost, { entry }) => addToCount(lost, entry), this.#lost)
  }

  /** Records what an earlier run lost, unless the last one did so and ended before the keychain knew. */
  #noteLostEarlier(lost: Unwritten, after: string): void {
    const its = JSON.stringify([after, lost.count, lost.from, lost.until])
    if (this.#meta.read(LOSS_NOTED_KEY) !== its) this.#noteLost(lost, () => this.#meta.write(LOSS_NOTED_KEY, its))
  }

  #noteLost({ count, from, until }: Unwritten, along?: () => void): void {
    const iso = isoFormatter(this.#deps.time.zone())
    const detail = { entries: String(count), from: iso(from), until: iso(until) }
    this.note({ what: 'entries-lost', detail }, undefined, along)
  }
}

/** Adds an unwritten entry to the count; an `entries-lost` entry counts for the ones it reports. */
function addToCount(before: Unwritten | undefined, { at, what, detail }: UnnumberedEntry): Unwritten {
  const reported = what === 'entries-lost' && {
    from: Date.parse(detail.from ?? ''),
    until: Date.parse(detail.until ?? '')
  }
  const { from, until } = reported || { from: at, until: at }
  const count = reported ? Number(detail.entries) : 1
  if (!before) return { count, from, until }
  return { count: before.count + count, from: Math.min(before.from, from), until: Math.max(before.until, until) }
}

interface ChainCheck {
  entries: number
  brokenAt?: number
  isDamaged?: true
  /** The last entry, if the chain is intact up to it. */
  until?: TrailPosition
}

export type ChainedEntry = Pick<Link, 'entry' | 'hash'>

export interface SessionTrail {
  links: ChainedEntry[]
  /** No entry was changed, removed or inserted since the session's first. */
  isWhole: boolean
}

function* readSessionTrail(table: AuditTable, id: string): Sliced<SessionTrail> {
  const first = yield* table.beginningOf(id)
  const links: ChainedEntry[] = []
  if (first === undefined) return { links, isWhole: true }
  let last: TrailPosition = { seq: first - 1, hash: table.hashOf(first - 1) ?? BEFORE_FIRST }
  let isWhole = true
  for (const batch of table.links(first - 1)) {
    for (const { entry, hash } of batch) {
      isWhole &&= entry.seq === last.seq + 1 && hashAfter(last.hash, textOf(entry)) === hash
      last = { seq: entry.seq, hash }
      if (entry.session === id || entry.what === 'entries-lost') links.push({ entry, hash })
    }
    yield
  }
  return { links, isWhole }
}

/**
 * Follows the chain, from its start or after an entry; counts the entries and finds the first that doesn't match its
 * predecessor.
 */
function* followChain(table: AuditTable, from?: TrailPosition): Sliced<ChainCheck> {
  let entries = 0
  let last: TrailPosition = from ?? { seq: 0, hash: BEFORE_FIRST }
  let brokenAt: number | undefined
  try {
    for (const links of table.links(from?.seq)) {
      for (const { entry, hash, search } of links) {
        entries += 1
        const follows = entry.seq === last.seq + 1 && hashAfter(last.hash, textOf(entry)) === hash
        // The search text isn't part of any hash, so it is checked separately.
        if (!follows || search !== searchText(entry)) brokenAt ??= entry.seq
        last = { seq: entry.seq, hash }
      }
      yield
    }
    if (brokenAt === undefined) return { entries, ...(last.seq > 0 && { until: last }) }
    // The encrypted file's pages are authenticated: disk damage shows there, but changes by someone with the key don't.
    if (table.isSound()) return { entries, brokenAt }
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  return { entries, isDamaged: true }
}

/** Whether the database's error blames the file or the disk, rather than a full disk or another program. */
function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(codeOf(error))
}
