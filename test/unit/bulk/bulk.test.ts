import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BatchOutbox, type Bulk, openBulk } from '../../../src/main/core/bulk/bulk.ts'
import type { PackageRow } from '../../../src/main/core/bulk/dry-run.ts'
import { openRememberedColumns } from '../../../src/main/core/bulk/remembered-columns.ts'
import { PROBLEM_COLUMN } from '../../../src/main/core/bulk/table-file.ts'
import { type BulkWorker, openBulkWorker } from '../../../src/main/shell/bulk.ts'
import { matchColumns } from '../../../src/shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../../src/shared/composition/bulk-targets.ts'
import { blankSigner, type Composition, fingerprintOf } from '../../../src/shared/composition/index.ts'
import type { BatchView, BulkSheet } from '../../../src/shared/contract/index.ts'
import { buildWorker } from '../../fixtures/built-worker.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'
import { database } from '../notifications/office.ts'
import { folderOf, workbook } from './tables.ts'

let built: Awaited<ReturnType<typeof buildWorker>>
const log = { error: vi.fn() }
const NOW = Date.UTC(2026, 10, 20)
const DAY = 86_400_000

type Batch = Parameters<BatchOutbox['addBatch']>[0] & { packages: PackageRow[] }

let db: ReturnType<typeof database>
let files: Awaited<ReturnType<typeof folderOf>>
let worker: BulkWorker
let bulk: Bulk
let now: number
let batches: Batch[]
let recent: Map<string, number>
let chosen_: string[]
let hold: (() => Promise<void>) | undefined

beforeAll(async () => {
  built = await buildWorker('src/main/shell/bulk-worker.ts')
})

afterAll(() => built.remove())

beforeEach(async () => {
  db = database()
  files = await folderOf()
  now = NOW
  batches = []
  recent = new Map()
  chosen_ = []
  hold = undefined
  log.error.mockClear()
  useWorker(built.file)
})

afterEach(async () => {
  await bulk.closeAll()
  await files.leave()
})

function useWorker(file: URL) {
  let ids = 0
  worker = openBulkWorker({ worker: file, log })
  bulk = openBulk({
    worker,
    columns: openRememberedColumns({ db, time: { now: () => now } }),
    time: { now: () => now, zone: () => 'Pacific/Auckland' },
    newId: () => `sheet-${++ids}`,
    outbox: {
      async addBatch(batch) {
        const packages: PackageRow[] = []
        for (const row of batch.rows) {
          packages.push(row)
          if (packages.length % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        await hold?.()
        batches.push({ ...batch, packages })
        return { id: `batch-${batches.length}`, name: batch.name, total: packages.length } as BatchView
      },
      sentRecently(account) {
        chosen_.push(account)
        return recent
      },
      inTurn: (_, compareAndAdd) => compareAndAdd()
    }
  })
}

/** A form for one or two people. */
const base = forms({ items: [form({ signers: [blankSigner('s1'), blankSigner('s2')] })] })
const HEADINGS = 'First name,Last name,E-mail,First name 2,Last name 2,E-mail 2,Due date'
const person = (name: string) => `${name},Tamati,${name.toLowerCase()}@example.com`

async function open(content: string | Uint8Array, name = 'staff.csv'): Promise<BulkSheet> {
  return bulk.open('office', name, { path: await files.put(name, content) })
}

function mappingOf(composition: Composition, sheet: BulkSheet) {
  return matchColumns(bulkTargets(composition), sheet.columns)
}

async function checked(content: string | Uint8Array, composition = base) {
  const sheet = await open(content)
  const check = await bulk.check('office', { id: sheet.id, composition, mapping: mappingOf(composition, sheet) })
  const rows = (await bulk.rows('office', { id: sheet.id, show: 'all', offset: 0, limit: 500 })).rows
  return { id: sheet.id, sheet, check, rows }
}

const send = (id: string, more: Partial<Parameters<Bulk['send']>[1]> = {}) =>
  bulk.send('office', { id, name: 'Staff', duplicates: 'leave-out', alike: 'leave-out', ...more })
/** Records that someone got the package a moment ago, with other data. */
function sentWithOtherData(FirstName: string): void {
  const signers = [signer({ FirstName, Email: `${FirstName}@example.com` })]
  recent.set(fingerprintOf(forms({ items: [form({ ClientReference: 'M-1', signers })] })), NOW)
}

const sentTo = ({ packages }: Batch) => packages.map(({ composition }) => composition.items[0]?.signers[0]?.Email)

describe('a dry run', () => {
  test('shows for each row its signers, and its problems with their columns', async () => {
    const { check, rows } = await checked(
      `${HEADINGS},Shoe size\n${person('Mere')},,,,,42\n${person('Tama')},Lena,Brooks,lena@example.com,31/12/2026,43\nMia,,mia.example.com,,,,soon,44\n`
    )
    expect(check).toMatchObject({ rows: 3, withErrors: 1, duplicates: 0, ready: 2, unused: ['Shoe size'] })
    expect(rows.map(({ row, who }) => [row, who])).toEqual([
      [2, 'Mere Tamati'],
      [3, 'Tama Tamati and Lena Brooks'],
      [4, 'Mia']
    ])
    expect(rows[2]?.problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { column: 'Due date', message: expect.stringContaining('soon') },
      { column: 'Last name' },
      { column: 'E-mail' }
    ])
  })

  test('rejects a sample’s example row', async () => {
    const [headings = '', row = ''] = Buffer.from(await bulk.sample(base, 'csv'))
      .toString('utf8')
      .split('\r\n')
    const { check, rows } = await checked(`${headings}\n${row}\n`)
    expect(check).toMatchObject({ ready: 0, withErrors: 1 })
    expect(rows[0]?.problems[0]?.message).toContain('example row')
    const meant = row.replaceAll('Example', 'Ngata')
    expect((await checked(`${headings}\n${meant}\n`)).rows[0]?.problems[0]?.message ?? '').not.toContain('example row')
  })

  test('pages through rows with errors, warnings or duplicates', async () => {
    const { id } = await checked(
      `${HEADINGS}\n${`${person('Mere')},,,,\n`.repeat(3)}=A1,B,b@example.com,,,,\n,,,,,,04/12/2020\n`
    )
    const show = async (what: 'errors' | 'warnings' | 'duplicates') =>
      (await bulk.rows('office', { id, show: what, offset: 0, limit: 10 })).rows.map(({ row }) => row)
    expect(await show('errors')).toEqual([6])
    expect(await show('warnings')).toEqual([5])
    expect(await show('duplicates')).toEqual([3, 4])
    expect(await bulk.rows('office', { id, show: 'duplicates', offset: 1, limit: 1 })).toMatchObject({
      rows: [{ row: 4, duplicateOf: { row: 2 } }],
      total: 2
    })
  })

  test('recognises what was sent in the last thirty days, but not for a faulty row', async () => {
    const sent = forms({ items: [form({ signers: [signer({ FirstName: 'Meré', Email: 'MERE@example.com' })] })] })
    recent.set(fingerprintOf(sent), NOW - 3 * DAY)
    const { check, rows } = await checked(
      `${HEADINGS}\n${person('Mere')},,,,\n${person('Tama')},,,,\nMere,,mere@example.com,,,,\n`
    )
    expect(check).toMatchObject({ duplicates: 1, withErrors: 1 })
    expect(rows[0]?.duplicateOf).toEqual({ sentAt: NOW - 3 * DAY })
    expect(chosen_[0]).toBe('office')
  })

  test('formats mobile numbers for the service, with the office’s country code if given', async () => {
    const table = `First name,Last name,E-mail,Mobile\n${person('Mere')},021 555 0101\n${person('Tama')},+64 21 555 0102\n${person('Lena')},09 300 1234\n`
    const one = forms({ items: [form({ signers: [blankSigner('s1')] })] })
    const { id, sheet, check } = await checked(table, one)
    expect(check).toMatchObject({ withoutCountry: 2, withWarnings: 2 })
    const input = { id, composition: one, mapping: mappingOf(one, sheet), countryCode: '64' }
    // What isn't a mobile number in that country stays as typed, with its warning.
    expect(await bulk.check('office', input)).toMatchObject({ withoutCountry: 1, withWarnings: 1 })
    await send(id)
    const mobiles = batches[0]?.packages.map(({ composition }) => composition.items[0]?.signers[0])
    expect(mobiles?.map((mobile) => `${mobile?.MobileCountry} ${mobile?.MobileNumber}`)).toEqual([
      '64 0215550101',
      '64 0215550102',
      ' 09 300 1234'
    ])
  })

  test('treats two people with a shared address as different', async () => {
    const { check } = await checked(
      `${HEADINGS}\nMere,Tamati,home@example.com,,,,\nWiremu,Tamati,home@example.com,,,,\nMERE,Tāmati,home@example.com,,,,\n`
    )
    expect(check).toMatchObject({ ready: 3, duplicates: 1 })
  })

  test('asks about people who got the same with other data within a day, and about nobody else', async () => {
    const to = (FirstName: string, changes = {}) =>
      fingerprintOf(
        forms({ items: [form({ ...changes, signers: [signer({ FirstName, Email: `${FirstName}@example.com` })] })] })
      )
    recent.set(to('mere', { ClientReference: 'M-1' }), NOW - 60_000)
    recent.set(to('tama'), NOW - 60_000)
    recent.set(to('lena', { ClientReference: 'M-3' }), NOW - 2 * DAY)
    recent.set(to('ann', { FormType: '9' }), NOW - 60_000)
    const { id, check, rows } = await checked(
      `${HEADINGS}\n${['Mere', 'Tama', 'Lena', 'Ann'].map((name) => `${person(name)},,,,`).join('\n')}\n`
    )
    expect(check).toMatchObject({ ready: 4, duplicates: 1, alike: 1 })
    expect(rows.map(({ alikeSentAt }) => alikeSentAt)).toEqual([NOW - 60_000, undefined, undefined, undefined])
    expect((await bulk.rows('office', { id, show: 'alike', offset: 0, limit: 9 })).rows).toHaveLength(1)
    await send(id)
    expect(sentTo(batches[0] as Batch)).toEqual(['lena@example.com', 'ann@example.com'])
    expect(batches[0]?.leftOut[0]?.problems).toEqual(['The same people got this on 20 November 2026, with other data.'])
  })

  test('reports an error where a formula failed', async () => {
    const { rows } = await checked(`${HEADINGS}\n#REF!,Tamati,mere@example.com,,,,\n`)
    expect(rows[0]?.problems).toMatchObject([
      { severity: 'error', column: 'First name', message: expect.stringContaining('#REF!') }
    ])
  })

  test('fills a template’s fields from columns matched by hand', async () => {
    const composition = templates({
      items: [
        template({
          fields: [
            {
              key: 'd1',
              Label: 'Rent',
              Value: '',
              FieldType: 'Text',
              IsRequired: true,
              Reference: 'R',
              ReadOnly: true,
              ClientField: ''
            }
          ]
        })
      ]
    })
    const sheet = await open('E-mail,Amount\nmere@example.com,450\ntama@example.com,\n')
    const mapping = [...mappingOf(composition, sheet), { target: 't1.fields.d1.Value', column: 1 }]
    const check = await bulk.check('office', { id: sheet.id, composition, mapping })
    expect(check).toMatchObject({ ready: 1, withErrors: 1, unused: [] })
    await send(sheet.id)
    expect(batches[0]?.packages[0]?.composition.items[0]?.fields[0]?.Value).toBe('450')
  })

  test('refuses a mapping that doesn’t fit what is to be sent', async () => {
    const sheet = await open(`${HEADINGS}\n`)
    const check = (mapping: { target: string; column: number }[]) =>
      bulk.check('office', { id: sheet.id, composition: base, mapping })
    await expect(check([{ target: 'nowhere', column: 0 }])).rejects.toMatchObject({ appError: { code: 'invalid' } })
    await expect(check([{ target: 'due', column: 99 }])).rejects.toMatchObject({ appError: { code: 'invalid' } })
  })

  test('of 2,000 rows doesn’t block the windows', async () => {
    const fields = Array.from({ length: 10 }, (_, index) => `Field ${index}`)
    const composition = templates({
      items: [
        template({
          signers: [blankSigner('s1'), blankSigner('s2')],
          fields: fields.map((Label, index) => ({
            key: `d${index}`,
            Label,
            Value: '',
            FieldType: 'Text',
            IsRequired: true,
            Reference: `R${index}`,
            ReadOnly: false,
            ClientField: ''
          }))
        })
      ]
    })
    const lines = Array.from(
      { length: 2000 },
      (_, index) => `${person(`Mere${index}`)},021 012 345,64,${person(`Tama${index}`)},31/12/2026,${fields.join(',')}`
    )
    const sheet = await open(
      `First name,Last name,E-mail,Mobile,Country code,First name 2,Last name 2,E-mail 2,Due date,${fields.join(',')}\n${lines.join('\n')}`
    )
    const mapping = mappingOf(composition, sheet)
    expect(mapping).toHaveLength(19)
    // Measures how long this thread worked, not how long it waited for its turn on a busy machine.
    const shareOf = async (work: () => Promise<unknown>) => {
      const began = performance.now()
      const before = process.threadCpuUsage()
      await work()
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1000 / (performance.now() - began)
    }
    let check: unknown
    const dry = await shareOf(async () => {
      check = await bulk.check('office', { id: sheet.id, composition, mapping })
    })
    const sent = await shareOf(() => send(sheet.id))
    expect(dry).toBeLessThan(0.3)
    expect(sent).toBeLessThan(0.5)
    expect(check).toMatchObject({ rows: 2000, ready: 2000 })
    expect(batches[0]?.packages).toHaveLength(2000)
  })
})

describe('a column mapping', () => {
  const table = `Who,Family,Mail\n${person('Mere')}\n`
  const mapping = [
    { target: 'f1.signers.s1.FirstName', column: 0 },
    { target: 'f1.signers.s1.LastName', column: 1 },
    { target: 'f1.signers.s1.Email', column: 2 }
  ]

  test('without headings is remembered by position, even for rows exported to be fixed', async () => {
    const rows = ['Mere,Tamati,mere@example.com', 'Tama,Brooks,nobody'].join('\n')
    const first = await open(rows)
    expect(first.columns).toEqual(['A', 'B', 'C'])
    const targets = bulkTargets(base)
    const named = (label: string) => targets.find((target) => target.label === label)?.target ?? ''
    const mapping = ['first name', 'last name', 'e-mail'].map((name, column) => ({
      target: named(`Signer 1: ${name}`),
      column
    }))
    const dateOrders = [{ column: 2, order: 'month-first' as const }]
    await bulk.check('office', { id: first.id, composition: base, mapping, dateOrders })
    const december = await open('Lena,Brooks,lena@example.com', 'december.csv')
    expect(bulk.rememberedMapping('office', december.id, base)).toMatchObject({ mapping, dateOrders })
    const toFix = await bulk.failedRows('office', first.id).file('csv')
    const reopened = await open(toFix, 'with errors.csv')
    expect(reopened.columns).toEqual(['A', 'B', 'C', PROBLEM_COLUMN])
    expect(bulk.rememberedMapping('office', reopened.id, base)).toMatchObject({ mapping })
  })

  test('is remembered by what is sent and the headings, not by the package’s own keys', async () => {
    const first = await open(table)
    expect(bulk.rememberedMapping('office', first.id, base)).toBeNull()
    await bulk.check('office', { id: first.id, composition: base, mapping })
    now += DAY
    const reopened = await open(table, 'december.csv')
    const other = forms({ items: [form({ key: 'x', signers: [blankSigner('y'), blankSigner('z')] })] })
    expect(bulk.rememberedMapping('office', reopened.id, other)).toEqual({
      mapping: mapping.map(({ target, column }) => ({ target: target.replace('f1', 'x').replace('s1', 'y'), column })),
      dateOrders: [],
      at: NOW
    })
  })

  test('isn’t offered for other headings, another form or another account', async () => {
    const first = await open(table)
    await bulk.check('office', { id: first.id, composition: base, mapping })
    expect(bulk.rememberedMapping('office', (await open('Who,Name,Mail\na,b,c\n')).id, base)).toBeNull()
    const other = forms({ items: [form({ FormType: '77', signers: [blankSigner('s1'), blankSigner('s2')] })] })
    expect(bulk.rememberedMapping('office', first.id, other)).toBeNull()
    const theirs = await bulk.open('second', 'theirs.csv', { path: await files.put('theirs.csv', table) })
    expect(bulk.rememberedMapping('second', theirs.id, base)).toBeNull()
  })
})

test('an error about an unusable file names it', async () => {
  await expect(open('', 'june.csv')).rejects.toMatchObject({ appError: { code: 'bad-file', subject: 'june.csv' } })
})

describe('sending', () => {
  test('makes a batch of the rows without errors in order, with the left-out rows and their reasons', async () => {
    const { id } = await checked(
      `${HEADINGS}\n${person('Mere')},,,,\nTama,,tama@example.com,,,,\n${person('Lena')},,,,\n${person('Mere')},,,,\n`
    )
    expect(await send(id)).toMatchObject({ name: 'Staff', total: 2 })
    const [batch] = batches as [Batch]
    expect(batch.accountId).toBe('office')
    expect(batch.columns).toEqual(HEADINGS.split(','))
    expect(batch.packages.map(({ row }) => row)).toEqual([2, 4])
    expect(sentTo(batch)).toEqual(['mere@example.com', 'lena@example.com'])
    expect(batch.packages[0]?.cells).toEqual(['Mere', 'Tamati', 'mere@example.com', '', '', '', ''])
    expect(batch.packages[0]?.composition.items[0]?.signers).toHaveLength(1)
    expect(batch.leftOut).toEqual([
      { row: 3, cells: expect.any(Array), problems: ['Last name: Enter the last name.'] },
      { row: 5, cells: expect.any(Array), problems: ['Same as row 2.'] }
    ])
  })

  test('includes duplicate rows if requested', async () => {
    const { id } = await checked(`${HEADINGS}\n${`${person('Mere')},,,,\n`.repeat(2)}`)
    await send(id, { duplicates: 'send' })
    expect(batches[0]?.packages).toHaveLength(2)
  })

  test('leaves out what was sent since the check, with the date', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n${person('Tama')},,,,\n`)
    recent.set(fingerprintOf(forms({ items: [form({ signers: [signer({ Email: 'mere@example.com' })] })] })), NOW)
    await send(id)
    expect(sentTo(batches[0] as Batch)).toEqual(['tama@example.com'])
    expect(batches[0]?.leftOut[0]?.problems).toEqual(['Already sent on 20 November 2026.'])
  })

  test('leaves out what was sent since the check, even if duplicates are to be sent', async () => {
    const { id } = await checked(`${HEADINGS}\n${`${person('Mere')},,,,\n`.repeat(2)}${person('Tama')},,,,\n`)
    recent.set(fingerprintOf(forms({ items: [form({ signers: [signer({ Email: 'mere@example.com' })] })] })), NOW)
    await send(id, { duplicates: 'send' })
    expect(sentTo(batches[0] as Batch)).toEqual(['tama@example.com'])
    expect(batches[0]?.leftOut.map(({ problems }) => problems)).toEqual([
      ['Already sent on 20 November 2026.'],
      ['Already sent on 20 November 2026.']
    ])
  })

  test('includes people who got it with other data only if that was asked and confirmed', async () => {
    sentWithOtherData('mere')
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n${person('Tama')},,,,\n`)
    // Nobody was asked about this one.
    sentWithOtherData('tama')
    await send(id, { alike: 'send' })
    expect(sentTo(batches[0] as Batch)).toEqual(['mere@example.com'])
  })

  test('leaves out such people also in a second row, though duplicates are to be sent', async () => {
    sentWithOtherData('mere')
    const { id, check } = await checked(`${HEADINGS}\n${`${person('Mere')},,,,\n`.repeat(2)}${person('Tama')},,,,\n`)
    expect(check).toMatchObject({ ready: 3, duplicates: 1, alike: 2, alikeDuplicates: 1 })
    await send(id, { duplicates: 'send' })
    expect(sentTo(batches[0] as Batch)).toEqual(['tama@example.com'])
  })

  test('leaves out rows whose due date has passed since the check, or will have by sending', async () => {
    const table = `${HEADINGS}\n${person('Mere')},,,,01/12/2026\n${person('Tama')},,,,31/12/2026\n`
    const first = await checked(table)
    expect(first.check.ready).toBe(2)
    now = Date.UTC(2026, 11, 2)
    await send(first.id)
    expect(sentTo(batches[0] as Batch)).toEqual(['tama@example.com'])
    expect(batches[0]?.leftOut[0]?.problems[0]).toContain('Due date')

    now = NOW
    const second = await checked(table)
    await send(second.id, { at: Date.UTC(2026, 11, 20) })
    expect(batches[1]).toMatchObject({ at: Date.UTC(2026, 11, 20) })
    expect(sentTo(batches[1] as Batch)).toEqual(['tama@example.com'])
  })

  test('never includes a row that the check left out, even if its reason no longer applies', async () => {
    recent.set(fingerprintOf(forms({ items: [form({ signers: [signer({ Email: 'mere@example.com' })] })] })), NOW)
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n${person('Tama')},,,,\n`)
    recent.clear()
    await send(id)
    expect(sentTo(batches[0] as Batch)).toEqual(['tama@example.com'])
    expect(batches[0]?.leftOut).toMatchObject([{ row: 2, problems: ['Already sent on 20 November 2026.'] }])
  })

  test('doesn’t send a duplicate in place of a row whose due date has passed', async () => {
    const { id } = await checked(
      `${HEADINGS}\n${person('Mere')},,,,01/12/2026\n${person('Mere')},,,,31/12/2026\n${person('Tama')},,,,31/12/2026\n`
    )
    now = Date.UTC(2026, 11, 2)
    await send(id)
    expect(sentTo(batches[0] as Batch)).toEqual(['tama@example.com'])
    expect(batches[0]?.leftOut.map(({ row }) => row)).toEqual([2, 3])
  })

  test('treats rows for one person with different data as separate packages', async () => {
    const xml = forms({ items: [form({ signers: [blankSigner('s1')] })] })
    const table = `First name,Last name,E-mail,XML data\n${person('Mere')},<pay>January</pay>\n${person('Mere')},<pay>February</pay>\n`
    const { id, check } = await checked(table, xml)
    expect(check).toMatchObject({ duplicates: 0, ready: 2 })
    await send(id)
    expect(batches[0]?.packages).toHaveLength(2)
  })

  test('happens once, even if requested repeatedly', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    const free = Promise.withResolvers<void>()
    hold = () => free.promise
    const first = send(id)
    await expect(send(id)).rejects.toMatchObject({ appError: { code: 'busy' } })
    free.resolve()
    await first
    await expect(send(id)).rejects.toMatchObject({ appError: { code: 'busy' } })
    expect(batches).toHaveLength(1)
  })

  test('isn’t disturbed by another check or sheet, which is refused meanwhile', async () => {
    const { id, sheet } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    const sending = send(id)
    const busy = { appError: { code: 'busy' } }
    const check = { id, composition: base, mapping: mappingOf(base, sheet) }
    await Promise.all([
      expect(bulk.check('office', check)).rejects.toMatchObject(busy),
      expect(bulk.sheet('office', id, '', 'data')).rejects.toMatchObject(busy)
    ])
    await sending
    expect(batches[0]?.packages).toHaveLength(1)
    expect(await bulk.check('office', check)).toMatchObject({ ready: 1 })
  })

  test('continues if the page is left, and the sheet is closed afterwards', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    const leaving = send(id)
    await bulk.close(id)
    await leaving
    expect(batches).toHaveLength(1)
    const rows = bulk.rows('office', { id, show: 'all', offset: 0, limit: 1 })
    await expect(rows).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('is known to be under way from the beginning, so that nobody quits unasked', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    expect(bulk.isSending()).toBe(false)
    const under = send(id)
    expect(bulk.isSending()).toBe(true)
    await under
    expect(bulk.isSending()).toBe(false)
  })

  test('continues if another account is chosen, which closes all sheets', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    const other = await checked(`${HEADINGS}\n${person('Ana')},,,,\n`)
    const leaving = send(id)
    await bulk.closeAll()
    await leaving
    expect(batches).toHaveLength(1)
    for (const one of [id, other.id]) {
      const rows = bulk.rows('office', { id: one, show: 'all', offset: 0, limit: 1 })
      await expect(rows).rejects.toMatchObject({ appError: { code: 'gone' } })
    }
  })

  test('clears unsaved corrections, which are kept until then and while the file is open', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    const other = await checked(`${HEADINGS}\n${person('Ana')},,,,\n`)
    expect(bulk.filesWithCorrections()).toEqual([])
    for (const one of [id, other.id]) await bulk.correct('office', { id: one, row: 2, column: 1, value: 'Rangi' })
    expect(bulk.filesWithCorrections()).toEqual(['staff.csv', 'staff.csv'])
    await bulk.correct('office', { id: other.id, row: 2, column: 1, value: null })
    expect(bulk.filesWithCorrections()).toEqual(['staff.csv'])
    hold = () => Promise.reject(new Error('The disk is full.'))
    await expect(send(id)).rejects.toThrow('full')
    expect(bulk.filesWithCorrections()).toEqual(['staff.csv'])
    hold = undefined
    await send(id)
    expect(bulk.filesWithCorrections()).toEqual([])
    await bulk.correct('office', { id: other.id, row: 2, column: 1, value: 'Rangi' })
    await bulk.close(other.id)
    expect(bulk.filesWithCorrections()).toEqual([])
  })

  test('can be retried if the outbox failed', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    hold = () => Promise.reject(new Error('The disk is full.'))
    await expect(send(id)).rejects.toThrow('full')
    hold = undefined
    await send(id)
    expect(batches).toHaveLength(1)
  })

  test('that is retried still leaves out what nobody was asked about', async () => {
    sentWithOtherData('mere')
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n${person('Tama')},,,,\n`)
    sentWithOtherData('tama')
    hold = () => Promise.reject(new Error('The disk is full.'))
    await expect(send(id, { alike: 'send' })).rejects.toThrow('The disk is full.')
    hold = undefined
    await send(id, { alike: 'send' })
    expect(sentTo(batches[0] as Batch)).toEqual(['mere@example.com'])
  })

  test('needs a check, and at least one row that can be sent', async () => {
    const sheet = await open(`${HEADINGS}\n${person('Mere')},,,,\n`)
    await expect(send(sheet.id)).rejects.toMatchObject({ appError: { code: 'gone' } })
    const { id } = await checked(`${HEADINGS}\n,,,,,,\nx,,,,,,\n`)
    await expect(send(id)).rejects.toMatchObject({ appError: { code: 'invalid' } })
    expect(batches).toEqual([])
  })
})

describe('rows not sent', () => {
  test('are exported with reasons, and can be fixed and read again until all are right', async () => {
    const { id } = await checked(
      `${HEADINGS}\n${person('Mere')},,,,\n'=Tama,,"tama@example.com",,,,soon\n${person('+Lena')},,,,2020-01-01\n`
    )
    const { fileName, file } = bulk.failedRows('office', id)
    expect(fileName).toBe('staff.csv')
    const bytes = await file('csv')
    const text = Buffer.from(bytes).toString()
    expect(text.startsWith('\ufeffFirst name,')).toBe(true)
    expect(text).toContain(`"'=Tama"`)

    const rechecked = await checked(bytes)
    expect(rechecked.sheet.columns.at(-1)).toBe(PROBLEM_COLUMN)
    expect(rechecked.sheet.sample[0]?.[0]).toBe('=Tama')
    expect(rechecked.check).toMatchObject({ rows: 2, withErrors: 2, unused: [] })
    const third = await bulk.failedRows('office', rechecked.id).file('csv')
    expect(Buffer.from(third)).toEqual(Buffer.from(bytes))
    const workbook = await open(await file('xlsx'), 'staff.xlsx')
    expect(workbook).toMatchObject({ columns: rechecked.sheet.columns, sample: rechecked.sheet.sample })

    const lines = text
      .split('\r\n')
      .map((line) => line.replace(/^.*tama@.*$/, 'Tama,Brooks,tama@example.com,,,,2026-12-31,'))
    const mended = await checked(lines.join('\r\n').replace('2020-01-01', ''))
    expect(mended.check).toMatchObject({ rows: 2, withErrors: 0 })
    await send(mended.id)
    expect(batches[0]?.columns).not.toContain(PROBLEM_COLUMN)
    expect(batches[0]?.packages).toHaveLength(2)
  })

  test('keep what a template’s own field “Problem” is filled in with', async () => {
    const [key, own] = ['d', 'Leaking tap']
    const blank = { Value: '', IsRequired: false, ReadOnly: false, ClientField: '' }
    const field = { ...blank, key, Label: 'Problem', FieldType: 'Text', Reference: 'problem' }
    const repair = templates({ items: [template({ signers: [blankSigner('s1')], fields: [field] })] })
    const { id } = await checked(`First name,Last name,E-mail,Problem\nMere,Tamati,nobody,${own}\n`, repair)
    const exported = Buffer.from(await bulk.failedRows('office', id).file('csv')).toString()
    const fixed = await checked(exported.replace('nobody', 'mere@example.com'), repair)
    expect(fixed.check).toMatchObject({ rows: 1, withErrors: 0, unused: [] })
    expect(await bulk.package('office', { id: fixed.id, row: 2 })).toMatchObject({
      items: [{ fields: [{ Value: own }] }]
    })
  })

  test('include all left-out rows once the others have been sent', async () => {
    const { id } = await checked(`${HEADINGS}\n${`${person('Mere')},,,,\n`.repeat(2)}x,,,,,,\n`)
    await send(id)
    const text = Buffer.from(await bulk.failedRows('office', id).file('csv')).toString()
    expect(text.trim().split('\r\n')).toHaveLength(3)
    expect(text).toContain('Same as row 2.')
  })
})

describe('a sample', () => {
  const composition = forms({
    items: [
      form({
        signers: [
          signer({
            UseIDData: true,
            IDData: [{ key: 'q', Label: 'Born', Value: '', DataType: 'date' }],
            ShareUsers: [
              { key: 'u', FirstName: '', MiddleName: '', LastName: '', Email: '', IsDefault: false, IsOwner: false }
            ]
          }),
          blankSigner('s2')
        ]
      })
    ],
    ListItems: [{ key: 'l1', ClientField: 'fund', Item: 'Fund A', Value: 'a' }]
  })

  test.each(['csv', 'xlsx'] as const)(
    'as %s has a column for each target, and an example row that lacks only a real person',
    async (format) => {
      const bytes = await bulk.sample(composition, format)
      const sheet = await open(bytes, `sample.${format}`)
      const mapping = mappingOf(composition, sheet)
      expect(mapping).toHaveLength(bulkTargets(composition).length)
      expect(sheet.rows).toBe(1)
      const check = await bulk.check('office', { id: sheet.id, composition, mapping })
      const { rows } = await bulk.rows('office', { id: sheet.id, show: 'errors', offset: 0, limit: 10 })
      expect(rows.flatMap(({ problems }) => problems.filter(({ severity }) => severity === 'error'))).toMatchObject([
        { message: expect.stringContaining('example row') }
      ])
      expect(check.unused).toEqual([])
    }
  )

  test('is still made if another account is chosen meanwhile', async () => {
    const making = bulk.sample(composition, 'csv')
    await bulk.closeAll()
    expect((await making).length).toBeGreaterThan(0)
  })
})

describe('a sheet', () => {
  test('closed while it is read isn’t left in the worker’s memory', async () => {
    await open(`${HEADINGS}\n${person('Mere')},,,,\n`)
    const path = await files.put('more.csv', `${HEADINGS}\n${`${person('Tama')},,,,\n`.repeat(500)}`)
    const reading = bulk.open('office', 'more.csv', { path })
    const id = 'sheet-2'
    await bulk.close(id)
    await expect(reading).rejects.toMatchObject({ appError: { code: 'gone' } })
    await expect(worker.ask('sheet', { id, sheet: '' })).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('closed while it is checked, as with its account, isn’t remembered', async () => {
    const { id, sheet } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    db.prepare(`DELETE FROM meta WHERE key LIKE 'sheet-columns:%'`).run()
    const checking = bulk.check('office', { id, composition: base, mapping: mappingOf(base, sheet) })
    const closing = bulk.close(id)
    await checking.catch(() => undefined)
    await closing
    expect(db.prepare(`SELECT key FROM meta WHERE key LIKE 'sheet-columns:%'`).all()).toEqual([])
  })

  test('can be switched to another of its workbook', async () => {
    const sheet = await open(await workbook([['Name'], ['Mere']]), 'staff.xlsx')
    expect(await bulk.sheet('office', sheet.id, 'Sheet1')).toMatchObject({ sheet: 'Sheet1', rows: 1 })
    await expect(bulk.sheet('office', sheet.id, 'Other')).rejects.toMatchObject({ appError: { code: 'bad-file' } })
  })

  test('belongs to the account that it was opened for', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    await expect(bulk.rows('another', { id, show: 'all', offset: 0, limit: 1 })).rejects.toMatchObject({
      appError: { code: 'gone' }
    })
    await expect(bulk.send('another', { id, name: 'x', duplicates: 'send', alike: 'send' })).rejects.toMatchObject({
      appError: { code: 'gone' }
    })
  })

  test('can’t be used once closed, nor after all have been closed', async () => {
    const one = await open(`${HEADINGS}\n`)
    const other = await open(`${HEADINGS}\n`)
    await bulk.close(one.id)
    await expect(bulk.sheet('office', one.id, '')).rejects.toMatchObject({ appError: { code: 'gone' } })
    expect(await bulk.sheet('office', other.id, '')).toMatchObject({ fileName: 'staff.csv' })
    await bulk.closeAll()
    await expect(bulk.sheet('office', other.id, '')).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('stays closed if its file was closed while it was switched, and nobody is asked about its corrections', async () => {
    const { id } = await checked(`${HEADINGS}\n${person('Mere')},,,,\n`)
    await bulk.correct('office', { id, row: 2, column: 1, value: 'Rangi' })
    const switching = bulk.sheet('office', id, '', 'data').catch(() => undefined)
    await bulk.close(id)
    await switching
    expect(bulk.filesWithCorrections()).toEqual([])
    const rows = bulk.rows('office', { id, show: 'all', offset: 0, limit: 1 })
    await expect(rows).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('is closed automatically when several newer ones are opened', async () => {
    const first = await open(`${HEADINGS}\n`)
    for (let count = 0; count < 4; count++) await open(`${HEADINGS}\n`)
    await expect(bulk.sheet('office', first.id, '')).rejects.toMatchObject({ appError: { code: 'gone' } })
  })

  test('that can’t be used reports the reason', async () => {
    await expect(open('Name\n"Mere')).rejects.toMatchObject({
      appError: { code: 'bad-file', message: expect.stringContaining('never closed') }
    })
    await expect(bulk.open('office', 'gone.csv', { path: join(files.folder, 'gone.csv') })).rejects.toMatchObject({
      appError: { code: 'bad-file', message: expect.not.stringContaining(files.folder) }
    })
    await expect(open(Buffer.alloc(51 * 1024 * 1024, 'a'))).rejects.toMatchObject({
      appError: { message: expect.stringContaining('51 MB') }
    })
  })

  test('whose worker thread exits doesn’t prevent the next request', async () => {
    useWorker(new URL('data:text/javascript,process.exit(1)'))
    await expect(open('Name\n')).rejects.toMatchObject({ appError: { code: 'bad-file' } })
    await expect(open('Name\n')).rejects.toMatchObject({ appError: { code: 'bad-file' } })
  })

  test('leaves its file unchanged', async () => {
    await open('Name\nMere\n')
    expect(await readFile(join(files.folder, 'staff.csv'), 'utf8')).toBe('Name\nMere\n')
  })
})
