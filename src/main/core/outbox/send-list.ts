/**
 * Queries for sends that stay fast however many there are: pages and counts, which screens ask for repeatedly, and the
 * sends waiting to leave, in order: single sends before batches, each oldest first.
 */
import type { EarlierSend, OutboxReleases, SendCounts, SendState } from '../../../shared/contract/index.ts'
import { HELD_OR_SENT_STATES } from '../drafts/draft-rows.ts'
import { searchQueryOf } from '../drafts/words.ts'
import { DAY } from '../lib/calendar.ts'
import { flag, optional, type Row, Rows, value } from '../lib/rows.ts'
import { nextTurn } from '../lib/slices.ts'
import type { Db } from '../storage/connection.ts'
import { Statements, TableStatements } from '../storage/statements.ts'
import type { WaitingSend } from './pauses.ts'
import { NEVER } from './releases.ts'
import { SENDS, type Send } from './send-record.ts'
import { UNDECIDED } from './sends.ts'

/** How long a package counts as already sent, for finding duplicates. */
const RECENT = 30 * DAY

export interface SendQuery {
  show: 'all' | 'attention' | 'waiting' | 'sent'
  batchId?: string | undefined
  offset: number
  limit: number
}

export interface SendPage {
  sends: Send[]
  /** How many match, on all pages. */
  total: number
}

const WAITING = new Rows<WaitingSend>({
  id: value(),
  batchId: optional(value()),
  isScheduled: flag(),
  goesAt: value()
})

type UndoWindow = Pick<Send, 'id' | 'accountId' | 'goesAt'>

const STATES_OF: Record<SendQuery['show'], readonly SendState[]> = {
  all: ['ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled'],
  attention: ['refused', 'uncertain', 'not-sent'],
  waiting: ['ready', 'sending'],
  sent: ['sent']
}

/**
 * Single sends that need someone although they are ready: they await a release, or were refused one. Their time never
 * comes, so the index of ready sends finds them without going through the others.
 */
const HELD_FOR_RELEASE = `state = 'ready' AND batch_id IS NULL AND goes_at >= ${NEVER} AND release IS NOT NULL
  AND json_extract(release, '$.released') IS NULL`

/** How many sends a search reads at a time, and how long it blocks the main thread, in milliseconds. */
const SEARCH_CHUNK = 2_000
const SLICE_MS = 4

export class SendQueries {
  readonly #db: Db
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: Db) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** Counts all that was ever put in the outbox of an account, or only those of one batch. */
  counts(accountId: string, batchId?: string): SendCounts {
    const rows = batchId === undefined ? this.#sql.ofAccount.all(accountId) : this.#sql.ofBatch.all(accountId, batchId)
    const of = (state: SendState) => rows.find((row) => row.state === state)?.count ?? 0
    return {
      ready: of('ready'),
      sending: of('sending'),
      sent: of('sent'),
      refused: of('refused'),
      uncertain: of('uncertain'),
      notSent: of('not-sent'),
      cancelled: of('cancelled')
    }
  }

  /** Counts what needs someone's release, or was refused it; undefined if nothing is. */
  releases(accountId: string): OutboxReleases | undefined {
    const { single, refused } = this.#sql.releases.get(accountId) ?? { single: 0, refused: 0 }
    const undecided = single - refused + (this.#sql.batchesToRelease(accountId) ?? 0)
    return undecided + refused > 0 ? { undecided, refused } : undefined
  }

  /** Counts the waiting, in-flight and uncertain sends of all accounts. */
  pending(): { ready: number; sending: number; uncertain: number } {
    const count = (state: SendState) => this.#sql.countOfAll(state) ?? 0
    return { ready: count('ready'), sending: count('sending'), uncertain: count('uncertain') }
  }

  /** Returns one page of the accounts' sends combined, newest first; rows of a batch are in sheet order. */
  page(accountIds: readonly string[], { show, batchId, offset, limit }: SendQuery): SendPage {
    const index = batchId !== undefined ? 'sends_by_batch' : show === 'all' ? 'sends_by_account' : 'sends_by_state'
    const order = batchId === undefined ? 'created_at DESC, sheet_row, number DESC' : 'sheet_row, number'
    // The index already orders sends of one account and state, so SQLite only merges them and sorts nothing.
    const withHeld = includesHeld(show, batchId)
    const filters = accountIds.flatMap((accountId) => [
      ...(index === 'sends_by_state'
        ? STATES_OF[show].map((state) => ({ index, where: 'account_id = ? AND state = ?', values: [accountId, state] }))
        : [{ index, ...filterOf(accountId, show, batchId) }]),
      ...(withHeld
        ? [{ index: 'sends_ready', where: `account_id = ? AND ${HELD_FOR_RELEASE}`, values: [accountId] }]
        : [])
    ])
    const each = filters.map(
      ({ index, where }) => `SELECT ${SENDS.columns} FROM sends INDEXED BY ${index} WHERE ${where}`
    )
    const rows = this.#db
      .prepare<unknown[], Row>(`${each.join(' UNION ALL ')} ORDER BY ${order} LIMIT ? OFFSET ?`)
      .all(...filters.flatMap(({ values }) => values), limit, offset)
    const totals = accountIds.map(
      (accountId) =>
        totalOf(this.counts(accountId, batchId), STATES_OF[show]) +
        (withHeld ? (this.#sql.releases.get(accountId)?.single ?? 0) : 0)
    )
    return { sends: rows.map(SENDS.read), total: totals.reduce((sum, total) => sum + total, 0) }
  }

  /** Works as `page`, for sends where each word of `search` begins a word of the title or a signer's name. */
  async search(
    accountIds: readonly string[],
    search: string,
    { show, batchId, offset, limit }: SendQuery
  ): Promise<SendPage> {
    const question = searchQueryOf(search)
    if (question === undefined) return { sends: [], total: 0 }
    const { where, values } = filterOf(accountIds, show, batchId)
    const searchChunk = this.#db
      .prepare<unknown[], number>(
        `SELECT number FROM send_words CROSS JOIN sends ON number = send_words.rowid
         WHERE send_words MATCH ? AND send_words.rowid BETWEEN ? AND ? AND ${where} ORDER BY send_words.rowid DESC`
      )
      .pluck()
    const found: number[] = []
    let began = performance.now()
    for (let to = this.#sql.last() ?? 0; to > 0; to -= SEARCH_CHUNK) {
      found.push(...searchChunk.all(question, to - SEARCH_CHUNK + 1, to, ...values))
      if (performance.now() - began < SLICE_MS) continue
      await nextTurn()
      began = performance.now()
    }
    const rows = found.slice(offset, offset + limit).flatMap((number) => this.#sql.one(number) ?? [])
    return { sends: rows, total: found.length }
  }

  /** Returns when recent packages were sent, or may have been, by fingerprint (see fingerprintOf). */
  recent(accountId: string, now: number): Map<string, number> {
    const found = new Map<string, number>()
    for (const { fingerprint, at } of this.#sql.recent.all(accountId, now - RECENT)) {
      if (at > (found.get(fingerprint) ?? 0)) found.set(fingerprint, at)
    }
    return found
  }

  /** Returns the newest recent send of the same package that was sent, may have been, or will be. */
  lastSame(accountId: string, now: number, fingerprint: string): EarlierSend | undefined {
    return this.#sql.lastSame.get(accountId, now - RECENT, fingerprint)
  }

  accountsWaiting(): string[] {
    return this.#sql.accountsWaiting()
  }

  /** Yields the waiting single sends, then the first row of each running batch. Finish reading before writing. */
  *waiting(accountId: string): Generator<WaitingSend, void, void> {
    for (const row of this.#sql.singles.iterate(accountId)) yield WAITING.read(row)
    for (const batchId of this.#sql.batches(accountId)) {
      const row = this.#sql.nextRow(accountId, batchId)
      if (row) yield row
    }
  }

  /** Returns single sends, and batches, that an earlier run left in their undo window. */
  inUndoWindow(now: number): UndoWindow[] {
    return this.#sql.inUndoWindow.all({ now })
  }
}

/** Sends that need a release don't leave without it, whatever their time. */
const MAY_LEAVE = `(release IS NULL OR json_extract(release, '$.released') IS NOT NULL)`

function statementsOf(db: Db) {
  const statements = new Statements(db)
  return {
    ofAccount: db.prepare<[string], { state: SendState; count: number }>(
      'SELECT state, sum(count) AS count FROM send_counts WHERE account_id = ? GROUP BY state'
    ),
    ofBatch: db.prepare<[string, string], { state: SendState; count: number }>(
      'SELECT state, count FROM send_counts WHERE account_id = ? AND batch_id = ?'
    ),
    releases: db.prepare<[string], { single: number; refused: number }>(
      `SELECT count(*) AS single, count(json_extract(release, '$.refused')) AS refused
       FROM sends INDEXED BY sends_ready WHERE account_id = ? AND ${HELD_FOR_RELEASE}`
    ),
    batchesToRelease: statements.value<[accountId: string], number>(
      `SELECT count(*) FROM send_counts JOIN batches ON batches.id = send_counts.batch_id
       WHERE send_counts.account_id = ? AND send_counts.state = 'ready' AND send_counts.count > 0
         AND batches.state = 'going' AND EXISTS (
           SELECT 1 FROM sends INDEXED BY sends_to_release
           WHERE sends.batch_id = batches.id AND sends.state = 'ready' AND ${UNDECIDED})`
    ),
    // Incomplete batches never leave, so they don't count.
    countOfAll: statements.value<[state: SendState], number>(
      `SELECT coalesce(sum(count), 0) FROM send_counts LEFT JOIN batches ON batches.id = send_counts.batch_id
       WHERE send_counts.state = ? AND coalesce(batches.state, '') <> 'preparing'`
    ),
    recent: db.prepare<[string, number], { fingerprint: string; at: number }>(
      `SELECT fingerprint, coalesce(settled_at, attempted_at, created_at) AS at FROM sends
       WHERE account_id = ? AND created_at >= ? AND state IN ${HELD_OR_SENT_STATES}`
    ),
    lastSame: db.prepare<[string, number, string], EarlierSend>(
      `SELECT state, coalesce(attempted_at, created_at) AS at FROM sends
       WHERE account_id = ? AND created_at >= ? AND fingerprint = ? AND state IN ${HELD_OR_SENT_STATES}
       ORDER BY at DESC LIMIT 1`
    ),
    last: statements.value<[], number>('SELECT max(number) FROM sends'),
    one: new TableStatements(db, 'sends', SENDS).one<[number: number]>('WHERE number = ?'),
    accountsWaiting: statements.values<[], string>(
      `SELECT DISTINCT account_id FROM send_counts WHERE state = 'ready' AND count > 0`
    ),
    singles: db.prepare<[string], Row>(
      `SELECT ${WAITING.columns} FROM sends INDEXED BY sends_ready
       WHERE account_id = ? AND batch_id IS NULL AND state = 'ready' AND ${MAY_LEAVE} ORDER BY goes_at, sheet_row, number`
    ),
    batches: statements.values<[accountId: string], string>(
      `SELECT batches.id FROM send_counts CROSS JOIN batches ON batches.id = send_counts.batch_id
       WHERE send_counts.account_id = ? AND send_counts.state = 'ready' AND send_counts.count > 0
         AND batches.state = 'going' AND batches.is_paused = 0
       ORDER BY batches.created_at, batches.number`
    ),
    nextRow: new TableStatements(db, 'sends', WAITING).one<[accountId: string, batchId: string]>(
      `INDEXED BY sends_ready
       WHERE account_id = ? AND batch_id = ? AND state = 'ready' AND ${MAY_LEAVE} ORDER BY goes_at, sheet_row, number LIMIT 1`
    ),
    inUndoWindow: db.prepare<[{ now: number }], UndoWindow>(
      `SELECT id, account_id AS accountId, goes_at AS goesAt FROM sends
       WHERE state = 'ready' AND batch_id IS NULL AND is_scheduled = 0 AND goes_at > @now
       UNION ALL SELECT id, account_id, goes_at FROM batches WHERE state = 'going' AND goes_at > @now`
    )
  }
}

/** Whether a list includes single sends held for a release. A batch is released as a whole. */
function includesHeld(show: SendQuery['show'], batchId: string | undefined): boolean {
  return show === 'attention' && batchId === undefined
}

/** @param accounts one account, or several, whose sends are then in no index order. */
function filterOf(accounts: string | readonly string[], show: SendQuery['show'], batchId: string | undefined) {
  const states = STATES_OF[show].map((state) => `'${state}'`).join(', ')
  const where = [
    typeof accounts === 'string' ? 'account_id = ?' : 'account_id IN (SELECT value FROM json_each(?))',
    ...(batchId === undefined ? [] : ['batch_id = ?']),
    ...(show === 'all'
      ? []
      : [includesHeld(show, batchId) ? `(state IN (${states}) OR ${HELD_FOR_RELEASE})` : `state IN (${states})`])
  ].join(' AND ')
  return {
    where,
    values: [
      typeof accounts === 'string' ? accounts : JSON.stringify(accounts),
      ...(batchId === undefined ? [] : [batchId])
    ]
  }
}

function totalOf(counts: SendCounts, states: readonly SendState[]): number {
  const of = (state: SendState) => counts[state === 'not-sent' ? 'notSent' : state]
  return states.reduce((total, state) => total + of(state), 0)
}
