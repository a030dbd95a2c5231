import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeEverything, scheduledRemoval, scheduleRemoval } from '../../../src/main/core/backup/removal.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { lastingKeychain, troubledKeychain } from '../storage/keychains.ts'

const ACCOUNT = '1f0c9b52-7d0a-4f9e-8a51-3c2f6d0f7a11'

/** A computer with some of every kind of data. */
async function computer({ backups = true } = {}) {
  const [folder, share, logs] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const names = [
    'countersign.db',
    'countersign.db-wal',
    'documents.db',
    'settings.json',
    'recovery.json',
    'SingletonLock'
  ]
  for (const name of names) writeFileSync(join(folder, name), 'Ana Example')
  for (const name of ['set-aside-2026-11-25T09-30-00Z', 'Cache']) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'file'), 'Ana Example')
  }
  const [ours, theirs] = ['Countersign 2026-11-24 1800 5a1c.countersign-backup', 'Theirs.countersign-backup']
  for (const name of [ours, theirs]) writeFileSync(join(share, name), 'sealed')
  writeFileSync(join(logs, 'countersign.log'), 'a line')
  const slots = [
    'database-key',
    'next-database-key',
    'staff-pin',
    'audit-anchor',
    'audit-key',
    'backup-passphrase',
    'proxies',
    'office'
  ]
  const entries = new Map([...slots, `account:${ACCOUNT}`, 'another program’s'].map((name) => [name, 'secret']))
  await scheduleRemoval(folder, {
    accountIds: [ACCOUNT],
    knowsAccounts: true,
    backups: backups ? [{ folder: share, name: ours }] : []
  })
  const decided = (await scheduledRemoval(folder)) ?? expect.unreachable()
  const place = {
    folder,
    keychain: lastingKeychain(entries),
    logs: [join(logs, 'countersign.log'), join(logs, 'none')],
    time: systemTime
  }
  return { folder, share, logs, entries, theirs, ours, decided, place }
}

test('all our own data are removed and counted; everyone else’s are kept', async () => {
  const { folder, share, logs, entries, theirs, decided, place } = await computer()
  expect(await removeEverything(place, decided)).toEqual({
    files: 8,
    entries: 9,
    backups: 1,
    left: [],
    backupsLeftIn: []
  })
  expect(readdirSync(folder)).toEqual(['SingletonLock'])
  expect([...entries.keys()]).toEqual(['another program’s'])
  expect(readdirSync(share)).toEqual([theirs])
  expect(readdirSync(logs)).toEqual([])
  expect(await scheduledRemoval(folder)).toBeUndefined()
})

test('scheduled backups are kept on request', async () => {
  const { share, decided, place } = await computer({ backups: false })
  expect(await removeEverything(place, decided)).toMatchObject({ backups: 0 })
  expect(readdirSync(share)).toHaveLength(2)
})

test('backups in a folder that can’t be reached are reported with it; those that someone deleted aren’t', async () => {
  const { share, ours, decided, place } = await computer()
  renameSync(share, `${share}-away`)
  expect(await removeEverything(place, decided)).toMatchObject({
    backups: 0,
    left: ['backups'],
    backupsLeftIn: [share]
  })
  const other = await computer()
  rmSync(join(other.share, ours))
  expect(await removeEverything(other.place, other.decided)).toMatchObject({ backups: 0, left: [], backupsLeftIn: [] })
})

test('backups on a disk that doesn’t answer are reported, and everything else is removed all the same', async () => {
  const { folder, share, decided, place } = await computer()
  const time = testTime()
  const run = time.run()
  onTestFinished(run.end)
  const asked: string[] = []
  const disk = {
    ...nodeFiles,
    unlink(path: string) {
      asked.push(basename(path))
      return new Promise<void>(() => undefined)
    }
  }
  const [one] = decided.backups
  const other = { folder: share, name: 'Another.countersign-backup' }
  const removing = removeEverything(
    { ...place, time: run, files: disk },
    { ...decided, backups: [one, other].flatMap((each) => each ?? []) }
  )
  await time.pass(60_000)
  expect(await removing).toMatchObject({ backups: 0, entries: 9, left: ['backups'], backupsLeftIn: [share] })
  expect(asked).toEqual([one?.name])
  expect(readdirSync(folder)).toEqual(['SingletonLock'])
})

test('an interrupted removal continues at the next start, as its order is removed last', async () => {
  const { folder, decided, place } = await computer()
  const interrupted = {
    ...place,
    keychain: {
      ...place.keychain,
      get accounts(): never {
        throw new Error('killed')
      }
    }
  }
  await removeEverything(interrupted, decided).catch(() => undefined)
  const second = await scheduledRemoval(folder)
  expect(second).toEqual(decided)
  expect(await removeEverything(place, second ?? expect.unreachable())).toMatchObject({ left: [] })
})

test.each([
  ['locked', troubledKeychain('locked')],
  ['absent', memoryKeychain()]
])('a keychain that is %s is reported, and the files are removed all the same', async (_state, keychain) => {
  const { folder, decided, place } = await computer()
  expect(await removeEverything({ ...place, keychain }, decided)).toMatchObject({ left: ['entries'], files: 8 })
  expect(readdirSync(folder)).toEqual(['SingletonLock'])
})

test('if accounts of another database may have left secrets, the person is told to look', async () => {
  const { decided, place, folder } = await computer()
  mkdirSync(join(folder, 'set-aside-2026-11-25T09-30-00Z-0a0a'))
  writeFileSync(join(folder, 'set-aside-2026-11-25T09-30-00Z-0a0a', 'countersign.db'), 'earlier')
  expect(await removeEverything(place, decided)).toMatchObject({ left: ['unknown entries'] })
  const other = await computer()
  // As it was ordered while the database couldn't be opened.
  await scheduleRemoval(other.folder, { ...other.decided, accountIds: [], knowsAccounts: false })
  const blind = (await scheduledRemoval(other.folder)) ?? expect.unreachable()
  expect(await removeEverything(other.place, blind)).toMatchObject({ left: ['unknown entries'] })
})

test('a foreign removal order is ignored, and no order can name a file that isn’t a backup', async () => {
  const { folder } = await computer()
  for (const text of [
    '',
    'null',
    '{"accountIds":["../x"],"backups":[]}',
    '{"accountIds":[],"backups":[{"folder":"/home/ana","name":"../letters.countersign-backup"}]}',
    '{"accountIds":[],"backups":[{"folder":"/home/ana","name":"letters.docx"}]}'
  ]) {
    writeFileSync(join(folder, 'removal.json'), text)
    expect(await scheduledRemoval(folder), text).toBeUndefined()
  }
  expect(readFileSync(join(folder, 'countersign.db'), 'utf8')).toBe('Ana Example')
})
