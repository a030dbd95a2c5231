import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openBulk } from '../../../src/main/core/bulk/bulk.ts'
import { openRememberedColumns } from '../../../src/main/core/bulk/remembered-columns.ts'
import { tableFile } from '../../../src/main/core/bulk/table-file.ts'
import { askOf, bulkAnswers } from '../../../src/main/core/bulk/worker.ts'
import { type BulkParts, bulkHandlers } from '../../../src/main/ipc/bulk.ts'
import { matchColumns } from '../../../src/shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../../src/shared/composition/bulk-targets.ts'
import { MAX_SHEET_BYTES, requests } from '../../../src/shared/contract/index.ts'
import { forms } from '../../fixtures/compositions.ts'
import { database } from '../notifications/office.ts'
import { folderOf } from './tables.ts'

let files: Awaited<ReturnType<typeof folderOf>>
let chosen: string[]
let saveAs: string | undefined
let suggested: string
let clipboard: string
let account: { id: string; kind?: 'practice' | 'service' } | undefined
let handlers: ReturnType<typeof bulkHandlers>
const context = { from: 'office' as const, stillAsking: () => true }

let leftOut: { columns: string[]; rows: { row: number; cells: string[]; problems: string[] }[] }
beforeEach(async () => {
  files = await folderOf()
  chosen = []
  saveAs = undefined
  suggested = ''
  clipboard = ''
  account = { id: 'office' }
  const bulk = openBulk({
    worker: { ask: askOf(bulkAnswers()), end: vi.fn() },
    time: { now: () => Date.UTC(2026, 10, 20), zone: () => 'Pacific/Auckland' },
    newId: () => 'sheet',
    outbox: { addBatch: vi.fn(), sentRecently: () => new Map(), inTurn: (_, act) => act() },
    columns: openRememberedColumns({ db: database(), time: { now: () => 0 } })
  })
  handlers = bulkHandlers({
    accounts: { shownIds: () => (account ? [account.id] : []), get: () => account } as unknown as BulkParts['accounts'],
    bulk,
    outbox: {
      batches: { get: () => ({ accountId: 'office', name: 'Clients' }), leftOutRows: () => leftOut }
    } as unknown as BulkParts['outbox'],
    readClipboard: async () => clipboard,
    chooseFiles: async () => chosen,
    chooseSaveFile: async (_title, name) => {
      suggested = name
      return saveAs
    }
  })
})

afterEach(() => files.leave())

describe('bulk requests', () => {
  test('open the rows that were left out of a batch of this account', async () => {
    const rows = [
      { row: 4, cells: ['Mere', '=1+1', 'mere@'], problems: ['E-mail: This isn’t an address.'] },
      { row: 9, cells: ['Tama', '', 'tama@example.com'], problems: ['Same as row 2.'] }
    ]
    leftOut = { columns: ['Name', 'Notes', 'E-mail'], rows }
    const sheet = await handlers['bulk.openLeftOut']({ batchId: 'batch' }, context)
    expect(sheet).toMatchObject({
      fileName: 'Clients, rows left out.csv',
      columns: ['Name', 'Notes', 'E-mail'],
      rows: 2
    })
    account = { id: 'another' }
    await expect(handlers['bulk.openLeftOut']({ batchId: 'batch' }, context)).rejects.toMatchObject({
      appError: { code: 'gone' }
    })
  })

  test('open a chosen table, without revealing its path to screens', async () => {
    chosen = [await files.put('staff.csv', 'Name\nMere\n')]
    const sheet = await handlers['bulk.open'](undefined, context)
    expect(sheet).toMatchObject({ id: 'sheet', fileName: 'staff.csv', rows: 1 })
    expect(JSON.stringify(sheet)).not.toContain(files.folder)
  })

  test('open a dropped table from its name and content', async () => {
    const bytes = Buffer.from('Name\nMere\n')
    const sheet = await handlers['bulk.openDropped']({ fileName: 'staff.csv', bytes }, context)
    expect(sheet).toMatchObject({ id: 'sheet', fileName: 'staff.csv', rows: 1 })
  })

  test('accept dropped bytes only, up to the maximum size', () => {
    const { input } = requests['bulk.openDropped']
    const fits = (bytes: unknown) => input.safeParse({ fileName: 'staff.csv', bytes }).success
    expect(fits(new Uint8Array(MAX_SHEET_BYTES))).toBe(true)
    expect(fits(new Uint8Array(MAX_SHEET_BYTES + 1))).toBe(false)
    expect(fits('Name\nMere\n')).toBe(false)
    expect(input.safeParse({ path: '/etc/passwd', fileName: 'passwd' }).success).toBe(false)
  })

  test('refuse a dropped file that isn’t a table, with a reason', async () => {
    const drop = (fileName: string, text: string) =>
      handlers['bulk.openDropped']({ fileName, bytes: Buffer.from(text, 'latin1') }, context)
    await expect(drop('scan.csv', '%PDF-1.7')).rejects.toMatchObject({ appError: { code: 'bad-file' } })
    await expect(drop('lies.xlsx', 'PK\x03\x04 and nothing else')).rejects.toMatchObject({
      appError: { code: 'bad-file' }
    })
  })

  test('paste given rows, or those on the clipboard', async () => {
    clipboard = 'Name\tE-mail\nTama\ttama@example.com'
    expect(await handlers['bulk.paste']({}, context)).toMatchObject({ fileName: 'Pasted rows', rows: 1 })
    expect(await handlers['bulk.paste']({ text: 'Name\nMere\nLena' }, context)).toMatchObject({ rows: 2 })
  })

  test('don’t return clipboard content once the screen was left', async () => {
    clipboard = 'Name\nTama'
    const left = { ...context, stillAsking: () => false }
    await expect(handlers['bulk.paste']({}, left)).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('offer a practice sheet with errors to correct, only in the practice office', async () => {
    account = { id: 'office', kind: 'practice' }
    const { sheet, composition } = await handlers['bulk.trySample']({}, context)
    expect(sheet.columns).toEqual(['First name', 'Last name', 'E-mail', 'Due date'])
    const mapping = matchColumns(bulkTargets(composition), sheet.columns)
    expect(mapping).toHaveLength(4)
    const check = await handlers['bulk.check']({ id: sheet.id, composition, mapping }, context)
    expect(check).toMatchObject({ rows: 8, ready: 6, withErrors: 2 })
    account = { id: 'office', kind: 'service' }
    await expect(handlers['bulk.trySample']({}, context)).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  })

  test('return nothing if choosing or saving was cancelled', async () => {
    expect(await handlers['bulk.open'](undefined, context)).toBeNull()
    expect(await handlers['bulk.saveSample']({ composition: forms(), format: 'csv' }, context)).toBeNull()
  })

  test('need an account', async () => {
    account = undefined
    await expect(handlers['bulk.open'](undefined, context)).rejects.toMatchObject({ appError: { code: 'no-account' } })
  })

  test('save a sample under a suitable name, replacing an older one', async () => {
    saveAs = await files.put('sample.csv', 'old')
    expect(await handlers['bulk.saveSample']({ composition: forms(), format: 'csv' }, context)).toEqual({
      label: 'sample.csv'
    })
    expect(suggested).toBe('Tax file declaration sample.csv')
    expect(await readFile(saveAs, 'utf8')).toContain('Signer 1: first name')
  })

  test('add a missing file extension without overwriting another file', async () => {
    const other = await files.put('sample.csv', 'of someone else')
    saveAs = join(files.folder, 'sample')
    const save = () => handlers['bulk.saveSample']({ composition: forms(), format: 'csv' }, context)
    expect(await save()).toEqual({ label: 'sample (2).csv' })
    expect(await readFile(other, 'utf8')).toBe('of someone else')
    saveAs = join(files.folder, 'STAFF.CSV')
    expect(await save()).toEqual({ label: 'STAFF.CSV' })
  })

  test('save the rows to be fixed', async () => {
    chosen = [await files.put('staff.csv', 'First name,E-mail\nMere,nobody\n')]
    await handlers['bulk.open'](undefined, context)
    const mapping = [{ target: 'f1.signers.s1.Email', column: 1 }]
    await handlers['bulk.check']({ id: 'sheet', composition: forms(), mapping }, context)
    saveAs = join(files.folder, 'mend.csv')
    expect(await handlers['bulk.exportFailed']({ id: 'sheet' }, context)).toEqual({ label: 'mend.csv' })
    expect(suggested).toBe('staff with errors.xlsx')
    expect(await readFile(saveAs, 'utf8')).toMatch(
      /^\ufeffFirst name,E-mail,Problem \(Countersign\)\r\nMere,nobody,E-mail: /
    )
    expect(await handlers['bulk.close']({ id: 'sheet' }, context)).toBeUndefined()
  })
})

describe('a written table', () => {
  test('contains nothing that a spreadsheet would execute', () => {
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

  test('preserves line breaks, quotes and separators in cells', () => {
    const text = Buffer.from(tableFile('csv', ['a'], [['x\ny'], ['"z", w']])).toString()
    expect(text).toBe('\ufeffa\r\n"x\ny"\r\n"""z"", w"\r\n')
  })
})
