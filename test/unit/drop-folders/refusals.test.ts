import { expect, test } from 'vitest'
import { ACCOUNT, requestFile } from '../../fixtures/drop-folder-office.ts'
import { aPlace } from './place.ts'

const PAGE = { offset: 0, limit: 100 }

async function withRefused(...names: string[]) {
  const at = await aPlace()
  for (const name of names) at.drop(name, 'neither a request nor a table')
  await at.check()
  return { at, refused: () => at.office.dropFolders.refused(ACCOUNT, PAGE) }
}

test('refused files are listed with reasons, newest first, and counted by folder until dismissed', async () => {
  const { at, refused } = await withRefused('one.json', 'two.json')
  at.drop('lease.json', requestFile('Lease'))
  await at.check()
  const { files, total, open } = refused()
  expect(files.map(({ name, folder, isDismissed }) => [name, folder, isDismissed])).toEqual([
    ['two.json', 'Dropped', false],
    ['one.json', 'Dropped', false]
  ])
  expect(files[0]?.error).toMatchObject({ code: 'invalid' })
  expect([total, open]).toEqual([2, [{ folderId: at.id, label: 'Dropped', count: 2, newest: files[0]?.id }]])
  expect(at.office.dropFolders.pathOf(files[0]?.id ?? '').path).toMatch(/failed.two\.json\.report\.txt$/)

  at.office.notified.folders.length = 0
  at.office.dropFolders.dismissRefused(at.id, files[0]?.id ?? '')
  expect(at.office.notified.folders).toEqual([at.id])
  expect(refused()).toMatchObject({ total: 2, open: [], files: [{ isDismissed: true }, { isDismissed: true }] })
})

test('dismissing doesn’t include files refused after the list was read', async () => {
  const { at, refused } = await withRefused('one.json')
  const id = refused().files[0]?.id ?? ''
  at.drop('two.json', 'nor is this')
  await at.check()
  at.office.dropFolders.dismissRefused(at.id, id)
  expect(refused().open).toMatchObject([{ count: 1 }])
})

test('a refused file that is fixed and dropped again no longer needs attention', async () => {
  const { at, refused } = await withRefused('one.json', 'two.json')
  at.drop('one.json', requestFile('Lease'))
  await at.check()
  expect(refused().open).toMatchObject([{ count: 1 }])
  expect(refused().files.map(({ isDismissed }) => isDismissed)).toEqual([false, true])
})

test('refusals not yet notified survive a restart, and are notified once', async () => {
  const { at } = await withRefused('one.json', 'two.json')
  const { refusals } = at.startAgain().dropFolders
  const unnotified = refusals.unnotified()
  expect(unnotified).toMatchObject([{ accountId: ACCOUNT, label: 'Dropped', count: 2, name: 'two.json' }])
  refusals.markNotified(unnotified)
  expect(refusals.unnotified()).toEqual([])
})

test('refusals of a folder that is no longer watched aren’t notified or listed', async () => {
  const { at, refused } = await withRefused('one.json')
  at.office.dropFolders.remove(at.id)
  expect(at.office.dropFolders.refusals.unnotified()).toEqual([])
  expect(refused()).toEqual({ files: [], total: 0, open: [] })
})
