/** Storage of sends. Each is written before anything leaves, so that a crash can't make a send disappear. */
import { isDeepStrictEqual } from 'node:util'
import { Composition, fingerprintOf, signersInWords, titleOf } from '../../../shared/composition/index.ts'
import type { AppError, BulkCorrection } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { HELD_OR_SENT_STATES } from '../drafts/draft-rows.ts'
import { fail } from '../lib/failure.ts'
import type { SentContent } from '../office/send-store.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import type { Release } from './releases.ts'
import { SENDS, type Send, type SentRequest } from './send-record.ts'

export type NewSend = SentRequest & {
  id: string
  accountId: string
  draftId?: string
  sentDraft?: string
  batchId?: string
  row?: number
  cells?: readonly string[]
  /** Corrections made in the sheet's row before it was sent. */
  corrected?: readonly BulkCorrection[]
  composition: Composition
  workstation?: string
  state: 'ready' | 'refused'
  isScheduled: boolean
  goesAt: number
  createdAt: number
  error?: AppError
  release?: Release
}

export type SendFields = Partial<
  Pick<
    Send,
    | 'state'
    | 'draftId'
    | 'workstation'
    | 'isScheduled'
    | 'goesAt'
    | 'release'
    | 'attempt'
    | 'attemptedAt'
    | 'firstAttemptedAt'
    | 'settledAt'
    | 'error'
    | 'ambiguity'
    | 'dismissed'
    | 'dismissedFolders'
    | 'packageReference'
    | 'packageStatus'
    | 'documents'
  >
>

/** Fields that seldom change, written by a statement of their own. */
const SCHEDULE_FIELDS = [
  'draftId',
  'workstation',
  'isScheduled',
  'goesAt',
  'release'
] as const satisfies readonly (keyof SendFields)[]

/** The same condition as in the index `sends_to_release`. */
export const UNDECIDED = `release IS NOT NULL AND json_extract(release, '$.released') IS NULL AND json_extract(release, '$.refused') IS NULL`

/** Returns an answer of the service as JSON, without its signing links. */
export function jsonWithoutLinks(response: PackageResponse): string {
  return JSON.stringify(response, (name, value: unknown) => (name === 'SigningKey' ? undefined : value))
}

export type Sends = ReturnType<typeof openSends>

/**
 * @param hasDiverged whether an office's draft has other content by now than what was sent of it; `sent` reads that.
 */
export function openSends(db: Db, hasDiverged: (draftId: string, sent: () => Composition) => boolean = () => false) {
  const table = new TableStatements(db, 'sends', SENDS)
  const find = table.one<[id: string]>('WHERE id = ?')
  const bodyOf = table.value<[number: number], string>('SELECT body FROM send_bodies WHERE number = ?')
  const claimant = table.value<[reference: string, accountId: string, id: string], number>(
    'SELECT 1 FROM send_documents WHERE reference = ? AND account_id = ? AND send_id <> ?'
  )
  const packageClaimant = table.value<[accountId: string, packageReference: string, id: string], number>(
    'SELECT 1 FROM sends WHERE account_id = ? AND package_reference = ? AND id <> ?'
  )
  const insert = table.run<[send: object]>(
    `INSERT INTO sends (id, account_id, draft_id, sent_draft, batch_id, sheet_row, workstation, kind, state, title, who, is_scheduled, goes_at,
       created_at, settled_at, fingerprint, error, release)
     VALUES (@id, @accountId, @draftId, @sentDraft, @batchId, @row, @workstation, @kind, @state, @title, @who, @isScheduled, @goesAt,
       @createdAt, @settledAt, @fingerprint, @error, @release)`
  )
  const insertBody = table.run<[number: number, cells: string | null, body: string]>(
    'INSERT INTO send_bodies (number, cells, body) VALUES (?, ?, ?)'
  )
  const setSending = table.run<[{ number: number; now: number }]>(
    `UPDATE sends SET state = 'sending', attempt = attempt + 1, attempted_at = @now,
       first_attempted_at = coalesce(first_attempted_at, @now), error = NULL
     WHERE number = @number AND state = 'ready'`
  )
  const write = table.run<[send: object]>(
    `UPDATE sends SET state = @state, attempt = @attempt, attempted_at = @attemptedAt,
       first_attempted_at = @firstAttemptedAt, settled_at = @settledAt, error = @error, doubt = @ambiguity,
       dismissed = @dismissed, dismissed_folders = @dismissedFolders, package_reference = @packageReference,
       package_status = @packageStatus, documents = @documents WHERE number = @number`
  )
  const writeSchedule = table.run<[send: object]>(
    'UPDATE sends SET draft_id = @draftId, workstation = @workstation, is_scheduled = @isScheduled, goes_at = @goesAt, release = @release WHERE number = @number'
  )
  const writeSentDraft = table.run<[{ number: number; draft: string; content: string | null }]>(
    'UPDATE sends SET sent_draft = @draft, sent_content = @content WHERE number = @number'
  )
  const writeResponse = table.run<[response: string, number: number]>(
    'UPDATE send_bodies SET response = ? WHERE number = ?'
  )
  const answer = db.prepare<[string], { accountId: string; response: string }>(
    `SELECT account_id AS accountId, response FROM sends JOIN send_bodies USING (number)
     WHERE id = ? AND response IS NOT NULL`
  )
  const replaceResponse = table.run<[{ id: string; response: string }]>(
    'UPDATE send_bodies SET response = @response WHERE number = (SELECT number FROM sends WHERE id = @id)'
  )
  const claim = table.run<[reference: string, accountId: string, id: string]>(
    'INSERT INTO send_documents (reference, account_id, send_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  )
  const eraseDraft = table.run<[id: string]>('DELETE FROM drafts WHERE id = ?')
  const erase = table.run<[number: number]>('DELETE FROM sends WHERE number = ?')

  /** @throws AppFailure `gone`. */
  function get(id: string): Send {
    return find(id) ?? fail('gone', 'This package is no longer in the Outbox.')
  }

  function contentOf(send: Send): { request?: unknown; composition?: unknown; corrected?: BulkCorrection[] } {
    return JSON.parse(bodyOf(send.number) ?? '{}')
  }

  /** Returns the composition of the request. @throws AppFailure `storage` if this version can't read it. */
  function compositionOf(send: Send): Composition {
    const read = Composition.safeParse(contentOf(send).composition)
    return read.success ? read.data : fail('storage', 'This package can’t be read any more.')
  }

  /** Returns the service's answer to a send, if it is stored. */
  function answerOf(id: string): { accountId: string; response: PackageResponse } | undefined {
    const row = answer.get(id)
    return row && { accountId: row.accountId, response: JSON.parse(row.response) as PackageResponse }
  }

  function change(send: Send, changes: SendFields): Send {
    const next = { ...send, ...changes }
    const written = SENDS.write(next)
    write(written)
    if (SCHEDULE_FIELDS.some((member) => member in changes)) writeSchedule(written)
    return next
  }

  return {
    get,
    find,
    change,

    /** The first send of a batch that still needs a decision about its release. */
    toRelease: table.one<[batchId: string]>(
      `INDEXED BY sends_to_release WHERE batch_id = ? AND state = 'ready' AND ${UNDECIDED} LIMIT 1`
    ),
    /** Releases all undecided sends of a batch. */
    releaseBatch: table.run<[released: string, at: number, batchId: string]>(
      `UPDATE sends SET is_scheduled = json_extract(release, '$.isScheduled'), goes_at = json_extract(release, '$.goesAt'),
         release = json_set(release, '$.released', json(?), '$.decidedAt', ?)
       WHERE batch_id = ? AND state = 'ready' AND ${UNDECIDED}`
    ),

    /** Returns the corrections made in the send's row; undefined if there are none. */
    correctedOf: (send: Send): BulkCorrection[] | undefined => contentOf(send).corrected,

    /** The request exactly as it is sent. */
    requestOf: (send: Send): SentRequest => ({ ...contentOf(send), kind: send.kind }) as SentRequest,

    compositionOf,

    /** All accounts' sends that are in flight, or that are uncertain. */
    inState: table.all<[state: 'sending' | 'uncertain']>(
      `INDEXED BY sends_unsettled WHERE state IN ('sending', 'uncertain') AND state = ?`
    ),

    /** An account's sends that are in flight or uncertain, oldest first. */
    unresolved: table.all<[accountId: string]>(
      `WHERE account_id = ? AND state IN ('sending', 'uncertain') ORDER BY number`
    ),

    /** An account's sends that may have left but were not found. */
    notSent: table.all<[accountId: string]>(
      `WHERE account_id = ? AND state = 'not-sent' AND first_attempted_at IS NOT NULL`
    ),

    /** The draft's send that is waiting, in flight, uncertain, or sent. */
    ofDraft: table.one<[draftId: string]>(`WHERE draft_id = ? AND state IN ${HELD_OR_SENT_STATES}`),

    failedOfDraft: table.all<[draftId: string]>(`WHERE draft_id = ? AND state IN ('refused', 'not-sent')`),

    ofDocument: table.one<[reference: string]>(
      'WHERE id IN (SELECT send_id FROM send_documents WHERE reference = ?) LIMIT 1'
    ),

    /** Whether a document, or its package, is known to belong to another send of one of these accounts. */
    isClaimed: (
      { id }: Send,
      accountIds: readonly string[],
      reference: string,
      packageReference: string | undefined
    ): boolean =>
      accountIds.some(
        (accountId) =>
          claimant(reference, accountId, id) !== undefined ||
          (packageReference !== undefined && packageClaimant(accountId, packageReference, id) !== undefined)
      ),

    add(send: NewSend): Send {
      const { composition, request, cells, corrected } = send
      const settledAt = send.state === 'refused' ? send.createdAt : undefined
      insert({
        ...SENDS.write({ ...send, settledAt, title: titleOf(composition), who: signersInWords(composition) }),
        fingerprint: fingerprintOf(composition)
      })
      const added = get(send.id)
      insertBody(
        added.number,
        cells ? JSON.stringify(cells) : null,
        JSON.stringify({ request, composition, corrected })
      )
      return added
    },

    /**
     * Stores of which of the office's drafts a send is, and of which of its contents, if that is known. It stays so when
     * the send is no longer linked to the draft here.
     */
    setSentDraft({ number, sentDraft, sentContent }: Send, draft: string, content?: SentContent): void {
      const next = content ?? (draft === sentDraft ? sentContent : undefined)
      if (draft === sentDraft && isDeepStrictEqual(next, sentContent)) return
      writeSentDraft({ number, draft, content: next ? JSON.stringify(next) : null })
    },

    /** Stores that a ready send leaves; returns whether it was still ready. */
    markSending: (number: number, now: number): boolean => setSending({ number, now }) === 1,

    /**
     * Marks a send as accepted: stores the answer, claims its documents, and deletes the draft. A draft that has other
     * content by now continues on its own, so that it isn't deleted with what was sent of it.
     */
    accepted(send: Send, response: PackageResponse, settledAt: number): Send {
      const { Documents: documents = [], PackageReference, PackageStatus } = response
      const { draftId } = send
      const isApart = draftId !== undefined && hasDiverged(draftId, () => compositionOf(send))
      const next = change(send, {
        state: 'sent',
        ...(isApart && { draftId: undefined }),
        settledAt,
        error: undefined,
        ambiguity: undefined,
        packageReference: PackageReference || undefined,
        packageStatus: PackageStatus || undefined,
        documents: documents.map(({ Reference, Name }) => ({ reference: Reference, name: Name ?? '' }))
      })
      writeResponse(JSON.stringify(response), send.number)
      for (const { Reference } of documents) claim(Reference, send.accountId, send.id)
      if (next.draftId !== undefined) eraseDraft(next.draftId)
      return next
    },

    answerOf,

    /** Ids of the sends whose stored answers still contain signing links. The condition matches the index. */
    withLinks: table.values<[], string>(
      `SELECT id FROM send_bodies JOIN sends USING (number) WHERE instr(response, '"SigningKey"') > 0 ORDER BY number`
    ),

    /** Removes the signing links from a stored answer, once the documents have them. */
    forgetLinks(id: string): void {
      const found = answerOf(id)
      if (!found) return
      replaceResponse({ id, response: jsonWithoutLinks(found.response) })
    },

    remove: (send: Send): void => void erase(send.number)
  }
}
