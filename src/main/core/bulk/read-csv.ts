/** The cells of a CSV file, whatever separates them. */
import Papa from 'papaparse'
import { refuseColumns, refuseFile, refuseRows } from './file-trouble.ts'
import { MOST_COLUMNS, MOST_ROWS, type RawTable, rowTaker } from './raw-table.ts'

const separators = ['\t', ';', '|', ','] as const
const words: Record<string, string> = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' }

/**
 * Reads a text of separated values. Quotes may hold separators and lines.
 * @throws AppFailure `bad-file` where a quotation mark is never closed, as in a file that was cut in half.
 */
export function readCsv(whole: string): RawTable {
  // Files that went through several hands end their lines in several ways.
  const { text, separator } = withSeparator(whole.replace(/\r\n?/g, '\n'))
  refuseEndless(text, separator)
  const taker = rowTaker()
  const flawed: number[] = []
  /** How many cells the rows have, blank ones at their ends included: the first, the others, the last. */
  const lengths = { first: 0, isEven: true, last: 0, rows: 0 }
  let line = 0
  Papa.parse<string[]>(text, {
    newline: '\n',
    delimiter: separator,
    step({ data, errors }) {
      line += 1
      for (const { code } of errors) {
        if (code === 'MissingQuotes') refuseFile(unclosed(line))
        if (code === 'InvalidQuotes' && flawed.at(-1) !== line) flawed.push(line)
      }
      if (data.length === 1 && data[0]?.trim() === '') return
      if (lengths.rows === 0) lengths.first = data.length
      else if (lengths.rows > 1 && lengths.last !== lengths.first) lengths.isEven = false
      lengths.last = data.length
      lengths.rows += 1
      taker.take({ line, cells: data })
    }
  })
  const notes = [
    ...(words[separator] ? [`The columns are separated by ${words[separator]}.`] : []),
    ...(flawed.length > 0 ? [strayQuotes(flawed)] : []),
    ...(endsEarly(lengths) ? ['The last row has fewer cells than all others. Check that the file is whole.'] : [])
  ]
  return { ...taker.taken(), notes, epoch: 1900 }
}

/** The reader makes each row whole before it can be looked at: what could never fit must not get that far. */
function refuseEndless(text: string, separator: string): void {
  const cells = countOf(text, separator)
  const lines = countOf(text, '\n')
  if (cells <= 2 * MOST_ROWS * MOST_COLUMNS && lines <= 1_000_000) return
  const width = countOf(text.slice(0, text.indexOf('\n') + 1 || text.length), separator) + 1
  if (width > MOST_COLUMNS) refuseColumns(width, MOST_COLUMNS)
  if (lines > MOST_ROWS) refuseRows(lines, MOST_ROWS)
  refuseFile('This table has more cells than Countersign reads. Keep the columns and rows that you need.')
}

function countOf(text: string, character: string): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1
  return count
}

/**
 * What stands most often between the headings separates the columns: rows have commas in addresses and amounts, headings
 * seldom. Excel may say it in a first line "sep=;".
 */
function withSeparator(text: string): { text: string; separator: string } {
  const said = /^"?sep=(.)"?\n/i.exec(text)
  if (said) return { text: text.slice(said[0].length), separator: said[1] as string }
  const bare = text.slice(0, 1_000_000).replace(/"[^"]*"/g, '')
  const headings = bare.split('\n').find((line) => line.trim() !== '') ?? ''
  const counts = separators.map((separator) => headings.split(separator).length - 1)
  const most = Math.max(...counts)
  return { text, separator: most === 0 ? ',' : (separators[counts.indexOf(most)] ?? ',') }
}

function unclosed(line: number): string {
  return `A quotation mark in line ${line} of the table is never closed, so the file can’t be told apart from one that was cut off. Save it again from where it came from.`
}

function strayQuotes(lines: readonly number[]): string {
  const named = lines.slice(0, 5).join(', ')
  return `There are quotation marks where none belong in line ${named}${lines.length > 5 ? ' and others' : ''} of the table. Check what was read there.`
}

/** A file that ends in the middle of a row may have been cut off. */
function endsEarly({
  first,
  isEven,
  last,
  rows
}: {
  first: number
  isEven: boolean
  last: number
  rows: number
}): boolean {
  return rows > 2 && isEven && last < first
}
