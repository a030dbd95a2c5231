/** What is kept here of drafts that an office shares: what of each the office has, and what is to go there. */
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
  round: value<number>(),
  edits: value<number>(),
  given: value<number>(),
  isAside: flag(),
  isMoved: flag(),
  taken: value<number>(),
  isMadeHere: flag(),
  editingBy: optional(value<string>()),
  editingUntil: value<number>(),
  beside: value<number>(),
  isGone: flag(),
  isToKnow: flag()
})

export type KnownDraft = RecordOf<typeof KNOWN>

/** A draft as it is here. */
export interface DraftHere {
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
  const here = db.prepare<[string], DraftHere>(
    `SELECT number, id, account_id AS accountId, created_at AS createdAt, trashed_at IS NOT NULL AS isTrashed, body
     FROM drafts WHERE id = ?`
  )
  const write = known.run<[row: object]>(
    `UPDATE office_drafts SET is_mine = @isMine, based_on = @basedOn, round = @round, edits = @edits, given = @given,
       is_aside = @isAside, is_moved = @isMoved, taken = @taken, is_made_here = @isMadeHere, editing_by = @editingBy,
       editing_until = @editingUntil, beside = @beside, is_gone = @isGone, is_to_know = @isToKnow WHERE id = @id`
  )
  const add = known.run<[id: string, accountId: string]>(
    'INSERT INTO office_drafts (id, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING'
  )
  const statement = (sql: string) => known.run<[accountId: string]>(sql)
  const addAll = statement(
    `INSERT INTO office_drafts (id, account_id) SELECT id, account_id FROM drafts WHERE account_id = ?
     ON CONFLICT DO NOTHING`
  )
  const begun = statement('UPDATE office_accounts SET drafts_cursor = 0 WHERE account_id = ? AND drafts_cursor < 0')
  // What someone keeps to this workstation stays so where it joins again.
  const forget = statement(
    `DELETE FROM office_drafts WHERE account_id = ? AND (is_mine = 0
       OR id IN (SELECT draft_id FROM sends WHERE draft_id IS NOT NULL AND state IN ${HELD_STATES}))`
  )
  const eraseOthers = statement(
    `DELETE FROM drafts WHERE id IN (SELECT id FROM office_drafts WHERE account_id = ? AND is_mine = 0 AND round > 0
       AND edits = given) AND id NOT IN (SELECT draft_id FROM sends WHERE draft_id IS NOT NULL AND state IN ${HELD_STATES})`
  )
  const activeOf = known.value<[draftId: string], number>(
    `SELECT 1 FROM sends WHERE draft_id = ? AND state IN ${HELD_OR_SENT_STATES} LIMIT 1`
  )
  const anyActive = known.value<[accountId: string], number>(
    `SELECT 1 FROM sends JOIN office_drafts its ON its.id = sends.draft_id
       WHERE sends.account_id = ? AND sends.state IN ${HELD_OR_SENT_STATES} AND sends.state <> 'sent' AND its.is_gone = 0 LIMIT 1`
  )
  const again = statement('UPDATE office_drafts SET is_to_know = 1 WHERE account_id = ? AND round > 0')
  const unbegun = statement('UPDATE office_accounts SET drafts_cursor = -1 WHERE account_id = ?')
  const fromStart = statement('UPDATE office_accounts SET drafts_cursor = 0 WHERE account_id = ? AND drafts_cursor > 0')

  return {
    find,
    /** The draft, if it is here. */
    here: (id: string): DraftHere | undefined => here.get(id),

    /** Notes a draft down, if it isn't yet; answers what is known of it. */
    add(id: string, accountId: string): KnownDraft {
      add(id, accountId)
      return find(id) ?? raise(id)
    },

    /** As it is in the database at this moment, but for these. */
    change(id: string, changes: Partial<KnownDraft>): void {
      const row = find(id)
      if (row) write(KNOWN.write({ ...row, ...changes }))
    },

    /** Nothing that was written just now goes to the office: it is the office's. */
    follow(id: string, changes: Partial<KnownDraft>): void {
      const row = find(id)
      if (row) write(KNOWN.write({ ...row, ...changes, given: row.edits, isMoved: false }))
    },

    /** What was here before is noted down; only once. */
    begin: db.transaction((accountId: string): void => {
      if (begun(accountId) > 0) addAll(accountId)
    }),

    cursor: known.value<[accountId: string], number>('SELECT drafts_cursor FROM office_accounts WHERE account_id = ?'),
    readTo: known.run<[cursor: number, accountId: string]>(
      'UPDATE office_accounts SET drafts_cursor = ? WHERE account_id = ?'
    ),
    /** All is read once more. */
    fromStart,

    /** All that the office had is to be told once more, and all is read once more. */
    tellAgain: db.transaction((accountId: string): void => {
      again(accountId)
      fromStart(accountId)
    }),

    /**
     * What is to go to the office, or was erased here: ids. A draft of a file that is still being imported isn't there yet; one that is being
     * sent goes with its send, if the office gets that.
     */
    toGive: known.values<[accountId: string], string>(
      `SELECT id FROM office_drafts its WHERE account_id = ? AND is_mine = 0 AND is_gone = 0 AND (edits <> given OR is_moved = 1)
         AND id NOT IN (SELECT id FROM arrivals)
         AND NOT (EXISTS (SELECT 1 FROM sends WHERE draft_id = its.id AND state IN ${HELD_OR_SENT_STATES})
           AND EXISTS (SELECT 1 FROM drafts WHERE drafts.id = its.id))`
    ),
    /** What the office is to be told again. What is being sent the office has with its send. */
    toKnow: known.values<[accountId: string], string>(
      `SELECT id FROM office_drafts WHERE account_id = ? AND is_to_know = 1
         AND id NOT IN (SELECT draft_id FROM sends WHERE draft_id IS NOT NULL AND state IN ${HELD_STATES})`
    ),
    /** Whether it is with the outbox, or was sent. */
    isActive: (id: string): boolean => activeOf(id) !== undefined,
    /** Whether any of the office's is. */
    isAnyActive: (accountId: string): boolean => anyActive(accountId) !== undefined,
    /** Own sends of this draft that didn't arrive, as far as is known: ids. */
    failedHere: known.values<[draftId: string], string>(
      `SELECT id FROM sends WHERE draft_id = ? AND desk IS NULL AND state IN ('not-sent', 'refused', 'cancelled')`
    ),
    /** What an own send of this draft has in it. */
    sendOf: known.value<[draftId: string, sendId: string], string>(
      `SELECT send_bodies.body FROM sends JOIN send_bodies USING (number) WHERE draft_id = ? AND id = ? AND desk IS NULL`
    ),
    /** A send of this draft that arrived. */
    sentAs: known.value<[draftId: string], string>(
      `SELECT id FROM sends WHERE draft_id = ? AND state = 'sent' LIMIT 1`
    ),
    /** Sends that arrived, of drafts of which the office is still to hear. */
    sentUntold: db.prepare<[string], { draft: string; send: string }>(
      `SELECT office_drafts.id AS draft, sends.id AS send FROM office_drafts JOIN sends ON draft_id = office_drafts.id
       WHERE office_drafts.account_id = ? AND is_to_know = 1 AND is_mine = 0 AND sends.state = 'sent'`
    ),
    /** Sends of shared drafts that have come back to this workstation, which leaves. */
    goingAlong: db.prepare<[string], { draft: string; send: string }>(
      `SELECT office_drafts.id AS draft, sends.id AS send FROM office_drafts JOIN sends ON draft_id = office_drafts.id
       WHERE office_drafts.account_id = ? AND sends.state IN ${HELD_STATES} AND desk IS NULL AND is_mine = 0 AND is_gone = 0`
    ),

    /**
     * Nothing of the account is shared any more. @param keeps what the office has stays here, too: the office can't be asked.
     */
    leave: db.transaction((accountId: string, keeps: boolean): void => {
      if (!keeps) eraseOthers(accountId)
      forget(accountId)
      unbegun(accountId)
    }),

    /** What was written here goes on as another draft, since the one that it was is no more. */
    rename: db.transaction((id: string, newId: string, accountId: string): void => {
      db.prepare('UPDATE drafts SET id = ?, trashed_at = NULL, trashed_look = NULL WHERE id = ?').run(newId, id)
      db.prepare('UPDATE sends SET draft_id = ? WHERE draft_id = ?').run(newId, id)
      add(newId, accountId)
    }),
    erase: known.run<[id: string]>('DELETE FROM drafts WHERE id = ?'),
    /** What is sent of this draft elsewhere is of it here, too; where it was read while something untold was here, that wasn't noted. */
    sentOf: known.run<[draftId: string, sendId: string]>(
      `UPDATE sends SET draft_id = ? WHERE id = ? AND (desk IS NOT NULL OR state NOT IN ${HELD_STATES})`
    ),

    /** The contents that are kept beside a draft, by the office's ids of them. */
    versionsHad: known.values<[draft: number], string>(
      'SELECT id FROM draft_versions WHERE draft_number = ? AND beside IS NOT NULL'
    ),
    /** Those of them that nobody has decided on. */
    versionsOpen: known.values<[draft: number], string>(
      `SELECT id FROM draft_versions WHERE draft_number = ? AND beside = 'open'`
    )
  }
}

function raise(id: string): never {
  throw new Error(`Nothing is known of the draft ${id}.`)
}
