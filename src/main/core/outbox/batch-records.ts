/** What is kept of each batch: its name and state, and the sheet's headings and left-out rows for the rows that failed. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { LeftOutRow } from '../bulk/dry-run.ts'
import { fail } from '../lib/failure.ts'
import { flag, type RecordOf, type Row, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'

export type BatchRecord = RecordOf<typeof BATCHES>

const BATCHES = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  name: value<string>(),
  state: value<'preparing' | 'going' | 'cancelled'>(),
  isPaused: flag(),
  goesAt: value<number>(),
  createdAt: value<number>(),
  /** How many rows. */
  leftOut: value<number>('left_out_count')
})

export class BatchRecords {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: Db) {
    this.#sql = statementsOf(db)
  }

  list(accountId: string): BatchRecord[] {
    return this.#sql.all.all(accountId).map(BATCHES.read)
  }

  find(id: string): BatchRecord | undefined {
    return BATCHES.find(this.#sql.one.get(id))
  }

  inState(state: 'preparing' | 'cancelled'): string[] {
    return this.#sql.inState.all(state)
  }

  /** Batches that an earlier run left in their undo window. */
  inUndoWindow(now: number): BatchRecord[] {
    return this.#sql.inUndoWindow.all(now).map(BATCHES.read)
  }

  begin(
    batch: Pick<BatchRecord, 'id' | 'accountId' | 'name' | 'createdAt'>,
    columns: readonly string[],
    leftOut: readonly LeftOutRow[]
  ): void {
    this.#sql.insert.run({
      ...batch,
      leftOutCount: leftOut.length,
      columns: JSON.stringify(columns),
      leftOut: JSON.stringify(leftOut)
    })
  }

  /** All of it is written: it may go. */
  go(id: string, goesAt: number): void {
    this.#sql.setGoing.run({ id, goesAt })
  }

  setState(id: string, state: 'going' | 'cancelled'): void {
    this.#sql.setState.run({ id, state })
  }

  setPaused(id: string, isPaused: boolean): void {
    this.#sql.setPaused.run({ id, isPaused: isPaused ? 1 : 0 })
  }

  /** Removes up to `limit` of its sends; answers whether there may be more. */
  removeSends(id: string, limit: number): boolean {
    return this.#sql.someRows.run({ id, limit }).changes === limit
  }

  remove(id: string): void {
    this.#sql.erase.run(id)
  }

  /** Keeps up to `limit` of its sends from leaving; answers their ids. */
  cancelSends(id: string, limit: number, now: number): string[] {
    return this.#sql.cancelSome.all({ id, limit, now })
  }

  failedSends(id: string): string[] {
    return this.#sql.failed.all(id)
  }

  /** The rows of the sheet that did not reach their goal, in its order, with why. @throws AppFailure `gone`. */
  failedRows(id: string): { columns: string[]; rows: LeftOutRow[] } {
    const kept = this.#sql.sheet.get(id) ?? fail('gone', 'This batch is no longer there.')
    const leftOut = JSON.parse(kept.left_out) as LeftOutRow[]
    const others = this.#sql.failedRows.all(id).map(({ sheet_row, state, error, cells }) => ({
      row: sheet_row,
      cells: JSON.parse(cells ?? '[]') as string[],
      problems: [state === 'cancelled' ? 'Cancelled before it was sent.' : inWords(error)]
    }))
    return {
      columns: JSON.parse(kept.columns) as string[],
      rows: [...leftOut, ...others].sort((one, other) => one.row - other.row)
    }
  }
}

function inWords(json: string | null): string {
  if (json === null) return 'It was not sent.'
  const { message, serviceMessage, fields = [] } = JSON.parse(json) as AppError
  const details = fields.map((field) => field.message).filter((words) => words !== message)
  return [message, serviceMessage, ...details].filter(Boolean).join(' ')
}

function statementsOf(db: Db) {
  return {
    all: db.prepare<[string], Row>(
      `SELECT ${BATCHES.columns} FROM batches WHERE account_id = ? ORDER BY created_at DESC, number DESC`
    ),
    one: db.prepare<[string], Row>(`SELECT ${BATCHES.columns} FROM batches WHERE id = ?`),
    inState: db.prepare<[string], string>(`SELECT id FROM batches WHERE state <> 'going' AND state = ?`).pluck(),
    inUndoWindow: db.prepare<[number], Row>(
      `SELECT ${BATCHES.columns} FROM batches WHERE state = 'going' AND goes_at > ?`
    ),
    insert: db.prepare(
      `INSERT INTO batches (id, account_id, name, state, goes_at, created_at, left_out_count, columns, left_out)
       VALUES (@id, @accountId, @name, 'preparing', 0, @createdAt, @leftOutCount, @columns, @leftOut)`
    ),
    setGoing: db.prepare(`UPDATE batches SET state = 'going', goes_at = @goesAt WHERE id = @id`),
    setState: db.prepare('UPDATE batches SET state = @state WHERE id = @id'),
    setPaused: db.prepare('UPDATE batches SET is_paused = @isPaused WHERE id = @id'),
    erase: db.prepare('DELETE FROM batches WHERE id = ?'),
    someRows: db.prepare(
      `DELETE FROM sends WHERE number IN (SELECT number FROM sends WHERE batch_id = @id LIMIT @limit)`
    ),
    cancelSome: db
      .prepare<[{ id: string; limit: number; now: number }], string>(
        `UPDATE sends SET state = 'cancelled', settled_at = @now, error = NULL
         WHERE number IN (SELECT number FROM sends WHERE batch_id = @id AND state = 'ready' LIMIT @limit) RETURNING id`
      )
      .pluck(),
    failed: db
      .prepare<[string], string>(
        `SELECT id FROM sends WHERE batch_id = ? AND state IN ('refused', 'not-sent') ORDER BY sheet_row`
      )
      .pluck(),
    sheet: db.prepare<[string], { columns: string; left_out: string }>(
      'SELECT columns, left_out FROM batches WHERE id = ?'
    ),
    // A row that was taken out of the batch as a draft lives on there.
    failedRows: db.prepare<[string], { sheet_row: number; state: string; error: string | null; cells: string | null }>(
      `SELECT sheet_row, state, error, cells FROM sends JOIN send_bodies USING (number)
       WHERE batch_id = ? AND (state IN ('refused', 'not-sent') OR (state = 'cancelled' AND draft_id IS NULL))`
    )
  }
}
