/** The raw cells of a file, their limits, and refusing a file that can't be used. */
import type { Epoch } from '../../../shared/composition/bulk-dates.ts'
import { fail } from '../lib/failure.ts'

/** A file beyond these limits is refused, and the message says by how much. */
export const MAX_ROWS = 10_000
export const MAX_COLUMNS = 500
/**
 * The most that an Excel workbook may unpack to; `MAX_SHEET_BYTES` limits the file itself. A thread that exceeds its
 * memory limit ends alone, but that limit counts only JavaScript values. Buffers don't count, so without these limits
 * the whole application would suffer.
 */
export const MAX_UNPACKED_BYTES = 100 * 1024 * 1024

export interface RawTable {
  /** The non-blank rows from the top of the file; at most the headings and one row too many. */
  rows: RawRow[]
  /** The number of non-blank rows, kept or not. */
  count: number
  /** The number of cells in the longest row up to its last non-blank one, kept or not. */
  width: number
  notes: string[]
  epoch: Epoch
}

export interface RawRow {
  /** From 1 for the first row of the file, blank ones included. */
  line: number
  /** At most `MAX_COLUMNS`. */
  cells: string[]
  /** Cells, from 0, that have no readable value, and why. */
  flaws?: Map<number, string>
}

/** Collects rows as they are read, keeping no more than can be used. */
export function rowCollector() {
  const rows: RawRow[] = []
  let count = 0
  let width = 0
  return {
    add(row: RawRow): void {
      const last = row.cells.findLastIndex((cell) => cell.trim() !== '')
      if (last < 0) return
      count += 1
      width = Math.max(width, last + 1)
      if (rows.length <= MAX_ROWS + 1) rows.push({ ...row, cells: row.cells.slice(0, Math.min(last + 1, MAX_COLUMNS)) })
    },
    collected: () => ({ rows, count, width })
  }
}

/** Throws the failure of a file that can't be used. The user sees only the message. */
export function refuseFile(message: string): never {
  return fail('bad-file', message)
}

/** Formats a number like "2,000". */
export function inFigures(count: number): string {
  return count.toLocaleString('en-GB')
}

export function refuseColumns(count: number): never {
  return refuseFile(
    `This table has ${inFigures(count)} columns; the limit is ${inFigures(MAX_COLUMNS)}. Keep only those you need, and save it again.`
  )
}

export function refuseRows(count: number): never {
  return refuseFile(
    `This table has ${inFigures(count)} rows; the limit is ${inFigures(MAX_ROWS)}. Split it into several files.`
  )
}
