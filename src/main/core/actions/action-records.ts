/** The statements over the table of actions. */
import type { ActionState } from '../../../shared/contract/index.ts'
import type { Db } from '../storage/connection.ts'
import { type Action, type ActionRow, actionOf, COLUMNS, targetOf } from './action-record.ts'

/** How many a list shows at most. */
const MOST_LISTED = 500

/** What may change of an action. A member that is there and undefined is erased. */
export type ActionChange = Partial<
  Pick<Action, 'before' | 'state' | 'isInDoubt' | 'error' | 'notary' | 'attemptedAt' | 'settledAt'>
>

export type ActionRecords = ReturnType<typeof openActionRecords>

export function openActionRecords(db: Db) {
  const byId = db.prepare<[string], ActionRow>(`SELECT ${COLUMNS} FROM actions WHERE id = ?`)
  const insert = db.prepare(
    `INSERT INTO actions (id, account_id, kind, reference, document_name, package_reference, target, request, before,
       state, created_at)
     VALUES (@id, @accountId, @kind, @reference, @documentName, @packageReference, @target, @request, @before,
       'waiting', @createdAt)`
  )
  const update = db.prepare(
    `UPDATE actions SET before = @before, state = @state, in_doubt = @inDoubt, error = @error, result = @result,
       attempted_at = @attemptedAt, settled_at = @settledAt WHERE id = @id`
  )
  const ofAccount = db.prepare<[string, number], ActionRow>(
    `SELECT ${COLUMNS} FROM actions WHERE account_id = ? ORDER BY number DESC LIMIT ?`
  )
  const ofDocument = db.prepare<[string, string, number], ActionRow>(
    `SELECT ${COLUMNS} FROM actions WHERE account_id = ? AND reference = ? ORDER BY number DESC LIMIT ?`
  )
  const inState = db.prepare<[ActionState], ActionRow>(`SELECT ${COLUMNS} FROM actions WHERE state = ? ORDER BY number`)
  const open = db.prepare<[string, string, string], ActionRow>(
    `SELECT ${COLUMNS} FROM actions
     WHERE account_id = ? AND kind = ? AND target = ? AND state IN ('waiting', 'running', 'uncertain')`
  )
  const count = db.prepare<[ActionState], number>('SELECT count(*) FROM actions WHERE state = ?').pluck()
  const prune = db.prepare<[number]>(
    `DELETE FROM actions WHERE settled_at < ? AND state IN ('done', 'refused', 'cancelled')`
  )

  function find(id: string): Action | undefined {
    const row = byId.get(id)
    return row && actionOf(row)
  }

  return {
    find,

    /** Writes a new one down, waiting. */
    add(
      action: Pick<Action, 'id' | 'accountId' | 'request' | 'documentName' | 'before' | 'createdAt'>,
      document: { Reference: string; PackageReference?: string | undefined }
    ): void {
      insert.run({
        id: action.id,
        accountId: action.accountId,
        kind: action.request.kind,
        reference: document.Reference,
        documentName: action.documentName,
        packageReference: document.PackageReference ?? null,
        target: targetOf(action.request, document),
        request: JSON.stringify(action.request),
        before: JSON.stringify(action.before),
        createdAt: action.createdAt
      })
    },

    /** Answers it as it is then; undefined where it went with its account. */
    change(id: string, change: ActionChange): Action | undefined {
      const found = find(id)
      if (!found) return undefined
      const after = { ...found, ...change }
      update.run({
        id,
        before: JSON.stringify(after.before),
        state: after.state,
        inDoubt: after.isInDoubt ? 1 : 0,
        error: after.error === undefined ? null : JSON.stringify(after.error),
        result: after.notary === undefined ? null : JSON.stringify(after.notary),
        attemptedAt: after.attemptedAt ?? null,
        settledAt: after.settledAt ?? null
      })
      return after
    },

    /** Newest first. */
    list: (accountId: string, reference: string | undefined): Action[] =>
      (reference === undefined
        ? ofAccount.all(accountId, MOST_LISTED)
        : ofDocument.all(accountId, reference, MOST_LISTED)
      ).map(actionOf),

    /** Of all accounts, oldest first. */
    inState: (state: ActionState): Action[] => inState.all(state).map(actionOf),

    /** Of one account, oldest first. */
    ofAccount: (accountId: string, state: ActionState): Action[] =>
      inState
        .all(state)
        .map(actionOf)
        .filter((action) => action.accountId === accountId),

    /** The one of this kind and target that hasn't ended. */
    openOne(accountId: string, kind: string, target: string): Action | undefined {
      const row = open.get(accountId, kind, target)
      return row && actionOf(row)
    },

    count: (state: ActionState): number => count.get(state) ?? 0,

    /** Forgets what ended before that moment; what is uncertain is kept. */
    prune: (before: number): void => void prune.run(before)
  }
}
