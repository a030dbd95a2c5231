import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Backups } from '../../../src/main/core/backup/backups.ts'
import type { RecoveryKeys } from '../../../src/main/core/backup/recovery-keys.ts'
import type { RollingCopies } from '../../../src/main/core/backup/rolling-copies.ts'
import type { BackupSchedule } from '../../../src/main/core/backup/schedule.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import { type Keychain, memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { openStoreTroubles } from '../../../src/main/core/storage/store-troubles.ts'
import { storageHandlers } from '../../../src/main/ipc/storage.ts'
import { temporaryFolder } from './folders.ts'
import { lastingKeychain } from './keychains.ts'

async function workstation() {
  const folder = temporaryFolder()
  const entries = new Map<string, string>()
  const keychain = lastingKeychain(entries)
  async function open(withKeychain: Keychain = keychain) {
    const opened = await openDatabase({ folder, keychain: withKeychain, random: randomBytes, clock: Date.now })
    onTestFinished(() => void opened.db.close())
    let changes = 0
    const troubles = openStoreTroubles({ db: opened.db, time: systemTime, changed: () => changes++ })
    return { opened, troubles, changes: () => changes }
  }
  return { folder, entries, keychain, open }
}

test('what was set aside is reported in every run, until a person dismisses it', async () => {
  const place = await workstation()
  const first = await place.open()
  first.troubles.setAside('database', { name: 'set-aside-1', reason: 'damaged' })
  first.troubles.setAside('documents', { name: 'set-aside-2', reason: 'damaged' })
  first.troubles.reportForThisRun({ kind: 'in-memory', store: 'settings', reason: 'no-space' })
  expect(first.changes()).toBe(3)
  first.opened.db.close()
  const second = await place.open()
  expect(second.troubles.list()).toMatchObject([
    { store: 'database', name: 'set-aside-1', reason: 'damaged' },
    { store: 'documents', name: 'set-aside-2' }
  ])
  second.troubles.dismiss('set-aside-1')
  second.opened.db.close()
  expect((await place.open()).troubles.list()).toMatchObject([{ store: 'documents', name: 'set-aside-2' }])
})

test('a read-only database doesn’t prevent a problem from being reported', async () => {
  const { opened, troubles } = await (await workstation()).open()
  opened.db.pragma('query_only = ON')
  troubles.setAside('settings', { name: 'set-aside-1', reason: 'damaged' })
  expect(troubles.list()).toHaveLength(1)
  expect(() => troubles.dismiss('set-aside-1')).toThrow()
})

/** Returns the request handlers with a keychain that is in this state when it is next tried. */
async function requests(lookedAt: 'open' | 'locked' | 'without the key') {
  const place = await workstation()
  const first = await place.open()
  first.opened.db.close()
  const key = place.entries.get('database-key') ?? ''
  place.entries.delete('database-key')
  const { opened, troubles } = await place.open()
  if (lookedAt === 'open') place.entries.set('database-key', key)
  const done: string[] = []
  const handlers = storageHandlers({
    storage: opened,
    troubles,
    openKeychain: async () =>
      lookedAt === 'locked'
        ? { keychain: memoryKeychain(), status: { state: 'unavailable', reason: 'locked', detail: '' } }
        : { keychain: place.keychain, status: { state: 'available' } },
    ...noBackups,
    startEmpty: async () => done.push('set aside'),
    restart: () => done.push('restart')
  })
  return { handlers, done, opened }
}
/** No test here asks for a backup. */
const noBackups = {
  backups: {} as Backups,
  schedule: {} as BackupSchedule,
  copies: {} as RollingCopies,
  recoveryKeys: {} as RecoveryKeys,
  recoverKey: async () => undefined,
  recheckKeychain: async () => ({ state: 'available' }) as const,
  isSigning: () => false,
  unsent: () => 0,
  scheduleRemoval: async () => undefined,
  chooseFolder: async () => undefined,
  today: () => '2026-11-24',
  chooseFiles: async () => [],
  chooseSaveFile: async () => undefined
}
const context = { from: 'office', stillAsking: () => true } as const

test('trying again restarts the application only if the keychain has the key by then', async () => {
  for (const [state, message] of [
    ['locked', 'The keychain is still locked.'],
    ['without the key', 'The keychain works, but the key to your data isn’t in it.']
  ] as const) {
    const { handlers, done } = await requests(state)
    const failure = await handlers['storage.tryAgain'](undefined, context).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AppFailure)
    expect((failure as AppFailure).appError).toMatchObject({ code: 'keychain', message })
    expect(done).toEqual([])
  }
  const { handlers, done } = await requests('open')
  await handlers['storage.tryAgain'](undefined, context)
  expect(done).toEqual(['restart'])
})

test('an empty database replaces only one whose key is lost', async () => {
  const lost = await requests('without the key')
  await lost.handlers['storage.startEmpty'](undefined, context)
  expect(lost.done).toEqual(['set aside', 'restart'])
  const place = await workstation()
  const { opened, troubles } = await place.open()
  const handlers = storageHandlers({
    storage: opened,
    troubles,
    openKeychain: async () => ({ keychain: place.keychain, status: { state: 'available' } }),
    ...noBackups,
    startEmpty: async () => expect.unreachable(),
    restart: () => expect.unreachable()
  })
  await expect(handlers['storage.startEmpty'](undefined, context)).rejects.toThrow()
})

async function removing() {
  const place = await workstation()
  const { opened, troubles } = await place.open()
  const now = { isSigning: true, unsent: 2 }
  const done: string[] = []
  let atEnd: (() => Promise<void>) | undefined
  const handlers = storageHandlers({
    storage: opened,
    troubles,
    ...noBackups,
    openKeychain: async () => expect.unreachable(),
    startEmpty: async () => expect.unreachable(),
    isSigning: () => now.isSigning,
    unsent: () => now.unsent,
    scheduleRemoval: async (backups) => void done.push(`decided ${backups}`),
    restart(last) {
      done.push('restart')
      atEnd = last
    }
  })
  const end = async () => atEnd?.()
  const remove = (unsent: number) =>
    handlers['storage.remove']({ backups: true, unsent }, context).then(
      () => 'removed',
      (error: unknown) => (error as AppFailure).appError.code
    )
  return { now, done, remove, end }
}

test('everything is removed only while nobody is signing, with no unsent packages beyond those shown', async () => {
  const { now, done, remove, end } = await removing()
  expect(await remove(2)).toBe('busy')
  now.isSigning = false
  expect(await remove(1)).toBe('not-allowed')
  expect(done).toEqual([])
  expect(await remove(2)).toBe('removed')
  await end()
  expect(done).toEqual(['restart', 'decided true'])
})

test('nothing is removed if packages came to the Outbox before the application had ended', async () => {
  const { now, done, remove, end } = await removing()
  now.isSigning = false
  expect(await remove(2)).toBe('removed')
  // A drop folder took a file while the person was asked whether to quit.
  now.unsent = 3
  await expect(end()).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  expect(done).toEqual(['restart'])
})
