/** What waits to leave, in the order in which it leaves: single sends before batches, and each of them oldest first. */
import type { Db } from '../storage/connection.ts'

/** As much of a ready send as decides whether it may leave. */
export interface Waiting {
  readonly number: number
  readonly id: string
  readonly batchId: string | undefined
  readonly isScheduled: boolean
  readonly goesAt: number
}

interface WaitingRow {
  number: number
  id: string
  is_scheduled: 0 | 1
  goes_at: number
}

export type Queue = ReturnType<typeof openQueue>

export function openQueue(db: Db) {
  const accounts = db
    .prepare<[], string>(`SELECT DISTINCT account_id FROM send_counts WHERE state = 'ready' AND count > 0`)
    .pluck()
  const singles = db.prepare<[string], WaitingRow>(
    `SELECT number, id, is_scheduled, goes_at FROM sends INDEXED BY sends_ready
     WHERE account_id = ? AND batch_id IS NULL AND state = 'ready' ORDER BY goes_at, sheet_row, number`
  )
  const batches = db
    .prepare<[string], string>(
      `SELECT batches.id FROM send_counts CROSS JOIN batches ON batches.id = send_counts.batch_id
       WHERE send_counts.account_id = ? AND send_counts.state = 'ready' AND send_counts.count > 0
         AND batches.state = 'going' AND batches.is_paused = 0
       ORDER BY batches.created_at, batches.number`
    )
    .pluck()
  const nextRow = db.prepare<[string, string], WaitingRow>(
    `SELECT number, id, is_scheduled, goes_at FROM sends INDEXED BY sends_ready
     WHERE account_id = ? AND batch_id = ? AND state = 'ready' ORDER BY goes_at, sheet_row, number LIMIT 1`
  )
  const heldSingles = db.prepare<[number], WaitingRow>(
    `SELECT number, id, is_scheduled, goes_at FROM sends
     WHERE state = 'ready' AND batch_id IS NULL AND is_scheduled = 0 AND goes_at > ?`
  )

  return {
    /** Accounts with anything that waits. */
    accounts: (): string[] => accounts.all(),

    /** The single sends of an account that wait, then the first row of each batch that goes. Stop reading before writing. */
    *waiting(accountId: string): Generator<Waiting, void, void> {
      for (const row of singles.iterate(accountId)) yield waitingOf(row, undefined)
      for (const batchId of batches.all(accountId)) {
        const row = nextRow.get(accountId, batchId)
        if (row) yield waitingOf(row, batchId)
      }
    },

    /** Single sends that an earlier run left in the time to take them back. */
    held: (now: number): Waiting[] => heldSingles.all(now).map((row) => waitingOf(row, undefined))
  }
}

function waitingOf(row: WaitingRow, batchId: string | undefined): Waiting {
  return { number: row.number, id: row.id, batchId, isScheduled: row.is_scheduled === 1, goesAt: row.goes_at }
}
