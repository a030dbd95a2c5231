/**
 * A table as a file that spreadsheets open as it was meant, with no cell that would be run.
 *
 * As CSV it is UTF-8 with its mark. Spreadsheets run what begins like a formula, so such a cell has an apostrophe in front, as
 * OWASP advises, and so has what would be a cell where another list separator is set; reading takes it off again, so that a file
 * of ours comes back as it was. As a workbook all its cells are texts (ECMA-376, part 1, 18.3): none is run, whatever is set, and
 * no number or date is turned into another.
 */
import { strToU8, Zip, ZipDeflate } from 'fflate'
import Papa from 'papaparse'
import { shortened } from '../lib/text-folding.ts'

export type TableFormat = 'csv' | 'xlsx'
type Lines = readonly (readonly string[])[]

/** Makes a table's file some rows at a time; the first of them is its headings. What it answers follows on what it answered before. */
export interface TableWriter {
  write: (rows: Lines) => Uint8Array
  end: () => Uint8Array
}

export const tableWriters: Record<TableFormat, () => TableWriter> = { csv: csvWriter, xlsx: workbookWriter }

const LINE_END = '\r\n'
/** What such a file begins with. */
export const UTF8_MARK = '\ufeff'
/** The heading of the column that says what is wrong with a row. */
export const PROBLEM_COLUMN = 'Problem'

/**
 * What begins like a formula, and what would be taken for it once its apostrophes are off. The last four are full-width.
 * Papa Parse puts the apostrophe before what fits.
 */
const FORMULA_LIKE = /^'*[=+\-@\t\r\n＝＋－＠]/

export function tableFile(format: TableFormat, columns: readonly string[], rows: Lines): Uint8Array {
  const { write, end } = tableWriters[format]()
  return Buffer.concat([write([columns, ...rows]), end()])
}

function csvWriter(): TableWriter {
  let mark = UTF8_MARK
  return {
    write(rows) {
      const text = mark + csvLines(rows)
      mark = ''
      return Buffer.from(text)
    },
    end: () => new Uint8Array()
  }
}

/** What else parts cells, where the office's list separator isn't the comma, or a cell's lines are taken for rows. */
const OTHER_SEPARATOR = /[;\t|\r\n]/
/** What begins like a formula once a line is parted there: quotes count for nothing then. */
const FORMULA_WITHIN = /([;\t|\r\n]"*)('*[=+\-@＝＋－＠])/g

/** Rows as lines of such a file. */
export function csvLines(rows: Lines): string {
  const cells = rows.map((row) => row.map(withoutFormulasWithin))
  return Papa.unparse(cells, { newline: LINE_END, escapeFormulae: FORMULA_LIKE }) + LINE_END
}

function withoutFormulasWithin(cell: string): string {
  return OTHER_SEPARATOR.test(cell) ? cell.replace(FORMULA_WITHIN, "$1'$2") : cell
}

/**
 * Rows with what is wrong with them in a last column, ready to be fixed and read again. A column of that name from an
 * earlier time gives way to the new one.
 */
export function withProblems(
  columns: readonly string[],
  rows: readonly { cells: readonly string[]; problems: readonly string[] }[]
): { columns: string[]; rows: string[][] } {
  const kept = columns.map((name) => name !== PROBLEM_COLUMN)
  const own = (cells: readonly string[]) =>
    columns.map((_, index) => cells[index] ?? '').filter((_, index) => kept[index])
  return {
    columns: [...own(columns), PROBLEM_COLUMN],
    rows: rows.map(({ cells, problems }) => [...own(cells), problems.join(' ')])
  }
}

/** A cell as it was before it was written. */
export function plainCell(text: string): string {
  const whole = /^'+[=+\-@\t\r\n＝＋－＠]/.test(text) ? text.slice(1) : text
  return whole.replace(/([;\t|\r\n]"*)'('*[=+\-@＝＋－＠])/g, '$1$2')
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
/** All that a workbook of one sheet has beside it. Of the styles the second is that of texts, the third that of headings. */
const WORKBOOK: Record<string, string> = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${DOCUMENT}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf numFmtId="49" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`
}
/** More a cell can't have. */
const LONGEST_CELL = 32_767
/** In characters. */
const WIDEST = 40

/** Its headings are bold and stay where they are; its columns are as wide as what was written first. */
function workbookWriter(): TableWriter {
  let pieces: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    pieces.push(piece)
  })
  const part = (name: string): ZipDeflate => {
    // The sooner it is made, the better: what is the same in all rows is found at the least effort.
    const opened = new ZipDeflate(name, { level: 1 })
    zip.add(opened)
    return opened
  }
  for (const [name, xml] of Object.entries(WORKBOOK)) part(name).push(strToU8(xml), true)
  const sheet = part('xl/worksheets/sheet1.xml')
  let count = 0
  const taken = (): Uint8Array => {
    const bytes = Buffer.concat(pieces)
    pieces = []
    return bytes
  }
  return {
    write(rows) {
      const opening = count === 0 ? openingOf(rows) : ''
      sheet.push(strToU8(opening + rows.map((row) => rowXml(row, ++count)).join('')))
      return taken()
    },
    end() {
      sheet.push(strToU8('</sheetData></worksheet>'), true)
      zip.end()
      return taken()
    }
  }
}

function openingOf(rows: Lines): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.min(WIDEST, Math.max(...rows.map((row) => row[at]?.length ?? 0)) + 3)
  )
  const columns = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`)
  return `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`
}

function rowXml(row: readonly string[], number: number): string {
  const style = number === 1 ? 2 : 1
  const cells = row.map(
    (cell, at) =>
      `<c r="${letters(at)}${number}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${cellXml(cell)}</t></is></c>`
  )
  return `<row r="${number}">${cells.join('')}</row>`
}

/** A column as spreadsheets name it, from 0: A to Z, AA and on. */
export function letters(column: number): string {
  const before = column < 26 ? '' : letters(Math.floor(column / 26) - 1)
  return before + String.fromCharCode(65 + (column % 26))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** What XML can't hold or would change, and what would be read as one of the codes that stand for it (22.9.2.19). */
const CODED = /[^\P{Cc}\t\n]|[\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/gu

function cellXml(cell: string): string {
  // Reading takes apostrophes off where they stand before a formula, so those that were there are doubled.
  const kept = plainCell(cell) === cell ? cell : guarded(cell)
  return shortened(kept.toWellFormed(), LONGEST_CELL)
    .replace(CODED, (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>]/g, (sign) => ENTITIES[sign] as string)
}

/** As Papa Parse and we write it in CSV. */
function guarded(cell: string): string {
  const within = withoutFormulasWithin(cell)
  return FORMULA_LIKE.test(within) ? `'${within}` : within
}
