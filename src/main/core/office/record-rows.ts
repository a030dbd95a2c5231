/** What is kept here of presets, views and the like that an office shares: what of each the office has, and what is to go there. */
import { flag, json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

/**
 * What a server that was put back has lost of one: its how manieth content it was, and what of it is in what counts since, too. It was put together
 * with that, or is kept beside it, and the server isn't told yet: until it is, others who have it would add it once more.
 */
export interface LostContent {
  readonly round: number
  readonly content?: unknown
  readonly shared?: unknown
}

/** See the step `office records` of the database. */
const KNOWN = new Rows({
  number: value<number>(),
  kind: value<string>(),
  accountId: value<string>(),
  id: optional(value<string>()),
  local: optional(value<string>()),
  basedOn: json<string[]>(),
  round: value<number>(),
  lineage: json<readonly string[]>(),
  base: optional(json<unknown>()),
  lost: optional(json<LostContent>()),
  savedBy: optional(value<string>()),
  edits: value<number>(),
  given: value<number>(),
  asked: value<number>(),
  isFinal: flag(),
  isGone: flag(),
  isToKnow: flag(),
  isUnread: flag()
})

export type KnownRecord = RecordOf<typeof KNOWN>

/** Names what is of one kind in one account. */
type Of = [kind: string, accountId: string]

export function openRecordRows(db: Db) {
  const known = new TableStatements(db, 'office_records', KNOWN)
  const find = known.one<[number: number]>('WHERE number = ?')
  const write = known.run<[row: object]>(
    `UPDATE office_records SET id = @id, local = @local, based_on = @basedOn, round = @round, lineage = @lineage, base = @base, lost = @lost, saved_by = @savedBy,
       edits = @edits, given = @given, asked = @asked, is_final = @isFinal, is_gone = @isGone, is_to_know = @isToKnow,
       is_unread = @isUnread WHERE number = @number`
  )
  const add = known.run<[kind: string, accountId: string, id: string]>(
    'INSERT INTO office_records (kind, account_id, id, edits) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING'
  )
  const note = known.run<[kind: string, accountId: string, local: string]>(
    'INSERT INTO office_records (kind, account_id, local) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  )
  const byId = known.one<[kind: string, id: string]>('WHERE kind = ? AND id = ?')
  const byLocal = known.one<[kind: string, local: string]>('WHERE kind = ? AND local = ?')
  const unbind = known.run<[kind: string, local: string, number: number]>(
    'DELETE FROM office_records WHERE kind = ? AND local = ? AND number <> ?'
  )
  const readOf = db.prepare<Of, { officeId: string; life: number; cursor: number }>(
    'SELECT office_id AS officeId, life, cursor FROM office_records_read WHERE kind = ? AND account_id = ?'
  )
  const begin = known.run<[kind: string, accountId: string, officeId: string, life: number]>(
    `INSERT INTO office_records_read (kind, account_id, office_id, life, cursor) VALUES (?, ?, ?, ?, 0)
     ON CONFLICT DO UPDATE SET office_id = excluded.office_id, life = excluded.life, cursor = 0`
  )
  const forgetAll = known.run<Of>('DELETE FROM office_records WHERE kind = ? AND account_id = ?')
  const forgetErased = known.run<Of>(
    'DELETE FROM office_records WHERE kind = ? AND account_id = ? AND local IS NULL AND is_gone = 0 AND is_final = 0'
  )
  const again = known.run<Of>(
    'UPDATE office_records SET is_to_know = 1, lost = NULL WHERE kind = ? AND account_id = ? AND round > 0'
  )

  /** As it is in the database at this moment, but for these. */
  function change(number: number, changes: Partial<KnownRecord>): void {
    const row = find(number)
    if (row) write(KNOWN.write({ ...row, ...changes }))
  }

  return {
    find,
    byId,
    byLocal,
    change,

    /** Nothing that was written just now goes to the office: it is the office's. */
    follow(number: number, changes: Partial<KnownRecord>): void {
      const row = find(number)
      if (row) change(number, { ...changes, given: row.edits, isFinal: false, isUnread: false })
    },

    /** Notes one of the office's down, if it isn't yet. */
    add(kind: string, accountId: string, id: string): KnownRecord {
      add(kind, accountId, id)
      return byId(kind, id) ?? raise(id)
    },

    /** What is known of this is about that row here from now on. */
    bind(row: KnownRecord, local: string): void {
      unbind(row.kind, local, row.number)
      change(row.number, { local })
    },

    forget: known.run<[number: number]>('DELETE FROM office_records WHERE number = ?'),

    /**
     * Where the account has just come to be shared, what was here before is noted down. Where it was shared with the same office before, what is
     * as it was then is the office's still; what was erased meanwhile was erased here alone. A server in another life than it was known in is
     * to be told again all that it had, and all is read once more.
     */
    begin: db.transaction(
      (
        kind: string,
        { accountId, officeId, life }: { accountId: string; officeId: string; life: number },
        locals: () => readonly string[]
      ): void => {
        const before = readOf.get(kind, accountId)
        const isSame = before?.officeId === officeId
        if (isSame && before.life === life && before.cursor >= 0) return
        if (!isSame) forgetAll(kind, accountId)
        else {
          if (before.cursor < 0) forgetErased(kind, accountId)
          if (before.life !== life) again(kind, accountId)
        }
        for (const local of locals()) note(kind, accountId, local)
        begin(kind, accountId, officeId, life)
      }
    ),

    cursor: known.value<Of, number>('SELECT cursor FROM office_records_read WHERE kind = ? AND account_id = ?'),
    readTo: known.run<[cursor: number, ...Of]>(
      'UPDATE office_records_read SET cursor = ? WHERE kind = ? AND account_id = ?'
    ),

    /** All is read from the beginning, where some of it couldn't be taken. */
    readAgain: known.run<Of>(
      `UPDATE office_records_read AS its SET cursor = 0 WHERE kind = ? AND account_id = ? AND EXISTS
         (SELECT 1 FROM office_records WHERE kind = its.kind AND account_id = its.account_id AND is_unread = 1)`
    ),

    /** What has no id at the office yet. */
    unnamed: known.all<Of>('WHERE kind = ? AND account_id = ? AND id IS NULL'),
    /**
     * What is to go there, a page of it: from that number on. That something was erased for all goes over whatever the office has of it. A preset of a file that is still being imported isn't there yet.
     */
    toGive: known.all<[...Of, after: number, limit: number]>(
      `WHERE kind = ? AND account_id = ? AND edits <> given AND is_gone = 0 AND (is_unread = 0 OR is_final = 1) AND id IS NOT NULL AND number > ?
         AND (local IS NULL OR local NOT IN (SELECT id FROM arrivals)) ORDER BY number LIMIT ?`
    ),
    /** What the office is to be told again. */
    toKnow: known.all<[...Of, after: number, limit: number]>(
      `WHERE kind = ? AND account_id = ? AND is_to_know = 1 AND number > ? ORDER BY number LIMIT ?`
    ),
    /** How those here stand with the office. */
    marks: db.prepare<Of, { local: string; savedBy: string | null; isUntold: 0 | 1 }>(
      `SELECT local, saved_by AS savedBy, edits <> given AS isUntold FROM office_records
       WHERE kind = ? AND account_id = ? AND local IS NOT NULL`
    )
  }
}

function raise(id: string): never {
  throw new Error(`Nothing is known of ${id}.`)
}
