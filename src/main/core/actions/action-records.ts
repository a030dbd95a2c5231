/** What is kept of each action, how the screens are shown it, and which may be open at the same time. */
import type { ActionRequest, ActionState, ActionView, AppError } from '../../../shared/contract/index.ts'
import type { AssignQueueDocumentResponse } from '../../../shared/model/index.ts'
import type { Db } from '../storage/connection.ts'
import type { Before } from './before.ts'

export interface Action {
  /** Grows with each action: their order. */
  readonly number: number
  readonly id: string
  readonly accountId: string
  readonly reference: string
  readonly documentName: string
  readonly packageReference: string | undefined
  readonly request: ActionRequest
  readonly before: Before
  readonly state: ActionState
  /** Whether an earlier attempt may have arrived: then a refusal of this one proves nothing. */
  readonly isInDoubt: boolean
  readonly error: AppError | undefined
  readonly notary: AssignQueueDocumentResponse | undefined
  readonly createdAt: number
  readonly attemptedAt: number | undefined
  readonly settledAt: number | undefined
}

/** How many a list shows at most. */
const MOST_LISTED = 500

/** What may change of an action. A member that is there and undefined is erased. */
export type ActionChange = Partial<
  Pick<Action, 'before' | 'state' | 'isInDoubt' | 'error' | 'notary' | 'attemptedAt' | 'settledAt'>
>

export class ActionRecords {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: Db) {
    this.#sql = statementsOf(db)
  }

  find(id: string): Action | undefined {
    const row = this.#sql.byId.get(id)
    return row && actionOf(row)
  }

  /** Writes a new one down, waiting. */
  add(
    action: Pick<Action, 'id' | 'accountId' | 'request' | 'documentName' | 'before' | 'createdAt'>,
    document: { Reference: string; PackageReference?: string | undefined }
  ): void {
    this.#sql.insert.run({
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
  }

  /** Answers it as it is then; undefined if it went with its account. */
  change(id: string, change: ActionChange): Action | undefined {
    const found = this.find(id)
    if (!found) return undefined
    const after = { ...found, ...change }
    this.#sql.update.run({
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
  }

  /** Newest first. */
  list(accountId: string, reference: string | undefined): Action[] {
    const rows =
      reference === undefined
        ? this.#sql.ofAccount.all(accountId, MOST_LISTED)
        : this.#sql.ofDocument.all(accountId, reference, MOST_LISTED)
    return rows.map(actionOf)
  }

  /** Of all accounts, oldest first. */
  inState(state: ActionState): Action[] {
    return this.#sql.inState.all(state).map(actionOf)
  }

  /** Of one account, oldest first. */
  ofAccount(accountId: string, state: ActionState): Action[] {
    return this.inState(state).filter((action) => action.accountId === accountId)
  }

  /** Accounts with an action in this state. */
  accountsIn(state: ActionState): Set<string> {
    return new Set(this.inState(state).map(({ accountId }) => accountId))
  }

  /** The one of this kind and target that hasn't ended. */
  openOne(accountId: string, kind: string, target: string): Action | undefined {
    const row = this.#sql.open.get(accountId, kind, target)
    return row && actionOf(row)
  }

  count(state: ActionState): number {
    return this.#sql.count.get(state) ?? 0
  }

  /** Forgets what ended before that moment; what is uncertain is kept. */
  prune(before: number): void {
    this.#sql.prune.run(before)
  }
}

export function viewOf(action: Action): ActionView {
  const { id, accountId, request, reference, documentName, state, createdAt } = action
  return {
    ...{ id, accountId, request, reference, documentName, state, createdAt },
    ...(action.attemptedAt !== undefined && { attemptedAt: action.attemptedAt }),
    ...(action.settledAt !== undefined && { settledAt: action.settledAt }),
    ...(action.error && { error: action.error }),
    ...(action.notary && { notary: action.notary })
  }
}

/** Two actions of one kind with one target are never open at the same time. */
export function targetOf(
  request: ActionRequest,
  document: { Reference: string; PackageReference?: string | undefined }
): string {
  switch (request.kind) {
    // It moves every document of the package.
    case 'extend':
      return document.PackageReference || document.Reference
    case 'remind':
      return `${document.Reference}\n${request.signerReference}`
    case 'correct':
    case 'notary':
      return document.Reference
  }
}

/** Whether both are done to one document. */
export function concernsSame(
  one: Pick<Action, 'request' | 'reference' | 'packageReference'>,
  request: ActionRequest,
  document: { Reference: string; PackageReference?: string | undefined }
): boolean {
  if (one.reference === document.Reference) return true
  // Another due date moves every document of the package.
  const isOfPackage = one.request.kind === 'extend' || request.kind === 'extend'
  return isOfPackage && Boolean(one.packageReference) && one.packageReference === document.PackageReference
}

/** Whether doing it later, or once more, ends as doing it once now would: such an action may wait until online again. */
export function mayWait({ request }: Pick<Action, 'request'>): boolean {
  return request.kind === 'extend' || request.kind === 'correct'
}

/** Whether the folders show what became of it: the same kinds, for another reason. */
export function canBeChecked(action: Pick<Action, 'request'>): boolean {
  return mayWait(action)
}

interface ActionRow {
  number: number
  id: string
  account_id: string
  reference: string
  document_name: string
  package_reference: string | null
  request: string
  before: string
  state: ActionState
  in_doubt: 0 | 1
  error: string | null
  result: string | null
  created_at: number
  attempted_at: number | null
  settled_at: number | null
}

const COLUMNS = `number, id, account_id, reference, document_name, package_reference, request, before, state,
  in_doubt, error, result, created_at, attempted_at, settled_at`

function actionOf(row: ActionRow): Action {
  return {
    number: row.number,
    id: row.id,
    accountId: row.account_id,
    reference: row.reference,
    documentName: row.document_name,
    packageReference: row.package_reference ?? undefined,
    request: JSON.parse(row.request),
    before: JSON.parse(row.before),
    state: row.state,
    isInDoubt: row.in_doubt === 1,
    error: row.error === null ? undefined : JSON.parse(row.error),
    notary: row.result === null ? undefined : JSON.parse(row.result),
    createdAt: row.created_at,
    attemptedAt: row.attempted_at ?? undefined,
    settledAt: row.settled_at ?? undefined
  }
}

function statementsOf(db: Db) {
  return {
    byId: db.prepare<[string], ActionRow>(`SELECT ${COLUMNS} FROM actions WHERE id = ?`),
    insert: db.prepare(
      `INSERT INTO actions (id, account_id, kind, reference, document_name, package_reference, target, request, before,
         state, created_at)
       VALUES (@id, @accountId, @kind, @reference, @documentName, @packageReference, @target, @request, @before,
         'waiting', @createdAt)`
    ),
    update: db.prepare(
      `UPDATE actions SET before = @before, state = @state, in_doubt = @inDoubt, error = @error, result = @result,
         attempted_at = @attemptedAt, settled_at = @settledAt WHERE id = @id`
    ),
    ofAccount: db.prepare<[string, number], ActionRow>(
      `SELECT ${COLUMNS} FROM actions WHERE account_id = ? ORDER BY number DESC LIMIT ?`
    ),
    ofDocument: db.prepare<[string, string, number], ActionRow>(
      `SELECT ${COLUMNS} FROM actions WHERE account_id = ? AND reference = ? ORDER BY number DESC LIMIT ?`
    ),
    inState: db.prepare<[ActionState], ActionRow>(`SELECT ${COLUMNS} FROM actions WHERE state = ? ORDER BY number`),
    open: db.prepare<[string, string, string], ActionRow>(
      `SELECT ${COLUMNS} FROM actions
       WHERE account_id = ? AND kind = ? AND target = ? AND state IN ('waiting', 'running', 'uncertain')`
    ),
    count: db.prepare<[ActionState], number>('SELECT count(*) FROM actions WHERE state = ?').pluck(),
    prune: db.prepare<[number]>(
      `DELETE FROM actions WHERE settled_at < ? AND state IN ('done', 'refused', 'cancelled')`
    )
  }
}
