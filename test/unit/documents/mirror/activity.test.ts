import { expect, test } from 'vitest'
import { documentsInMemory } from '../../../../src/main/core/documents/mirror/database.ts'
import { openDocumentsWorker } from '../../../../src/main/core/documents/worker.ts'
import type { Db } from '../../../../src/main/core/storage/connection.ts'
import { workerOffice } from '../worker-office.ts'

const DAY = 86_400_000
const accountId = 'office'

function happened(db: Db, count: number, atOf: (index: number) => number): void {
  const insert = db.prepare(
    `INSERT INTO changes (account_id, reference, document_name, kind, at, is_own) VALUES ('office', ?, 'Deed', ?, ?, ?)`
  )
  db.transaction(() => {
    for (let at = 0; at < count; at++) {
      insert.run(`r${at % 100}`, at % 4 === 0 ? 'signed' : 'changed', atOf(at), at % 10 === 0 ? 1 : 0)
    }
  })()
}

test('a long history is counted completely and paged without gaps, even while more happens', async () => {
  const office = workerOffice()
  const start = office.clock()
  happened(office.db, 25_000, (at) => start - 25_000 + at)
  const page = (offset: number, more = {}) => office.ask('activity', { accountId, offset, limit: 100, ...more })
  const ids = async (offset: number) => (await page(offset)).changes.map(({ id }) => id)
  const first = await page(0)
  expect(first).toMatchObject({ total: 25_000, byKind: { signed: 6250, changed: 18_750 } })
  expect(await ids(0)).toEqual(Array.from({ length: 100 }, (_, at) => 25_000 - at))
  expect(await ids(100)).toEqual(Array.from({ length: 100 }, (_, at) => 24_900 - at))
  expect(await ids(20_050)).toEqual(Array.from({ length: 100 }, (_, at) => 4950 - at))
  expect(await ids(24_950)).toEqual(Array.from({ length: 50 }, (_, at) => 50 - at))
  expect(await ids(25_000)).toEqual([])
  happened(office.db, 5, () => start)
  expect(await page(0)).toMatchObject({ total: 25_005, byKind: { signed: 6252, changed: 18_753 } })
  expect((await ids(100)).at(0)).toBe(24_905)
  const span = { since: start - 1000, until: start - 901, isOwn: false }
  expect(await page(0, span)).toMatchObject({ total: 90, byKind: { changed: 75 - 5, signed: 25 - 5 } })
  expect(await page(0, { reference: 'r7' })).toMatchObject({ total: 250 })
})

test('a search of a long history finds names of documents and signers, by kind and by origin', async () => {
  const office = workerOffice()
  happened(office.db, 9_000, (at) => at)
  const insert = office.db.prepare(
    `INSERT INTO changes (account_id, reference, document_name, kind, at, signer, is_own) VALUES ('office', 'x', ?, ?, 1, ?, ?)`
  )
  insert.run('Deed of gift', 'signed', 'Māia Waititi', 0)
  happened(office.db, 9_000, (at) => at)
  insert.run('Māori land lease', 'declined', 'Hemi Fraser', 0)
  insert.run('Loan agreement', 'arrived', null, 1)
  const found = async (more: object, offset = 0) => {
    const { changes, total } = await office.ask('activity', { accountId, offset, limit: 100, ...more })
    return { total, names: changes.map(({ documentName, signer }) => `${documentName}, ${signer ?? ''}`) }
  }
  expect(await found({ search: 'MAIA  deed' })).toEqual({ total: 1, names: ['Deed of gift, Māia Waititi'] })
  expect(await found({ search: 'maori' })).toEqual({ total: 1, names: ['Māori land lease, Hemi Fraser'] })
  expect(await found({ search: 'maia lease' })).toEqual({ total: 0, names: [] })
  expect(await found({ kinds: ['declined', 'arrived'] })).toMatchObject({ total: 2 })
  expect((await found({ kinds: ['signed'] }, 4_450)).names).toHaveLength(51)
  expect((await found({ kinds: ['signed'], search: 'fraser' })).total).toBe(0)
  expect((await found({ isOwn: true, kinds: ['arrived'] })).names).toEqual(['Loan agreement, '])
})

test('pages of search results follow each other without gaps', async () => {
  const office = workerOffice()
  happened(office.db, 12_000, (at) => at)
  const ids = async (offset: number) => {
    const request = { accountId, offset, limit: 700, kinds: ['signed' as const], search: 'deed' }
    return (await office.ask('activity', request)).changes.map(({ id }) => id)
  }
  const all = [...(await ids(0)), ...(await ids(700)), ...(await ids(1400)), ...(await ids(2100)), ...(await ids(2800))]
  expect(all).toEqual(Array.from({ length: 3000 }, (_, at) => 12_000 - 3 - 4 * at))
})

test('purging forgets old history, but forgets nothing if the clock is wrong', async () => {
  const db = documentsInMemory()
  const now = Date.parse('2026-11-21T00:00:00Z')
  happened(db, 1000, (at) => (at < 600 ? now - 500 * DAY : now))
  const count = () => db.prepare<[], number>('SELECT count(*) FROM changes').pluck().get()
  const worker = openDocumentsWorker({ db, time: { now: () => now } })
  const purged = (clock: number) => worker.ask('purge', { now: clock, before: undefined, held: [] })
  await purged(now - 3000 * DAY)
  expect(count()).toBe(1000)
  await purged(now + 3000 * DAY)
  expect(count()).toBe(400)
})

test('the worker still answers when a full disk prevents purging', async () => {
  const office = workerOffice()
  happened(office.db, 10, (at) => (at < 5 ? 1 : office.clock()))
  office.db.exec("CREATE TEMP TRIGGER full BEFORE DELETE ON changes BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  await expect(office.ask('purge', { now: office.clock(), before: undefined, held: [] })).rejects.toThrow('disk full')
  expect((await office.ask('newestChange', null)).change).toBe(10)
})
