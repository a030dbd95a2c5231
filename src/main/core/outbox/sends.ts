/** What is kept of each send: written before anything leaves, so that a crash can't make a send look as if it never was. */

import type { Composition } from '../../../shared/composition/index.ts'
import type { AppError, SendState, SendView } from '../../../shared/contract/index.ts'
import type { PackageResponse, SendFormDirectRequest, SendFormFillerRequest } from '../../../shared/model/index.ts'
import type { Db } from '../storage/connection.ts'

export type SentRequest =
  | { kind: 'form-direct'; request: SendFormDirectRequest }
  | { kind: 'form-filler'; request: SendFormFillerRequest }

export type SendRecord = SentRequest & {
  id: string
  accountId: string
  draftId: string
  title: string
  state: SendState
  composition: Composition
  response?: PackageResponse
  error?: AppError
  attemptedAt: number
  settledAt?: number
  /** When the folders were first read in full without finding it. */
  missedAt?: number
}

interface Row {
  id: string
  draft_id: string
  account_id: string
  state: SendState
  title: string
  body: string
  response: string | null
  error: string | null
  attempted_at: number
  settled_at: number | null
}

/** The part of a record that is one JSON text in the database. */
type Body = SentRequest & { composition: Composition; missedAt?: number }

export type Sends = ReturnType<typeof openSends>

export function openSends(db: Db, changed: (id: string) => void) {
  const all = db.prepare<[string], Row>('SELECT * FROM sends WHERE account_id = ? ORDER BY attempted_at DESC, id')
  const one = db.prepare<[string], Row>('SELECT * FROM sends WHERE id = ?')
  const inState = db.prepare<[string], Row>('SELECT * FROM sends WHERE state = ?')
  const ofDraft = db.prepare<[string], Row>(
    `SELECT * FROM sends WHERE draft_id = ? AND state IN ('sending','uncertain','sent')`
  )
  const ofDocument = db.prepare<[string], Row>(
    `SELECT sends.* FROM sends, json_each(sends.response, '$.Documents') AS document
     WHERE document.value ->> '$.Reference' = ?`
  )
  const write = db.prepare(
    `INSERT INTO sends (id, draft_id, account_id, kind, state, body, reference, response, error, attempted_at, settled_at, title)
     VALUES (@id, @draftId, @accountId, @kind, @state, @body, @id, @response, @error, @attemptedAt, @settledAt, @title)
     ON CONFLICT (id) DO UPDATE SET state = @state, body = @body, response = @response, error = @error, settled_at = @settledAt`
  )
  const eraseDraft = db.prepare('DELETE FROM drafts WHERE id = ?')

  return {
    list: (accountId: string): SendRecord[] => all.all(accountId).map(recordOf),
    get: (id: string): SendRecord | undefined => optional(one.get(id)),
    inState: (state: SendState): SendRecord[] => inState.all(state).map(recordOf),
    /** The send of a draft that is under way, not settled, or done. */
    ofDraft: (draftId: string): SendRecord | undefined => optional(ofDraft.get(draftId)),

    /** The send that made a document. */
    ofDocument: (reference: string): SendRecord | undefined => optional(ofDocument.get(reference)),

    /** Writes a record durably. A draft leaves with the send that the service has taken. */
    put: db.transaction((record: SendRecord): void => {
      const { kind, request, composition, missedAt } = record
      write.run({
        id: record.id,
        draftId: record.draftId,
        accountId: record.accountId,
        kind,
        state: record.state,
        title: record.title,
        body: JSON.stringify({ kind, request, composition, missedAt }),
        response: record.response ? JSON.stringify(record.response) : null,
        error: record.error ? JSON.stringify(record.error) : null,
        attemptedAt: record.attemptedAt,
        settledAt: record.settledAt ?? null
      })
      if (record.state === 'sent') eraseDraft.run(record.draftId)
      changed(record.id)
    })
  }
}

/** What the screens are told of a send: never the signing links in its response. */
export function sendView(record: SendRecord): SendView {
  const { response } = record
  return {
    id: record.id,
    accountId: record.accountId,
    draftId: record.draftId,
    kind: record.kind,
    title: record.title,
    state: record.state,
    attemptedAt: record.attemptedAt,
    documents: (response?.Documents ?? []).map(({ Reference, Name }) => ({ reference: Reference, name: Name ?? '' })),
    ...(record.settledAt !== undefined && { settledAt: record.settledAt }),
    ...(record.error && { error: record.error }),
    ...(response?.PackageReference && { packageReference: response.PackageReference }),
    ...(response?.PackageStatus && { packageStatus: response.PackageStatus })
  }
}

function optional(row: Row | undefined): SendRecord | undefined {
  return row && recordOf(row)
}

function recordOf(row: Row): SendRecord {
  return {
    ...(JSON.parse(row.body) as Body),
    id: row.id,
    accountId: row.account_id,
    draftId: row.draft_id,
    title: row.title,
    state: row.state,
    attemptedAt: row.attempted_at,
    ...(row.response && { response: JSON.parse(row.response) as PackageResponse }),
    ...(row.error && { error: JSON.parse(row.error) as AppError }),
    ...(row.settled_at !== null && { settledAt: row.settled_at })
  }
}
