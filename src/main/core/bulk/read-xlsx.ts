/**
 * Reads the cells of an Excel workbook's sheet as texts, in one pass: however many rows it has, no more are kept than
 * can be used. Formulas are never calculated; their last results are read.
 */
import { type Epoch, minuteOf } from '../../../shared/composition/bulk-dates.ts'
import { DAY } from '../lib/calendar.ts'
import { type NumberStyle, numberStyle } from './number-formats.ts'
import { inFigures, type RawRow, type RawTable, refuseFile, rowCollector } from './raw-table.ts'
import { parsePart, UNREADABLE, unpackWorkbook, type WorkbookParts } from './workbook-parts.ts'

export interface Workbook {
  sheets: string[]
  /** Those that people see in the workbook; all, if a program hid every one. */
  shown: string[]
  /** @throws AppFailure `bad-file` if it can't be read, or there is no such sheet. */
  read(sheet: string): RawTable
}

interface Contents {
  /** The sheets in order, hidden ones last, with the paths of their parts. */
  sheets: { name: string; path: string }[]
  shown: string[]
  epoch: Epoch
  /** Shared texts that cells refer to by index. */
  texts: string[]
  /** By their indexes. */
  styles: NumberStyle[]
}

interface Cell {
  row: number
  column: number
  kind: string
  style?: number
  formula?: string
  value: string
}

/** The style of a cell that names none. */
const PLAIN = numberStyle(0, '')
/** Excel's limits for a sheet. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384
/** The largest area of a table, including blank cells. */
const MAX_CELLS = 5_000_000
/** The most formulas without results before a sheet is refused. */
const MAX_FLAWS = 100_000

/** @throws AppFailure `bad-file` if it isn't a workbook, or one that can't be read. */
export function openWorkbook(bytes: Uint8Array): Workbook {
  const parts = unpackWorkbook(bytes)
  const contents = contentsOf(parts)
  return {
    sheets: namesOf(contents.sheets),
    shown: contents.shown,
    read(name) {
      const sheet =
        contents.sheets.find((one) => one.name === name) ?? refuseFile(`There is no sheet “${name}” in this workbook.`)
      return readSheet(parts, sheet, contents)
    }
  }
}

function namesOf(sheets: Contents['sheets']): string[] {
  return sheets.map(({ name }) => name)
}

function contentsOf(parts: WorkbookParts): Contents {
  const targets = new Map<string, string>()
  const pathByType = new Map<string, string>()
  parsePart(parts, 'xl/_rels/workbook.xml.rels', {
    onOpenTag(tag, { Id = '', Type = '', Target = '' }) {
      if (tag !== 'Relationship') return
      const path = Target.startsWith('/') ? Target.slice(1) : `xl/${Target.replace(/^\.\//, '')}`
      targets.set(Id, path)
      pathByType.set(Type.slice(Type.lastIndexOf('/') + 1), path)
    }
  })
  const visible: Contents['sheets'] = []
  const hidden: Contents['sheets'] = []
  let epoch: Epoch = 1900
  parsePart(parts, 'xl/workbook.xml', {
    onOpenTag(tag, attributes) {
      if (tag === 'workbookPr' && /^(?:1|true)$/.test(attributes.date1904 ?? '')) epoch = 1904
      if (tag !== 'sheet' || !attributes.name) return
      const id = Object.entries(attributes).find(([key]) => /^(?:.*:)?id$/.test(key))?.[1]
      const path = targets.get(id ?? '')
      // A chart sheet has no cells.
      if (!path || !parts.has(path) || !/worksheets/i.test(path)) return
      // A form's lists, for example: nobody who sees the workbook means that sheet.
      const list = /hidden$/i.test(attributes.state ?? '') ? hidden : visible
      list.push({ name: attributes.name, path })
    }
  })
  const sheets = [...visible, ...hidden]
  if (sheets.length === 0) refuseFile(UNREADABLE)
  const [texts, styles] = ['sharedStrings', 'styles'].map((type) => pathByType.get(type) ?? '') as [string, string]
  const shown = namesOf(visible.length > 0 ? visible : hidden)
  return { sheets, shown, epoch, texts: textsOf(parts, texts), styles: stylesOf(parts, styles) }
}

function textsOf(parts: WorkbookParts, path: string): string[] {
  const texts: string[] = []
  let text = ''
  if (!parts.has(path)) return texts
  parsePart(parts, path, {
    onOpenTag(tag) {
      if (tag === 'si') text = ''
    },
    onText(piece, tag) {
      if (tag === 't') text += piece
    },
    onCloseTag(tag) {
      if (tag === 'si') texts.push(decodeEscapes(text))
    }
  })
  return texts
}

function stylesOf(parts: WorkbookParts, path: string): NumberStyle[] {
  const styles: NumberStyle[] = []
  const templates = new Map<number, string>()
  const baseFormats: number[] = []
  let list = ''
  if (!parts.has(path)) return styles
  parsePart(parts, path, {
    onOpenTag(tag, { numFmtId, formatCode = '', xfId = '' }) {
      // Numbers below 100 have a fixed meaning, whatever template is assigned to them.
      if (tag === 'numFmt' && Number(numFmtId) >= 100) templates.set(Number(numFmtId), formatCode)
      if (tag === 'cellStyleXfs' || tag === 'cellXfs') list = tag
      if (tag !== 'xf') return
      if (list === 'cellStyleXfs') baseFormats.push(Number(numFmtId ?? 0))
      if (list !== 'cellXfs') return
      const format = Number(numFmtId ?? baseFormats[Number(xfId)] ?? 0)
      styles.push(numberStyle(format, templates.get(format) ?? ''))
    },
    onCloseTag(tag) {
      if (tag === list) list = ''
    }
  })
  return styles
}

function readSheet(parts: WorkbookParts, sheet: Contents['sheets'][number], contents: Contents): RawTable {
  const collector = rowCollector()
  const dateColumns = new Set<number>()
  /** Rows that a filter hides, for example. */
  const hidden = new Set<number>()
  let row: RawRow | undefined
  let cell: Cell | undefined
  let rows = 0
  let lastRow = 0
  let lastColumn = 0
  let flaws = 0
  let merged = 0

  function extendTo(row: number, column: number): void {
    lastRow = Math.max(lastRow, row)
    lastColumn = Math.max(lastColumn, column)
    const isBeyond = row > LAST_ROW || column > LAST_COLUMN || Number.isNaN(row + column)
    if (isBeyond) refuseFile(UNREADABLE)
    if (lastRow * lastColumn > MAX_CELLS) {
      refuseFile(
        `The sheet “${sheet.name}” reaches to row ${inFigures(lastRow)} and column ${inFigures(lastColumn)}. Delete what is far outside of the table, even if it looks blank, and save it again.`
      )
    }
  }

  function addCell(cell: Cell): void {
    if (row?.line !== cell.row) {
      if (row) collector.add(row)
      row = { line: cell.row, cells: [] }
    }
    const { text, why, isDate } = readCell(cell, contents, sheet.name)
    const column = cell.column - 1
    while (row.cells.length <= column) row.cells.push('')
    row.cells[column] = text
    if (isDate) dateColumns.add(column)
    if (why === undefined) return
    flaws += 1
    if (flaws > MAX_FLAWS) refuseFile(`Too many formulas in the sheet “${sheet.name}” have no result. Fix them there.`)
    row.flaws ??= new Map()
    row.flaws.set(column, why)
  }

  parsePart(parts, sheet.path, {
    onOpenTag(tag, { r, s, t, hidden: isHidden = '' }) {
      if (tag === 'mergeCell') merged += 1
      if (tag === 'row') {
        rows += 1
        const number = r === undefined ? rows : Number(r)
        extendTo(number, 1)
        if (/^(?:1|true)$/.test(isHidden)) hidden.add(number)
      }
      if (tag === 'c') {
        const position = cellPosition(r ?? '')
        cell = { ...position, kind: t || 'n', ...(s && { style: Number(s) }), value: '' }
        extendTo(position.row, position.column)
      }
      if (cell && tag === 'f') cell.formula = ''
    },
    onText(text, tag) {
      if (cell && tag === 'f') cell.formula += text
      else if (cell && (tag === 'v' || tag === 't')) cell.value += text
    },
    onCloseTag(tag) {
      if (tag !== 'c' || !cell) return
      addCell(cell)
      cell = undefined
    }
  })
  if (row) collector.add(row)
  const collected = collector.collected()
  // Spreadsheets write rows from the top; other programs may not.
  collected.rows.sort((one, two) => one.line - two.line)
  // One row in two places would make two packages of one person's data.
  if (collected.rows.some(({ line }, index) => line === collected.rows[index + 1]?.line)) refuseFile(UNREADABLE)
  const notes = [
    ...dateNote(dateColumns, collected.rows[0]?.cells ?? []),
    ...mergeNote(merged),
    ...hiddenNote(collected.rows.filter(({ line }) => hidden.has(line)).length)
  ]
  return { ...collected, epoch: contents.epoch, notes }
}

/** Returns what a cell shows, and why it has no readable value. */
function readCell(cell: Cell, contents: Contents, sheet: string): { text: string; why?: string; isDate?: boolean } {
  const { kind, style, formula, value } = cell
  const shown = value.trim()
  const refuse = () =>
    refuseFile(
      `The sheet “${sheet}” can’t be read. Open the file in a spreadsheet program, save it again as .xlsx, and choose that.`
    )
  if (kind === 'e') {
    const text = shown || '#VALUE!'
    return { text, why: `The formula here failed (${text.slice(0, 20)}). Fix it in the spreadsheet.` }
  }
  // A formula's result may be an empty text.
  if (formula !== undefined && shown === '' && kind !== 'str') {
    return {
      text: `=${formula.trim().replace(/^=/, '')}`.slice(0, 200),
      why: 'The formula here has no result yet. Open the file in a spreadsheet program, save it, and choose it again.'
    }
  }
  if (kind === 'str' || kind === 'inlineStr') return { text: decodeEscapes(value) }
  if (shown === '') return { text: '' }
  if (kind === 's') return { text: contents.texts[Number(shown)] ?? refuse() }
  if (kind === 'b') return { text: ({ 1: 'yes', 0: 'no' } as Record<string, string>)[shown] ?? refuse() }
  if (kind === 'd') return { text: dateText(timeIn(shown)) ?? refuse(), isDate: true }
  const number = Number(shown)
  if (kind !== 'n' || Number.isNaN(number)) return refuse()
  const { isDate, textOf } = style === undefined ? PLAIN : (contents.styles[style] ?? refuse())
  return isDate ? { text: dateText(timeOf(number, contents.epoch)) ?? '', isDate } : { text: textOf(number) }
}

/**
 * Converts a spreadsheet's day, counted from 1900 or 1904, to milliseconds since 1970 UTC. A time without a day is
 * before 1900 in both.
 */
function timeOf(day: number, epoch: Epoch): number {
  return (day + (epoch === 1904 && day >= 1 ? 1462 : 0) - 25_569) * DAY
}

/** Reads a date of ISO 8601. Without a zone it is what the sheet shows, and not a moment in this computer's zone. */
function timeIn(text: string): number {
  return Date.parse(/T[^Z+-]*$/.test(text) ? `${text}Z` : text)
}

/** Formats as `YYYY-MM-DD`, with the time if any; without a day as `HH:mm`. Undefined if it isn't a time. */
function dateText(time: number): string | undefined {
  const text = new Date(minuteOf(time))
  if (Number.isNaN(text.getTime())) return undefined
  const [day, clock] = text.toISOString().split('T') as [string, string]
  if (text.getUTCFullYear() < 1900) return clock.slice(0, 5)
  return clock.startsWith('00:00') ? day : `${day}T${clock.slice(0, 5)}`
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

/** A person who filters a sheet may think that only the rows they see are sent. */
function hiddenNote(count: number): string[] {
  if (count === 0) return []
  return [
    count === 1
      ? '1 row is hidden in the spreadsheet, and used too. If it shouldn’t be, delete it there.'
      : `${inFigures(count)} rows are hidden in the spreadsheet, and used too. If they shouldn’t be, delete them there.`
  ]
}

function cellPosition(address: string): { row: number; column: number } {
  const found = /^([A-Z]{1,3})(\d{1,7})$/.exec(address)
  if (!found) return refuseFile(UNREADABLE)
  const column = [...(found[1] as string)].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
  return { row: Number(found[2]), column }
}

/** Decodes the numeric codes of characters that XML can't hold. ECMA-376, part 1, 22.9.2.19. */
function decodeEscapes(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
