/**
 * Verifying a document's signatures (operation 10), and what the service answered each time: evidence that stays, whether or not
 * the document does. An answer and its entry in the audit trail are on the disk together, or neither is.
 */
import type {
  DecodedInput,
  DocumentVerifications,
  VerificationList,
  VerificationSummary,
  VerificationView
} from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { DocumentKey } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { inSlices, type Sliced, wholly } from '../lib/slices.ts'
import { folded, wordsOf } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Db } from '../storage/connection.ts'
import { fileOf, keptAnswer, shownAnswer, tallyOf, wordFor } from './answer.ts'
import {
  type NewVerification,
  openVerificationsTable,
  sha256Of,
  type UntoldVerification,
  type Verification
} from './verifications-table.ts'

export interface VerificationDeps {
  db: Db
  clientOf: (accountId: string) => Promise<Pick<ServiceClient, 'validateSignatures'>>
  note: NoteInAudit
  /** What the document is called; undefined if nobody knows. */
  nameOf: (accountId: string, reference: string) => Promise<string | undefined>
  /** There is another verification of this document, or one was dismissed. */
  changed: (document: DocumentKey) => void
  newId: () => string
  time: Pick<Time, 'now'>
}

/** A rule that asks. */
export interface AskedByRule {
  ruleId: string
  documentName: string
  /** Written on the disk together with the answer. */
  along: () => void
  /** Asked once the service has answered: whether that still counts. */
  mayKeep: () => boolean
  signal: AbortSignal
}

const MOST_OF_DOCUMENT = 100

export type Verifications = ReturnType<typeof openVerifications>

export function openVerifications({ db, clientOf, note, nameOf, changed, newId, time }: VerificationDeps) {
  const table = openVerificationsTable(db)

  /** @throws the database's error where there is no room for it: then it is no verification. */
  function keep(kept: NewVerification, along?: () => void): void {
    const { id, accountId, documentReference, documentName, ruleId } = kept
    const found = wordFor(summaryOf(kept, true).found)
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
      along?.()
    })
    changed({ accountId, reference: documentReference })
  }

  /**
   * Asks the service, and keeps what it answers.
   * @param rule absent where a person asks.
   * @throws ServiceError `not-found` also where the document was removed under the retention policy; AppFailure `too-large`,
   *   and `cancelled` where a rule's answer no longer counts.
   */
  async function verify(accountId: string, reference: string, rule?: AskedByRule): Promise<VerificationView> {
    const known = rule?.documentName ?? (await nameOf(accountId, reference).catch(() => undefined))
    const client = await clientOf(accountId)
    const askedAt = time.now()
    const result = await client.validateSignatures(reference, rule && { signal: rule.signal })
    if (rule?.mayKeep() === false) fail('cancelled', 'The answer came too late to be kept.')
    const kept = {
      ...{ id: newId(), accountId, askedAt, answeredAt: time.now(), ruleId: rule?.ruleId, signatures: undefined },
      // As the database gives it back: half a character of two is no text for it, and would make another hash.
      documentReference: reference.toWellFormed(),
      documentName: (known ?? result.DocumentName ?? reference).toWellFormed(),
      ...tallyOf(result),
      answer: keptAnswer(result)
    }
    keep(kept, rule?.along)
    return { ...summaryOf(kept, true), ...shownAnswer(kept.answer) }
  }

  function shown(kept: Verification): VerificationView {
    const summary = summaryOf(kept, table.isAsRecorded(kept))
    return summary.isAltered ? summary : { ...summary, ...shownAnswer(kept.answer) }
  }

  /** Each is compared with the trail, for which its whole answer is read. */
  function* listed(numbers: readonly number[]): Sliced<VerificationSummary[]> {
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

    ofDocument(accountId: string, reference: string): DocumentVerifications {
      const some = table.ofDocument(accountId, reference, MOST_OF_DOCUMENT)
      const newest = some[0] === undefined ? undefined : table.byNumber(some[0])
      return {
        ...(newest && { last: shown(newest) }),
        verifications: wholly(listed(some)),
        total: table.countOfDocument(accountId, reference),
        missing: table.missing(accountId, reference)
      }
    },

    /** Newest first; with pauses, as answers may be large. */
    async since(
      accountId: string,
      { since, notValid, search, offset, limit }: DecodedInput<'verifications.list'>
    ): Promise<VerificationList> {
      const asked = [accountId, since, notValid ? 1 : 0] as const
      const words = wordsOf(search)
      if (words.length === 0) {
        const verifications = await inSlices(listed(table.since(...asked, limit, offset)))
        return { verifications, total: table.countSince(...asked) }
      }
      const isMeant = (documentName: string) => {
        const name = folded(documentName)
        return words.every((word) => name.includes(word))
      }
      const found = await inSlices(table.search(isMeant, ...asked))
      return { verifications: await inSlices(listed(found.slice(offset, offset + limit))), total: found.length }
    },

    /** Of documents whose signatures were found not valid, until someone dismisses them or all are found valid. */
    open: (accountId: string, limit: number): VerificationList => ({
      verifications: wholly(listed(table.open(accountId, limit))),
      total: table.countOpen(accountId)
    }),

    /** Which account it belongs to. @throws AppFailure `gone`. */
    accountOf: (id: string): string => table.one(id)?.accountId ?? fail('gone', 'This verification is no longer kept.'),

    /** Nobody has to look any more at this one, or at those of its document before it. */
    dismiss(accountId: string, id: string): void {
      if (table.dismiss({ id, accountId }) === 0) fail('gone', 'This verification is no longer kept.')
      const reference = table.one(id)?.documentReference ?? ''
      changed({ accountId, reference })
    },

    untold: table.untold,
    /** These are told from now on; to be called before they are. */
    told(some: readonly UntoldVerification[]): void {
      if (some.length > 0) table.told(Math.max(...some.map(({ number }) => number)))
    },

    /** The newest as a file that people and programs can read. @throws AppFailure `gone` where there is none, or it was altered. */
    file(accountId: string, reference: string): { name: string; bytes: Uint8Array } {
      const [newest] = table.ofDocument(accountId, reference, 1)
      const kept = newest === undefined ? undefined : table.byNumber(newest)
      if (!kept) return fail('gone', NONE, { next: 'Verify them, then save the result.' })
      const view = shown(kept)
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
    ...{ id, accountId, reference, documentName, at, by: ruleId === undefined ? 'person' : 'rule' },
    found: { ...defined({ signatures }), valid, notValid },
    ...(!isAsRecorded && { isAltered: true })
  }
}
