/** What happens to an account's documents when its settings change or it is removed. */
import { expect, test } from 'vitest'
import { lease, workerOffice } from '../worker-office.ts'

const accountId = 'office'
const some = (prefix: string, members = {}) => Array.from({ length: 120 }, (_, at) => lease(`${prefix}${at}`, members))

test('a folder whose name changes only in spelling keeps its documents, and nothing is reported', async () => {
  const office = workerOffice()
  await office.read('Inbox', some('d'))
  await office.ask('foldersChanged', { accountId, folders: ['InBox'], isOtherService: false })
  expect(await office.counts()).toMatchObject({ folders: { InBox: 120 }, unread: 0 })
  office.startAgain()
  await office.read('InBox', [...some('d'), lease('new')])
  expect(await office.changes()).toEqual(['new arrived'])
  expect(await office.counts()).toMatchObject({ folders: { InBox: 121 }, unread: 1 })
})

test('a renamed folder’s documents move without being reported, but a real change to one of them is', async () => {
  const office = workerOffice()
  await office.read('InBox', some('d'))
  const renamed = { accountId, folders: ['Received'], isOtherService: false }
  await office.ask('foldersChanged', renamed)
  await office.ask('foldersChanged', renamed)
  office.startAgain()
  await office.read('Received', [...some('d').slice(1), lease('d0', { Status: 'Complete' }), lease('unknown')])
  expect(await office.changes()).toEqual(['d0 completed'])
  expect(await office.counts()).toMatchObject({ folders: { Received: 121 }, unread: 1 })
})

test('removing a folder from the list and adding it again reports nothing', async () => {
  const office = workerOffice()
  await office.read('InBox', [lease('a')])
  await office.read('Signed', [lease('b')])
  await office.ask('foldersChanged', { accountId, folders: ['InBox'], isOtherService: false })
  const since = office.tick()
  await office.read('InBox', [lease('a')])
  expect(await office.ask('markGone', { accountId, since, now: office.tick() })).toBe(1)
  await office.ask('foldersChanged', { accountId, folders: ['InBox', 'Signed'], isOtherService: false })
  await office.read('Signed', [lease('b')])
  expect(await office.changes()).toEqual([])
  expect(await office.counts()).toMatchObject({ folders: { InBox: 1, Signed: 1 }, unread: 0 })
})

test('after a change to another service, its documents appear and the old ones leave unreported', async () => {
  const office = workerOffice()
  await office.read('InBox', some('old'))
  await office.ask('foldersChanged', { accountId, folders: ['InBox'], isOtherService: true })
  const since = office.tick()
  await office.read('InBox', some('new', { Status: 'Complete' }))
  await office.read('InBox', some('new', { Status: 'Complete' }))
  expect(await office.ask('markGone', { accountId, since, now: office.tick() })).toBe(120)
  expect(await office.changes()).toEqual([])
  expect(await office.counts()).toMatchObject({ folders: { InBox: 120 }, unread: 0 })
})

test('what was stored for a removed account is erased', async () => {
  const office = workerOffice()
  await office.read('InBox', [lease('a')])
  await office.read('InBox', [lease('a'), lease('c')])
  await office.read('InBox', [lease('b')], { accountId: 'left' })
  await office.read('InBox', [lease('b', { Status: 'Complete' })], { accountId: 'left' })
  office.db.exec("CREATE TEMP TRIGGER full BEFORE DELETE ON documents BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  await expect(office.ask('erase', { accountId: 'left' })).rejects.toThrow('disk full')
  office.db.exec('DROP TRIGGER full')
  office.startAgain()
  await office.ask('keepOnly', { accountIds: [accountId] })
  const count = (table: string) => office.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect(['documents', 'bodies', 'index_rows', 'folders', 'changes'].map(count)).toEqual([2, 2, 2, 1, 1])
})
