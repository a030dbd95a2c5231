/** What waits to leave, in the order in which it leaves: single sends before batches, and each of them oldest first. */
import type { Db } from '../storage/connection.ts'
import type { Waits } from './send-times.ts'

/** As much of a ready send as decides whether it may leave. */
export interface Waiting extends Waits {
  readonly number: number
}

interface WaitingRow {
  number: number
  id: string
  is_scheduled: 0 | 1
  goes_at: number
}

export class Queue {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: Db) {
    this.#sql = statementsOf(db)
  }

  /** Accounts with anything that waits. */
  accounts(): string[] {
    return this.#sql.accounts.all()
  }

  /** The single sends of an account that wait, then the first row of each batch that goes. Stop reading before writing. */
  *waiting(accountId: string): Generator<Waiting, void, void> {
    for (const row of this.#sql.singles.iterate(accountId)) yield waitingOf(row, undefined)
    for (const batchId of this.#sql.batches.all(accountId)) {
      const row = this.#sql.nextRow.get(accountId, batchId)
      if (row) yield waitingOf(row, batchId)
    }
  }

  /** Single sends that an earlier run left in their undo window. */
  inUndoWindow(now: number): Waiting[] {
    return this.#sql.inUndoWindow.all(now).map((row) => waitingOf(row, undefined))
  }
}

function waitingOf(row: WaitingRow, batchId: string | undefined): Waiting {
  return { number: row.number, id: row.id, batchId, isScheduled: row.is_scheduled === 1, goesAt: row.goes_at }
}

function statementsOf(db: Db) {
  return {
    accounts: db
      .prepare<[], string>(`SELECT DISTINCT account_id FROM send_counts WHERE state = 'ready' AND count > 0`)
      .pluck(),
    singles: db.prepare<[string], WaitingRow>(
      `SELECT number, id, is_scheduled, goes_at FROM sends INDEXED BY sends_ready
       WHERE account_id = ? AND batch_id IS NULL AND state = 'ready' ORDER BY goes_at, sheet_row, number`
    ),
    batches: db
      .prepare<[string], string>(
        `SELECT batches.id FROM send_counts CROSS JOIN batches ON batches.id = send_counts.batch_id
         WHERE send_counts.account_id = ? AND send_counts.state = 'ready' AND send_counts.count > 0
           AND batches.state = 'going' AND batches.is_paused = 0
         ORDER BY batches.created_at, batches.number`
      )
      .pluck(),
    nextRow: db.prepare<[string, string], WaitingRow>(
      `SELECT number, id, is_scheduled, goes_at FROM sends INDEXED BY sends_ready
       WHERE account_id = ? AND batch_id = ? AND state = 'ready' ORDER BY goes_at, sheet_row, number LIMIT 1`
    ),
    inUndoWindow: db.prepare<[number], WaitingRow>(
      `SELECT number, id, is_scheduled, goes_at FROM sends
       WHERE state = 'ready' AND batch_id IS NULL AND is_scheduled = 0 AND goes_at > ?`
    )
  }
}
