/** Storage of batches: name and state, and the sheet's headings and left-out rows for exporting failed rows. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { LeftOutRow } from '../bulk/dry-run.ts'
import { fail } from '../lib/failure.ts'
import { flag, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

export type BatchRecord = RecordOf<typeof BATCHES>

const BATCHES = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  name: value<string>(),
  state: value<'preparing' | 'going' | 'cancelled'>(),
  isPaused: flag(),
  createdAt: value<number>(),
  /** The number of rows. */
  leftOut: value<number>('left_out_count')
})

export type BatchRecords = ReturnType<typeof openBatchRecords>

export function openBatchRecords(db: Db) {
  const table = new TableStatements(db, 'batches', BATCHES)
  const insert = table.run<[batch: object]>(
    `INSERT INTO batches (id, account_id, name, state, goes_at, created_at, left_out_count, columns, left_out)
     VALUES (@id, @accountId, @name, 'preparing', 0, @createdAt, @leftOutCount, @columns, @leftOut)`
  )
  const setPaused = table.run<[{ id: string; isPaused: 0 | 1 }]>(
    'UPDATE batches SET is_paused = @isPaused WHERE id = @id'
  )
  const removeSends = table.run<[{ id: string; limit: number }]>(
    'DELETE FROM sends WHERE number IN (SELECT number FROM sends WHERE batch_id = @id LIMIT @limit)'
  )
  const sheet = db.prepare<[string], { columns: string; left_out: string }>(
    'SELECT columns, left_out FROM batches WHERE id = ?'
  )
  // A row that was moved out of the batch into a draft lives on there.
  const failed = db.prepare<[string], { sheet_row: number; state: string; error: string | null; cells: string | null }>(
    `SELECT sheet_row, state, error, cells FROM sends JOIN send_bodies USING (number)
     WHERE batch_id = ? AND (state IN ('refused', 'not-sent') OR (state = 'cancelled' AND draft_id IS NULL))`
  )

  function leftOutRows(id: string): { columns: string[]; rows: LeftOutRow[] } {
    const { columns, left_out: rows } = sheet.get(id) ?? fail('gone', 'This batch no longer exists.')
    return { columns: JSON.parse(columns) as string[], rows: JSON.parse(rows) as LeftOutRow[] }
  }

  return {
    list: table.all<[accountId: string]>('WHERE account_id = ? ORDER BY created_at DESC, number DESC'),
    find: table.one<[id: string]>('WHERE id = ?'),

    inState: table.values<[state: 'preparing' | 'cancelled'], string>(
      `SELECT id FROM batches WHERE state <> 'going' AND state = ?`
    ),

    begin(
      batch: Pick<BatchRecord, 'id' | 'accountId' | 'name' | 'createdAt'>,
      columns: readonly string[],
      leftOut: readonly LeftOutRow[]
    ): void {
      insert({
        ...batch,
        leftOutCount: leftOut.length,
        columns: JSON.stringify(columns),
        leftOut: JSON.stringify(leftOut)
      })
    },

    start: table.run<[{ id: string; goesAt: number }]>(
      `UPDATE batches SET state = 'going', goes_at = @goesAt WHERE id = @id`
    ),

    setState: table.run<[{ id: string; state: 'going' | 'cancelled' }]>(
      'UPDATE batches SET state = @state WHERE id = @id'
    ),

    setPaused: (id: string, isPaused: boolean): void => void setPaused({ id, isPaused: isPaused ? 1 : 0 }),

    /** Removes up to `limit` of its sends; returns whether there may be more. */
    removeSends: (id: string, limit: number): boolean => removeSends({ id, limit }) === limit,

    remove: table.run<[id: string]>('DELETE FROM batches WHERE id = ?'),

    /** Cancels up to `limit` of its ready sends; returns their ids. */
    cancelSends: table.values<[{ id: string; limit: number; now: number }], string>(
      `UPDATE sends SET state = 'cancelled', settled_at = @now, error = NULL
       WHERE number IN (SELECT number FROM sends WHERE batch_id = @id AND state = 'ready' LIMIT @limit) RETURNING id`
    ),

    failedSends: table.values<[id: string], string>(
      `SELECT id FROM sends WHERE batch_id = ? AND state IN ('refused', 'not-sent') ORDER BY sheet_row`
    ),

    leftOutRows,

    /** Returns the sheet's rows that weren't sent, in its order, with the reasons. @throws AppFailure `gone`. */
    failedRows(id: string): { columns: string[]; rows: LeftOutRow[] } {
      const { columns, rows: leftOut } = leftOutRows(id)
      const others = failed.all(id).map(({ sheet_row, state, error, cells }) => ({
        row: sheet_row,
        cells: JSON.parse(cells ?? '[]') as string[],
        problems: [state === 'cancelled' ? 'Cancelled before it was sent.' : inWords(error)]
      }))
      return {
        columns,
        rows: [...leftOut, ...others].sort((one, other) => one.row - other.row)
      }
    }
  }
}

function inWords(json: string | null): string {
  if (json === null) return 'Not sent.'
  const { message, serviceMessage, fields = [] } = JSON.parse(json) as AppError
  const details = fields.map((field) => field.message).filter((words) => words !== message)
  return [message, serviceMessage, ...details].filter(Boolean).join(' ')
}
