/**
 * The audit trail of this workstation: what happened at the counter and to its settings, each entry tied to the one before.
 * A note is on the disk when `note` returns; nothing of it is ever changed, and what was changed by others is noticed.
 */
import type { AuditCheck, AuditEntry, AuditPage } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { inSlices, type Sliced } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { KeychainError, type SecretSlot } from '../storage/keychain.ts'
import { openMeta } from '../storage/meta.ts'
import { openAnchor } from './anchor.ts'
import { type AuditTable, openAuditTable, searchText } from './audit-table.ts'
import { BEFORE_FIRST, hashAfter, textOf } from './chain.ts'
import { csvOf, jsonOf } from './export.ts'

/** What a part of the application has to say for the audit trail. */
export type AuditNote = Pick<AuditEntry, 'what'> &
  Partial<Pick<AuditEntry, 'session' | 'documentReference' | 'documentName' | 'signerName' | 'detail'>>

/** Writes one entry, with the time, the zone and who of staff it is. What can't be written is reported, never thrown. */
export type NoteInAudit = (note: AuditNote) => void

export interface AuditDeps {
  db: Db
  /** `auditAnchor` of a keychain that keeps things as long as `db` does: of one in memory where the database is. */
  anchor: SecretSlot
  time: Pick<Time, 'now' | 'zone'>
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

  constructor(deps: AuditDeps) {
    const { db, anchor: slot, trouble } = deps
    this.#deps = deps
    this.#table = openAuditTable(db)
    this.#anchor = openAnchor({ slot, table: this.#table, meta: openMeta(db), trouble })
    // An end before the keychain had the newest entry is made up for.
    this.#anchor.moved()
  }

  readonly note: NoteInAudit = ({ detail = {}, ...rest }) => {
    const { time, staff, changed, trouble } = this.#deps
    try {
      this.#table.append({ at: time.now(), zone: time.zone(), staff: staff(), ...rest, detail })
    } catch (error) {
      trouble(error)
      return
    }
    this.#anchor.moved()
    changed()
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
        'Each entry follows from the one before it. Whether the last ones are missing can’t be said: this computer’s keychain did not answer. Unlock it and check again.'
      )
    }
    const isCutOff = known?.isCutOff() ?? false
    const isWhole = brokenAt === undefined && !isCutOff
    return { isWhole, entries, ...(brokenAt !== undefined && { brokenAt }), isCutOff }
  }

  /** The bytes of a file with all of it, to be written while they are read. */
  export(format: 'csv' | 'json'): AsyncIterable<Uint8Array> {
    return format === 'csv' ? csvOf(this.#table) : jsonOf(this.#table)
  }

  /** Resolves when the keychain has the newest entry, or has failed: before the application ends. */
  settled(): Promise<void> {
    return this.#anchor.settled()
  }
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
