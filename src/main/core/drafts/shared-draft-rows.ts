/** The local rows about shared drafts: what the office has of each, and what has to be sent there. */
import { flag, json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import { HELD_OR_SENT_STATES, HELD_STATES } from './draft-rows.ts'

/** See the step `office drafts` of the database. */
const KNOWN = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  isMine: flag(),
  basedOn: json<string[]>(),
  revision: value<number>(),
  editCount: value<number>(),
  pushedEdits: value<number>(),
  pendingEdits: value<number>(),
  isTrashed: flag(),
  isMovePending: flag(),
  edition: value<number>(),
  isMadeHere: flag(),
  editingBy: optional(value<string>()),
  editingUntil: value<number>(),
  conflictCount: value<number>(),
  isGone: flag(),
  isRestorePending: flag()
})

export type KnownDraft = RecordOf<typeof KNOWN>

/** Whether there are changes here that the office doesn't have. */
export function isUnsynced({ editCount, pushedEdits }: Pick<KnownDraft, 'editCount' | 'pushedEdits'>): boolean {
  return editCount !== pushedEdits
}

export interface LocalDraft {
  readonly number: number
  readonly id: string
  readonly accountId: string
  readonly createdAt: number
  readonly isTrashed: 0 | 1
  readonly body: string
}

export type SharedDraftRows = ReturnType<typeof openSharedDraftRows>

export function openSharedDraftRows(db: Db) {
  const known = new TableStatements(db, 'office_drafts', KNOWN)
  const find = known.one<[id: string]>('WHERE id = ?')
  const selectDraft = db.prepare<[string], LocalDraft>(
    `SELECT number, id, account_id AS accountId, created_at AS createdAt, trashed_at IS NOT NULL AS isTrashed, body
     FROM drafts WHERE id = ?`
  )
  const write = known.run<[row: object]>(
    `UPDATE office_drafts SET is_mine = @isMine, based_on = @basedOn, revision = @revision, edit_count = @editCount, pushed_edits = @pushedEdits,
       pending_edits = @pendingEdits, is_trashed = @isTrashed, is_move_pending = @isMovePending, edition = @edition, is_made_here = @isMadeHere, editing_by = @editingBy,
       editing_until = @editingUntil, conflict_count = @conflictCount, is_gone = @isGone, is_restore_pending = @isRestorePending WHERE id = @id`
  )
  const add = known.run<[id: string, accountId: string]>(
    'INSERT INTO office_drafts (id, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING'
  )
  const statement = (sql: string) => known.run<[accountId: string]>(sql)
  const addAll = statement(
    `INSERT INTO office_drafts (id, account_id) SELECT id, account_id FROM drafts WHERE account_id = ?
     ON CONFLICT DO NOTHING`
  )
  const startReading = statement(
    'UPDATE office_accounts SET drafts_cursor = 0 WHERE account_id = ? AND drafts_cursor < 0'
  )
  // What someone keeps to this workstation stays so when it joins again.
  const forget = statement(
    `DELETE FROM office_drafts WHERE account_id = ? AND (is_mine = 0
       OR id IN (SELECT draft_id FROM sends WHERE draft_id IS NOT NULL AND state IN ${HELD_STATES}))`
  )
  const eraseOthers = statement(
    `DELETE FROM drafts WHERE id IN (SELECT id FROM office_drafts WHERE account_id = ? AND is_mine = 0 AND revision > 0
       AND edit_count = pushed_edits) AND id NOT IN (SELECT draft_id FROM sends WHERE draft_id IS NOT NULL AND state IN ${HELD_STATES})`
  )
  const activeSendOf = known.value<[draftId: string], number>(
    `SELECT 1 FROM sends WHERE draft_id = ? AND state IN ${HELD_OR_SENT_STATES} LIMIT 1`
  )
  const sentAs = known.value<[{ draftId: string }], string>(
    `SELECT id FROM sends WHERE (draft_id = @draftId OR (draft_id IS NULL AND sent_draft = @draftId)) AND state = 'sent'
     UNION ALL SELECT id FROM office_sends WHERE sent_draft = @draftId AND state = 'sent' LIMIT 1`
  )
  const anyActive = known.value<[accountId: string], number>(
    `SELECT 1 FROM sends JOIN office_drafts its ON its.id = sends.draft_id
       WHERE sends.account_id = ? AND sends.state IN ${HELD_OR_SENT_STATES} AND sends.state <> 'sent' AND its.is_gone = 0 LIMIT 1`
  )
  const flagForRestore = statement(
    'UPDATE office_drafts SET is_restore_pending = 1 WHERE account_id = ? AND revision > 0'
  )
  const stopReading = statement('UPDATE office_accounts SET drafts_cursor = -1 WHERE account_id = ?')
  const resetCursor = statement(
    'UPDATE office_accounts SET drafts_cursor = 0 WHERE account_id = ? AND drafts_cursor > 0'
  )

  return {
    find,
    /** The draft, if it is here. */
    localDraft: (id: string): LocalDraft | undefined => selectDraft.get(id),

    /** Adds a row for a draft if there is none yet, and returns it. */
    add(id: string, accountId: string): KnownDraft {
      add(id, accountId)
      return find(id) ?? failUnknown(id)
    },

    /** Changes these columns, and leaves the others as they are in the database now. */
    change(id: string, changes: Partial<KnownDraft>): void {
      const row = find(id)
      if (row) write(KNOWN.write({ ...row, ...changes }))
    },

    /** Marks what was just written as received from the office, so that it isn't sent there. */
    markSynced(id: string, changes: Partial<KnownDraft>): void {
      const row = find(id)
      if (row) write(KNOWN.write({ ...row, ...changes, pushedEdits: row.editCount, isMovePending: false }))
    },

    /** Adds rows for the existing drafts, once. */
    prepareSync: db.transaction((accountId: string): void => {
      if (startReading(accountId) > 0) addAll(accountId)
    }),

    cursor: known.value<[accountId: string], number>('SELECT drafts_cursor FROM office_accounts WHERE account_id = ?'),
    setCursor: known.run<[cursor: number, accountId: string]>(
      'UPDATE office_accounts SET drafts_cursor = ? WHERE account_id = ?'
    ),
    /** Makes everything be read again. */
    resetCursor,

    /** Makes everything the office had be told again, and everything be read again. */
    markForRestore: db.transaction((accountId: string): void => {
      flagForRestore(accountId)
      resetCursor(accountId)
    }),

    /**
     * The ids of drafts to send to the office, or deleted here. A draft whose file is still being imported isn't
     * included yet. One that is being sent goes with its send, if the office gets that.
     */
    toPush: known.values<[accountId: string], string>(
      `SELECT id FROM office_drafts its WHERE account_id = ? AND is_mine = 0 AND is_gone = 0 AND (edit_count <> pushed_edits OR is_move_pending = 1)
         AND id NOT IN (SELECT id FROM arrivals)
         AND NOT (EXISTS (SELECT 1 FROM sends WHERE draft_id = its.id AND state IN ${HELD_OR_SENT_STATES})
           AND EXISTS (SELECT 1 FROM drafts WHERE drafts.id = its.id))`
    ),
    /** The ids that the office has to be told again. One that is being sent goes with its send. */
    toRestore: known.values<[accountId: string], string>(
      `SELECT id FROM office_drafts WHERE account_id = ? AND is_restore_pending = 1
         AND id NOT IN (SELECT draft_id FROM sends WHERE draft_id IS NOT NULL AND state IN ${HELD_STATES})`
    ),
    /** Returns whether a draft is with the outbox, or was sent. */
    isActive: (id: string): boolean => activeSendOf(id) !== undefined,
    /** Returns whether any of the office's drafts is with the outbox. */
    isAnyActive: (accountId: string): boolean => anyActive(accountId) !== undefined,
    /** The ids of this workstation's sends of a draft that failed, as far as is known. */
    ownFailedSends: known.values<[draftId: string], string>(
      `SELECT id FROM sends WHERE draft_id = ? AND workstation IS NULL AND state IN ('not-sent', 'refused', 'cancelled')`
    ),
    sendBody: known.value<[draftId: string, sendId: string], string>(
      `SELECT send_bodies.body FROM sends JOIN send_bodies USING (number) WHERE draft_id = ? AND id = ? AND workstation IS NULL`
    ),
    /** The id of a send of this draft that arrived, also if it is no longer linked to it here, or was erased since. */
    sentAs: (draftId: string): string | undefined => sentAs({ draftId }),
    /** Sends that arrived, whose drafts the office must still be told about. */
    unreportedSends: db.prepare<[string], { draft: string; send: string }>(
      `SELECT office_drafts.id AS draft, sends.id AS send FROM office_drafts
         JOIN sends ON draft_id = office_drafts.id OR (draft_id IS NULL AND sent_draft = office_drafts.id)
       WHERE office_drafts.account_id = ? AND is_restore_pending = 1 AND is_mine = 0 AND sends.state = 'sent'`
    ),
    /**
     * Sends of shared drafts that have come back to this workstation because it is leaving, or come with their draft
     * because they may have arrived.
     */
    reclaimable: db.prepare<[string], { draft: string; send: string }>(
      `SELECT office_drafts.id AS draft, sends.id AS send FROM office_drafts JOIN sends ON draft_id = office_drafts.id
       WHERE office_drafts.account_id = ? AND sends.state IN ${HELD_STATES} AND workstation IS NULL AND is_mine = 0 AND is_gone = 0`
    ),

    /** Stops sharing an account. @param keeps keeps the office's drafts here too, because the office can't be asked. */
    stopSharing: db.transaction((accountId: string, keeps: boolean): void => {
      if (!keeps) eraseOthers(accountId)
      forget(accountId)
      stopReading(accountId)
    }),

    /**
     * Gives local content a new draft id, because its draft no longer exists. What was kept beside that stays in the history
     * under other ids: if the office has the draft again, it has these versions, too.
     */
    rename: db.transaction((id: string, newId: string, accountId: string): void => {
      db.prepare(
        `UPDATE draft_versions SET id = lower(hex(randomblob(16))), conflict = 'resolved'
         WHERE conflict IS NOT NULL AND draft_number = (SELECT number FROM drafts WHERE id = ?)`
      ).run(id)
      db.prepare('UPDATE drafts SET id = ?, trashed_at = NULL, trashed_look = NULL WHERE id = ?').run(newId, id)
      db.prepare('UPDATE sends SET draft_id = ? WHERE draft_id = ?').run(newId, id)
      add(newId, accountId)
    }),
    erase: known.run<[id: string]>('DELETE FROM drafts WHERE id = ?'),
    /**
     * Links a send by another workstation to this draft. If it was read while there were unsynced changes, it wasn't
     * linked.
     */
    linkSend: known.run<[draftId: string, sendId: string]>(
      `UPDATE sends SET draft_id = ? WHERE id = ? AND (workstation IS NOT NULL OR state NOT IN ${HELD_STATES})`
    ),

    /** The office's ids of the contents kept beside a draft that were read from there. */
    conflictIds: known.values<[draft: number], string>(
      'SELECT id FROM draft_versions WHERE draft_number = ? AND conflict IS NOT NULL AND workstation IS NOT NULL'
    ),
    /** The ids of those that nobody has decided on. */
    openConflictIds: known.values<[draft: number], string>(
      `SELECT id FROM draft_versions WHERE draft_number = ? AND conflict = 'open'`
    ),
    /** These with their contents. */
    openConflicts: db.prepare<[draft: number], { id: string; body: string }>(
      `SELECT id, body FROM draft_versions WHERE draft_number = ? AND conflict = 'open'`
    )
  }
}

function failUnknown(id: string): never {
  throw new Error(`Nothing is known of the draft ${id}.`)
}
