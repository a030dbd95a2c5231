import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openBulk } from '../../../src/main/core/bulk/bulk.ts'
import { openRememberedColumns } from '../../../src/main/core/bulk/remembered-columns.ts'
import { askOf, bulkAnswers } from '../../../src/main/core/bulk/worker.ts'
import { matchColumns } from '../../../src/shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../../src/shared/composition/bulk-targets.ts'
import type { Composition } from '../../../src/shared/composition/index.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { ACCOUNT, requestFile, sheetFile } from '../../fixtures/drop-folder-office.ts'
import { workbook } from '../bulk/tables.ts'
import { aPlace } from './place.ts'

describe('a dropped file', () => {
  test('with a request becomes a draft, and is moved to done with its report', async () => {
    const at = await aPlace()
    at.drop('lease.json', requestFile('Lease of 3 Hill Road'))
    await at.check()
    expect(at.office.titles()).toEqual(['Lease of 3 Hill Road'])
    expect([at.names(), at.names('done'), at.names('failed')]).toEqual([
      [],
      ['lease.json', 'lease.json.report.txt'],
      []
    ])
    expect(at.report('lease.json')).toContain('1 draft was created. Nothing was sent.')
    expect(readFileSync(join(at.place, 'done', 'lease.json'), 'utf8')).toBe(requestFile('Lease of 3 Hill Road'))
    const [file] = at.files()
    expect(file).toMatchObject({ name: 'lease.json', outcome: 'drafts', count: 1 })
    expect(at.office.drafts.get(file?.draftIds[0] ?? '').title).toBe('Lease of 3 Hill Road')
    expect(at.view()).toMatchObject({
      taken: 1,
      failed: 0,
      state: 'watching',
      label: 'Dropped',
      lastTakenAt: at.time.now
    })
  })

  test('with a Form Filler request becomes a draft with its fields', async () => {
    const at = await aPlace()
    const field = {
      Label: 'Rent',
      Value: '520',
      FieldType: 'Text',
      IsRequired: true,
      ID: 'R',
      Reference: 'R',
      ReadOnly: false,
      ClientField: ''
    }
    const Signers = [
      { FirstName: 'Tama', LastName: 'Brooks', Email: 'tama.brooks@example.com', SignerReference: 'tenant' }
    ]
    at.drop('t.json', JSON.stringify({ Templates: [{ Name: 'Tenancy', Reference: 'TPL', Signers, Fields: [field] }] }))
    await at.check()
    const [draft] = at.office.drafts.list([ACCOUNT]).rows
    const { composition } = at.office.drafts.get(draft?.id ?? '')
    expect(composition).toMatchObject({
      kind: 'form-filler',
      items: [{ Name: 'Tenancy', fields: [{ Label: 'Rent', Value: '520' }], signers: [{ SignerReference: 'tenant' }] }]
    })
  })

  test('in Countersign’s own format becomes its drafts and presets', async () => {
    const at = await aPlace()
    const compositions = [forms(), forms({ items: [form({ Name: 'Deed' })] })]
    const content = {
      format: 'countersign',
      version: 1,
      drafts: compositions,
      presets: [{ name: 'Plain', composition: forms() }]
    }
    at.drop('from branch.countersign', JSON.stringify(content))
    await at.check()
    expect(at.office.titles()).toEqual(['Tax file declaration', 'Deed'])
    expect(at.office.presets.list(ACCOUNT).map(({ name }) => name)).toEqual(['Plain'])
    expect(at.report('from branch.countersign')).toContain('2 drafts and 1 preset were created.')
  })

  test('with a sheet fills in the folder’s preset, one draft per row', async () => {
    const at = await aPlace()
    const composition = forms({ items: [form({ signers: [signer({ FirstName: '', LastName: '', Email: '' })] })] })
    at.change({ presetId: at.office.presets.save(ACCOUNT, 'Declaration', composition).id })
    at.drop('staff.csv', 'First name,Last name,E-mail\nMere,Tamati,mere@example.com\nTama,Brooks,tama@example.com\n')
    at.drop(
      'more.xlsx',
      await workbook([
        ['First name', 'Surname', 'E-mail'],
        ['Ana', 'Reid', 'ana@example.org']
      ])
    )
    await at.check()
    const who = at.office.drafts.list([ACCOUNT]).rows.map((row) => row.who)
    expect(who.sort()).toEqual(['Ana Reid', 'Mere Tamati', 'Tama Brooks'])
    expect(at.files().map(({ name, count }) => [name, count])).toEqual([
      ['staff.csv', 2],
      ['more.xlsx', 1]
    ])
  })

  test('with faulty rows becomes drafts, and the report names each fault', async () => {
    const at = await aPlace()
    at.change({ sends: true })
    const good = sheetFile(['A', 'B'])
    at.drop('staff.csv', `${good}\r\n,TFN-1,1,Mere,Tamati,no address\r\n`)
    await at.check()
    expect(at.office.titles()).toHaveLength(3)
    expect(at.office.batches()).toEqual([])
    const report = at.report('staff.csv')
    expect(report).toContain('It wasn’t sent automatically. Please check this first.')
    expect(report).toMatch(/- Row 4: Form name: .*name/)
    expect(report).toMatch(/- Row 4: E-mail: /)
    expect(report).not.toContain('no address')
  })

  test('goes to the outbox only if the folder allows it and nothing is wrong', async () => {
    const at = await aPlace()
    at.drop('first.csv', sheetFile(['A', 'B']))
    at.drop('first.json', requestFile('C'))
    await at.check()
    expect(at.office.batches()).toEqual([])
    expect(at.office.titles().sort()).toEqual(['A', 'B', 'C'])
    at.change({ sends: true })
    at.drop('second.csv', sheetFile(['D', 'E']))
    at.drop('second.json', requestFile('F'))
    await at.check()
    expect(at.office.batches().map(({ name, total }) => [name, total])).toEqual([
      ['second', 1],
      ['second', 2]
    ])
    expect(at.office.titles()).toHaveLength(3)
    expect(at.report('second.csv')).toContain('2 packages went to the Outbox.')
    expect(at.files()[0]).toMatchObject({ outcome: 'batch', batchId: expect.any(String) })
  })

  test('isn’t sent automatically if the same package was sent before', async () => {
    const at = await aPlace()
    at.change({ sends: true })
    at.drop('one.json', requestFile('Lease'))
    await at.check()
    at.drop('two.json', requestFile('Lease'))
    at.drop('three.csv', sheetFile(['Twice', 'Twice']))
    await at.check()
    expect(at.office.batches()).toHaveLength(1)
    expect(at.office.titles().sort()).toEqual(['Lease', 'Twice', 'Twice'])
    expect(at.report('two.json')).toContain('The same package was sent in the last 30 days.')
    expect(at.report('three.csv')).toContain('Row 3: Same as row 2.')
  })

  test('isn’t sent automatically if its people got the same form with other data within a day', async () => {
    const at = await aPlace()
    at.change({ sends: true })
    const rows = 'Form name,Form reference,Form type,First name,Last name,E-mail,Middle name\r\n'
    at.drop('one.csv', `${rows}A,TFN-1,1,Mere,Tamati,mere.tamati@example.com,Ann`)
    await at.check()
    const corrected = `${rows}A,TFN-1,1,Mere,Tamati,mere.tamati@example.com,Anne`
    at.drop('two.csv', corrected)
    await at.check()
    expect(at.office.batches().map(({ name }) => name)).toEqual(['one'])
    expect(at.report('two.csv')).toContain('Row 2: The same people got this on 21 November 2026, with other data.')
    at.pass(86_400_000)
    at.drop('three.csv', corrected)
    await at.check()
    expect(
      at.office
        .batches()
        .map(({ name }) => name)
        .sort()
    ).toEqual(['one', 'three'])
  })

  test('isn’t sent twice if it is dropped in two folders at the same moment', async () => {
    const bothRead = Promise.withResolvers<void>()
    let reads = 0
    const at = await aPlace({
      async step(name) {
        if (name !== 'read') return
        if (++reads === 2) bothRead.resolve()
        await bothRead.promise
      }
    })
    at.change({ sends: true })
    const otherPlace = join(at.folder, 'Also dropped')
    mkdirSync(otherPlace)
    const { dropFolders } = at.office
    const other = await dropFolders.add(ACCOUNT, otherPlace)
    dropFolders.change(other.id, { sends: true })
    at.drop('staff.csv', sheetFile(['A', 'B']))
    writeFileSync(join(otherPlace, 'staff.csv'), sheetFile(['A', 'B']))
    for (let look = 0; look < 3; look++) {
      await Promise.all([at.id, other.id].map((id) => dropFolders.checkNow(id)))
      at.pass(31_000)
    }
    expect(at.office.batches().map(({ total }) => total)).toEqual([2])
    expect(at.office.titles().sort()).toEqual(['A', 'B'])
  })

  test('isn’t sent again beside a bulk send of the same rows', async () => {
    const isRead = Promise.withResolvers<void>()
    const at = await aPlace({
      async step(name) {
        if (name === 'read') isRead.resolve()
      }
    })
    at.change({ sends: true })
    const bulk = openBulk({
      worker: { ask: askOf(bulkAnswers()), end: async () => undefined },
      outbox: at.office.outbox,
      columns: openRememberedColumns({ db: at.office.db, time: { now: () => at.time.now } }),
      time: { now: () => at.time.now, zone: () => 'Pacific/Auckland' },
      newId: () => 'by-hand'
    })
    const composition = forms({ items: [form({ signers: [signer({ FirstName: '', LastName: '', Email: '' })] })] })
    const { id, columns } = await bulk.open(ACCOUNT, 'staff.csv', { bytes: Buffer.from(sheetFile(['A', 'B'])) })
    await bulk.check(ACCOUNT, { id, composition, mapping: matchColumns(bulkTargets(composition), columns) })
    at.drop('staff.csv', sheetFile(['A', 'B']))
    at.change({ presetId: at.office.presets.save(ACCOUNT, 'Declaration', composition).id })
    await at.glance(31_000)
    await at.glance(31_000)
    const byHand = isRead.promise.then(() =>
      bulk.send(ACCOUNT, { id, name: 'By hand', duplicates: 'leave-out', alike: 'leave-out' })
    )
    await at.office.dropFolders.checkNow(at.id)
    expect(await byHand).toMatchObject({ total: 2 })
    expect(at.office.batches().map(({ name }) => name)).toEqual(['By hand'])
    expect(at.office.titles().sort()).toEqual(['A', 'B'])
  })

  test('with the name of an earlier one is processed too, and both are kept', async () => {
    const at = await aPlace()
    for (const name of ['A', 'B', 'B']) {
      at.drop('same.json', requestFile(name))
      await at.check()
    }
    expect(at.office.titles().sort()).toEqual(['A', 'B', 'B'])
    expect(at.names('done').filter((name) => name.endsWith('.json'))).toEqual([
      'same (2).json',
      'same (3).json',
      'same.json'
    ])
  })
})

describe('a file that can’t be used', () => {
  const bad: [name: string, content: string, said: RegExp][] = [
    ['cut.json', '{"Forms":[{"Name":"A"', /ends in the middle/],
    ['words.json', 'Dear office', /isn’t JSON/],
    ['list.json', '[]', /isn’t JSON/],
    ['other.json', '{"Invoice":1}', /needs either Forms or Templates/],
    ['both.json', '{"Forms":[],"Templates":[]}', /needs either Forms or Templates/],
    ['none.json', '{"Forms":[]}', /Forms is empty/],
    ['deep.json', `{"Forms":[{"Name":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`, /must be text|is missing/],
    ['unknown.json', requestFile('A', { Colour: 'red' }), /Colour isn’t known/],
    ['proto.json', '{"Forms":[{"__proto__":{"Name":"A"}}]}', /Forms\[0\]\.Name is missing/],
    ['due.json', requestFile('A', { DueDate: 'soon' }), /DueDate must be a date and a time/],
    [
      'order.json',
      requestFile('A', { DueDate: '04/12/2026' }),
      /DueDate may be 2026-04-12 or 2026-12-04, as the day or/
    ],
    ['twice.json', requestFile('A', { gmt: '0', GMT: '780' }), /GMT is there twice, once written “gmt”/],
    ['lists.json', '{"forms":[],"Forms":[{}]}', /is there twice|Forms is empty/],
    ['old.countersign', '{"format":"other"}', /isn’t a Countersign file/],
    ['headings.csv', 'Colour,Size\nred,12\n', /these columns are missing: .*Form: name/],
    ['empty rows.csv', 'First name,Last name\n', /headings but no rows/],
    ['bin.xlsx', 'PK\u0003\u0004rubbish', /./],
    ['pdf.csv', '%PDF-1.7', /PDF/]
  ]
  test.each(bad)('%s is moved to failed, with the reason in its report', async (name, content, reason) => {
    const at = await aPlace()
    at.drop(name, content)
    await at.check()
    expect(at.names('failed')).toEqual([name, `${name}.report.txt`])
    expect(at.report(name, 'failed')).toContain('Nothing was created.')
    expect(at.report(name, 'failed')).toMatch(reason)
    expect(at.office.titles()).toEqual([])
    expect(at.files()[0]).toMatchObject({ outcome: 'failed', count: 0, error: { message: expect.any(String) } })
    expect(at.view()).toMatchObject({ taken: 0, failed: 1 })
  })

  test('has each fault of its request located in the report', async () => {
    const at = await aPlace()
    const { Forms } = JSON.parse(requestFile('A')) as { Forms: Record<string, unknown>[] }
    const wrong = { ...Forms[0], FormType: 'one', Signers: [{ FirstName: '', LastName: 'Reid', Email: 'nowhere' }] }
    at.drop('wrong.json', JSON.stringify({ Forms: [Forms[0], wrong] }))
    await at.check()
    const report = at.report('wrong.json', 'failed')
    expect(report).toContain('- Forms[1].FormType must be a number.')
    expect(report).toContain('- Forms[1].Signers[0].FirstName is blank.')
    expect(report).toContain('- Forms[1].Signers[0].Email isn’t an e-mail address.')
    expect(report).not.toContain('nowhere')
  })

  test('because it is empty gets more time, as a slow copy starts empty', async () => {
    const at = await aPlace()
    at.drop('slow.json', '')
    await at.check(29_000)
    expect(at.names()).toEqual(['slow.json'])
    await at.check(61_000)
    expect(at.report('slow.json', 'failed')).toContain('This file is empty.')
  })

  test('because its folder’s preset was removed is reported so', async () => {
    const at = await aPlace()
    const { id } = at.office.presets.save(ACCOUNT, 'Declaration', forms())
    at.change({ presetId: id, sends: true })
    at.office.presets.remove(id)
    at.drop('staff.csv', sheetFile(['A']))
    await at.check()
    expect(at.report('staff.csv', 'failed')).toContain('This folder’s preset was removed')
    expect(at.office.batches()).toEqual([])
  })

  test('because it is too large is moved to failed', async () => {
    const at = await aPlace()
    at.drop('large.json', Buffer.alloc(20 * 1024 * 1024 + 1, 0x20))
    await at.check()
    expect(at.report('large.json', 'failed')).toContain('larger than 20 MB')
  })
})

test('a draft from a file can be changed and sent', async () => {
  const at = await aPlace()
  at.drop('a.json', requestFile('Lease'))
  await at.check()
  const { id } = at.office.drafts.list([ACCOUNT]).rows[0] ?? { id: '' }
  const { composition } = at.office.drafts.get(id)
  const changed: Composition = { ...composition, NotifyUrl: 'https://office.example.com/told' }
  at.office.drafts.save(ACCOUNT, changed, id)
  expect(at.office.outbox.enqueue(id)).toMatchObject({ state: 'ready', title: 'Lease' })
})
