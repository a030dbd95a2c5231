/**
 * Verifies documents' signatures (operation 10), and stores what the service answered each time: evidence that outlives
 * the document. An answer and its audit entry are written together or not at all.
 */
import type {
  DecodedInput,
  DocumentVerifications,
  VerificationList,
  VerificationSummary,
  VerificationView
} from '../../../shared/contract/index.ts'
import { hasWords } from '../../../shared/short-list-search.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { DocumentKey } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { inSlices, runToEnd, type Sliced } from '../lib/slices.ts'
import { wordsOf } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Db } from '../storage/connection.ts'
import { fileOf, shownAnswer, storedAnswer, tallyOf, verdictOf } from './answer.ts'
import {
  type NewVerification,
  openVerificationsTable,
  sha256Of,
  type UnnotifiedVerification,
  type Verification
} from './verifications-table.ts'

export interface VerificationDeps {
  db: Db
  clientOf: (accountId: string) => Promise<Pick<ServiceClient, 'validateSignatures'>>
  note: NoteInAudit
  /** Returns the document's name; undefined if unknown. */
  nameOf: (accountId: string, reference: string) => Promise<string | undefined>
  /** Called when a document has a new verification, or one was dismissed. */
  changed: (document: DocumentKey) => void
  newId: () => string
  time: Pick<Time, 'now'>
}

export interface AskedByRule {
  ruleId: string
  documentName: string
  /** Writes to the database in the same transaction as the answer. */
  inTransaction: () => void
  /** Called after the service has answered; false discards the answer. */
  mayKeep: () => boolean
  signal: AbortSignal
}

const MAX_PER_DOCUMENT = 100

export type Verifications = ReturnType<typeof openVerifications>

export function openVerifications({ db, clientOf, note, nameOf, changed, newId, time }: VerificationDeps) {
  const table = openVerificationsTable(db)

  /** @throws the database's error if it can't be stored: then it doesn't count as a verification. */
  function store(kept: NewVerification, inTransaction?: () => void): void {
    const { id, accountId, documentReference, documentName, ruleId } = kept
    const found = verdictOf(summaryOf(kept, true).found)
    const detail = {
      verification: id,
      accountId,
      by: ruleId === undefined ? 'person' : 'rule',
      found,
      sha256: sha256Of(kept)
    }
    const isNews = ruleId !== undefined && kept.notValid > 0
    note({ what: 'signatures-verified', documentReference, documentName, detail }, 'now-or-never', () => {
      table.add(kept, isNews)
      inTransaction?.()
    })
    changed({ accountId, reference: documentReference })
  }

  /**
   * Asks the service, and stores its answer.
   * @param rule absent if a person asks.
   * @throws ServiceError, with `not-found` also if the document was removed under the retention policy; AppFailure
   * `too-large`, or `cancelled` if a rule's answer no longer counts.
   */
  async function verify(accountId: string, reference: string, rule?: AskedByRule): Promise<VerificationView> {
    const knownName = rule?.documentName ?? (await nameOf(accountId, reference).catch(() => undefined))
    const client = await clientOf(accountId)
    const askedAt = time.now()
    const result = await client.validateSignatures(reference, rule && { signal: rule.signal })
    if (rule?.mayKeep() === false) fail('cancelled', 'The answer came too late to be kept.')
    const kept = {
      id: newId(),
      accountId,
      askedAt,
      answeredAt: time.now(),
      ruleId: rule?.ruleId,
      signatures: undefined,
      // As the database will return it: it can't store a lone surrogate as text, which would change the hash.
      documentReference: reference.toWellFormed(),
      documentName: (knownName ?? result.DocumentName ?? reference).toWellFormed(),
      ...tallyOf(result),
      answer: storedAnswer(result)
    }
    store(kept, rule?.inTransaction)
    return { ...summaryOf(kept, true), ...shownAnswer(kept.answer) }
  }

  function viewOf(kept: Verification): VerificationView {
    const summary = summaryOf(kept, table.isAsRecorded(kept))
    return summary.isAltered ? summary : { ...summary, ...shownAnswer(kept.answer) }
  }

  /** Compares each with the audit trail, which requires reading its whole answer. */
  function* summariesOf(numbers: readonly number[]): Sliced<VerificationSummary[]> {
    const some: VerificationSummary[] = []
    for (const number of numbers) {
      const kept = table.byNumber(number)
      if (kept) some.push(summaryOf(kept, table.isAsRecorded(kept)))
      yield
    }
    return some
  }

  return {
    verify,

    /** Reads each answer once, in slices, as answers may be large. */
    async ofDocument(accountId: string, reference: string): Promise<DocumentVerifications> {
      const [newest, ...earlier] = table.ofDocument(accountId, reference, MAX_PER_DOCUMENT)
      const kept = newest === undefined ? undefined : table.byNumber(newest)
      const last = kept && viewOf(kept)
      return {
        ...(last && { last }),
        verifications: [
          ...(kept ? [summaryOf(kept, last?.isAltered !== true)] : []),
          ...(await inSlices(summariesOf(earlier)))
        ],
        total: table.countOfDocument(accountId, reference),
        missing: table.missing(accountId, reference)
      }
    },

    /** Newest first; in slices, as answers may be large. */
    async since(
      accountId: string,
      { since, notValid, search, offset, limit }: DecodedInput<'verifications.list'>
    ): Promise<VerificationList> {
      const args = [accountId, since, notValid ? 1 : 0] as const
      const words = wordsOf(search)
      if (words.length === 0) {
        const verifications = await inSlices(summariesOf(table.since(...args, limit, offset)))
        return { verifications, total: table.countSince(...args) }
      }
      const found = await inSlices(table.search((documentName) => hasWords(documentName, words), ...args))
      return { verifications: await inSlices(summariesOf(found.slice(offset, offset + limit))), total: found.length }
    },

    /** Of documents whose signatures were found invalid, until someone dismisses them or all are found valid. */
    listOpen: (accountId: string, limit: number): VerificationList => ({
      verifications: runToEnd(summariesOf(table.open(accountId, limit))),
      total: table.countOpen(accountId)
    }),

    /** Returns the account of a verification. @throws AppFailure `gone`. */
    accountOf: (id: string): string => table.one(id)?.accountId ?? fail('gone', 'This verification is no longer kept.'),

    /** Dismisses this verification and earlier ones of the same document. */
    dismiss(accountId: string, id: string): void {
      if (table.dismiss({ id, accountId }) === 0) fail('gone', 'This verification is no longer kept.')
      const reference = table.one(id)?.documentReference ?? ''
      changed({ accountId, reference })
    },

    unnotified: table.unnotified,
    /** Marks these as notified. Call before notifying. */
    markNotified(some: readonly UnnotifiedVerification[]): void {
      if (some.length > 0) table.markNotified(Math.max(...some.map(({ number }) => number)))
    },

    /**
     * Returns the newest as a file that people and programs can read.
     * @throws AppFailure `gone` if there is none, or it was altered.
     */
    file(accountId: string, reference: string): { name: string; bytes: Uint8Array } {
      const [newest] = table.ofDocument(accountId, reference, 1)
      const kept = newest === undefined ? undefined : table.byNumber(newest)
      if (!kept) return fail('gone', NONE, { next: 'Verify them, then save the result.' })
      const view = viewOf(kept)
      if (view.isAltered) fail('gone', ALTERED, { next: 'Verify the signatures again.' })
      return fileOf(view, sha256Of(kept))
    }
  }
}

const NONE = 'This document’s signatures haven’t been verified yet.'
const ALTERED = 'The saved verification was changed outside Countersign, so it can’t be relied on.'

function summaryOf(kept: NewVerification, isAsRecorded: boolean): VerificationSummary {
  const {
    id,
    accountId,
    documentReference: reference,
    documentName,
    answeredAt: at,
    ruleId,
    signatures,
    valid,
    notValid
  } = kept
  return {
    id,
    accountId,
    reference,
    documentName,
    at,
    by: ruleId === undefined ? 'person' : 'rule',
    found: { ...defined({ signatures }), valid, notValid },
    ...(!isAsRecorded && { isAltered: true })
  }
}
