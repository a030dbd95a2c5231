/** A table that can be matched with a composition: headings that differ, rows that say something, within the limits. */
import { type DateOrder, dateOrderOf, type Epoch } from '../../../shared/composition/bulk-dates.ts'
import {
  MOST_COLUMNS,
  MOST_ROWS,
  type RawRow,
  type RawTable,
  refuseColumns,
  refuseFile,
  refuseRows
} from './raw-table.ts'
import { plainCell } from './table-file.ts'

export interface Sheet {
  columns: string[]
  rows: SheetRow[]
  /** In the user's words. */
  notes: string[]
  /** How the dates of each column are written. */
  dateOrders: DateOrder[]
  epoch: Epoch
}

export interface SheetRow {
  /** As the spreadsheet counts: the headings are in row 1 where nothing stands above them, and blank rows have numbers too. */
  row: number
  /** As many as there are columns. */
  cells: string[]
  flaws?: Map<number, string>
}

/**
 * The first row that isn't blank has the headings.
 * @throws AppFailure `bad-file` if there is nothing, or too much.
 */
export function sheetOf({ rows, count, width, notes, epoch }: RawTable): Sheet {
  const [headings, ...below] = rows.map(asMeant)
  if (!headings) return refuseFile('This table is empty.')
  if (width > MOST_COLUMNS) refuseColumns(width, MOST_COLUMNS)
  if (count - 1 > MOST_ROWS) refuseRows(count - 1, MOST_ROWS)
  const columns = namesOf(headings.cells, width)
  const sheetRows = below.map(({ line, cells, flaws }) => ({
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
      ...headingNote(headings.cells),
      ...orders.flatMap(({ order, isGuess }, column) => orderNote(columns[column] ?? '', order, isGuess)),
      ...columns.flatMap((name, column) => serialNote(name, valuesOf(sheetRows, column))),
      ...(sheetRows.length === 0 ? ['There are headings but no rows.'] : [])
    ],
    dateOrders: orders.map(({ order }) => order),
    epoch
  }
}

function asMeant(row: RawRow): RawRow {
  return { ...row, cells: row.cells.map((cell) => plainCell(cell.trim())) }
}

/** Headings that can be told apart: "Column 3" for a blank one, "Name (2)" for one that is there already. */
function namesOf(headings: readonly string[], width: number): string[] {
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

function headingNote(headings: readonly string[]): string[] {
  return headings.some((heading) => /^\S+@\S+\.\S+$/.test(heading))
    ? ['The first row is used as headings but looks like someone’s details. Add a row of headings above it.']
    : []
}

function orderNote(name: string, order: DateOrder, isGuess: boolean): string[] {
  if (isGuess) return [`Dates in “${name}” are read with the day first: 04/12/2026 is 4 December 2026.`]
  return order === 'month-first'
    ? [`Dates in “${name}” are read with the month first: 12/04/2026 is 4 December 2026.`]
    : []
}

/** A spreadsheet's date that lost its style is a number. */
function serialNote(name: string, values: Iterable<string>): string[] {
  if (!/date|birth|\bdob\b|born|\bdue\b|start|begin|\bend|until|expir/i.test(name)) return []
  const [first, ...others] = values
  if (first === undefined || ![first, ...others].every((value) => /^[1-9]\d{4}(?:\.\d+)?$/.test(value))) return []
  return [`“${name}” has numbers such as ${first}, which may be dates. They’re used as dates only in date fields.`]
}
