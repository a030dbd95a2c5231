/**
 * The audit trail of this workstation: what happened at the counter, to its settings and to the accounts, each entry tied to
 * the one before. A note is on the disk when `note` returns, or waits for room with its own time; what is lost that way is
 * counted. Nothing of it is ever changed, and what was changed by others is noticed.
 */

import type { AuditCheck, AuditEntry, AuditPage } from '../../../shared/contract/index.ts'
import type { TableFormat } from '../bulk/table-file.ts'
import { isoWriter } from '../lib/calendar.ts'
import { codeOf, fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { inSlices, type Sliced } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { KeychainError, type SecretSlot } from '../storage/keychain.ts'
import { openMeta } from '../storage/meta.ts'
import { type Missing, openAnchor, type Place, type Unwritten } from './anchor.ts'
import { type AuditTable, type Link, openAuditTable, searchText } from './audit-table.ts'
import { BEFORE_FIRST, hashAfter, textOf } from './chain.ts'
import { exported } from './export.ts'

/** What a part of the application has to say for the audit trail. */
export type AuditNote = Pick<AuditEntry, 'what'> &
  Partial<Pick<AuditEntry, 'session' | 'documentReference' | 'documentName' | 'signerName' | 'detail'>>

/**
 * Writes one entry, with the time, the zone and who of staff it is. What can't be written is reported and tried again, in its
 * place and with its time; only where it must be there `now-or-never`, the database's error is thrown, and it isn't kept. What is
 * written `along` is on the disk with the entry, or neither is; it may be called more than once.
 */
export type NoteInAudit = (note: AuditNote, when?: 'now-or-never' | undefined, along?: (() => void) | undefined) => void

type Unnumbered = Omit<AuditEntry, 'seq'>
/** An entry that waits, and what is to be written along with it. */
interface Waiting {
  entry: Unnumbered
  along: (() => void) | undefined
}

/** Entries that wait for room on the disk; of more than these only the number is kept. */
const MOST_WAITING = 1000
/** Milliseconds until what waits is tried again. */
const TRY_AGAIN = 10_000

export interface AuditDeps {
  db: Db
  /** `auditAnchor` of a keychain that keeps things as long as `db` does: of one in memory where the database is. */
  anchor: SecretSlot
  time: Pick<Time, 'after' | 'now' | 'zone'>
  /** Who of staff works here. */
  staff: () => string
  changed: () => void
  /** What could not be written down, or not anchored: the disk's error, or the keychain's. */
  trouble: (error: unknown) => void
}

export class Audit {
  readonly #deps: AuditDeps
  readonly #table: AuditTable
  readonly #anchor: ReturnType<typeof openAnchor>
  /** What could not be written yet, oldest first. */
  #waiting: Waiting[] = []
  /** What there was no room for among these either. */
  #lost: Unwritten | undefined
  #cancelRetry: (() => void) | undefined
  #atStart: AuditCheck | null = null

  constructor(deps: AuditDeps) {
    const { db, anchor: slot, trouble } = deps
    this.#deps = deps
    this.#table = openAuditTable(db)
    this.#anchor = openAnchor({
      ...{ slot, trouble, table: this.#table, meta: openMeta(db) },
      unwritten: () => this.#unwritten(),
      lostBefore: (unwritten) => this.#noteLost(unwritten)
    })
    // An end before the keychain had the newest entry is made up for.
    this.#anchor.moved()
  }

  readonly note: NoteInAudit = ({ detail = {}, ...rest }, when, along) => {
    const { time, staff, trouble } = this.#deps
    const entry = { at: time.now(), zone: time.zone(), staff: staff(), ...rest, detail }
    this.#waiting.push({ entry, along })
    try {
      this.#write()
    } catch (error) {
      const newest = when === 'now-or-never' || this.#waiting.length > MOST_WAITING ? this.#waiting.pop() : undefined
      if (when === 'now-or-never') throw error
      if (newest) this.#lost = counted(this.#lost, newest.entry)
      trouble(error)
      this.#anchor.moved()
    }
  }

  /** Newest first; see `AuditTable.list`. */
  list(search: string, offset: number, limit: number): Promise<AuditPage> {
    return inSlices(this.#table.list(search, offset, limit))
  }

  /** @throws AppFailure `keychain` where the trail holds together and its end can't be known. */
  check(): Promise<AuditCheck> {
    return this.#check('all')
  }

  /**
   * Checks what is new since the trail was last found whole, so that it costs the same in the fifth year as on the first day.
   * Never rejects: what kept it from being checked is told to `trouble`.
   */
  async checkAtStart(): Promise<void> {
    this.#atStart = await this.#check('new').catch((error: unknown) => {
      this.#deps.trouble(error)
      return null
    })
    this.#deps.changed()
  }

  /** What that found; null before. A whole check after it takes its place. */
  get checkedAtStart(): AuditCheck | null {
    return this.#atStart
  }

  async #check(what: 'all' | 'new'): Promise<AuditCheck> {
    // Before the trail is followed: what is known now is in it by then, whatever is appended meanwhile.
    const known = await this.#anchor.known().catch((error: unknown) => {
      if (error instanceof KeychainError) return undefined
      throw error
    })
    const from = what === 'new' ? known?.checked : undefined
    const { entries, brokenAt, isDamaged, until } = await inSlices(followed(this.#table, from))
    if (!known && brokenAt === undefined && !isDamaged) {
      fail(
        'keychain',
        'No entries were changed. Whether the last ones are missing couldn’t be checked, because the keychain didn’t respond.',
        { next: 'Unlock the keychain, then verify again.' }
      )
    }
    const missing = isDamaged ? undefined : known?.missing()
    const isWhole = brokenAt === undefined && missing === undefined && !isDamaged
    if (isWhole && until) this.#anchor.checkedUpTo(until)
    const unwritten = this.#unwritten()?.count
    const after = from?.seq
    const found = {
      ...{ isWhole, entries, isCutOff: missing !== undefined },
      ...defined({ after, brokenAt, missing, isDamaged, unwritten })
    }
    if (what === 'all' && this.#atStart) this.#atStart = found
    return found
  }

  /** All of it as a file, to be written while it is read; see `AuditExports`. */
  export(format: TableFormat | 'json'): ReturnType<typeof exported> {
    return exported(this.#table, format)
  }

  /**
   * What the trail has of a session, oldest first, with the entries since then that tell of ones that were lost; and whether each
   * entry since its first follows from the one before it. Nothing where it has none.
   */
  session(id: string): Promise<SessionTrail> {
    return inSlices(ofSession(this.#table, id))
  }

  newestOf(what: AuditEntry['what']): Promise<AuditEntry | undefined> {
    return inSlices(this.#table.newestOf(what))
  }

  /** Whether entries wait that couldn't be written yet. */
  get isBehind(): boolean {
    return this.#unwritten() !== undefined
  }

  /** Undefined where it has none. */
  newest(): Place | undefined {
    return this.#table.newest()
  }

  /** Why the trail lacks this entry, which it had. */
  async whyWithout({ seq }: Place): Promise<'restored' | Missing> {
    const restored = await this.newestOf('data-restored')
    if (Number(restored?.detail.before ?? 0) >= seq) return 'restored'
    const known = await this.#anchor.known().catch((error: unknown) => {
      if (error instanceof KeychainError) return undefined
      throw error
    })
    // Where the keychain goes with it, both were written again.
    return known?.missing() ?? 'cut'
  }

  /** Whether this entry is in the trail, as it was. */
  hasEntry({ seq, hash }: Place): boolean {
    return (this.#table.hashOf(seq) ?? BEFORE_FIRST) === hash
  }

  /**
   * Tries once more what waits, and resolves when the keychain has the newest entry and how many are missing, or has failed:
   * before the application ends.
   */
  settled(): Promise<void> {
    this.#writeAgain()
    this.#cancelRetry?.()
    return this.#anchor.settled()
  }

  /** Writes what waits, in its order. @throws SQLite's error: what is still there waits on, and is tried again. */
  #write(): void {
    const { changed, db, time } = this.#deps
    const before = this.#waiting.length
    const writeBoth = db.transaction(({ entry, along }: Waiting) => {
      this.#table.append(entry)
      along?.()
    })
    try {
      for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
        writeBoth(next)
        this.#waiting.shift()
      }
    } finally {
      this.#cancelRetry?.()
      this.#cancelRetry = this.#waiting[0] && time.after(TRY_AGAIN, () => this.#writeAgain())
      if (this.#waiting.length < before) {
        this.#anchor.moved()
        changed()
      }
    }
    const lost = this.#lost
    this.#lost = undefined
    if (lost) this.#noteLost(lost)
  }

  #writeAgain(): void {
    try {
      this.#write()
    } catch (error) {
      this.#deps.trouble(error)
    }
  }

  /** How many entries are missing at this moment, and of when. */
  #unwritten(): Unwritten | undefined {
    return this.#waiting.reduce<Unwritten | undefined>((lost, { entry }) => counted(lost, entry), this.#lost)
  }

  #noteLost({ count, from, until }: Unwritten): void {
    const iso = isoWriter(this.#deps.time.zone())
    this.note({ what: 'entries-lost', detail: { entries: String(count), from: iso(from), until: iso(until) } })
  }
}

/** With one more entry that isn't written; one that tells of lost ones stands for these. */
function counted(before: Unwritten | undefined, { at, what, detail }: Unnumbered): Unwritten {
  const told = what === 'entries-lost' && { from: Date.parse(detail.from ?? ''), until: Date.parse(detail.until ?? '') }
  const { from, until } = told || { from: at, until: at }
  const count = told ? Number(detail.entries) : 1
  if (!before) return { count, from, until }
  return { count: before.count + count, from: Math.min(before.from, from), until: Math.max(before.until, until) }
}

interface Followed {
  entries: number
  brokenAt?: number
  isDamaged?: true
  /** The last entry, where all up to it follow. */
  until?: Place
}

/** An entry with its hash. */
export type Chained = Pick<Link, 'entry' | 'hash'>

export interface SessionTrail {
  links: Chained[]
  /** None was changed, removed or added since the session's first. */
  isWhole: boolean
}

function* ofSession(table: AuditTable, id: string): Sliced<SessionTrail> {
  const first = yield* table.beginningOf(id)
  const links: Chained[] = []
  if (first === undefined) return { links, isWhole: true }
  let last: Place = { seq: first - 1, hash: table.hashOf(first - 1) ?? BEFORE_FIRST }
  let isWhole = true
  for (const some of table.links(first - 1)) {
    for (const { entry, hash } of some) {
      isWhole &&= entry.seq === last.seq + 1 && hashAfter(last.hash, textOf(entry)) === hash
      last = { seq: entry.seq, hash }
      if (entry.session === id || entry.what === 'entries-lost') links.push({ entry, hash })
    }
    yield
  }
  return { links, isWhole }
}

/** Goes along the chain, from its beginning or after an entry: how many entries there are, and the first that doesn't follow from the one before it. */
function* followed(table: AuditTable, from?: Place): Sliced<Followed> {
  let entries = 0
  let last: Place = from ?? { seq: 0, hash: BEFORE_FIRST }
  let brokenAt: number | undefined
  try {
    for (const links of table.links(from?.seq)) {
      for (const { entry, hash, search } of links) {
        entries += 1
        const follows = entry.seq === last.seq + 1 && hashAfter(last.hash, textOf(entry)) === hash
        // No hash holds the text that an entry is found by, so it is looked at by itself.
        if (!follows || search !== searchText(entry)) brokenAt ??= entry.seq
        last = { seq: entry.seq, hash }
      }
      yield
    }
    if (brokenAt === undefined) return { entries, ...(last.seq > 0 && { until: last }) }
    // Pages of the encrypted file are sealed: what a disk did to them shows there, and what someone wrote with the key doesn't.
    if (table.isSound()) return { entries, brokenAt }
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  return { entries, isDamaged: true }
}

/** Whether the database's error says that the file or the disk is at fault, as against a full disk or another program. */
function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(codeOf(error))
}
