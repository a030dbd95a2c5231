/** Tables that are written as CSV, and what programs that part cells at other characters make of them. */
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { csvLines, plainCell } from '../../../src/main/core/bulk/table-file.ts'

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

/** The cells of a program that parts lines at this and takes no heed of quotes in the middle of a cell. */
const cellsAt = (text: string, separator: string) => text.split(/\r\n|\n/).flatMap((line) => line.split(separator))

describe('a table as CSV', () => {
  test.each(['Lease;=1+1;x', 'Lease\t=1+1', 'Lease|"=1+1"', 'Lease\n@SUM(A1)', "x;'=1"])(
    '%j is no formula, whatever parts cells there',
    (text) => {
      const written = csvLines([['a', text, 'b']])
      for (const separator of [';', '\t', '|']) {
        for (const one of cellsAt(written, separator)) expect(one).not.toMatch(FORMULA)
      }
    }
  )

  test('comes back as it was', () => {
    fc.assert(
      fc.property(rows, (table) => {
        const { data } = Papa.parse<string[]>(csvLines(table), { delimiter: ',', newline: '\r\n' })
        expect(data.slice(0, table.length).map((row) => row.map(plainCell))).toEqual(table)
      })
    )
  })
})
