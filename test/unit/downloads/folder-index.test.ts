import * as fs from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import Papa from 'papaparse'
import { beforeEach, describe, expect, test } from 'vitest'
import { plainCell } from '../../../src/main/core/bulk/table-file.ts'
import { type FolderIndexRow, writeIndex } from '../../../src/main/core/downloads/folder-index.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { diskWithRoomFor, systemError } from './disks.ts'
import { hostileText } from './names.ts'

const zone = 'Pacific/Auckland'
const HEADINGS =
  '\ufeffFile,Document,Document reference,Client reference,Signers,Type,Bytes,SHA-256,Fetched at,Account\r\n'

const row = (some: Partial<FolderIndexRow> = {}): FolderIndexRow => ({
  path: ['Kauri Law', 'Lease.pdf'],
  documentName: 'Deed of lease',
  documentReference: 'DOC-1',
  clientReference: 'C-7',
  signers: ['Aroha Ngata', 'Tāne Kauri'],
  type: 'pdf',
  bytes: 1234,
  sha256: 'ab'.repeat(32),
  fetchedAt: Date.UTC(2026, 10, 21, 9),
  account: 'Kauri Law',
  ...some
})

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})
const read = (name = 'index.csv') => fs.readFileSync(join(folder, name), 'utf8')

describe('the index of a folder', () => {
  test('has headings and one line per file, with times in the office’s time zone', async () => {
    expect(await writeIndex(folder, [row()], { zone })).toEqual({ fileName: 'index.csv', rows: 1 })
    expect(read()).toBe(
      `${HEADINGS}Kauri Law/Lease.pdf,Deed of lease,DOC-1,C-7,"Aroha Ngata; Tāne Kauri",pdf,1234,${'ab'.repeat(32)},` +
        '2026-11-21T22:00:00+13:00,Kauri Law\r\n'
    )
    expect(fs.readdirSync(folder)).toEqual(['index.csv'])
  })

  test('replaces the previous one, ignoring the case of its name', async () => {
    await writeIndex(folder, [row(), row()], { zone })
    fs.renameSync(join(folder, 'index.csv'), join(folder, 'Index.CSV'))
    expect(await writeIndex(folder, [], { zone })).toEqual({ fileName: 'Index.CSV', rows: 0 })
    expect(read('Index.CSV')).toBe(HEADINGS)
    expect(fs.readdirSync(folder)).toEqual(['Index.CSV'])
  })

  test('can be long, and its rows are streamed', async () => {
    async function* rows() {
      for (let number = 0; number < 1000; number++) yield row({ documentReference: `DOC-${number}` })
    }
    expect(await writeIndex(folder, rows(), { zone })).toMatchObject({ rows: 1000 })
    expect(read().split('\r\n')).toHaveLength(1002)
    expect(read()).toContain('DOC-999')
  })

  test('contains no cell that a spreadsheet would execute, and preserves every cell’s text', async () => {
    const formula = '=HYPERLINK("https://example.com","x")'
    await writeIndex(folder, [row({ documentName: formula, signers: ['+1', '@x'], account: '-1' })], { zone })
    expect(read()).toContain(`"'=HYPERLINK(`)
    expect(read()).not.toMatch(/(^|,|\n)"?[=+\-@]/)
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        await writeIndex(folder, [row({ documentName: text })], { zone })
        const { data, errors } = Papa.parse<string[]>(read().slice(1), { delimiter: ',', newline: '\r\n' })
        expect(errors).toEqual([])
        expect(data[1]).toHaveLength(10)
        expect(plainCell(data[1]?.[1] ?? '')).toBe(plainCell(text.toWellFormed()))
      }),
      { numRuns: 60 }
    )
  })
})

describe('a file that isn’t our index', () => {
  test.each([
    ['another table', 'Name,Amount\r\nx,1\r\n'],
    ['our index with an added column', HEADINGS.replace('\r\n', ',Notes\r\n')],
    ['our index saved by another program in its own format', HEADINGS.slice(1).replaceAll(',', ';')],
    ['an empty file', '']
  ])('isn’t overwritten: %s', async (_, existing) => {
    fs.writeFileSync(join(folder, 'index.csv'), existing)
    for (const rows of [[row()], []]) {
      expect(await writeIndex(folder, rows, { zone })).toMatchObject({ fileName: 'index (2).csv' })
    }
    expect(read()).toBe(existing)
    expect(read('index (2).csv')).toBe(HEADINGS)
  })

  test('isn’t overwritten or followed if it is a folder or a link', async () => {
    const otherFolder = temporaryFolder()
    fs.mkdirSync(join(folder, 'index.csv'))
    fs.writeFileSync(join(otherFolder, 'x.csv'), HEADINGS)
    fs.symlinkSync(join(otherFolder, 'x.csv'), join(folder, 'index (2).csv'))
    expect(await writeIndex(folder, [row()], { zone })).toMatchObject({ fileName: 'index (3).csv' })
    expect(fs.readFileSync(join(otherFolder, 'x.csv'), 'utf8')).toBe(HEADINGS)
  })
})

describe('a failed write leaves the existing index unchanged', () => {
  beforeEach(async () => {
    await writeIndex(folder, [row()], { zone })
  })
  const asBefore = () => {
    expect(fs.readdirSync(folder)).toEqual(['index.csv'])
    expect(read().split('\r\n')).toHaveLength(3)
  }

  test('when the disk is full', async () => {
    const rows = Array.from({ length: 200 }, () => row())
    await expect(writeIndex(folder, rows, { zone, files: diskWithRoomFor(2000) })).rejects.toMatchObject({
      code: 'no-space'
    })
    asBefore()
  })

  test('when a spreadsheet program has it open', async () => {
    const rename = () => Promise.reject(systemError('EPERM'))
    await expect(writeIndex(folder, [], { zone, files: { ...nodeFiles, rename } })).rejects.toMatchObject({
      code: 'in-use'
    })
    asBefore()
  })

  test('when reading the rows fails', async () => {
    const broken = new Error('the database is closed')
    async function* rows() {
      yield row()
      throw broken
    }
    await expect(writeIndex(folder, rows(), { zone })).rejects.toBe(broken)
    asBefore()
  })

  test('when the folder is missing', async () => {
    await expect(writeIndex(join(folder, 'stick'), [], { zone })).rejects.toMatchObject({ code: 'away' })
    asBefore()
  })
})

test('simultaneous writes leave one complete index', async () => {
  const rows = [1, 50, 200].map((length) => Array.from({ length }, () => row()))
  const written = await Promise.all(rows.map((some) => writeIndex(folder, some, { zone })))
  expect(written.map(({ fileName }) => fileName)).toEqual(['index.csv', 'index.csv', 'index.csv'])
  expect(fs.readdirSync(folder)).toEqual(['index.csv'])
  expect([3, 52, 202]).toContain(read().split('\r\n').length)
})
