import { expect, test, vi } from 'vitest'
import { changesBetween } from '../../../../src/main/core/documents/mirror/differences.ts'
import { matchKeyOf } from '../../../../src/main/core/documents/mirror/folder-snapshot.ts'
import type { DocumentResponse } from '../../../../src/shared/model/index.ts'
import { lease, type Members, workerOffice } from '../worker-office.ts'

// A stand-in for any failure caused by one document being too large.
vi.mock('../../../../src/main/core/documents/index/row.ts', async (original) => {
  const real = await original<typeof import('../../../../src/main/core/documents/index/row.ts')>()
  const indexRowOf: typeof real.indexRowOf = (document, facts) => {
    if (document.Reference === 'vast') throw new RangeError('Invalid string length')
    return real.indexRowOf(document, facts)
  }
  return { ...real, indexRowOf }
})

test('a document with a very long log is read, and so is the rest of its folder', async () => {
  const office = workerOffice()
  await office.read('InBox', [lease('a')])
  const Logs = Array.from({ length: 200_000 }, () => ({ Action: 'Viewed', Date: '2026-01-01T00:00:00Z' }))
  const result = await office.read('InBox', [lease('a', { Status: '1 of 1' }), lease('long', { Logs })])
  expect(result).toMatchObject({ kind: 'taken', documents: 2, changed: 2, unreadable: { count: 0 } })
})

test('a document that can’t be processed is named, and the others of its folder are read', async () => {
  const office = workerOffice()
  await office.read('InBox', [lease('a')])
  const result = await office.read('InBox', [lease('a', { Status: '1 of 1' }), lease('vast')])
  expect(result).toMatchObject({
    changed: 1,
    unreadable: { count: 1, documents: [{ path: '[1]', reference: 'vast' }] }
  })
  expect(await office.changes()).toEqual(['a changed'])
})

test('a failed write is completed by the next read, and the vanished document leaves', async () => {
  const office = workerOffice()
  await office.read('InBox', [lease('a'), lease('b')])
  await office.read('InBox', [lease('a'), lease('b')])
  office.db.exec("CREATE TEMP TRIGGER full BEFORE UPDATE ON folders BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  await expect(office.read('InBox', [lease('a')])).rejects.toThrow('disk full')
  office.db.exec('DROP TRIGGER full')
  await office.read('InBox', [lease('a')])
  office.startAgain()
  const since = office.tick()
  await office.read('InBox', [lease('a')])
  await office.read('InBox', [lease('a')])
  expect(await office.ask('markGone', { accountId: 'office', since, now: office.tick() })).toBe(1)
  expect(await office.counts()).toMatchObject({ folders: { InBox: 1 } })
})

test('a member unknown to the reference is stored, and a change of only its value isn’t reported', async () => {
  const office = workerOffice()
  const signed = (sig: number) => lease('a', { PreviewUrl: `https://x.example/?sig=${sig}`, DaysLeft: sig })
  for (let sig = 1; sig < 5; sig++) await office.read('InBox', [signed(sig)])
  expect(await office.changes()).toEqual([])
  expect(await office.counts()).toMatchObject({ unread: 0 })
  expect((await office.get('a'))?.document).toMatchObject({ DaysLeft: 4 })
  await office.read('InBox', [lease('a', { DaysLeft: 5 })])
  expect(await office.changes()).toEqual(['a changed'])
})

test.each([1, 2])(
  'a document shown by two folders doesn’t move back and forth, in whatever order they answer (%i)',
  async (turn) => {
    const office = workerOffice()
    await office.read('InBox', [lease('x')])
    await office.read('Progress', [])
    for (let round = 0; round < 8; round++) {
      const reads: [string, number][] = [
        ['InBox', office.tick()],
        ['Progress', office.tick(1)]
      ]
      if (Math.floor(round / turn) % 2 === 1) reads.reverse()
      office.tick()
      for (const [folder, begun] of reads) await office.read(folder, [lease('x')], { begun })
    }
    expect(await office.changes()).toEqual([])
    // Once its own folder no longer has it, it has moved.
    for (let round = 0; round < 2; round++) {
      await office.read('Progress', [lease('x')])
      await office.read('InBox', [])
    }
    expect(await office.changes()).toEqual(['x moved'])
    expect(await office.get('x')).toMatchObject({ folder: 'Progress' })
    expect((await office.get('x'))?.goneAt).toBeUndefined()
  }
)

test('a document shown by another folder has moved once its own is no longer read', async () => {
  const office = workerOffice()
  await office.read('InBox', [lease('x')])
  for (let round = 0; round < 5; round++) await office.read('Progress', [lease('x')])
  expect(await office.get('x')).toMatchObject({ folder: 'Progress' })
})

test('our own extension of a package counts as ours for all its documents, and a later one by others doesn’t', async () => {
  const office = workerOffice()
  const both = (DueDate: string) => ['p1', 'p2'].map((one) => lease(one, { PackageReference: 'P', DueDate }))
  await office.read('InBox', both('2027-03-01'))
  await office.acts(lease('p1', { PackageReference: 'P', DueDate: '2027-05-01' }))
  office.startAgain()
  await office.read('InBox', both('2027-05-01'))
  expect(await office.changes()).toEqual(['p1 due-changed own', 'p2 due-changed own'])
  expect(await office.counts()).toMatchObject({ unread: 0 })
  await office.read('InBox', both('2027-06-01'))
  expect((await office.changes()).slice(2)).toEqual(['p1 due-changed', 'p2 due-changed'])
})

test('an operation’s answer leaves what it doesn’t mention unchanged', async () => {
  const office = workerOffice()
  const members = { ClientReference: 'M 7', PackageReference: 'P' }
  await office.read('InBox', [lease('a', members)])
  await office.acts({ Reference: 'a', DueDate: '2027-04-01', Signers: [] })
  expect((await office.get('a'))?.document).toEqual(lease('a', { ...members, DueDate: '2027-04-01' }))
  await office.read('InBox', [lease('a', { ...members, DueDate: '2027-04-01' })])
  expect(await office.changes()).toEqual(['a due-changed own'])
})

test('candidates for an uncertain send contain little of each document and, of many alike, the newest', async () => {
  const office = workerOffice()
  const day = (index: number) => new Date(Date.UTC(2020, 0, 1) + index * 3_600_000).toISOString()
  const Extra = 'x'.repeat(500)
  const alike = Array.from({ length: 2500 }, (_, index) =>
    lease(`c${index}`, { Name: 'Consent.pdf', Extra, Logs: [{ Date: '2030-01-01T00:00:00Z' }, { Date: day(index) }] })
  )
  const marked = lease('ours', { Name: 'Consent.pdf', ClientReference: 'cs-1-1', Logs: [{ Date: day(-1) }] })
  await office.read('InBox', [...alike, marked], { withLogs: true })
  const matchKeys = [matchKeyOf('Consent.pdf', [{ Email: 'ana@example.com' }])]
  const keys = { references: [], marks: ['1'], matchKeys }
  const found = await office.ask('snapshot', { accountId: 'office', since: 0, keys })
  expect(found.isCut).toBe(true)
  expect(found.documents).toHaveLength(2001)
  const references = new Set(found.documents.map(({ Reference }) => Reference))
  expect(['ours', 'c2499', 'c500', 'c499'].map((one) => references.has(one))).toEqual([true, true, true, false])
  const newest = found.documents.find(({ Reference }) => Reference === 'c2499')
  expect(newest?.Logs).toEqual([{ Date: day(2499), GMT: undefined }])
  expect(JSON.stringify(found).length).toBeLessThan(2001 * 400)
})

test('signers are told apart among thousands as among a few', () => {
  const people = (from: number): Members[] =>
    Array.from({ length: 5000 }, (_, at) => ({
      FirstName: `F${at}`,
      Email: `e${at}@example.com`,
      SignerReference: `${from + at}`
    }))
  const of = (Signers: Members[]) => ({ Reference: 'q', Status: '0 of 9', Signers }) as unknown as DocumentResponse
  const placed = (document: DocumentResponse) => ({ document, folder: 'InBox', isPlaced: true, isGone: false })
  const before = people(0)
  const turned = before.toReversed().map((one, at) => (at === 7 ? { ...one, HasSigned: true } : one))
  const changes = changesBetween(placed(of(before)), placed(of(turned)))
  expect(changes).toEqual([{ kind: 'signed', signer: 'F4992' }, { kind: 'signers-changed' }])
  const others = people(9000).map((one, at) => ({ ...one, Email: `o${at}@example.com`, HasSigned: at === 3 }))
  const [arrived] = changesBetween(undefined, placed(of(before)))
  expect(arrived?.signer?.split('\n')).toHaveLength(100)
  const corrected = changesBetween(placed(of(before)), placed(of(others)))
  expect(corrected).toEqual([{ kind: 'signed', signer: 'F3' }, { kind: 'signers-changed' }])
})

test('a move is reported after its cause', () => {
  const placed = (folder: string, HasSigned: boolean) => ({
    folder,
    isGone: false,
    isPlaced: true,
    document: { Reference: 'a', Signers: [{ FirstName: 'Mere', HasSigned }] }
  })
  const changes = changesBetween(placed('Progress', false), placed('Signed', true))
  expect(changes.map(({ kind }) => kind)).toEqual(['signed', 'moved'])
})

test('documents found by the first read count as sent in the week that their log names, or in none', async () => {
  const office = workerOffice()
  const sent = async () => {
    const { weeks } = await office.ask('overview', {
      accountId: 'office',
      now: office.clock(),
      zone: 'UTC',
      stuckDays: 7
    })
    return weeks.flatMap(({ monday, sent }) => (sent > 0 ? [`${monday} ${sent}`] : []))
  }
  const Logs = [{ Action: 'Sent', Date: '2026-11-04T09:00:00Z' }]
  await office.read('InBox', [lease('silent'), lease('dated', { Logs })], { withLogs: true })
  expect(await sent()).toEqual(['2026-11-02 1'])
  await office.read('InBox', [lease('silent'), lease('dated'), lease('new')])
  expect(await sent()).toEqual(['2026-11-02 1', '2026-11-16 1'])
})
