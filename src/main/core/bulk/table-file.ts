/**
 * A table as a CSV file that spreadsheets open as it was meant: UTF-8 with its mark, and no cell that would be run.
 * Spreadsheets run what begins like a formula, so such a cell has an apostrophe in front, as OWASP advises, and so has what would
 * be a cell where another list separator is set; reading takes it off again, so that a file of ours comes back as it was.
 */
import Papa from 'papaparse'

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

export function tableFile(columns: readonly string[], rows: readonly (readonly string[])[]): Uint8Array {
  return Buffer.from(UTF8_MARK + csvLines([columns, ...rows]))
}

/** What else parts cells, where the office's list separator isn't the comma, or a cell's lines are taken for rows. */
const OTHER_SEPARATOR = /[;\t|\r\n]/
/** What begins like a formula once a line is parted there: quotes count for nothing then. */
const FORMULA_WITHIN = /([;\t|\r\n]"*)('*[=+\-@＝＋－＠])/g

/** Rows as lines of such a file. */
export function csvLines(rows: readonly (readonly string[])[]): string {
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
