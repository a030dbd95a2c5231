/** The stored form of actions, their views for the screens, and the rules about which may be open at the same time. */
import type { ActionRequest, ActionState, ActionView, AppError } from '../../../shared/contract/index.ts'
import type { AssignQueueDocumentResponse } from '../../../shared/model/index.ts'
import { defined } from '../lib/objects.ts'
import { flag, json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import type { Before } from './shown-state.ts'

export type Action = Readonly<RecordOf<typeof ACTIONS>>

const ACTIONS = new Rows({
  /** Increases with each action, which gives their order. */
  number: value<number>(),
  id: value<string>(),
  accountId: value<string>(),
  reference: value<string>(),
  documentName: value<string>(),
  packageReference: optional(value<string>()),
  request: json<ActionRequest>(),
  before: json<Before>(),
  state: value<ActionState>(),
  /** Whether an earlier attempt may have arrived. Then a refusal of this one proves nothing. */
  isInDoubt: flag('in_doubt'),
  error: optional(json<AppError>()),
  notary: optional(json<AssignQueueDocumentResponse>('result')),
  createdAt: value<number>(),
  attemptedAt: optional(value<number>()),
  settledAt: optional(value<number>())
})

/** The maximum length of a list, apart from unfinished actions. */
const MAX_LISTED = 500

/** The changeable part of an action. A member that is present but undefined is erased. */
export type ActionChange = Partial<
  Pick<Action, 'before' | 'state' | 'isInDoubt' | 'error' | 'notary' | 'attemptedAt' | 'settledAt'>
>

export type ActionRecords = ReturnType<typeof openActionRecords>

export function openActionRecords(db: Db) {
  const table = new TableStatements(db, 'actions', ACTIONS)
  const find = table.one<[id: string]>('WHERE id = ?')
  const insert = table.run<[action: object]>(
    `INSERT INTO actions (id, account_id, kind, reference, document_name, package_reference, target, request, before,
       state, created_at)
     VALUES (@id, @accountId, @kind, @reference, @documentName, @packageReference, @target, @request, @before,
       'waiting', @createdAt)`
  )
  const update = table.run<[action: object]>(
    `UPDATE actions SET before = @before, state = @state, in_doubt = @isInDoubt, error = @error, result = @notary,
       attempted_at = @attemptedAt, settled_at = @settledAt WHERE id = @id`
  )
  const ofAllDocuments = table.all<[accountId: string, limit: number]>(
    'WHERE account_id = ? ORDER BY number DESC LIMIT ?'
  )
  const ofDocument = table.all<[accountId: string, reference: string, limit: number]>(
    'WHERE account_id = ? AND reference = ? ORDER BY number DESC LIMIT ?'
  )
  const unfinishedBefore = table.all<[accountId: string, number: number]>(
    `WHERE account_id = ? AND number < ? AND state IN ('waiting', 'running', 'uncertain') ORDER BY number DESC`
  )
  const inState = table.all<[state: ActionState]>('WHERE state = ? ORDER BY number')
  const count = table.value<[state: ActionState], number>('SELECT count(*) FROM actions WHERE state = ?')

  return {
    find,

    add(
      action: Pick<Action, 'id' | 'accountId' | 'request' | 'documentName' | 'before' | 'createdAt'>,
      document: { Reference: string; PackageReference?: string | undefined }
    ): void {
      insert({
        ...ACTIONS.write({ ...action, reference: document.Reference, packageReference: document.PackageReference }),
        kind: action.request.kind,
        target: targetOf(action.request, document)
      })
    },

    /** Changes an action and returns it; undefined if it was removed with its account. */
    change(id: string, change: ActionChange): Action | undefined {
      const found = find(id)
      if (!found) return undefined
      const after = { ...found, ...change }
      update(ACTIONS.write(after))
      return after
    },

    /** Newest first. Unfinished ones are listed however many are newer: someone may have to settle them. */
    list(accountId: string, reference: string | undefined): Action[] {
      if (reference !== undefined) return ofDocument(accountId, reference, MAX_LISTED)
      const newest = ofAllDocuments(accountId, MAX_LISTED)
      return [...newest, ...unfinishedBefore(accountId, newest.at(-1)?.number ?? 0)]
    },

    /** Of all accounts, oldest first. */
    inState,

    /** Of one account, oldest first. */
    ofAccount: (accountId: string, state: ActionState): Action[] =>
      inState(state).filter((action) => action.accountId === accountId),

    accountsIn: (state: ActionState): Set<string> => new Set(inState(state).map(({ accountId }) => accountId)),

    findOpen: table.one<[accountId: string, kind: string, target: string]>(
      `WHERE account_id = ? AND kind = ? AND target = ? AND state IN ('waiting', 'running', 'uncertain')`
    ),

    count: (state: ActionState): number => count(state) ?? 0,

    /** Deletes what ended before that moment, except actions on documents on hold. Uncertain ones are kept. */
    prune: table.run<[before: number]>(
      `DELETE FROM actions WHERE settled_at < ? AND state IN ('done', 'refused', 'cancelled') AND NOT EXISTS (
         SELECT 1 FROM document_holds AS held
         WHERE held.account_id = actions.account_id AND held.document_reference = actions.reference)`
    )
  }
}

export function viewOf(action: Action): ActionView {
  const { id, accountId, request, reference, documentName, state, createdAt } = action
  const { attemptedAt, settledAt, error, notary } = action
  return {
    id,
    accountId,
    request,
    reference,
    documentName,
    state,
    createdAt,
    ...defined({ attemptedAt, settledAt, error, notary })
  }
}

/** Returns the target of an action. No two actions of one kind and target are open at the same time. */
export function targetOf(
  request: ActionRequest,
  document: { Reference: string; PackageReference?: string | undefined }
): string {
  switch (request.kind) {
    // An extension moves every document of the package.
    case 'extend':
      return document.PackageReference || document.Reference
    case 'remind':
      return `${document.Reference}\n${request.signerReference}`
    case 'correct':
    case 'notary':
      return document.Reference
  }
}

export function affectsSameDocument(
  one: Pick<Action, 'request' | 'reference' | 'packageReference'>,
  request: ActionRequest,
  document: { Reference: string; PackageReference?: string | undefined }
): boolean {
  if (one.reference === document.Reference) return true
  // Another due date moves every document of the package.
  const affectsPackage = one.request.kind === 'extend' || request.kind === 'extend'
  return affectsPackage && Boolean(one.packageReference) && one.packageReference === document.PackageReference
}

/**
 * Whether doing it later or twice has the same result as doing it once now. Such an action may wait for the connection.
 */
export function mayWait({ request }: Pick<Action, 'request'>): boolean {
  return request.kind === 'extend' || request.kind === 'correct'
}

/**
 * Whether the folders show the outcome: true for the same kinds, for a different reason, if the earlier state is known.
 */
export function canBeChecked(action: Pick<Action, 'request' | 'before'>): boolean {
  return mayWait(action) && action.before.kind !== 'unknown'
}
