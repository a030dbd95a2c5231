/**
 * The local rows about shared records such as presets and views: what the office has of each, and what has to be sent
 * there.
 */
import { flag, json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

/**
 * A content that a restored server lost and hasn't been told about yet. It was merged with what the server has now
 * (`shared`: the part of it that is in there), or kept as one more record. Until the server is told, other workstations
 * that have it would add it again. `round`: its revision number.
 */
export interface LostContent {
  readonly revision: number
  readonly content?: unknown
  readonly shared?: unknown
}

const KNOWN = new Rows({
  number: value<number>(),
  kind: value<string>(),
  accountId: value<string>(),
  id: optional(value<string>()),
  local: optional(value<string>()),
  basedOn: json<string[]>(),
  revision: value<number>(),
  lineage: json<readonly string[]>(),
  base: optional(json<unknown>()),
  lost: optional(json<LostContent>()),
  savedBy: optional(value<string>()),
  editCount: value<number>(),
  pushedEdits: value<number>(),
  pendingEdits: value<number>(),
  isFinal: flag(),
  isForgotten: flag(),
  isGone: flag(),
  isRestorePending: flag(),
  isUnread: flag()
})

export type KnownRecord = RecordOf<typeof KNOWN>

type KindAndAccount = [kind: string, accountId: string]

export function openRecordRows(db: Db) {
  const known = new TableStatements(db, 'office_records', KNOWN)
  const find = known.one<[number: number]>('WHERE number = ?')
  const write = known.run<[row: object]>(
    `UPDATE office_records SET id = @id, local = @local, based_on = @basedOn, revision = @revision, lineage = @lineage, base = @base, lost = @lost, saved_by = @savedBy,
       edit_count = @editCount, pushed_edits = @pushedEdits, pending_edits = @pendingEdits, is_final = @isFinal, is_forgotten = @isForgotten, is_gone = @isGone, is_restore_pending = @isRestorePending,
       is_unread = @isUnread WHERE number = @number`
  )
  const add = known.run<[kind: string, accountId: string, id: string]>(
    'INSERT INTO office_records (kind, account_id, id, edit_count) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING'
  )
  const addLocal = known.run<[kind: string, accountId: string, local: string]>(
    'INSERT INTO office_records (kind, account_id, local) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  )
  const byId = known.one<[kind: string, id: string]>('WHERE kind = ? AND id = ?')
  const byLocal = known.one<[kind: string, local: string]>('WHERE kind = ? AND local = ?')
  const unbindOthers = known.run<[kind: string, local: string, number: number]>(
    'DELETE FROM office_records WHERE kind = ? AND local = ? AND number <> ?'
  )
  const readStateOf = db.prepare<KindAndAccount, { officeId: string; life: number; cursor: number }>(
    'SELECT office_id AS officeId, life, cursor FROM office_record_cursors WHERE kind = ? AND account_id = ?'
  )
  const begin = known.run<[kind: string, accountId: string, officeId: string, life: number]>(
    `INSERT INTO office_record_cursors (kind, account_id, office_id, life, cursor) VALUES (?, ?, ?, ?, 0)
     ON CONFLICT DO UPDATE SET office_id = excluded.office_id, life = excluded.life, cursor = 0`
  )
  const forgetAll = known.run<KindAndAccount>('DELETE FROM office_records WHERE kind = ? AND account_id = ?')
  const forgetErased = known.run<KindAndAccount>(
    'DELETE FROM office_records WHERE kind = ? AND account_id = ? AND local IS NULL AND is_gone = 0 AND is_final = 0'
  )
  const markForRestore = known.run<KindAndAccount>(
    'UPDATE office_records SET is_restore_pending = 1, lost = NULL WHERE kind = ? AND account_id = ? AND revision > 0'
  )

  /** Changes these columns, and leaves the others as they are in the database now. */
  function change(number: number, changes: Partial<KnownRecord>): void {
    const row = find(number)
    if (row) write(KNOWN.write({ ...row, ...changes }))
  }

  return {
    find,
    byId,
    byLocal,
    change,

    /** Marks what was just written as received from the office, so that it isn't sent there. */
    markSynced(number: number, changes: Partial<KnownRecord>): void {
      const row = find(number)
      if (row) change(number, { ...changes, pushedEdits: row.editCount, isFinal: false, isUnread: false })
    },

    /** Adds a row for a record of the office, if there is none yet. */
    add(kind: string, accountId: string, id: string): KnownRecord {
      add(kind, accountId, id)
      return byId(kind, id) ?? failUnknown(id)
    },

    /** Makes this row describe the local record `local` from now on. */
    bind(row: KnownRecord, local: string): void {
      unbindOthers(row.kind, local, row.number)
      change(row.number, { local, isForgotten: false })
    },

    forget: known.run<[number: number]>('DELETE FROM office_records WHERE number = ?'),

    /**
     * Prepares the sync of an account. If it was just shared, rows are added for the existing records. If it was shared
     * with the same office before, unchanged records still count as the office's, and those deleted in between were
     * deleted only here. If the server has a new life, it is told everything it had, and everything is read again.
     */
    prepareSync: db.transaction(
      (
        kind: string,
        { accountId, officeId, life }: { accountId: string; officeId: string; life: number },
        locals: () => readonly string[]
      ): void => {
        const before = readStateOf.get(kind, accountId)
        const isSame = before?.officeId === officeId
        if (isSame && before.life === life && before.cursor >= 0) return
        if (!isSame) forgetAll(kind, accountId)
        else {
          if (before.cursor < 0) forgetErased(kind, accountId)
          if (before.life !== life) markForRestore(kind, accountId)
        }
        for (const local of locals()) addLocal(kind, accountId, local)
        begin(kind, accountId, officeId, life)
      }
    ),

    cursor: known.value<KindAndAccount, number>(
      'SELECT cursor FROM office_record_cursors WHERE kind = ? AND account_id = ?'
    ),
    setCursor: known.run<[cursor: number, ...KindAndAccount]>(
      'UPDATE office_record_cursors SET cursor = ? WHERE kind = ? AND account_id = ?'
    ),

    /** Reads everything from the start if some of it couldn't be applied. */
    rereadUnread: known.run<KindAndAccount>(
      `UPDATE office_record_cursors AS its SET cursor = 0 WHERE kind = ? AND account_id = ? AND EXISTS
         (SELECT 1 FROM office_records WHERE kind = its.kind AND account_id = its.account_id AND is_unread = 1)`
    ),

    withoutId: known.all<KindAndAccount>('WHERE kind = ? AND account_id = ? AND id IS NULL'),
    /**
     * A page of what must be sent, from a number on. A deletion that is final is sent whatever the office has. A preset
     * whose file is still being imported isn't included yet.
     */
    toPush: known.all<[...KindAndAccount, after: number, limit: number]>(
      `WHERE kind = ? AND account_id = ? AND edit_count <> pushed_edits AND is_gone = 0 AND (is_unread = 0 OR is_final = 1) AND id IS NOT NULL AND number > ?
         AND (local IS NULL OR local NOT IN (SELECT id FROM arrivals)) ORDER BY number LIMIT ?`
    ),
    /** What the office has to be told again. */
    toRestore: known.all<[...KindAndAccount, after: number, limit: number]>(
      `WHERE kind = ? AND account_id = ? AND is_restore_pending = 1 AND number > ? ORDER BY number LIMIT ?`
    ),
    syncStates: db.prepare<KindAndAccount, { local: string; savedBy: string | null; isUntold: 0 | 1 }>(
      `SELECT local, saved_by AS savedBy, edit_count <> pushed_edits AS isUntold FROM office_records
       WHERE kind = ? AND account_id = ? AND local IS NOT NULL`
    )
  }
}

function failUnknown(id: string): never {
  throw new Error(`Nothing is known of ${id}.`)
}
