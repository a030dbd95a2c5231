/** An action as its row has it, and as the screens are shown it. */
import type { ActionRequest, ActionState, ActionView, AppError } from '../../../shared/contract/index.ts'
import type { AssignQueueDocumentResponse } from '../../../shared/model/index.ts'
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

export interface ActionRow {
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

export const COLUMNS = `number, id, account_id, reference, document_name, package_reference, request, before, state,
  in_doubt, error, result, created_at, attempted_at, settled_at`

export function actionOf(row: ActionRow): Action {
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

/** Whether doing it later, or once more, ends as doing it once now would: such an action may wait for the line. */
export function mayWait({ request }: Pick<Action, 'request'>): boolean {
  return request.kind === 'extend' || request.kind === 'correct'
}

/** Whether the folders show what became of it. */
export const canBeChecked = mayWait
