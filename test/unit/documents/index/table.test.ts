import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { plainCell } from '../../../../src/main/core/bulk/table-file.ts'
import type { IndexRow } from '../../../../src/main/core/documents/index/row.ts'
import { COLUMNS, tableOf } from '../../../../src/main/core/documents/index/table.ts'
import { runToEnd } from '../../../../src/main/core/lib/slices.ts'
import { DOCUMENT_COLUMNS, type DocumentColumn } from '../../../../src/shared/contract/index.ts'
import { anyRow, row, ZONE } from './rows.ts'

function written(rows: readonly IndexRow[], columns: readonly DocumentColumn[]): string {
  return Buffer.from(runToEnd(tableOf(rows, columns, ZONE, 'csv'))).toString()
}

function cells(text: string): string[][] {
  expect(text.startsWith('\ufeff')).toBe(true)
  const { data, errors } = Papa.parse<string[]>(text.slice(1), {
    delimiter: ',',
    newline: '\r\n',
    skipEmptyLines: true
  })
  expect(errors).toEqual([])
  return data
}

test('each document is a line under headings in words, with dates in this workstation’s offset', () => {
  const document = row(
    {
      Reference: 'DOC-1',
      Name: 'Deed, "signed".pdf',
      Status: '1 of 2 Signed',
      DueDate: '2026-06-30T10:00:00Z',
      LastSignedDate: '2026-11-21',
      GMT: '780',
      MatterNumber: '-12',
      Signers: [{ FirstName: 'Aroha', LastName: 'Ngata', HasSigned: true }, { Email: 'tane@example.com' }]
    },
    { changedAt: Date.UTC(2026, 10, 21, 9) }
  )
  const columns = [
    'name',
    'status',
    'progress',
    'signers',
    'due',
    'lastSigned',
    'matter',
    'package',
    'changed'
  ] as const
  expect(written([document], columns)).toBe(
    '\ufeffDocument,Status,Signed,Signers,Due,Last signed,Matter number,Package,Last changed\r\n' +
      '"Deed, ""signed"".pdf",1 of 2 Signed,1 of 2,"Aroha Ngata (signed); tane@example.com (unknown)",' +
      '2026-06-30T22:00:00+12:00,2026-11-21,"\'-12",,2026-11-21T22:00:00+13:00\r\n'
  )
})

test('an unreadable or ambiguous date is exported as the service wrote it', () => {
  const dates = { DueDate: '03/01/2031', LastSignedDate: 'last Friday' }
  expect(cells(written([row(dates)], ['due', 'lastSigned']))).toEqual([
    ['Due', 'Last signed'],
    ['03/01/2031', 'last Friday']
  ])
})

test('markup stays as it is, and a formula becomes plain text', () => {
  const name = '=HYPERLINK("https://example.com","<b>x</b>")'
  expect(cells(written([row({ Name: name }), row({ Name: '<script>1</script>' })], ['name']))).toEqual([
    ['Document'],
    [`'${name}`],
    ['<script>1</script>']
  ])
})

test('for arbitrary documents the file reads back exactly and contains no formula', () => {
  const columns = fc.subarray([...DOCUMENT_COLUMNS], { minLength: 1 })
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 300 }), columns, (rows, chosen) => {
      // With the reference as the first column no line is empty.
      const shown: DocumentColumn[] = ['reference', ...chosen]
      const [headings, ...lines] = cells(written(rows, shown))
      expect(headings).toEqual(shown.map((column) => COLUMNS[column].heading))
      expect(lines).toHaveLength(rows.length)
      for (const [index, line] of lines.entries()) {
        expect(line).toHaveLength(shown.length)
        for (const cell of line) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/)
        const { name, matterNumber, reference, folder } = rows[index] as IndexRow
        const texts: Partial<Record<DocumentColumn, string>> = { name, reference, folder, matter: matterNumber ?? '' }
        for (const [place, column] of shown.entries()) {
          if (texts[column] !== undefined) expect(plainCell(line[place] as string)).toBe(texts[column])
        }
      }
    })
  )
})

test('dates on the night when the clocks change have the offset of their own hour', () => {
  const night = ['2026-09-26T13:59:59Z', '2026-09-26T14:00:00Z', '2027-04-03T13:59:59Z', '2027-04-03T14:00:00Z']
  const rows = night.map((DueDate) => row({ DueDate }))
  expect(cells(written(rows, ['due'])).slice(1)).toEqual([
    ['2026-09-27T01:59:59+12:00'],
    ['2026-09-27T03:00:00+13:00'],
    ['2027-04-04T02:59:59+13:00'],
    ['2027-04-04T02:00:00+12:00']
  ])
})

test('the last possible date is exported, too', () => {
  const last = row({ DueDate: '/Date(8640000000000000)/' })
  expect(cells(written([last], ['due']))[1]?.[0]).toMatch(/275760-09-13T/)
})
