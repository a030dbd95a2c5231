/**
 * Local storage for sends that an office shares: which accounts are shared, how far the office's changes were read, and
 * what the office has of each send.
 */
import { json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { OfficeSendState, SentContent } from '../office/send-store.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import type { Outcome } from './attempts.ts'

const ACCOUNTS = new Rows({
  accountId: value<string>(),
  /** Its id at the office, the same at each workstation. */
  officeId: value<string>(),
  /** The last of the office's changes that is stored here. */
  cursor: value<number>()
})

/** What the office is known to have of a send. */
const KNOWN = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  state: value<OfficeSendState>(),
  /** How often it was pushed or taken back. */
  revision: value<number>(),
  /** The epoch of its newest claim. */
  epoch: value<number>(),
  /** As it was pushed: see `Send`. */
  goesAt: value<number>(),
  /** See `Send`. Only of a send that retention has erased here, which a trigger records. */
  sentDraft: optional(value<string>()),
  sentContent: optional(json<SentContent>())
})

/** The result of an attempt made here, until the office has it. */
const RESULTS = new Rows({
  id: value<string>(),
  epoch: value<number>(),
  accountId: value<string>(),
  outcome: json<Outcome>(),
  at: value<number>()
})

export type KnownSend = RecordOf<typeof KNOWN>
type Synced = Omit<KnownSend, 'sentDraft' | 'sentContent'>
export type KeptResult = RecordOf<typeof RESULTS>

export function openSharedRows(db: Db) {
  const accounts = new TableStatements(db, 'office_accounts', ACCOUNTS)
  const known = new TableStatements(db, 'office_sends', KNOWN)
  const resultTable = new TableStatements(db, 'office_results', RESULTS)
  const keep = known.run<[known: object]>(
    `INSERT INTO office_sends (id, account_id, state, revision, epoch, goes_at)
     VALUES (@id, @accountId, @state, @revision, @epoch, @goesAt)
     ON CONFLICT (id) DO UPDATE SET state = @state, revision = @revision, epoch = @epoch, goes_at = @goesAt`
  )
  const insertResult = resultTable.run<[end: object]>(
    `INSERT INTO office_results (id, epoch, account_id, outcome, at) VALUES (@id, @epoch, @accountId, @outcome, @at)
     ON CONFLICT (id, epoch) DO NOTHING`
  )
  const find = known.one<[id: string]>('WHERE id = ?')
  const oldestResults = resultTable.all<[accountId: string, limit: number]>('WHERE account_id = ? ORDER BY at LIMIT ?')
  const resultsOf = resultTable.all<[id: string]>('WHERE id = ?')
  const anyInFlight = resultTable.value<[accountId: string, same: string], number>(
    `SELECT 1 FROM office_results WHERE account_id = ?
     UNION ALL SELECT 1 FROM office_sends JOIN sends USING (id)
       WHERE office_sends.account_id = ? AND office_sends.state = 'sending' AND workstation IS NULL LIMIT 1`
  )
  const officesDraft = `draft_id IN (SELECT id FROM office_drafts WHERE is_mine = 0 AND (revision > 0 OR based_on <> '[]'))`
  const staysBehind = known.values<[object], string>(
    `SELECT sends.id FROM sends LEFT JOIN office_sends its USING (id) WHERE sends.account_id = @accountId AND (
       (sends.state IN ('ready', 'sending', 'uncertain') AND its.state <> 'cancelled'
         AND (@isUnasked OR (its.state <> 'held' AND workstation IS NULL)))
       OR (sends.state IN ('ready', 'uncertain') AND workstation IS NULL AND ${officesDraft})
       OR (sends.state IN ('refused', 'not-sent') AND workstation IS NULL AND (its.state NOT IN ('cancelled', 'held') OR ${officesDraft})))`
  )
  const sending = known.value<[accountId: string], number>(
    `SELECT count(*) FROM office_sends WHERE account_id = ? AND state = 'sending'`
  )
  const anyLacking = known.value<[accountId: string], number>(
    `SELECT 1 FROM sends LEFT JOIN office_sends its USING (id) WHERE sends.account_id = ? AND workstation IS NULL
       AND sends.state IN ('ready', 'uncertain') AND its.id IS NULL AND ${officesDraft} LIMIT 1`
  )
  const pushable =
    'sends LEFT JOIN batches ON batches.id = sends.batch_id LEFT JOIN office_sends its ON its.id = sends.id'
  const isReadyToPush = `sends.state = 'ready'
    AND (sends.batch_id IS NULL OR (batches.state = 'going' AND batches.is_paused = 0))
    AND (its.id IS NULL OR its.state IN ('held', 'cancelled', 'refused', 'not-sent')
      OR (its.state = 'ready' AND its.goes_at <> sends.goes_at))`
  const isUncertainToPush = `sends.state = 'uncertain' AND workstation IS NULL AND (its.id IS NULL OR its.state = 'held')`
  const anyToPush = known.value<[id: string], number>(
    `SELECT 1 FROM ${pushable} WHERE sends.id = ? AND (${isReadyToPush} OR (${isUncertainToPush}))`
  )
  return {
    accounts: accounts.all<[]>(''),
    account: accounts.one<[accountId: string]>('WHERE account_id = ?'),
    share: accounts.run<[accountId: string, officeId: string]>(
      `INSERT INTO office_accounts (account_id, office_id, cursor) VALUES (?, ?, 0)
       ON CONFLICT (account_id) DO UPDATE SET office_id = excluded.office_id, cursor = 0`
    ),
    setCursor: accounts.run<[cursor: number, accountId: string]>(
      'UPDATE office_accounts SET cursor = ? WHERE account_id = ?'
    ),

    find,
    keep: (row: Synced): void => void keep(KNOWN.write(row)),
    change(accountId: string, id: string, change: Partial<Synced>): void {
      const before = find(id) ?? { state: 'ready', revision: 1, epoch: 0, goesAt: 0 }
      keep(KNOWN.write({ ...before, id, accountId, ...change }))
    },

    /** Ids of all sends that the office is known to have, or to have had. */
    all: known.values<[accountId: string], string>('SELECT id FROM office_sends WHERE account_id = ?'),
    /** Forgets a send, as if the office had never had it. */
    erase: known.run<[id: string]>('DELETE FROM office_sends WHERE id = ?'),

    results: (accountId: string, limit = -1): KeptResult[] => oldestResults(accountId, limit),
    keepResult: (end: KeptResult): void => void insertResult(RESULTS.write(end)),
    /** Flushes the account's results to disk, including those written without a flush. */
    flushResults: resultTable.run<[accountId: string]>('UPDATE office_results SET at = at WHERE account_id = ?'),
    outcomesOf: (id: string): Outcome[] => resultsOf(id).map(({ outcome }) => outcome),
    dropResult: resultTable.run<[id: string, epoch: number]>('DELETE FROM office_results WHERE id = ? AND epoch = ?'),

    /**
     * Ids of our ready sends that the office lacks, or has with another time. Sends of batches that are being stored or
     * paused stay here.
     */
    toPush: known.values<[accountId: string, limit: number], string>(
      `SELECT sends.id FROM ${pushable} WHERE sends.account_id = ? AND ${isReadyToPush}
       ORDER BY sends.goes_at, sends.sheet_row, sends.number LIMIT ?`
    ),

    /** Ids of our sends that may have arrived and that the office lacks, or has as held: nobody else protects their draft. */
    uncertainToPush: known.values<[accountId: string], string>(
      `SELECT sends.id FROM ${pushable} WHERE sends.account_id = ? AND ${isUncertainToPush} ORDER BY sends.number`
    ),

    /** Whether one of these two still lists the send. */
    isToPush: (id: string): boolean => anyToPush(id) !== undefined,

    /** Ids of sends that the office would still send, or let others retry, and that must not leave any more. */
    toWithhold: known.values<[accountId: string, limit: number], string>(
      `SELECT its.id FROM office_sends its LEFT JOIN sends ON sends.id = its.id LEFT JOIN batches ON batches.id = sends.batch_id
       WHERE its.account_id = ? AND its.state IN ('ready', 'refused', 'not-sent')
         AND ((sends.id IS NULL AND its.state = 'ready') OR sends.state = 'cancelled'
           OR (its.state = 'ready' AND sends.state = 'ready' AND (batches.is_paused = 1 OR batches.state = 'cancelled')))
       LIMIT ?`
    ),

    /** How many sends are in flight in the whole office, as far as was read. */
    sending: (accountId: string): number => sending(accountId) ?? 0,

    /** Whether a send of the account may have arrived, so that looks are needed. */
    anyUncertain: known.value<[accountId: string], number>(
      `SELECT 1 FROM office_sends WHERE account_id = ? AND state = 'uncertain' LIMIT 1`
    ),

    /** Ids of sends that were shown here to have arrived or not, of which the office wasn't told. */
    concludedUntold: known.values<[accountId: string], string>(
      `SELECT its.id FROM office_sends its JOIN sends ON sends.id = its.id WHERE its.account_id = ?
         AND ((its.state = 'uncertain' AND sends.state NOT IN ('uncertain', 'sending')) OR (its.state = 'not-sent' AND sends.state = 'sent'))`
    ),

    /** Sends that arrived but are held by this workstation according to the office. */
    heldAndSent: known.all<[accountId: string]>(
      `WHERE account_id = ? AND state = 'held' AND EXISTS (SELECT 1 FROM sends WHERE id = office_sends.id AND state = 'sent')`
    ),

    /** Sends that arrived, of whose draft the office has another package that may still leave. */
    sentBefore: db.prepare<[accountId: string], { draft: string; send: string }>(
      `SELECT other.draft_id AS draft, mine.id AS send FROM office_sends its JOIN sends other ON other.id = its.id
         JOIN sends mine ON mine.id <> other.id
           AND (mine.draft_id = other.draft_id OR (mine.draft_id IS NULL AND mine.sent_draft = other.draft_id))
       WHERE its.account_id = ? AND its.state IN ('ready', 'uncertain') AND mine.state = 'sent'`
    ),

    /** Whether a result from here isn't told yet, or one of our sends is in flight. */
    hasInFlight: (accountId: string): boolean => anyInFlight(accountId, accountId) !== undefined,

    /**
     * Ids of sends here that the office has to send or retry, or whose draft it has. Sends held by this workstation are
     * its own, unless the server isn't asked.
     */
    staysBehind: (accountId: string, isUnasked: boolean): string[] =>
      staysBehind({ accountId, isUnasked: isUnasked ? 1 : 0 }),

    /** Whether a send here of the office's draft is not known there yet. */
    officeLacksSendOfItsDraft: (accountId: string): boolean => anyLacking(accountId) !== undefined,

    /** Stops sharing the account. Other workstations' unfinished sends belong to them alone. */
    forget: db.transaction((accountId: string): void => {
      for (const sql of [
        `DELETE FROM sends WHERE account_id = ? AND workstation IS NOT NULL AND state IN ('ready', 'sending', 'uncertain')`,
        'DELETE FROM office_sends WHERE account_id = ?',
        'DELETE FROM office_results WHERE account_id = ?',
        'DELETE FROM office_accounts WHERE account_id = ?'
      ]) {
        db.prepare(sql).run(accountId)
      }
    })
  }
}
