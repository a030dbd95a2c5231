/** The cells of an Excel workbook's sheet, as texts. Formulas are never worked out: their last results are read. */
import { type CellValue, readSheet } from 'read-excel-file/node'
import { type RawRow, type RawTable, refuseFile, rowTaker } from './raw-table.ts'
import { type SheetPlace, sheetsOf, surveySheet } from './survey-workbook.ts'
import { packPlainly, unpackWorkbook, type WorkbookParts } from './unpack-workbook.ts'

export interface Workbook {
  sheets: string[]
  /** @throws AppFailure `bad-file` if it can't be read, `gone` where there is no such sheet. */
  read(sheet: string): Promise<RawTable>
}

/** @throws AppFailure `bad-file` if it isn't a workbook, or one that can't be read. */
export function openWorkbook(bytes: Uint8Array): Workbook {
  const parts = unpackWorkbook(bytes)
  const { sheets, epoch } = sheetsOf(parts)
  return {
    sheets: sheets.map(({ name }) => name),
    async read(name) {
      const sheet =
        sheets.find((one) => one.name === name) ?? refuseFile(`There is no sheet “${name}” in this workbook.`)
      const survey = surveySheet(parts, sheet)
      const values = await cellsOf(parts, sheet, sheets)
      const datesIn = new Set<number>()
      const taker = rowTaker()
      values.forEach((cells, index) => {
        cells.forEach((value, column) => {
          if (value instanceof Date) datesIn.add(column)
        })
        taker.take(withFlaws({ line: index + 1, cells: cells.map(textOf) }, survey.flaws.get(index)))
      })
      const taken = taker.taken()
      const notes = [...dateNote(datesIn, taken.rows[0]?.cells ?? []), ...mergeNote(survey.merged)]
      return { ...taken, epoch, notes }
    }
  }
}

type Value = CellValue | Date | null

async function cellsOf(parts: WorkbookParts, sheet: SheetPlace, all: readonly SheetPlace[]): Promise<Value[][]> {
  const others = new Set(all.filter(({ path }) => path !== sheet.path).map(({ path }) => path))
  const needed = new Map([...parts].filter(([path]) => !others.has(path)))
  try {
    return (await readSheet(packPlainly(needed), sheet.name)) as Value[][]
  } catch {
    return refuseFile(
      `The sheet “${sheet.name}” can’t be read. Open the file in a spreadsheet program, save it again as .xlsx, and choose that.`
    )
  }
}

function withFlaws(row: RawRow, found: ReadonlyMap<number, { text: string; why: string }> | undefined): RawRow {
  if (!found) return row
  const cells = [...row.cells]
  const flaws = new Map<number, string>()
  for (const [column, { text, why }] of found) {
    while (cells.length <= column) cells.push('')
    cells[column] = text
    flaws.set(column, why)
  }
  return { ...row, cells, flaws }
}

function textOf(value: Value): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return dateText(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'number' ? numberText(value) : String(value)
}

/** As spreadsheets show them: 15 digits, so that 0.1 + 0.2 is 0.3; without an exponent while it is a whole number. */
function numberText(value: number): string {
  return String(Number(value.toPrecision(15)))
}

/** `YYYY-MM-DD`, with the time where there is one; a time without a day as `HH:mm`. */
function dateText(value: Date): string {
  const minutes = Math.round(value.getTime() / 60_000)
  const text = new Date(minutes * 60_000)
  if (Number.isNaN(text.getTime())) return ''
  const [day, time] = text.toISOString().split('T') as [string, string]
  if (text.getUTCFullYear() < 1900) return time.slice(0, 5)
  return time.startsWith('00:00') ? day : `${day}T${time.slice(0, 5)}`
}

function dateNote(columns: ReadonlySet<number>, headings: readonly string[]): string[] {
  if (columns.size === 0) return []
  const names = [...columns].slice(0, 5).map((column) => `“${headings[column] || `Column ${column + 1}`}”`)
  const more = columns.size > 5 ? ` and ${columns.size - 5} more columns` : ''
  return [`Dates are read as year-month-day, such as 2026-12-31: ${names.join(', ')}${more}.`]
}

function mergeNote(merged: number): string[] {
  return merged === 0
    ? []
    : ['Some cells are merged. Only the first of them has a value; the others are read as blank.']
}
