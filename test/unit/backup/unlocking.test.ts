import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openData, type UnlockOptions } from '../../../src/main/core/backup/unlocking.ts'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import {
  type Keychain,
  KeychainError,
  type KeychainState,
  memoryKeychain
} from '../../../src/main/core/storage/keychain.ts'
import { canOpen, requestKeyChange } from '../../../src/main/core/storage/rekey.ts'
import { recoveryKeyText } from '../../../src/shared/recovery-key.ts'
import { lastingKeychain } from '../storage/keychains.ts'
import { refusal } from './computers.ts'
import { NOW, PLANTED, recoverable } from './recoverable.ts'

/**
 * A computer whose data was created while its keychain worked, restarted with the keychain in a state set by the test.
 */
async function locked() {
  const computer = await recoverable()
  const { folder, recovery, entries, storage } = computer
  const key = recoveryKeyText(randomBytes(20))
  await recovery.setPaperKey(key)
  storage.db.close()
  const keychain = lastingKeychain(entries)
  const is: { found: 'missing' | 'locked' | 'failed' | undefined } = { found: 'locked' }
  const openKeychain = async (): Promise<{ keychain: Keychain; status: KeychainState }> =>
    is.found
      ? { keychain: memoryKeychain(), status: { state: 'unavailable', reason: is.found, detail: '' } }
      : { keychain, status: { state: 'available' } }
  const start = async (ask?: (ways: UnlockOptions) => Promise<void>) => {
    const data = await openData({
      folder,
      now: () => NOW,
      openKeychain,
      ...(ask && { ask }),
      openDatabase: (keychain, key) =>
        openDatabase({ folder, keychain, random: randomBytes, clock: () => NOW, ...(key && { key }) })
    })
    onTestFinished(() => void data.storage.db.close())
    return data
  }
  const files = () =>
    readdirSync(folder)
      .filter((name) => !/-(wal|shm)$/.test(name))
      .sort()
  return { ...computer, key, is, keychain, start, files }
}

const planted = ({ storage }: Awaited<ReturnType<typeof openData>>) =>
  storage.db.prepare("SELECT value FROM meta WHERE key = 'planted'").pluck().get()

test('without a usable keychain the recovery key opens the data for this run, and every other keychain entry is refused', async () => {
  for (const found of ['locked', 'missing', 'failed'] as const) {
    const { start, is, key, entries } = await locked()
    is.found = found
    const before = new Map(entries)
    const data = await start(async (ways) => {
      expect(ways.reason).toBe(found)
      expect(await refusal(ways.recover(recoveryKeyText(randomBytes(20))))).toMatchObject({ code: 'invalid' })
      await ways.recover(key)
    })
    expect(data.storage.state).toBe('encrypted')
    expect(planted(data)).toBe(JSON.stringify(PLANTED))
    expect(data.keychainState()).toMatchObject({ state: 'unavailable', reason: found })
    const { keychain } = data
    const { accounts, databaseKey, keeps: _, ...slots } = keychain
    for (const slot of [
      ...Object.values(slots),
      { ...accounts, get: () => accounts.get('a'), delete: () => accounts.delete('a') }
    ]) {
      for (const call of [slot.get(), slot.set('x', 'x'), slot.delete()])
        expect(await call.catch((error: unknown) => error)).toMatchObject({ constructor: KeychainError, code: found })
    }
    expect(await databaseKey.get()).toBe(before.get('database-key'))
    await expect(databaseKey.set('x')).rejects.toThrow(KeychainError)
    expect(entries).toEqual(before)
  }
})

test('once the keychain is back, its entries are available without a restart', async () => {
  const { start, is, key, entries, keychain: own } = await locked()
  await own.staffPin.set('a PIN')
  const { keychain, keychainState, recheckKeychain } = await start((ways) => ways.recover(key))
  expect(await recheckKeychain?.()).toMatchObject({ state: 'unavailable', reason: 'locked' })
  is.found = undefined
  expect(await recheckKeychain?.()).toEqual({ state: 'available' })
  expect(keychainState()).toEqual({ state: 'available' })
  expect(await keychain.staffPin.get()).toBe('a PIN')
  expect(await keychain.accounts.get('none')).toBeNull()
  // A keychain that comes back without the key gets it.
  const databaseKey = entries.get('database-key')
  is.found = 'failed'
  entries.delete('database-key')
  const next = await start((ways) => ways.recover(key))
  is.found = undefined
  expect(await next.recheckKeychain?.()).toEqual({ state: 'available' })
  expect(entries.get('database-key')).toBe(databaseKey)
})

test('a keychain that returns with another database key stays unused, and the next start asks for the recovery key', async () => {
  const { start, is, key, entries, files, recover } = await locked()
  const databaseKey = entries.get('database-key')
  const other = 'ab'.repeat(32)
  entries.set('database-key', other)
  const data = await start((ways) => ways.recover(key))
  is.found = undefined
  const before = files()
  expect(await data.recheckKeychain?.()).toMatchObject({ state: 'unavailable', reason: 'failed', hasOtherKey: true })
  expect(await data.keychain.databaseKey.get()).toBe(databaseKey)
  await expect(data.keychain.staffPin.get()).rejects.toMatchObject({ code: 'failed' })
  expect(entries.get('database-key')).toBe(other)
  // If a key change stopped before the keychain had the key in its usual place, the next start completes it.
  entries.set('next-database-key', databaseKey ?? '')
  expect(await data.recheckKeychain?.()).toEqual({ state: 'available' })
  expect(await data.keychain.databaseKey.get()).toBe(databaseKey)
  entries.delete('next-database-key')
  data.storage.db.close()

  const restarted = await start(() => expect.unreachable())
  expect(restarted.storage).toMatchObject({ state: 'memory', because: 'key-missing', hasData: true })
  expect(files()).toEqual(before)
  await recover(key)
  expect(planted(await start())).toBe(JSON.stringify(PLANTED))
})

test('a keychain that is back isn’t tried again', async () => {
  const { start, is, key } = await locked()
  const { recheckKeychain } = await start((ways) => ways.recover(key))
  is.found = undefined
  await recheckKeychain?.()
  is.found = 'locked'
  expect(await recheckKeychain?.()).toEqual({ state: 'available' })
})

test('if opened data can’t be recorded as such, they stay locked, even for someone going on without them', async () => {
  const { start, key, folder } = await locked()
  const file = join(folder, 'recovery.json')
  const data = await start(async (ways) => {
    // Its name is taken between reading and writing.
    const bytesBefore = readFileSync(file)
    const opening = ways.recover(key)
    while (!existsSync(join(folder, 'countersign.db-wal'))) await new Promise(setImmediate)
    rmSync(file)
    mkdirSync(file)
    await expect(opening).rejects.toThrow()
    rmdirSync(file)
    writeFileSync(file, bytesBefore)
    await ways.continueWithoutData()
  })
  expect(data.storage).toMatchObject({ state: 'memory', hasData: true })
  expect(data.recheckKeychain).toBeUndefined()
  expect((await start((ways) => ways.recover(key))).storage.state).toBe('encrypted')
})

test('retrying opens the data once the keychain has the key; going on without gives an empty database in memory', async () => {
  const { start, is, files, entries } = await locked()
  const before = files()
  const restarted = await start(async (ways) => {
    expect(await refusal(ways.retry())).toMatchObject({ code: 'keychain' })
    is.found = undefined
    await ways.retry()
  })
  expect(planted(restarted)).toBe(JSON.stringify(PLANTED))
  expect(restarted.recheckKeychain).toBeUndefined()
  restarted.storage.db.close()
  is.found = 'locked'
  for (const ask of [(ways: UnlockOptions) => ways.continueWithoutData(), undefined]) {
    const { storage, isWithoutData } = await start(ask)
    expect(storage).toMatchObject({ state: 'memory', hasData: true })
    // Someone who was asked, and answered, needn't be asked again.
    expect(isWithoutData).toBe(ask && true)
  }
  expect(files()).toEqual(before)
  // A key that the keychain has lost is a different case, and so is data without a recovery key.
  entries.clear()
  is.found = undefined
  expect((await start(() => expect.unreachable())).storage).toMatchObject({ because: 'key-missing' })
})

test('nothing is asked if no recovery key was made', async () => {
  const { start, folder } = await locked()
  rmSync(join(folder, 'recovery.json'))
  expect((await start(() => expect.unreachable())).storage).toMatchObject({ state: 'memory', hasData: true })
})

test('damaged data are never set aside or replaced by a run without a keychain; a requested key change waits', async () => {
  const { start, key, folder, files, is, keychain, entries } = await locked()
  is.found = undefined
  await requestKeyChange(folder, keychain, randomBytes(32))
  is.found = 'locked'
  const before = entries.get('database-key')
  const data = await start((ways) => ways.recover(key))
  expect(planted(data)).toBe(JSON.stringify(PLANTED))
  data.storage.db.close()
  expect(files()).toContain('rekey.json')
  expect(entries.get('database-key')).toBe(before)
  // A page outside the schema: schema pages are read to tell a wrong key from a damaged file.
  const path = join(folder, 'countersign.db')
  const original = readFileSync(path)
  for (
    let end = original.length;
    end === original.length || !canOpen(path, Buffer.from(before ?? '', 'hex'));
    end -= 4096
  )
    writeFileSync(path, Buffer.from(original).fill(0x5a, end - 4096, end))
  const filesBefore = files()
  const { storage } = await start(async (ways) => {
    expect(await refusal(ways.recover(key))).toMatchObject({
      code: 'storage',
      message: expect.stringMatching(/is damaged/)
    })
    await ways.continueWithoutData()
  })
  expect(storage).toMatchObject({ state: 'memory', because: 'no-keychain' })
  expect(files()).toEqual(filesBefore)
})
