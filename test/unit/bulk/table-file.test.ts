/** Writing tables, and how they are read by programs that split cells at other characters. */
import fc from 'fast-check'
import { strFromU8, unzipSync } from 'fflate'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { openTable } from '../../../src/main/core/bulk/open-file.ts'
import { openWorkbook } from '../../../src/main/core/bulk/read-xlsx.ts'
import { csvLines, plainCell, tableFile, tableWriters } from '../../../src/main/core/bulk/table-file.ts'

const FORMULA = /^["\s]*[=+\-@＝＋－＠]/
const cell = fc.array(
  fc.constantFrom('=1+1', "'", '"', ';', '\t', '|', '\n', '+', '-', '@', 'a', 'Lease', ',', '＝2'),
  {
    maxLength: 8
  }
)
const rows = fc.array(
  fc.array(
    cell.map((parts) => parts.join('')),
    { minLength: 1, maxLength: 3 }
  ),
  { minLength: 1, maxLength: 3 }
)

/**
 * Returns the cells as read by a program that splits lines at this separator and ignores quotes in the middle of a
 * cell.
 */
const cellsAt = (text: string, separator: string) => text.split(/\r\n|\n/).flatMap((line) => line.split(separator))

describe('a table as CSV', () => {
  test.each(['Lease;=1+1;x', 'Lease\t=1+1', 'Lease|"=1+1"', 'Lease\n@SUM(A1)', "x;'=1"])(
    '%j isn’t a formula, even if split at other characters',
    (text) => {
      const written = csvLines([['a', text, 'b']])
      for (const separator of [';', '\t', '|']) {
        for (const one of cellsAt(written, separator)) expect(one).not.toMatch(FORMULA)
      }
    }
  )

  test('can be read back unchanged by itself, also with other separators in its headings', async () => {
    const rows = [
      ['Tags; labels', 'Nom | Name | Navn', 'Notes'],
      ['a; b', 'c | d | e', 'tab\there']
    ]
    const { columns, rows: read } = await openTable(tableFile('csv', rows[0] ?? [], rows.slice(1)), 'a.csv').sheet('')
    expect([columns, ...read.map(({ cells }) => cells)]).toEqual(rows)
  })

  test('can be read back unchanged', () => {
    fc.assert(
      fc.property(rows, (table) => {
        const { data } = Papa.parse<string[]>(csvLines(table), { delimiter: ',', newline: '\r\n' })
        expect(data.slice(0, table.length).map((row) => row.map(plainCell))).toEqual(table)
      })
    )
  })
})

const sheetOf = (bytes: Uint8Array) => strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] as Uint8Array)

describe('a table as a workbook', () => {
  const anyText = fc.oneof(
    cell.map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '_x0041_',
      '_x005F_',
      '<b>&amp;</b>',
      'a\r\nb',
      ' a  b ',
      '0210001111',
      '2026-12-01',
      '\0',
      '\ud800',
      'ｆｆ'
    )
  )
  const anyRows = fc.array(fc.array(anyText, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 4 })

  /** Text of only spaces counts as empty. */
  const orBlank = (text: string) => (text.trim() === '' ? '' : text)

  test('stores every cell as text, and can be read back unchanged', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const bytes = tableFile('xlsx', ['One', 'Two', 'Three'], rows)
        const sheet = sheetOf(bytes)
        expect(sheet.match(/<c /g)).toHaveLength(3 + 3 * rows.length)
        expect(
          sheet.match(/<c r="[A-C]\d+" t="inlineStr" s="[12]"><is><t xml:space="preserve">[^<>]*<\/t><\/is><\/c>/g)
        ).toHaveLength(3 + 3 * rows.length)
        const [headings, ...read] = openWorkbook(bytes).read('Rows').rows
        expect(headings?.cells).toEqual(['One', 'Two', 'Three'])
        const back = read.map(({ cells }) => [0, 1, 2].map((at) => orBlank(plainCell(cells[at] ?? ''))))
        const meant = rows.map((row) => row.map((one) => orBlank(one.toWellFormed())))
        expect(back).toEqual(meant.filter((row) => row.some(Boolean)))
      }),
      { numRuns: 300 }
    )
  })

  test('is the same if written at once or in parts', () => {
    const rows = Array.from({ length: 500 }, (_, row) => [`Lease ${row}`, 'Māori', '=1+1'])
    const { write, end } = tableWriters.xlsx()
    const pieces = [write([['One', 'Two', 'Three']])]
    for (let at = 0; at < rows.length; at += 64) pieces.push(write(rows.slice(at, at + 64)))
    pieces.push(end())
    const atOnce = sheetOf(tableFile('xlsx', ['One', 'Two', 'Three'], rows))
    const withoutWidths = (sheet: string) => sheet.replace(/<cols>.*<\/cols>/, '')
    expect(withoutWidths(sheetOf(Buffer.concat(pieces)))).toBe(withoutWidths(atOnce))
    expect(atOnce).toContain('<row r="501">')
  })

  test('truncates only cells longer than the limit', () => {
    const sheet = sheetOf(tableFile('xlsx', ['One'], [['x'.repeat(32_768)], ['y'.repeat(32_767)]]))
    expect(sheet).toContain(`>${'x'.repeat(32_766)}…<`)
    expect(sheet).toContain(`>${'y'.repeat(32_767)}<`)
  })
})
