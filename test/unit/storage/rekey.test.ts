import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { connectEncrypted } from '../../../src/main/core/storage/connection.ts'
import { DATABASE_FILE, openDatabase, setDatabaseAside } from '../../../src/main/core/storage/database.ts'
import { type Keychain, KeychainError, keychainOver, type SecretName } from '../../../src/main/core/storage/keychain.ts'
import { openJsonMeta } from '../../../src/main/core/storage/meta.ts'
import { requestKeyChange } from '../../../src/main/core/storage/rekey.ts'
import { temporaryFolder } from './folders.ts'

const NOW = Date.UTC(2026, 10, 25, 9)

/** A computer whose keychain calls can be made to fail by name, such as `set database-key`. */
/** @param entries of the keychain, shared with the same user's other data folders. */
function computer(profile?: string, entries = new Map<string, string>()) {
  const folder = temporaryFolder()
  const failing = new Set<string>()
  const check = (call: string) => {
    if (failing.has(call)) throw new KeychainError('locked', 'Not now.')
  }
  const place = {
    async get(name: SecretName) {
      check(`get ${name}`)
      return entries.get(name) ?? null
    },
    async set(name: SecretName, secret: string) {
      check(`set ${name}`)
      entries.set(name, secret)
    },
    async delete(name: SecretName) {
      entries.delete(name)
    }
  }
  const keychain: Keychain = keychainOver(place, 'in-os', profile)
  async function open() {
    const opened = await openDatabase({ folder, keychain, random: randomBytes, clock: () => NOW })
    onTestFinished(() => void opened.db.close())
    return opened
  }
  return {
    folder,
    entries,
    failing,
    keychain,
    open,
    path: join(folder, DATABASE_FILE),
    /** Fills the database, and closes it. */
    async begin() {
      const { db } = await open()
      openJsonMeta(db).write('planted', 'what was here')
      db.close()
    }
  }
}

/** Waits until the follow-up work of a new key is done. */
async function settle(opened: Awaited<ReturnType<typeof openDatabase>>) {
  if (opened.state === 'encrypted' && opened.rekeyed?.state === 'done') await opened.rekeyed.cleanUp()
}

const planted = (db: Parameters<typeof openJsonMeta>[0]) =>
  JSON.parse(String(db.prepare("SELECT value FROM meta WHERE key = 'planted'").pluck().get()))

test('the next start applies the requested key and keeps all content, including what is only in the journal', async () => {
  const { begin, open, entries, folder, keychain, path } = computer()
  await begin()
  const old = entries.get('database-key') ?? ''
  // As a kill leaves it.
  const db = connectEncrypted(path, Buffer.from(old, 'hex'))
  openJsonMeta(db).write('late', 'in the log')
  const next = randomBytes(32)
  await requestKeyChange(folder, keychain, next)
  const [file, log] = [path, `${path}-wal`].map((one) => readFileSync(one))
  db.close()
  writeFileSync(path, file ?? '')
  writeFileSync(`${path}-wal`, log ?? '')

  const opened = await open()
  expect(opened).toMatchObject({ state: 'encrypted', rekeyed: { state: 'done' } })
  expect([planted(opened.db), openJsonMeta(opened.db).read('late', z.string())]).toEqual([
    'what was here',
    'in the log'
  ])
  expect(entries.get('database-key')).toBe(next.toString('hex'))
  await settle(opened)
  expect([...entries.keys()]).toEqual(['database-key'])
  opened.db.close()
  expect(readdirSync(folder)).toEqual([DATABASE_FILE])
  expect(() => connectEncrypted(path, Buffer.from(old, 'hex'))).toThrow()
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0)
  expect(await open()).not.toHaveProperty('rekeyed')
})

test('a kill during the clean-up doesn’t let the next start say that the key wasn’t changed', async () => {
  const { begin, entries, folder, keychain, open } = computer()
  await begin()
  await requestKeyChange(folder, keychain, randomBytes(32))
  const { nextDatabaseKey } = keychain
  const killed: Keychain = {
    ...keychain,
    nextDatabaseKey: {
      ...nextDatabaseKey,
      async delete() {
        await nextDatabaseKey.delete()
        await new Promise(() => undefined)
      }
    }
  }
  const { db, ...opened } = await openDatabase({ folder, keychain: killed, random: randomBytes, clock: () => NOW })
  if (opened.state === 'encrypted' && opened.rekeyed?.state === 'done') void opened.rekeyed.cleanUp()
  await expect.poll(() => entries.has('next-database-key')).toBe(false)
  db.close()
  expect(await open()).not.toHaveProperty('rekeyed')
})

test.each(['get next-database-key', 'set database-key'])(
  'a keychain that fails at “%s” leaves the data locked, and the next start continues',
  async (call) => {
    const { begin, open, failing, folder, keychain } = computer()
    await begin()
    await requestKeyChange(folder, keychain, randomBytes(32))
    failing.add(call)
    expect(await open()).toMatchObject({ state: 'memory', because: 'keychain-locked', hasData: true })
    expect(readdirSync(folder).filter((name) => name.startsWith('set-aside'))).toEqual([])
    failing.clear()
    const { db, ...opened } = await open()
    expect(opened).toMatchObject({ state: 'encrypted', rekeyed: { state: 'done' } })
    expect(planted(db)).toBe('what was here')
  }
)

test('losing the new key before it is needed keeps the old one; losing it afterwards sets nothing aside', async () => {
  const { begin, open, entries, failing, folder, keychain } = computer()
  await begin()
  await requestKeyChange(folder, keychain, randomBytes(32))
  entries.delete('next-database-key')
  const first = await open()
  expect(first).toMatchObject({ state: 'encrypted', rekeyed: { state: 'given-up', reason: 'keychain-failed' } })
  first.db.close()
  await requestKeyChange(folder, keychain, randomBytes(32))
  failing.add('set database-key')
  await open()
  failing.clear()
  const next = entries.get('next-database-key') ?? ''
  entries.delete('next-database-key')
  expect(await open()).toMatchObject({ state: 'memory', because: 'keychain-failed', hasData: true })
  entries.set('next-database-key', next)
  expect((await open()).state).toBe('encrypted')
})

test('if the copy can’t be made, the database keeps its key and content, and this is reported', async () => {
  const { begin, open, entries, folder, keychain, path } = computer()
  await begin()
  const before = entries.get('database-key')
  await requestKeyChange(folder, keychain, randomBytes(32))
  // The copy can't be written here.
  mkdirSync(`${path}.rekeyed`)
  const { db, ...opened } = await open()
  expect(opened).toMatchObject({ state: 'encrypted', rekeyed: { state: 'given-up' } })
  expect(planted(db)).toBe('what was here')
  expect(entries.get('database-key')).toBe(before)
  expect(existsSync(join(folder, 'rekey.json'))).toBe(false)
})

test('each data folder has a key of its own, which stays when another folder’s is changed or removed', async () => {
  const usual = computer()
  await usual.begin()
  const own = computer('0123456789abcdef', usual.entries)
  await own.begin()
  const key = own.entries.get('database-key:0123456789abcdef')
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(key).not.toBe(usual.entries.get('database-key'))
  await requestKeyChange(own.folder, own.keychain, randomBytes(32))
  const changed = await own.open()
  expect(planted(changed.db)).toBe('what was here')
  await settle(changed)
  changed.db.close()
  expect(planted((await usual.open()).db)).toBe('what was here')
  usual.entries.delete('database-key')
  expect(planted((await own.open()).db)).toBe('what was here')
  // Nor is another folder's key tried.
  usual.entries.set('database-key', usual.entries.get('database-key:0123456789abcdef') ?? '')
  own.entries.delete('database-key:0123456789abcdef')
  expect(await own.open()).toMatchObject({ state: 'memory', because: 'key-missing', hasData: true })
})

/**
 * Sets a folder aside, and opens a database with other content in its place. Returns the path of what was set aside,
 * which a person could restore.
 */
async function withAside({ begin, folder, open }: ReturnType<typeof computer>) {
  await begin()
  await setDatabaseAside(folder, NOW)
  const { db } = await open()
  openJsonMeta(db).write('planted', 'of now')
  db.close()
  return join(folder, readdirSync(folder).find((name) => name.startsWith('set-aside-')) ?? '')
}

function restoreAside(folder: string, setAside: string): void {
  for (const name of readdirSync(folder)) if (/^countersign\.db/.test(name)) rmSync(join(folder, name))
  for (const name of readdirSync(setAside)) cpSync(join(setAside, name), join(folder, name))
}

test('files set aside before two key changes open once they are put back with their key file', async () => {
  const workstation = computer()
  const { folder, keychain, open, entries } = workstation
  const setAside = await withAside(workstation)
  const first = entries.get('database-key') ?? ''
  for (let times = 0; times < 2; times++) {
    await requestKeyChange(folder, keychain, randomBytes(32))
    const opened = await open()
    expect(planted(opened.db)).toBe('of now')
    await settle(opened)
    opened.db.close()
  }
  expect(readFileSync(join(setAside, 'former-key.json'), 'utf8')).not.toContain(first)
  restoreAside(folder, setAside)
  const { db, ...opened } = await open()
  expect(opened).toEqual({ state: 'encrypted' })
  expect(planted(db)).toBe('what was here')
  db.close()
  expect(readdirSync(folder).filter((name) => name.startsWith('former'))).toEqual([])
  expect(() => connectEncrypted(workstation.path, Buffer.from(first, 'hex'))).toThrow()
})

test('a key change that is abandoned, or killed at any step, loses no key of files set aside', async () => {
  const workstation = computer()
  const { folder, keychain, open, path, failing } = workstation
  const setAside = await withAside(workstation)
  await requestKeyChange(folder, keychain, randomBytes(32))
  await settle(await open())
  // Given up after the former keys were sealed under a key that never came into use.
  await requestKeyChange(folder, keychain, randomBytes(32))
  mkdirSync(`${path}.rekeyed`)
  expect(await open()).toMatchObject({ rekeyed: { state: 'given-up' } })
  rmSync(`${path}.rekeyed`, { recursive: true })
  // Stopped after the database has the new key, but before the keychain has it in its usual place.
  await requestKeyChange(folder, keychain, randomBytes(32))
  failing.add('set database-key')
  expect((await open()).state).toBe('memory')
  failing.clear()
  await settle(await open())
  // The former key can't even be sealed: the current key stays, and that is reported.
  await requestKeyChange(folder, keychain, randomBytes(32))
  const file = join(setAside, 'former-key.json')
  const bytesBefore = readFileSync(file)
  rmSync(file)
  mkdirSync(file)
  expect(await open()).toMatchObject({ rekeyed: { state: 'given-up' } })
  rmSync(file, { recursive: true })
  writeFileSync(file, bytesBefore)
  restoreAside(folder, setAside)
  const { db } = await open()
  expect(planted(db)).toBe('what was here')
})

test('a damaged or foreign key file is set aside with its database, and nothing is lost', async () => {
  const workstation = computer()
  const { folder, keychain, open } = workstation
  const setAside = await withAside(workstation)
  await requestKeyChange(folder, keychain, randomBytes(32))
  await settle(await open())
  for (const file of [
    '{"version":1,"keys":[]}',
    '{"version":1',
    JSON.stringify({ version: 1, keys: [{ salt: '00', sealed: '00' }] })
  ]) {
    restoreAside(folder, setAside)
    writeFileSync(join(folder, 'former-key.json'), file)
    const { db, ...opened } = await open()
    expect(opened).toMatchObject({ state: 'encrypted', setAside: { reason: 'unreadable' } })
    db.close()
    const name = 'setAside' in opened ? opened.setAside?.name : ''
    expect(readFileSync(join(folder, name ?? '', 'former-key.json'), 'utf8')).toBe(file)
  }
})

test('files set aside under a lost key, and sealed under another lost key, keep that across a further key change', async () => {
  const workstation = computer()
  const { folder, keychain, open, entries } = workstation
  const setAside = await withAside(workstation)
  const change = async () => {
    await requestKeyChange(folder, keychain, randomBytes(32))
    await settle(await open())
  }
  await change()
  const lost = entries.get('database-key') ?? ''
  const database = join(folder, DATABASE_FILE)
  // The keychain loses the key, and the person starts with an empty database.
  entries.clear()
  await setDatabaseAside(folder, NOW + 1)
  ;(await open()).db.close()
  const file = join(setAside, 'former-key.json')
  const before = readFileSync(file, 'utf8')
  await change()
  await change()
  expect(readFileSync(file, 'utf8')).toBe(before)
  rmSync(database)
  restoreAside(folder, setAside)
  entries.set('database-key', lost)
  const { db } = await open()
  expect(planted(db)).toBe('what was here')
})
