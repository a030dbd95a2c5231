/** A table that can be matched with a composition: unique headings, non-blank rows, within the limits. */
import { type DateOrder, dateOrderOf, type Epoch } from '../../../shared/composition/bulk-dates.ts'
import {
  inFigures,
  MAX_COLUMNS,
  MAX_ROWS,
  type RawRow,
  type RawTable,
  refuseColumns,
  refuseFile,
  refuseRows
} from './raw-table.ts'
import { columnLetters, plainCell } from './table-file.ts'

export interface Sheet {
  columns: string[]
  rows: SheetRow[]
  /** In the user's words. */
  notes: string[]
  /** The order of day and month in each column's dates. */
  dateOrders: DateOrder[]
  /** Columns whose dates are ambiguous, with the first example. */
  dateDoubts: { column: number; example: string }[]
  firstRow: FirstRow
  epoch: Epoch
}

export type FirstRow = 'headings' | 'data'

export interface SheetRow {
  /** As the spreadsheet counts: the headings are in row 1 if nothing is above them, and blank rows count too. */
  row: number
  /** One per column. */
  cells: string[]
  flaws?: Map<number, string>
  /** The row as it was read, if a cell of it has been corrected since. */
  original?: SheetRow
}

/** Replacement text for cells, by row number, then by column from 0. */
export type Corrections = Map<number, Map<number, string>>

/** Keeps the original text and its flaws. */
export function correctedRow(row: SheetRow, corrections: ReadonlyMap<number, string>): SheetRow {
  const original = row.original ?? row
  const cells = original.cells.map((cell, column) => corrections.get(column) ?? cell)
  if (cells.every((cell, column) => cell === original.cells[column])) return original
  const flaws = [...(original.flaws ?? [])].filter(([column]) => cells[column] === original.cells[column])
  return { row: row.row, cells, ...(flaws.length > 0 && { flaws: new Map(flaws) }), original }
}

/**
 * Builds a sheet from a table. The first non-blank row has the headings, unless it is said to be or looks like data:
 * then the columns are named like in spreadsheets, A, B, C.
 * @throws AppFailure `bad-file` if there is nothing, or too much.
 */
export function sheetOf({ rows, count, width, notes, epoch }: RawTable, chosen?: FirstRow): Sheet {
  const all = rows.map(plainRow)
  const [first] = all
  if (!first) return refuseFile('This table is empty.')
  const firstRow = chosen ?? (looksLikeData(first.cells) ? 'data' : 'headings')
  const headingRows = firstRow === 'headings' ? 1 : 0
  if (width > MAX_COLUMNS) refuseColumns(width)
  if (count - headingRows > MAX_ROWS) refuseRows(count - headingRows)
  const columns =
    headingRows === 1 ? uniqueHeadings(first.cells, width) : Array.from({ length: width }, (_, at) => columnLetters(at))
  const sheetRows = all.slice(headingRows).map(({ line, cells, flaws }) => ({
    row: line,
    cells: columns.map((_, column) => cells[column] ?? ''),
    ...(flaws && { flaws })
  }))
  const orders = columns.map((_, column) => dateOrderOf(valuesOf(sheetRows, column)))
  return {
    columns,
    rows: sheetRows,
    notes: [
      ...notes,
      ...blankNote(all),
      ...firstRowNote(first.cells, chosen, firstRow),
      ...orders.flatMap(({ order }, column) => orderNote(columns[column] ?? '', order)),
      ...columns.flatMap((name, column) => serialNote(name, valuesOf(sheetRows, column))),
      ...(sheetRows.length === 0 ? ['There are headings but no rows.'] : [])
    ],
    dateOrders: orders.map(({ order }) => order),
    dateDoubts: orders.flatMap(({ doubt }, column) => (doubt === undefined ? [] : [{ column, example: doubt }])),
    firstRow,
    epoch
  }
}

function plainRow(row: RawRow): RawRow {
  return { ...row, cells: row.cells.map((cell) => plainCell(cell.trim())) }
}

/** Makes headings unique: "Column 3" for a blank one, "Name (2)" for a repeated one. */
function uniqueHeadings(headings: readonly string[], width: number): string[] {
  const taken = new Set<string>()
  return Array.from({ length: width }, (_, index) => {
    const heading = (headings[index] ?? '').replace(/\s+/gu, ' ').slice(0, 200) || `Column ${index + 1}`
    let name = heading
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${heading} (${number})`
    taken.add(name.toLowerCase())
    return name
  })
}

function* valuesOf(rows: readonly SheetRow[], column: number): Iterable<string> {
  for (const { cells } of rows) {
    const value = cells[column]
    if (value) yield value
  }
}

/** Returns whether cells look like data: no heading is an e-mail address. */
function looksLikeData(cells: readonly string[]): boolean {
  return cells.some((cell) => /^\S+@\S+\.\S+$/.test(cell))
}

/** Explains why a sheet of forty people has only 39 rows. Blank rows at the end don't count. */
function blankNote(rows: readonly RawRow[]): string[] {
  const blank = (rows.at(-1)?.line ?? 0) - (rows[0]?.line ?? 0) + 1 - rows.length
  if (blank <= 0) return []
  return [blank === 1 ? '1 blank row is left out.' : `${inFigures(blank)} blank rows are left out.`]
}

function firstRowNote(cells: readonly string[], chosen: FirstRow | undefined, firstRow: FirstRow): string[] {
  if (!looksLikeData(cells)) return []
  if (firstRow === 'headings') return ['The first row is used as headings but looks like someone’s details.']
  return chosen
    ? []
    : ['The first row looks like someone’s details, so it’s used as data and the columns have letters.']
}

function orderNote(name: string, order: DateOrder): string[] {
  return order === 'month-first'
    ? [`Dates in “${name}” are read with the month first: 12/04/2026 is 4 December 2026.`]
    : []
}

/** Notes a date column of plain numbers: a spreadsheet's date that lost its style is a number. */
function serialNote(name: string, values: Iterable<string>): string[] {
  if (!/date|birth|\bdob\b|born|\bdue\b|start|begin|\bend|until|expir/i.test(name)) return []
  const [first, ...others] = values
  if (first === undefined || ![first, ...others].every((value) => /^[1-9]\d{4}(?:\.\d+)?$/.test(value))) return []
  return [`“${name}” has numbers such as ${first}, which may be dates. They’re used as dates only in date fields.`]
}
