/** What happens to an account's documents when its settings change or it is removed. */
import { expect, test } from 'vitest'
import { lease, workerOffice } from '../worker-office.ts'

const accountId = 'office'
const some = (prefix: string, members = {}) => Array.from({ length: 120 }, (_, at) => lease(`${prefix}${at}`, members))

test('a folder whose name changes only in spelling keeps its documents, and nothing is reported', async () => {
  const here = workerOffice()
  await here.look('Inbox', some('d'))
  await here.ask('foldersChanged', { accountId, folders: ['InBox'], isOtherService: false })
  expect(await here.counts()).toMatchObject({ folders: { InBox: 120 }, unread: 0 })
  here.startAgain()
  await here.look('InBox', [...some('d'), lease('new')])
  expect(await here.changes()).toEqual(['new arrived'])
  expect(await here.counts()).toMatchObject({ folders: { InBox: 121 }, unread: 1 })
})

test('a renamed folder’s documents move without being reported, but a real change to one of them is', async () => {
  const here = workerOffice()
  await here.look('InBox', some('d'))
  const renamed = { accountId, folders: ['Received'], isOtherService: false }
  await here.ask('foldersChanged', renamed)
  await here.ask('foldersChanged', renamed)
  here.startAgain()
  await here.look('Received', [...some('d').slice(1), lease('d0', { Status: 'Complete' }), lease('unknown')])
  expect(await here.changes()).toEqual(['d0 completed'])
  expect(await here.counts()).toMatchObject({ folders: { Received: 121 }, unread: 1 })
})

test('removing a folder from the list and adding it again reports nothing', async () => {
  const here = workerOffice()
  await here.look('InBox', [lease('a')])
  await here.look('Signed', [lease('b')])
  await here.ask('foldersChanged', { accountId, folders: ['InBox'], isOtherService: false })
  const since = here.tick()
  await here.look('InBox', [lease('a')])
  expect(await here.ask('markGone', { accountId, since, now: here.tick() })).toBe(1)
  await here.ask('foldersChanged', { accountId, folders: ['InBox', 'Signed'], isOtherService: false })
  await here.look('Signed', [lease('b')])
  expect(await here.changes()).toEqual([])
  expect(await here.counts()).toMatchObject({ folders: { InBox: 1, Signed: 1 }, unread: 0 })
})

test('after a change to another service, its documents appear and the old ones leave unreported', async () => {
  const here = workerOffice()
  await here.look('InBox', some('old'))
  await here.ask('foldersChanged', { accountId, folders: ['InBox'], isOtherService: true })
  const since = here.tick()
  await here.look('InBox', some('new', { Status: 'Complete' }))
  await here.look('InBox', some('new', { Status: 'Complete' }))
  expect(await here.ask('markGone', { accountId, since, now: here.tick() })).toBe(120)
  expect(await here.changes()).toEqual([])
  expect(await here.counts()).toMatchObject({ folders: { InBox: 120 }, unread: 0 })
})

test('what was stored for a removed account is erased', async () => {
  const here = workerOffice()
  await here.look('InBox', [lease('a')])
  await here.look('InBox', [lease('a'), lease('c')])
  await here.look('InBox', [lease('b')], { accountId: 'left' })
  await here.look('InBox', [lease('b', { Status: 'Complete' })], { accountId: 'left' })
  here.db.exec("CREATE TEMP TRIGGER full BEFORE DELETE ON documents BEGIN SELECT RAISE(ABORT, 'disk full'); END")
  await expect(here.ask('erase', { accountId: 'left' })).rejects.toThrow('disk full')
  here.db.exec('DROP TRIGGER full')
  here.startAgain()
  await here.ask('keepOnly', { accountIds: [accountId] })
  const count = (table: string) => here.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect(['documents', 'bodies', 'index_rows', 'folders', 'changes'].map(count)).toEqual([2, 2, 2, 1, 1])
})
