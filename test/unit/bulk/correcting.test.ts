import { beforeEach, describe, expect, test } from 'vitest'
import { dryRun } from '../../../src/main/core/bulk/dry-run.ts'
import { openTable } from '../../../src/main/core/bulk/open-file.ts'
import { correctedRow } from '../../../src/main/core/bulk/sheet.ts'
import { PROBLEM_COLUMN } from '../../../src/main/core/bulk/table-file.ts'
import { type Answers, askOf, type BulkQuestions, bulkAnswers } from '../../../src/main/core/bulk/worker.ts'
import { readSheetFile } from '../../../src/main/core/drop-folders/sheet-file.ts'
import { matchColumns } from '../../../src/shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../../src/shared/composition/bulk-targets.ts'
import type { Composition } from '../../../src/shared/composition/index.ts'
import type { BulkRow } from '../../../src/shared/contract/index.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { workbookOf } from './tables.ts'

const NOW = Date.UTC(2026, 10, 20)
const base = forms({ items: [form({ signers: [signer({ FirstName: '', LastName: '', Email: '' })] })] })
const moment = { zone: 'Pacific/Auckland', now: NOW, recent: new Map<string, number>() }
const HEADINGS = 'First name,Last name,E-mail,Due date'
const line = (name: string, email = `${name.toLowerCase()}@example.com`, due = '') => `${name},Tamati,${email},${due}`
/** Columns of the sheet. */
const [LAST, EMAIL, DUE] = [1, 2, 3]

let answers: Answers<BulkQuestions>
beforeEach(() => {
  answers = bulkAnswers()
})

async function open(...rows: string[]) {
  return answers.open({ id: 's', fileName: 'staff.csv', bytes: Buffer.from([HEADINGS, ...rows].join('\n')) })
}

async function check(composition: Composition = base, more: Partial<BulkQuestions['check']['ask']> = {}) {
  const mapping = matchColumns(bulkTargets(composition), HEADINGS.split(','))
  return answers.check({ id: 's', composition, mapping, ...moment, ...more })
}

const correct = (row: number, column: number, value: string | null) => answers.correct({ id: 's', row, column, value })
const rows = async (show: BulkQuestions['rows']['ask']['show'] = 'all') =>
  (await answers.rows({ id: 's', show, offset: 0, limit: 500 })).rows
const errorsOf = ({ problems }: BulkRow) => problems.filter(({ severity }) => severity === 'error')

async function takeRows() {
  const { count } = await answers.prepare({ id: 's', duplicates: 'leave-out', alike: 'leave-out', ...moment })
  const packages = await answers.take({ id: 's', offset: 0, limit: Math.max(1, count) })
  return packages.map((one) => JSON.parse(one))
}

describe('a wrong cell', () => {
  test('is reported with its position and content', async () => {
    await open(line('Mere', 'mere.example.com'), 'Tama,,tama@example.com,')
    await check()
    const [first, second] = await rows()
    expect(errorsOf(first as BulkRow)).toMatchObject([
      { column: 'E-mail', cell: { column: EMAIL, value: 'mere.example.com' } }
    ])
    expect(errorsOf(second as BulkRow)).toMatchObject([{ column: 'Last name', cell: { column: LAST, value: '' } }])
  })

  test('with very long content is shown truncated, and marked as such', async () => {
    await open(line('Mere', 'x'.repeat(20_000)))
    await check()
    const [{ cell } = {}] = errorsOf((await rows())[0] as BulkRow)
    expect(cell).toMatchObject({ isCut: true })
    expect(cell?.value).toHaveLength(500)
  })

  test('can be corrected, and its row is sent with the old and new content', async () => {
    await open(line('Mere', 'mere.example.com'), line('Tama'))
    expect(await check()).toMatchObject({ ready: 1, withErrors: 1, corrected: 0 })
    const answer = await correct(2, EMAIL, ' mere@example.com ')
    expect(answer.check).toMatchObject({ ready: 2, withErrors: 0, corrected: 1 })
    const corrected = [{ column: EMAIL, name: 'E-mail', was: 'mere.example.com', now: 'mere@example.com' }]
    expect(answer.row).toMatchObject({ problems: [], corrected })
    const [first, second] = await takeRows()
    expect(first).toMatchObject({ cells: ['Mere', 'Tamati', 'mere@example.com', ''], corrected })
    expect(first.composition.items[0].signers[0].Email).toBe('mere@example.com')
    expect(second).not.toHaveProperty('corrected')
  })

  test('still wrong is reported, and null restores the file’s content', async () => {
    await open(line('Mere', 'mere.example.com'))
    await check()
    expect(errorsOf((await correct(2, EMAIL, 'mere@')).row)).toMatchObject([{ cell: { value: 'mere@' } }])
    const { row, check: after } = await correct(2, EMAIL, null)
    expect(errorsOf(row)).toMatchObject([{ cell: { value: 'mere.example.com' } }])
    expect(row.corrected).toBeUndefined()
    expect(after).toMatchObject({ withErrors: 1, corrected: 0 })
  })

  test('is parsed like the file’s cells, so that a typed formula is text with a warning', async () => {
    await open(line('Mere', 'mere.example.com'))
    await check()
    const { row } = await correct(2, LAST, '=1+1')
    expect(row.problems).toContainEqual(
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('plain text') })
    )
  })

  test('stays in the list of errors until all rows are checked again', async () => {
    await open(line('Mere', 'mere.example.com'), line('Tama', 'tama.example.com'))
    await check()
    await correct(2, EMAIL, 'mere@example.com')
    expect((await rows('errors')).map(({ row }) => row)).toEqual([2, 3])
    expect((await rows('corrected')).map(({ row }) => row)).toEqual([2])
    await check()
    expect((await rows('errors')).map(({ row }) => row)).toEqual([3])
  })

  test('leads to the next one, and from the last to the first', async () => {
    await open(line('Mere', 'x'), line('Tama'), line('Lena', 'y'), line('Mia', 'z'))
    await check()
    const next = async (after: number) => (await answers.nextError({ id: 's', show: 'errors', after }))?.row.row
    expect([await next(2), await next(4), await next(5)]).toEqual([4, 5, 2])
    expect(await answers.nextError({ id: 's', show: 'all', after: 2 })).toMatchObject({ index: 2, row: { row: 4 } })
    for (const row of [2, 4, 5]) await correct(row, EMAIL, `${row}@example.com`)
    expect(await answers.nextError({ id: 's', show: 'errors', after: 1 })).toBeNull()
  })
})

describe('a correction', () => {
  test('of a person’s identity data is masked in the outbox', async () => {
    const question = { key: 'q1', Label: 'Date of birth', Value: '', DataType: 'date' as const }
    const withQuestion = forms({ items: [form({ signers: [signer({ UseIDData: true, IDData: [question] })] })] })
    await answers.open({ id: 's', fileName: 's.csv', bytes: Buffer.from('Born\n31/02/1990\n') })
    const target = bulkTargets(withQuestion).find(({ kind }) => kind === 'answer')?.target ?? ''
    await check(withQuestion, { mapping: [{ target, column: 0 }] })
    expect((await correct(2, 0, '1990-02-28')).row.problems).toEqual([])
    const [made] = await takeRows()
    expect(made.composition.items[0].signers[0].IDData[0].Value).toBe('1990-02-28')
    expect(made.corrected).toEqual([{ column: 0, name: 'Born', was: '••••••', now: '••••••' }])
  })

  test('can make a row a duplicate of another, or no longer', async () => {
    await open(line('Mere'), line('Mere', 'mere.example.com'), line('Mere'))
    expect(await check()).toMatchObject({ duplicates: 1 })
    expect((await correct(3, EMAIL, 'mere@example.com')).check).toMatchObject({ duplicates: 2 })
    expect((await rows()).map(({ duplicateOf }) => duplicateOf)).toEqual([undefined, { row: 2 }, { row: 2 }])
    await correct(2, EMAIL, 'other@example.com')
    expect((await rows()).map(({ duplicateOf }) => duplicateOf)).toEqual([undefined, undefined, { row: 3 }])
  })

  test('survives another check, another sheet and another interpretation of the first row', async () => {
    const sheets = { May: [HEADINGS.split(','), line('Mere', 'x').split(',')], June: [['A'], ['1']] }
    await answers.open({ id: 's', fileName: 'staff.xlsx', bytes: await workbookOf(sheets) })
    await check()
    await correct(2, EMAIL, 'mere@example.com')
    await answers.sheet({ id: 's', sheet: 'June' })
    await answers.sheet({ id: 's', sheet: 'May' })
    expect(await check()).toMatchObject({ ready: 1, corrected: 1 })
    await answers.sheet({ id: 's', sheet: 'May', firstRow: 'data' })
    expect(await check()).toMatchObject({ rows: 2, corrected: 1 })
  })

  test('isn’t taken for one of another sheet, which isn’t checked yet', async () => {
    const sheets = { May: [HEADINGS.split(','), line('Mere', 'x').split(',')], June: [['A'], ['1']] }
    await answers.open({ id: 's', fileName: 'staff.xlsx', bytes: await workbookOf(sheets) })
    await check()
    await answers.sheet({ id: 's', sheet: 'June' })
    await expect(correct(2, 0, 'Tama')).rejects.toMatchObject({ appError: { message: 'Check the rows first.' } })
    expect((await answers.sheet({ id: 's', sheet: 'June' })).sample).toEqual([['1']])
  })

  test('is counted across the file’s sheets, until it equals the file’s content', async () => {
    const sheets = {
      May: [HEADINGS.split(','), line('Mere', 'x').split(',')],
      June: [HEADINGS.split(','), line('Tama', 'y').split(',')]
    }
    await answers.open({ id: 's', fileName: 'staff.xlsx', bytes: await workbookOf(sheets) })
    await check()
    expect(await correct(2, EMAIL, 'mere@example.com')).toMatchObject({ inAllSheets: 1 })
    await answers.sheet({ id: 's', sheet: 'June' })
    await check()
    expect(await correct(2, EMAIL, 'tama@example.com')).toMatchObject({ inAllSheets: 2, check: { corrected: 1 } })
    expect(await correct(2, EMAIL, ' y')).toMatchObject({ inAllSheets: 1, check: { corrected: 0 } })
    expect(await correct(2, EMAIL, null)).toMatchObject({ inAllSheets: 1 })
  })

  test('is refused for a missing cell, and once the rows have been sent', async () => {
    await open(line('Mere'))
    await check()
    await expect(correct(99, EMAIL, 'x')).rejects.toMatchObject({ appError: { code: 'gone' } })
    await expect(correct(2, 50, 'x')).rejects.toMatchObject({ appError: { code: 'invalid' } })
    await takeRows()
    await answers.taken({ id: 's' })
    await expect(correct(2, EMAIL, 'x@example.com')).rejects.toMatchObject({ appError: { code: 'busy' } })
  })

  test('is included in the saved sheet, with or without headings', async () => {
    await open(line('Mere', 'x'))
    await check()
    await correct(2, EMAIL, '=1')
    const file = async () => Buffer.from(await answers.corrected({ id: 's', format: 'csv' })).toString()
    expect(await file()).toBe(`\ufeff${HEADINGS}\r\nMere,Tamati,"'=1",\r\n`)
    await answers.sheet({ id: 's', sheet: '', firstRow: 'data' })
    expect(await file()).toBe(`\ufeff${HEADINGS}\r\nMere,Tamati,"'=1",\r\n`)
  })

  test('rechecks only one row', async () => {
    const table = openTable(Buffer.from([HEADINGS, line('Mere', 'x'), line('Tama'), line('Lena')].join('\n')), 's.csv')
    const sheet = await table.sheet('')
    const looked: number[] = []
    const watched = sheet.rows.map(({ row, cells }) => ({
      row,
      get cells() {
        looked.push(row)
        return cells
      }
    }))
    const mapping = matchColumns(bulkTargets(base), sheet.columns)
    const checked = dryRun({ ...sheet, rows: watched }, { composition: base, mapping, zone: moment.zone }, moment)
    expect(new Set(looked)).toEqual(new Set([2, 3, 4]))
    looked.length = 0
    const [first] = sheet.rows
    const rechecked = first && checked.recheck(correctedRow(first, new Map([[EMAIL, 'tama@example.com']])), 0)
    expect(rechecked?.check).toMatchObject({ ready: 3 })
    expect(looked).toEqual([])
  })
})

describe('ambiguous dates', () => {
  test('are read day first until a person decides otherwise', async () => {
    const sheet = await open(line('Mere', undefined, '03/04/2027'))
    expect(sheet.dateDoubts).toEqual([{ column: DUE, example: '03/04/2027' }])
    await check()
    const due = async () => JSON.parse(await answers.package({ id: 's', row: 2 })).due
    expect(await due()).toBe('2027-04-03T17:00')
    await check(base, { dateOrders: [{ column: DUE, order: 'month-first' }] })
    expect(await due()).toBe('2027-03-04T17:00')
  })

  test.each([
    ['25/12/2026', '03/04/2027', 'month-first', '2027-04-03T17:00'],
    ['12/25/2026', '03/04/2027', 'day-first', '2027-03-04T17:00']
  ] as const)(
    'are read as %s in the same column proves, ignoring another choice',
    async (proof, doubted, order, due) => {
      const sheet = await open(line('Mere', undefined, proof), line('Tama', undefined, doubted))
      expect(sheet.dateDoubts).toEqual([])
      expect(await check(base, { dateOrders: [{ column: DUE, order }] })).toMatchObject({ ready: 2 })
      expect(JSON.parse(await answers.package({ id: 's', row: 3 })).due).toBe(due)
    }
  )

  test('keep a drop folder’s sheet from being sent automatically', async () => {
    const file = (due: string) => ({
      id: 'f',
      name: 'staff.csv',
      base,
      zone: moment.zone,
      now: NOW,
      recent: moment.recent,
      bytes: Buffer.from(`${HEADINGS}\n${line('Mere', undefined, due)}`)
    })
    const doubted = await readSheetFile(askOf(answers), file('03/04/2027'))
    expect(doubted).toMatchObject({
      isClean: false,
      notes: [expect.stringContaining('“Due date” are read with the day first')]
    })
    expect(await readSheetFile(askOf(answers), file('23/04/2027'))).toMatchObject({ isClean: true })
  })
})

test('the rows of a drop folder’s sheet have its columns, also if it has one of problems among them', async () => {
  const bytes = Buffer.from(`${PROBLEM_COLUMN},${HEADINGS}\nEnter an e-mail.,${line('Mere')}`)
  const file = { id: 'f', name: 'staff.csv', base, ...moment, bytes }
  const { columns, rows } = await readSheetFile(askOf(answers), file)
  expect(columns).toEqual(HEADINGS.split(','))
  expect(rows.map((row) => JSON.parse(row).cells)).toEqual([line('Mere').split(',')])
})

test('a row’s package can be shown, even if the row can’t be sent', async () => {
  await open(line('Mere', 'x', '2027-04-03'))
  await check()
  const made = JSON.parse(await answers.package({ id: 's', row: 2 })) as Composition
  expect(made).toMatchObject({ due: '2027-04-03T17:00', items: [{ Name: 'Tax file declaration' }] })
  expect(made.items[0]?.signers[0]).toMatchObject({ FirstName: 'Mere', Email: 'x' })
})
