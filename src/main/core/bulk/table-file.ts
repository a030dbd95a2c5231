/**
 * Writes a table as a file that spreadsheets open as intended, with no cell that would be executed.
 *
 * CSV is UTF-8 with a byte order mark. Spreadsheets execute cells that begin like a formula, so such a cell gets a
 * leading apostrophe, as OWASP advises. So does text within a cell that would be a cell of its own with another list
 * separator. Reading removes the apostrophes again, so that our own files come back unchanged. In a workbook all cells
 * are texts (ECMA-376, part 1, 18.3): none is executed, whatever the settings, and no number or date is converted.
 */
import { strToU8, Zip, ZipDeflate } from 'fflate'
import Papa from 'papaparse'
import { shortened } from '../lib/text-folding.ts'

export type TableFormat = 'csv' | 'xlsx'
type TableRows = readonly (readonly string[])[]

/** Writes a table's file in pieces, the headings first. Each call returns the bytes that follow the previous ones. */
export interface TableWriter {
  write: (rows: TableRows) => Uint8Array
  end: () => Uint8Array
}

export const tableWriters: Record<TableFormat, () => TableWriter> = { csv: csvWriter, xlsx: workbookWriter }

const LINE_END = '\r\n'
/** The byte order mark that a CSV file begins with. */
export const UTF8_BOM = '\ufeff'
/** Says whose column it is: a sheet may have its own column “Problem”, for a template's field of that name. */
export const PROBLEM_COLUMN = 'Problem (Countersign)'

/**
 * Text that begins like a formula, or would once its apostrophes are removed. The last four characters are full-width.
 * Papa Parse prefixes matches with an apostrophe.
 */
const FORMULA_LIKE = /^'*[=+\-@\t\r\n＝＋－＠]/

export function tableFile(format: TableFormat, columns: readonly string[], rows: TableRows): Uint8Array {
  const { write, end } = tableWriters[format]()
  return Buffer.concat([write([columns, ...rows]), end()])
}

function csvWriter(): TableWriter {
  let mark = UTF8_BOM
  return {
    write(rows) {
      const text = mark + csvLines(rows)
      mark = ''
      return Buffer.from(text)
    },
    end: () => new Uint8Array()
  }
}

/** Characters that split a cell under another list separator, or if its line breaks are taken for rows. */
const OTHER_SEPARATOR = /[;\t|\r\n]/
/** Text that begins like a formula once a line is split at such a separator: quotes don't protect it then. */
const FORMULA_WITHIN = /([;\t|\r\n]"*)('*[=+\-@＝＋－＠])/g

export function csvLines(rows: TableRows): string {
  const cells = rows.map((row) => row.map(withoutFormulasWithin))
  // Quoted, so that reading isn't in doubt about the separator.
  const quotes = (cell: unknown) => OTHER_SEPARATOR.test(String(cell))
  return Papa.unparse(cells, { newline: LINE_END, quotes, escapeFormulae: FORMULA_LIKE }) + LINE_END
}

function withoutFormulasWithin(cell: string): string {
  return OTHER_SEPARATOR.test(cell) ? cell.replace(FORMULA_WITHIN, "$1'$2") : cell
}

/**
 * Adds a last column with each row's problems, ready to be fixed and read again. It replaces a column of that name from
 * an earlier export.
 */
export function withProblems(
  columns: readonly string[],
  rows: readonly { cells: readonly string[]; problems: readonly string[] }[]
): { columns: string[]; rows: string[][] } {
  const isKept = columns.map((name) => name !== PROBLEM_COLUMN)
  const withoutProblemColumn = (cells: readonly string[]) =>
    columns.map((_, index) => cells[index] ?? '').filter((_, index) => isKept[index])
  return {
    columns: [...withoutProblemColumn(columns), PROBLEM_COLUMN],
    rows: rows.map(({ cells, problems }) => [...withoutProblemColumn(cells), problems.join(' ')])
  }
}

/** Returns a cell as it was before it was written. */
export function plainCell(text: string): string {
  const unguarded = /^'+[=+\-@\t\r\n＝＋－＠]/.test(text) ? text.slice(1) : text
  return unguarded.replace(/([;\t|\r\n]"*)'('*[=+\-@＝＋－＠])/g, '$1$2')
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
/** The fixed parts of a workbook with one sheet. Its second style is for texts, the third for headings. */
const WORKBOOK: Record<string, string> = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${DOCUMENT}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf numFmtId="49" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`
}
/** Excel's limit for a cell. */
const MAX_CELL_LENGTH = 32_767
/** In characters. */
const MAX_COLUMN_WIDTH = 40

/** Makes a workbook. Headings are bold and frozen; column widths fit the rows written first. */
function workbookWriter(): TableWriter {
  let pieces: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    pieces.push(piece)
  })
  const addPart = (name: string): ZipDeflate => {
    // Speed matters most: what repeats in all rows is found even at the lowest level.
    const stream = new ZipDeflate(name, { level: 1 })
    zip.add(stream)
    return stream
  }
  for (const [name, xml] of Object.entries(WORKBOOK)) addPart(name).push(strToU8(xml), true)
  const sheet = addPart('xl/worksheets/sheet1.xml')
  let count = 0
  const takeBytes = (): Uint8Array => {
    const bytes = Buffer.concat(pieces)
    pieces = []
    return bytes
  }
  return {
    write(rows) {
      const opening = count === 0 ? openingOf(rows) : ''
      sheet.push(strToU8(opening + rows.map((row) => rowXml(row, ++count)).join('')))
      return takeBytes()
    },
    end() {
      sheet.push(strToU8('</sheetData></worksheet>'), true)
      zip.end()
      return takeBytes()
    }
  }
}

function openingOf(rows: TableRows): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.min(MAX_COLUMN_WIDTH, Math.max(...rows.map((row) => row[at]?.length ?? 0)) + 3)
  )
  const columns = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`)
  return `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`
}

function rowXml(row: readonly string[], number: number): string {
  const style = number === 1 ? 2 : 1
  const cells = row.map(
    (cell, at) =>
      `<c r="${columnLetters(at)}${number}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${cellXml(cell)}</t></is></c>`
  )
  return `<row r="${number}">${cells.join('')}</row>`
}

/** Returns a column's name as in spreadsheets, from 0: A to Z, then AA and on. */
export function columnLetters(column: number): string {
  const before = column < 26 ? '' : columnLetters(Math.floor(column / 26) - 1)
  return before + String.fromCharCode(65 + (column % 26))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Characters that XML can't hold or would change, and text that reads as their escape codes (22.9.2.19). */
const CODED = /[^\P{Cc}\t\n]|[\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/gu

function cellXml(cell: string): string {
  // Reading removes apostrophes in front of formulas, so apostrophes in the original text are doubled.
  const kept = plainCell(cell) === cell ? cell : guardFormulas(cell)
  return shortened(kept.toWellFormed(), MAX_CELL_LENGTH)
    .replace(CODED, (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>]/g, (sign) => ENTITIES[sign] as string)
}

/** Adds apostrophes as Papa Parse and we do in CSV. */
function guardFormulas(cell: string): string {
  const within = withoutFormulasWithin(cell)
  return FORMULA_LIKE.test(within) ? `'${within}` : within
}
