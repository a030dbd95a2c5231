/** The cells of a file as they stand there, how many there may be, and how a file that can't be used is refused. */
import type { Epoch } from '../../../shared/composition/bulk-dates.ts'
import { fail } from '../lib/failure.ts'

/** Beyond these a file is refused, and it is said by how much. */
export const MOST_ROWS = 10_000
export const MOST_COLUMNS = 500
/**
 * What an Excel workbook unpacks to; of the file itself it is `MOST_SHEET_BYTES`. A thread beyond its memory limit ends alone;
 * but the limit counts JavaScript's values and no buffers, which are what bytes lie in: without these the whole application
 * would pay.
 */
export const MOST_BYTES_UNPACKED = 100 * 1024 * 1024

export interface RawTable {
  /** From the top of the file, those that say something; headings and one row too many at most. */
  rows: RawRow[]
  /** How many there are that say something, kept or not. */
  count: number
  /** How many cells the longest has up to its last that isn't blank, kept or not. */
  width: number
  notes: string[]
  epoch: Epoch
}

export interface RawRow {
  /** From 1 for the first of the file, blank ones included. */
  line: number
  /** No more than the most columns. */
  cells: string[]
  /** Cells, from 0, that have no value to read, and why. */
  flaws?: Map<number, string>
}

/** Takes rows as they are read, and keeps no more than can be used. */
export function rowTaker() {
  const rows: RawRow[] = []
  let count = 0
  let width = 0
  return {
    take(row: RawRow): void {
      const last = row.cells.findLastIndex((cell) => cell.trim() !== '')
      if (last < 0) return
      count += 1
      width = Math.max(width, last + 1)
      if (rows.length <= MOST_ROWS + 1)
        rows.push({ ...row, cells: row.cells.slice(0, Math.min(last + 1, MOST_COLUMNS)) })
    },
    taken: () => ({ rows, count, width })
  }
}

/** Throws the failure of a file that can't be used. The message is all that the person is told. */
export function refuseFile(message: string): never {
  return fail('bad-file', message)
}

/** "2,000" */
export function inFigures(count: number): string {
  return count.toLocaleString('en-GB')
}

export function refuseColumns(count: number, most: number): never {
  return refuseFile(
    `This table has ${inFigures(count)} columns; the limit is ${inFigures(most)}. Keep only those you need, and save it again.`
  )
}

export function refuseRows(count: number, most: number): never {
  return refuseFile(
    `This table has ${inFigures(count)} rows; the limit is ${inFigures(most)}. Split it into several files.`
  )
}
