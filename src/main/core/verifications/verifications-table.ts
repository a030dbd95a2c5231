/**
 * The stored verifications, each with its hash in the audit trail. They are immutable except for whether staff were
 * notified and whether someone dismissed it; changes from outside are detected.
 */
import { createHash } from 'node:crypto'
import { optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Sliced } from '../lib/slices.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

export type Verification = RecordOf<typeof VERIFICATIONS>
export type NewVerification = Omit<Verification, 'number'>

const VERIFICATIONS = new Rows({
  number: value<number>(),
  id: value<string>(),
  accountId: value<string>(),
  documentReference: value<string>(),
  documentName: value<string>(),
  /** When the request was sent, and when it was answered; milliseconds since 1970 UTC. */
  askedAt: value<number>(),
  answeredAt: value<number>(),
  /** The rule that requested it; undefined for a person. */
  ruleId: optional(value<string>()),
  signatures: optional(value<number>()),
  valid: value<number>(),
  notValid: value<number>(),
  /** As made by `storedAnswer`. */
  answer: value<string>()
})

/** A notification still to be shown: a rule found invalid signatures. */
export interface UnnotifiedVerification {
  accountId: string
  reference: string
  documentName: string
  signatures: number
  notValid: number
  /** See `markNotified`, which takes the last of these. */
  number: number
}

/**
 * Serialises a verification as one line of JSON: its members in this order, null for missing ones. Any difference shows
 * here.
 */
function textOf(kept: NewVerification): string {
  return JSON.stringify([
    kept.id,
    kept.accountId,
    kept.documentReference,
    kept.documentName,
    kept.askedAt,
    kept.answeredAt,
    kept.ruleId ?? null,
    kept.signatures ?? null,
    kept.valid,
    kept.notValid,
    kept.answer
  ])
}

/** Returns the hash in hexadecimal. */
export function sha256Of(kept: NewVerification): string {
  return createHash('sha256').update(textOf(kept), 'utf8').digest('hex')
}

/** How many rows a search examines at a time. */
const BATCH_SIZE = 500

/** Superseded by later, more conclusive ones: another invalid one replaces it, and a completely valid one closes it. */
const IS_OPEN = `account_id = ? AND not_valid > 0 AND is_dismissed = 0 AND NOT EXISTS (
  SELECT 1 FROM verifications AS later WHERE later.account_id = verifications.account_id
    AND later.document_reference = verifications.document_reference AND later.number > verifications.number
    AND (later.not_valid > 0 OR (later.signatures > 0 AND later.valid = later.signatures)))`

export function openVerificationsTable(db: Db) {
  const table = new TableStatements(db, 'verifications', VERIFICATIONS)
  const insert = table.run<[kept: object]>(
    `INSERT INTO verifications (id, account_id, document_reference, document_name, asked_at, answered_at, rule_id, signatures,
       valid, not_valid, is_notified, answer)
     VALUES (@id, @accountId, @documentReference, @documentName, @askedAt, @answeredAt, @ruleId, @signatures, @valid,
       @notValid, @isNotified, @answer)`
  )
  const counts = {
    ofDocument: table.value<[accountId: string, reference: string], number>(
      'SELECT count(*) FROM verifications WHERE account_id = ? AND document_reference = ?'
    ),
    since: table.value<[accountId: string, since: number, notValid: number], number>(
      'SELECT count(*) FROM verifications WHERE account_id = ? AND answered_at >= ? AND not_valid >= ?'
    ),
    open: table.value<[accountId: string], number>(`SELECT count(*) FROM verifications WHERE ${IS_OPEN}`)
  }
  const recorded = db.prepare<[reference: string], { id: unknown; accountId: unknown; at: number }>(
    `SELECT detail ->> '$.verification' AS id, detail ->> '$.accountId' AS accountId, at
     FROM audit INDEXED BY audit_verifications WHERE what = 'signatures-verified' AND document_reference = ?`
  )
  const recordedHashes = table.values<[reference: string, id: string], unknown>(
    `SELECT detail ->> '$.sha256' FROM audit INDEXED BY audit_verifications
     WHERE what = 'signatures-verified' AND document_reference = ? AND detail ->> '$.verification' = ?`
  )
  const searchBatch = db.prepare<
    [accountId: string, since: number, notValid: number, before: number, number: number],
    { number: number; at: number; documentName: string }
  >(
    `SELECT number, answered_at AS at, document_name AS documentName FROM verifications INDEXED BY verifications_by_time
     WHERE account_id = ? AND answered_at >= ? AND not_valid >= ? AND (answered_at, number) < (?, ?)
     ORDER BY answered_at DESC, number DESC LIMIT ${BATCH_SIZE}`
  )
  const unreported = db.prepare<[], UnnotifiedVerification>(
    `SELECT account_id AS accountId, document_reference AS reference, document_name AS documentName,
       coalesce(signatures, 0) AS signatures, not_valid AS notValid, number
     FROM verifications WHERE is_notified = 0 ORDER BY number`
  )
  const purgedBefore = table.value<[], string | null>(
    `SELECT max(detail ->> '$.verificationsBefore') FROM audit INDEXED BY audit_purges WHERE what = 'data-purged'`
  )
  const exists = table.value<[id: string], 1>('SELECT 1 FROM verifications WHERE id = ?')

  return {
    /** @param isNews whether it is still to be notified. */
    add: (kept: NewVerification, isNews: boolean): void =>
      void insert({ ...VERIFICATIONS.write(kept), isNotified: isNews ? 0 : 1 }),

    one: table.one<[id: string]>('WHERE id = ?'),
    byNumber: table.one<[number: number]>('WHERE number = ?'),

    /** Returns numbers, like everything below: answers may be large, so only one at a time is loaded. Newest first. */
    ofDocument: table.values<[accountId: string, reference: string, limit: number], number>(
      'SELECT number FROM verifications WHERE account_id = ? AND document_reference = ? ORDER BY number DESC LIMIT ?'
    ),
    countOfDocument: (accountId: string, reference: string): number => counts.ofDocument(accountId, reference) ?? 0,

    /** Newest first. @param notValid minimum number of invalid signatures. */
    since: table.values<[accountId: string, since: number, notValid: number, limit: number, offset: number], number>(
      `SELECT number FROM verifications WHERE account_id = ? AND answered_at >= ? AND not_valid >= ?
       ORDER BY answered_at DESC, number DESC LIMIT ? OFFSET ?`
    ),
    countSince: (...args: [accountId: string, since: number, notValid: number]): number => counts.since(...args) ?? 0,

    /** Like `since`, but returns all whose document name matches. */
    *search(
      matchesName: (documentName: string) => boolean,
      ...args: [accountId: string, since: number, notValid: number]
    ): Sliced<number[]> {
      const found: number[] = []
      let last = { at: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER }
      for (;;) {
        const rows = searchBatch.all(...args, last.at, last.number)
        for (const { number, documentName } of rows) if (matchesName(documentName)) found.push(number)
        last = rows.at(-1) ?? last
        if (rows.length < BATCH_SIZE) return found
        yield
      }
    },

    /** Invalid, the latest conclusive ones of their documents, and not dismissed. */
    open: table.values<[accountId: string, limit: number], number>(
      `SELECT number FROM verifications WHERE ${IS_OPEN} ORDER BY number DESC LIMIT ?`
    ),
    countOpen: (accountId: string): number => counts.open(accountId) ?? 0,

    dismiss: table.run<[{ id: string; accountId: string }]>(
      `UPDATE verifications SET is_dismissed = 1, is_notified = 1 WHERE (account_id, document_reference) = (SELECT account_id,
         document_reference FROM verifications WHERE id = @id AND account_id = @accountId)
       AND number <= (SELECT number FROM verifications WHERE id = @id)`
    ),

    /** Oldest first. */
    unnotified: (): UnnotifiedVerification[] => unreported.all(),
    markNotified: table.run<[last: number]>(
      'UPDATE verifications SET is_notified = 1 WHERE is_notified = 0 AND number <= ?'
    ),

    /** Whether it matches the audit trail. */
    isAsRecorded: (kept: Verification): boolean =>
      recordedHashes(kept.documentReference, kept.id).includes(sha256Of(kept)),

    /**
     * Counts a document's verifications that the audit trail names but that are missing, under whatever document,
     * although it records no purge of them.
     */
    missing(accountId: string, reference: string): number {
      const purged = Date.parse(purgedBefore() ?? '') || 0
      const mine = recorded.all(reference).filter((one) => one.accountId === accountId && one.at >= purged)
      return mine.filter(({ id }) => exists(String(id)) !== 1).length
    }
  }
}
