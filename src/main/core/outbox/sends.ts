/** What is kept of each send: written before anything leaves, so that a crash can't make a send look as if it never was. */
import { Composition, fingerprintOf, titleOf, whoOf } from '../../../shared/composition/index.ts'
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { HELD_OR_SENT_STATES } from '../drafts/draft-rows.ts'
import { fail } from '../lib/failure.ts'
import type { Row } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { SENDS, type Send, type SentRequest } from './send-record.ts'

export type NewSend = SentRequest & {
  id: string
  accountId: string
  draftId?: string
  batchId?: string
  row?: number
  cells?: readonly string[]
  composition: Composition
  state: 'ready' | 'refused'
  isScheduled: boolean
  goesAt: number
  createdAt: number
  error?: AppError
}

/** What may change of a send once it is there. */
export type SendChange = Partial<
  Pick<
    Send,
    | 'state'
    | 'draftId'
    | 'isScheduled'
    | 'goesAt'
    | 'attempt'
    | 'attemptedAt'
    | 'firstAttemptedAt'
    | 'settledAt'
    | 'error'
    | 'ambiguity'
    | 'dismissed'
    | 'packageReference'
    | 'packageStatus'
    | 'documents'
  >
>

export class Sends {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: Db) {
    this.#sql = statementsOf(db)
  }

  /** @throws AppFailure `gone`. */
  get(id: string): Send {
    return this.find(id) ?? fail('gone', 'This send is no longer there.')
  }

  find(id: string): Send | undefined {
    return SENDS.find(this.#sql.one.get(id))
  }

  /** The request exactly as it is sent. */
  requestOf(send: Send): SentRequest {
    return { ...this.#bodyOf(send), kind: send.kind } as SentRequest
  }

  /** What the request was made of. @throws AppFailure `storage` if this version can't read it. */
  compositionOf(send: Send): Composition {
    const read = Composition.safeParse(this.#bodyOf(send).composition)
    return read.success ? read.data : fail('storage', 'This package was kept in a form that can’t be read any more.')
  }

  /** All accounts' sends that are under way, or that are uncertain. */
  inState(state: 'sending' | 'uncertain'): Send[] {
    return this.#sql.inState.all(state).map(SENDS.read)
  }

  /** An account's sends that are under way or uncertain, oldest first. */
  unresolved(accountId: string): Send[] {
    return this.#sql.unresolved.all(accountId).map(SENDS.read)
  }

  /** An account's sends that may have left and were not found. */
  notSent(accountId: string): Send[] {
    return this.#sql.notSent.all(accountId).map(SENDS.read)
  }

  /** The send of a draft that waits, is under way, not settled, or done. */
  ofDraft(draftId: string): Send | undefined {
    return SENDS.find(this.#sql.withDraft.get(draftId))
  }

  /** Earlier sends of a draft that did not reach their goal. */
  failedOfDraft(draftId: string): Send[] {
    return this.#sql.failedOfDraft.all(draftId).map(SENDS.read)
  }

  /** The send that made a document. */
  ofDocument(reference: string): Send | undefined {
    return SENDS.find(this.#sql.ofDocument.get(reference))
  }

  /** Whether a document, or the package it belongs to, is known to be another send's. */
  isClaimed({ id, accountId }: Send, reference: string, packageReference: string | undefined): boolean {
    return (
      this.#sql.claimant.get(reference, accountId, id) !== undefined ||
      (packageReference !== undefined && this.#sql.packageClaimant.get(accountId, packageReference, id) !== undefined)
    )
  }

  add(send: NewSend): Send {
    const { composition, request, cells } = send
    const settledAt = send.state === 'refused' ? send.createdAt : undefined
    const { lastInsertRowid } = this.#sql.insert.run({
      ...SENDS.write({ ...send, settledAt, title: titleOf(composition), who: whoOf(composition) }),
      fingerprint: fingerprintOf(composition)
    })
    const body = JSON.stringify({ request, composition })
    this.#sql.insertBody.run(lastInsertRowid, cells ? JSON.stringify(cells) : null, body)
    return this.get(send.id)
  }

  /** Writes down that a ready send leaves; answers whether it was still ready. */
  begin(number: number, now: number): boolean {
    return this.#sql.begin.run({ number, now }).changes === 1
  }

  /** Answers the send as it is then. */
  change(send: Send, changes: SendChange): Send {
    const next = { ...send, ...changes }
    const written = SENDS.write(next)
    this.#sql.write.run(written)
    if ('draftId' in changes || 'isScheduled' in changes || 'goesAt' in changes) this.#sql.writePlace.run(written)
    return next
  }

  /** The service has it: keeps what it answered, notes whose its documents are, and lets the draft go. */
  accepted(send: Send, response: PackageResponse, settledAt: number): Send {
    const { Documents: documents = [], PackageReference, PackageStatus } = response
    const next = this.change(send, {
      state: 'sent',
      settledAt,
      error: undefined,
      ambiguity: undefined,
      packageReference: PackageReference || undefined,
      packageStatus: PackageStatus || undefined,
      documents: documents.map(({ Reference, Name }) => ({ reference: Reference, name: Name ?? '' }))
    })
    this.#sql.writeResponse.run(JSON.stringify(response), send.number)
    for (const { Reference } of documents) this.#sql.claim.run(Reference, send.accountId, send.id)
    if (send.draftId !== undefined) this.#sql.eraseDraft.run(send.draftId)
    return next
  }

  remove(send: Send): void {
    this.#sql.erase.run(send.number)
  }

  #bodyOf(send: Send): { request?: unknown; composition?: unknown } {
    return JSON.parse(this.#sql.body.get(send.number) ?? '{}')
  }
}

function statementsOf(db: Db) {
  return {
    one: db.prepare<[string], Row>(`SELECT ${SENDS.columns} FROM sends WHERE id = ?`),
    body: db.prepare<[number], string>('SELECT body FROM send_bodies WHERE number = ?').pluck(),
    inState: db.prepare<[string], Row>(
      `SELECT ${SENDS.columns} FROM sends INDEXED BY sends_unsettled WHERE state IN ('sending', 'uncertain') AND state = ?`
    ),
    unresolved: db.prepare<[string], Row>(
      `SELECT ${SENDS.columns} FROM sends WHERE account_id = ? AND state IN ('sending', 'uncertain') ORDER BY number`
    ),
    notSent: db.prepare<[string], Row>(
      `SELECT ${SENDS.columns} FROM sends WHERE account_id = ? AND state = 'not-sent' AND first_attempted_at IS NOT NULL`
    ),
    withDraft: db.prepare<[string], Row>(
      `SELECT ${SENDS.columns} FROM sends WHERE draft_id = ? AND state IN ${HELD_OR_SENT_STATES}`
    ),
    failedOfDraft: db.prepare<[string], Row>(
      `SELECT ${SENDS.columns} FROM sends WHERE draft_id = ? AND state IN ('refused', 'not-sent')`
    ),
    ofDocument: db.prepare<[string], Row>(
      `SELECT ${SENDS.columns} FROM sends WHERE id IN (SELECT send_id FROM send_documents WHERE reference = ?) LIMIT 1`
    ),
    claimant: db
      .prepare<[string, string, string], number>(
        'SELECT 1 FROM send_documents WHERE reference = ? AND account_id = ? AND send_id <> ?'
      )
      .pluck(),
    packageClaimant: db
      .prepare<[string, string, string], number>(
        'SELECT 1 FROM sends WHERE account_id = ? AND package_reference = ? AND id <> ?'
      )
      .pluck(),
    insert: db.prepare(
      `INSERT INTO sends (id, account_id, draft_id, batch_id, sheet_row, kind, state, title, who, is_scheduled, goes_at,
         created_at, settled_at, fingerprint, error)
       VALUES (@id, @accountId, @draftId, @batchId, @row, @kind, @state, @title, @who, @isScheduled, @goesAt,
         @createdAt, @settledAt, @fingerprint, @error)`
    ),
    insertBody: db.prepare('INSERT INTO send_bodies (number, cells, body) VALUES (?, ?, ?)'),
    begin: db.prepare(
      `UPDATE sends SET state = 'sending', attempt = attempt + 1, attempted_at = @now,
         first_attempted_at = coalesce(first_attempted_at, @now), error = NULL
       WHERE number = @number AND state = 'ready'`
    ),
    write: db.prepare(
      `UPDATE sends SET state = @state, attempt = @attempt, attempted_at = @attemptedAt,
         first_attempted_at = @firstAttemptedAt, settled_at = @settledAt, error = @error, doubt = @ambiguity,
         dismissed = @dismissed, package_reference = @packageReference, package_status = @packageStatus,
         documents = @documents WHERE number = @number`
    ),
    writePlace: db.prepare(
      'UPDATE sends SET draft_id = @draftId, is_scheduled = @isScheduled, goes_at = @goesAt WHERE number = @number'
    ),
    writeResponse: db.prepare('UPDATE send_bodies SET response = ? WHERE number = ?'),
    claim: db.prepare(
      'INSERT INTO send_documents (reference, account_id, send_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    ),
    eraseDraft: db.prepare('DELETE FROM drafts WHERE id = ?'),
    erase: db.prepare('DELETE FROM sends WHERE number = ?')
  }
}
