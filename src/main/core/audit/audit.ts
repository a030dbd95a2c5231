/**
 * The audit trail of this workstation: what happened at the counter, to its settings and to the accounts, each entry tied to
 * the one before. A note is on the disk when `note` returns, or waits for room with its own time; what is lost that way is
 * counted. Nothing of it is ever changed, and what was changed by others is noticed.
 */

import type { AuditCheck, AuditEntry, AuditPage } from '../../../shared/contract/index.ts'
import type { TableFormat } from '../bulk/table-file.ts'
import { isoWriter } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { inSlices, type Sliced } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { KeychainError, type SecretSlot } from '../storage/keychain.ts'
import { openMeta } from '../storage/meta.ts'
import { openAnchor, type Unwritten } from './anchor.ts'
import { type AuditTable, openAuditTable, searchText } from './audit-table.ts'
import { BEFORE_FIRST, hashAfter, textOf } from './chain.ts'
import { jsonOf, tableOf } from './export.ts'

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
  async check(): Promise<AuditCheck> {
    // Before the trail is followed: what is known now is in it by then, whatever is appended meanwhile.
    const known = await this.#anchor.known().catch((error: unknown) => {
      if (error instanceof KeychainError) return undefined
      throw error
    })
    const { entries, brokenAt } = await inSlices(followed(this.#table))
    if (!known && brokenAt === undefined) {
      fail(
        'keychain',
        'No entries were changed. Whether the last ones are missing couldn’t be checked, because the keychain didn’t respond.',
        { next: 'Unlock the keychain, then verify again.' }
      )
    }
    const isCutOff = known?.isCutOff() ?? false
    const isWhole = brokenAt === undefined && !isCutOff
    const unwritten = this.#unwritten()?.count
    return { isWhole, entries, ...defined({ brokenAt, unwritten }), isCutOff }
  }

  /** The bytes of a file with all of it, to be written while they are read. */
  export(format: TableFormat | 'json'): AsyncIterable<Uint8Array> {
    return format === 'json' ? jsonOf(this.#table) : tableOf(this.#table, format)
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

/** Goes along the chain: how many entries there are, and the first that doesn't follow from the one before it. */
function* followed(table: AuditTable): Sliced<{ entries: number; brokenAt?: number }> {
  let entries = 0
  let previous = BEFORE_FIRST
  let brokenAt: number | undefined
  for (const links of table.links()) {
    for (const { entry, hash, search } of links) {
      entries += 1
      const follows = entry.seq === entries && hashAfter(previous, textOf(entry)) === hash
      // No hash holds the text that an entry is found by, so it is looked at by itself.
      if (!follows || search !== searchText(entry)) brokenAt ??= entry.seq
      previous = hash
    }
    yield
  }
  return { entries, ...(brokenAt !== undefined && { brokenAt }) }
}
