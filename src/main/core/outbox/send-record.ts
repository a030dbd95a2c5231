/** A send as lists have it, and as its row has it. */
import type { AppError, SendAmbiguity, SendState } from '../../../shared/contract/index.ts'
import type { SendFormDirectRequest, SendFormFillerRequest } from '../../../shared/model/index.ts'

export type SentRequest =
  | { kind: 'form-direct'; request: SendFormDirectRequest }
  | { kind: 'form-filler'; request: SendFormFillerRequest }

/** What a screen is shown of an ambiguity, and the package that each document found belongs to. */
export interface Ambiguity extends SendAmbiguity {
  packages: Record<string, string>
}

/** A send as lists have it: everything but what it holds. */
export interface Send {
  readonly number: number
  readonly id: string
  readonly accountId: string
  readonly draftId: string | undefined
  readonly batchId: string | undefined
  readonly row: number | undefined
  readonly kind: SentRequest['kind']
  readonly title: string
  readonly who: string
  readonly state: SendState
  /** Whether `goesAt` is a time that a person gave it. */
  readonly isScheduled: boolean
  /** In milliseconds since 1970 UTC; 0 for at once. */
  readonly goesAt: number
  readonly createdAt: number
  readonly attempt: number
  readonly attemptedAt: number | undefined
  /** The oldest attempt that isn't certain to have come to nothing. */
  readonly firstAttemptedAt: number | undefined
  readonly settledAt: number | undefined
  readonly error: AppError | undefined
  readonly ambiguity: Ambiguity | undefined
  readonly dismissed: readonly string[]
  readonly packageReference: string | undefined
  readonly packageStatus: string | undefined
  readonly documents: readonly { reference: string; name: string }[]
}

export interface SendRow {
  number: number
  id: string
  account_id: string
  draft_id: string | null
  batch_id: string | null
  sheet_row: number | null
  kind: SentRequest['kind']
  title: string
  who: string
  state: SendState
  is_scheduled: 0 | 1
  goes_at: number
  created_at: number
  attempt: number
  attempted_at: number | null
  first_attempted_at: number | null
  settled_at: number | null
  error: string | null
  doubt: string | null
  dismissed: string
  package_reference: string | null
  package_status: string | null
  documents: string
}

export const COLUMNS = `number, id, account_id, draft_id, batch_id, sheet_row, kind, title, who, state, is_scheduled,
  goes_at, created_at, attempt, attempted_at, first_attempted_at, settled_at, error, doubt, dismissed,
  package_reference, package_status, documents`

export function sendOf(row: SendRow): Send {
  return {
    number: row.number,
    id: row.id,
    accountId: row.account_id,
    draftId: row.draft_id ?? undefined,
    batchId: row.batch_id ?? undefined,
    row: row.sheet_row ?? undefined,
    kind: row.kind,
    title: row.title,
    who: row.who,
    state: row.state,
    isScheduled: row.is_scheduled === 1,
    goesAt: row.goes_at,
    createdAt: row.created_at,
    attempt: row.attempt,
    attemptedAt: row.attempted_at ?? undefined,
    firstAttemptedAt: row.first_attempted_at ?? undefined,
    settledAt: row.settled_at ?? undefined,
    error: read<AppError>(row.error),
    ambiguity: read<Ambiguity>(row.doubt),
    dismissed: row.dismissed === '[]' ? [] : JSON.parse(row.dismissed),
    packageReference: row.package_reference ?? undefined,
    packageStatus: row.package_status ?? undefined,
    documents: row.documents === '[]' ? [] : JSON.parse(row.documents)
  }
}

function read<Value>(json: string | null): Value | undefined {
  return json === null ? undefined : (JSON.parse(json) as Value)
}
