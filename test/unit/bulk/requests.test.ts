import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openBulk } from '../../../src/main/core/bulk/bulk.ts'
import { openRememberedColumns } from '../../../src/main/core/bulk/remembered-columns.ts'
import { tableFile } from '../../../src/main/core/bulk/table-file.ts'
import { askOf, bulkAnswers } from '../../../src/main/core/bulk/worker.ts'
import { type BulkParts, bulkHandlers } from '../../../src/main/ipc/bulk.ts'
import { forms } from '../../fixtures/compositions.ts'
import { database } from '../notifications/office.ts'
import { folderOf } from './tables.ts'

let files: Awaited<ReturnType<typeof folderOf>>
let chosen: string[]
let saveAs: string | undefined
let suggested: string
let account: { id: string } | undefined
let handlers: ReturnType<typeof bulkHandlers>
const context = { from: 'office' as const, stillAsking: () => true }

beforeEach(async () => {
  files = await folderOf()
  chosen = []
  saveAs = undefined
  suggested = ''
  account = { id: 'office' }
  const bulk = openBulk({
    worker: { ask: askOf(bulkAnswers()), end: vi.fn() },
    time: { now: () => Date.UTC(2026, 10, 20), zone: () => 'Pacific/Auckland' },
    newId: () => 'sheet',
    outbox: { addBatch: vi.fn(), sentSince: () => new Map() },
    columns: openRememberedColumns({ db: database(), time: { now: () => 0 } })
  })
  handlers = bulkHandlers({
    accounts: { chosen: () => account } as unknown as BulkParts['accounts'],
    bulk,
    chooseFiles: async () => chosen,
    chooseSaveFile: async (_title, name) => {
      suggested = name
      return saveAs
    }
  })
})

afterEach(() => files.leave())

describe('a person', () => {
  test('chooses a table, and no path goes to the screens', async () => {
    chosen = [await files.put('staff.csv', 'Name\nMere\n')]
    const sheet = await handlers['bulk.open'](undefined, context)
    expect(sheet).toMatchObject({ id: 'sheet', fileName: 'staff.csv', rows: 1 })
    expect(JSON.stringify(sheet)).not.toContain(files.folder)
  })

  test('may think better of choosing and of saving', async () => {
    expect(await handlers['bulk.open'](undefined, context)).toBeNull()
    expect(await handlers['bulk.saveSample']({ composition: forms(), format: 'csv' }, context)).toBeNull()
  })

  test('needs an account', async () => {
    account = undefined
    await expect(handlers['bulk.open'](undefined, context)).rejects.toMatchObject({ appError: { code: 'no-account' } })
  })

  test('saves a sample under a name that fits, in place of an older one', async () => {
    saveAs = await files.put('sample.csv', 'old')
    expect(await handlers['bulk.saveSample']({ composition: forms(), format: 'csv' }, context)).toEqual({
      label: 'sample.csv'
    })
    expect(suggested).toBe('Tax file declaration sample.csv')
    expect(await readFile(saveAs, 'utf8')).toContain('Signer 1: first name')
  })

  test('gets the ending where the system’s dialog leaves it to us, and loses no file by it', async () => {
    const other = await files.put('sample.csv', 'of someone else')
    saveAs = join(files.folder, 'sample')
    const save = () => handlers['bulk.saveSample']({ composition: forms(), format: 'csv' }, context)
    expect(await save()).toEqual({ label: 'sample (2).csv' })
    expect(await readFile(other, 'utf8')).toBe('of someone else')
    saveAs = join(files.folder, 'STAFF.CSV')
    expect(await save()).toEqual({ label: 'STAFF.CSV' })
  })

  test('saves the rows that have to be fixed', async () => {
    chosen = [await files.put('staff.csv', 'First name,E-mail\nMere,nobody\n')]
    await handlers['bulk.open'](undefined, context)
    const mapping = [{ target: 'f1.signers.s1.Email', column: 1 }]
    await handlers['bulk.check']({ id: 'sheet', composition: forms(), mapping }, context)
    saveAs = join(files.folder, 'mend.csv')
    expect(await handlers['bulk.exportFailed']({ id: 'sheet' }, context)).toEqual({ label: 'mend.csv' })
    expect(suggested).toBe('staff to mend.xlsx')
    expect(await readFile(saveAs, 'utf8')).toMatch(/^\ufeffFirst name,E-mail,Problem\r\nMere,nobody,E-mail: /)
    expect(await handlers['bulk.close']({ id: 'sheet' }, context)).toBeUndefined()
  })
})

describe('a table that is written', () => {
  test('can’t be run by a spreadsheet', () => {
    const text = Buffer.from(
      tableFile(
        'csv',
        ['=Name', 'b'],
        [
          ['=1+1', '+64'],
          ['-1', '@x'],
          ['\tx', "'=y"]
        ]
      )
    ).toString()
    expect(text).toBe(`\ufeff"'=Name",b\r\n"'=1+1","'+64"\r\n"'-1","'@x"\r\n"'\tx","''=y"\r\n`)
  })

  test('keeps lines, quotes and separators in their cells', () => {
    const text = Buffer.from(tableFile('csv', ['a'], [['x\ny'], ['"z", w']])).toString()
    expect(text).toBe('\ufeffa\r\n"x\ny"\r\n"""z"", w"\r\n')
  })
})
