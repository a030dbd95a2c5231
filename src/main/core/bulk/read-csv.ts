/** Reads the cells of a CSV file, whatever its encoding and separator. Notes say what is uncertain. */
import Papa from 'papaparse'
import {
  MAX_COLUMNS,
  MAX_ROWS,
  type RawTable,
  refuseColumns,
  refuseFile,
  refuseRows,
  rowCollector
} from './raw-table.ts'

const separators = ['\t', ';', '|', ','] as const
const separatorNames: Record<string, string> = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' }

/**
 * Reads separated values. Quotes may contain separators and line breaks.
 * @param knownSeparator the separator, if it needn't be detected.
 * @throws AppFailure `bad-file` if a quotation mark is never closed, as in a truncated file.
 */
export function readCsv(csv: string, knownSeparator?: string): RawTable {
  // Files edited in several programs may mix line endings.
  const lines = csv.replace(/\r\n?/g, '\n')
  const { text, separator } =
    knownSeparator === undefined ? detectSeparator(lines) : { text: lines, separator: knownSeparator }
  refuseTooLarge(text, separator)
  const collector = rowCollector()
  const flawed: number[] = []
  /**
   * The number of cells per row, including trailing blank ones: of the first row, whether the middle rows match it, and
   * of the last.
   */
  const lengths = { first: 0, isEven: true, last: 0, rows: 0 }
  let line = 0
  Papa.parse<string[]>(text, {
    newline: '\n',
    delimiter: separator,
    step({ data, errors }) {
      line += 1
      for (const { code } of errors) {
        if (code === 'MissingQuotes') refuseFile(unclosedQuote(line))
        if (code === 'InvalidQuotes' && flawed.at(-1) !== line) flawed.push(line)
      }
      if (data.length === 1 && data[0]?.trim() === '') return
      if (lengths.rows === 0) lengths.first = data.length
      else if (lengths.rows > 1 && lengths.last !== lengths.first) lengths.isEven = false
      lengths.last = data.length
      lengths.rows += 1
      collector.add({ line, cells: data })
    }
  })
  // A file that ends in the middle of a row may be truncated.
  const endsEarly = lengths.rows > 2 && lengths.isEven && lengths.last < lengths.first
  const notes = [
    ...(knownSeparator === undefined && separatorNames[separator]
      ? [`The columns are separated by ${separatorNames[separator]}.`]
      : []),
    ...(flawed.length > 0 ? [strayQuotes(flawed)] : []),
    ...(endsEarly ? ['The last row has fewer cells than the others. Check that the file is complete.'] : [])
  ]
  return { ...collector.collected(), notes, epoch: 1900 }
}

/** Refuses text that could never fit, before parsing: the parser completes each row before we see it. */
function refuseTooLarge(text: string, separator: string): void {
  const cells = countOf(text, separator)
  const lines = countOf(text, '\n')
  if (cells <= 2 * MAX_ROWS * MAX_COLUMNS && lines <= 1_000_000) return
  const width = countOf(text.slice(0, text.indexOf('\n') + 1 || text.length), separator) + 1
  if (width > MAX_COLUMNS) refuseColumns(width)
  if (lines > MAX_ROWS) refuseRows(lines)
  refuseFile('This table has too many cells. Keep only the columns and rows you need.')
}

function countOf(text: string, character: string): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1
  return count
}

/** How many lines show which of two separators makes rows as wide as the headings. */
const COMPARED_LINES = 100

/**
 * Detects the separator: the most frequent candidate in the headings, as rows have commas in addresses and amounts,
 * while headings seldom do; one that the first row has too, as headings in two languages may be written “Name | Nom”;
 * of several, the one that makes more rows as wide as the headings. Excel may declare it in a first line "sep=;".
 */
function detectSeparator(text: string): { text: string; separator: string } {
  const declared = /^"?sep=(.)"?\n/i.exec(text)
  if (declared) return { text: text.slice(declared[0].length), separator: declared[1] as string }
  const bare = text.slice(0, 1_000_000).replace(/"[^"]*"/g, '')
  const [headings = '', ...rows] = bare.split('\n').filter((line) => line.trim() !== '')
  const inHeadings = separators.filter((separator) => headings.includes(separator))
  const inBoth = inHeadings.filter((separator) => rows[0]?.includes(separator))
  const candidates = (inBoth.length > 0 ? inBoth : inHeadings).map((separator) => {
    const count = countOf(headings, separator)
    const asWide = rows.slice(0, COMPARED_LINES).filter((row) => countOf(row, separator) === count)
    return { separator, count, asWide: asWide.length }
  })
  const [best] = candidates.toSorted((one, other) => other.count - one.count || other.asWide - one.asWide)
  return { text, separator: best?.separator ?? ',' }
}

function unclosedQuote(line: number): string {
  return `A quotation mark on line ${line} is never closed, so the file may be cut off. Save it again from the program that made it.`
}

function strayQuotes(lines: readonly number[]): string {
  const named = lines.slice(0, 5).join(', ')
  return `Unexpected quotation marks on line ${named}${lines.length > 5 ? ' and others' : ''}. Check what was read there.`
}

interface DecodedText {
  text: string
  /** In the user's words; undefined for UTF-8, which needs no note. */
  note?: string
}

/** Windows-1252's characters from 80 to 9F, where Latin-1 has control codes; five are unused. */
const WESTERN = '€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ'

/**
 * Decodes by the byte order mark if there is one, or else as UTF-16 if every other byte is zero, or else as UTF-8. If
 * that fails, decodes as Windows-1252, which never fails.
 * @throws AppFailure `bad-file` if it isn't text.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const read = decode(bytes)
  if (read.text.includes('\0')) {
    refuseFile('This file isn’t a table of text. Save it as CSV or as an Excel workbook (.xlsx), and choose that.')
  }
  return read
}

function decode(bytes: Uint8Array): DecodedText {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return decodeUtf8(bytes.subarray(3))
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes) }
  if (first === 0xfe && second === 0xff) return { text: decodeUtf16Be(bytes) }
  const start = bytes.subarray(0, 1000)
  if (start.length >= 4 && zeroRatio(start, 1) > 0.4 && zeroRatio(start, 0) === 0) {
    return { text: new TextDecoder('utf-16le').decode(bytes) }
  }
  if (start.length >= 4 && zeroRatio(start, 0) > 0.4 && zeroRatio(start, 1) === 0) return { text: decodeUtf16Be(bytes) }
  return decodeUtf8(bytes)
}

function decodeUtf8(bytes: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return {
      text: decodeWindows1252(bytes),
      note: 'Check letters with accents, such as é, ü or ā. The file isn’t in UTF-8, so it was read as Western European (Windows-1252).'
    }
  }
}

/** Returns the proportion of zeros among the bytes at even (0) or odd (1) positions. */
function zeroRatio(bytes: Uint8Array, from: 0 | 1): number {
  let count = 0
  for (let index = from; index < bytes.length; index += 2) if (bytes[index] === 0) count += 1
  return count / Math.ceil(bytes.length / 2)
}

/** Decodes UTF-16BE, which not every build of ICU supports. */
function decodeUtf16Be(bytes: Uint8Array): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  return new TextDecoder('utf-16le').decode(even.swap16())
}

/** Decodes Windows-1252, which not every build of ICU supports. */
function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WESTERN[character.charCodeAt(0) - 0x80] as string)
}
