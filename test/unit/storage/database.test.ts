import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import * as files from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectEncrypted, connectReadOnly, type Db, withoutFlush } from '../../../src/main/core/storage/connection.ts'
import { COPIES_FOLDER, copiesIn, makeCopy } from '../../../src/main/core/storage/copies.ts'
import {
  DATABASE_FILE,
  type DatabaseOptions,
  openDatabase,
  setDatabaseAside
} from '../../../src/main/core/storage/database.ts'
import type { Files } from '../../../src/main/core/storage/files.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { migrations, versionOf } from '../../../src/main/core/storage/migrations.ts'
import { contentsOf, temporaryFolder } from './folders.ts'
import { lastingKeychain, troubledKeychain } from './keychains.ts'

const NOW = Date.UTC(2026, 10, 21, 9, 30)
const PLANTED = 'Planted sentence about Ana Example of Example Street'

/** One workstation, whose folder and keychain outlive each `open`. */
function workstation(parts: Partial<DatabaseOptions> = {}) {
  const folder = parts.folder ?? temporaryFolder()
  const entries = new Map<string, string>()
  const keychain = lastingKeychain(entries)
  return {
    folder,
    entries,
    path: join(folder, DATABASE_FILE),
    async open(more: Partial<DatabaseOptions> = {}) {
      const opened = await openDatabase({
        folder,
        keychain,
        random: randomBytes,
        clock: () => NOW,
        ...parts,
        ...more
      })
      onTestFinished(() => void opened.db.close())
      return opened
    }
  }
}

const keep = (db: Db, value: string, key = 'kept') =>
  db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)').run(key, value)
const storedValue = (db: Db, key = 'kept') =>
  db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key)

async function withSomethingKept(value = PLANTED) {
  const place = workstation()
  const { db } = await place.open()
  keep(db, value)
  db.close()
  return place
}

/** The steps of a made-up next version. */
const NEXT = [
  ...migrations,
  {
    name: 'notes',
    sql: `CREATE TABLE notes (note TEXT) STRICT; INSERT INTO notes SELECT value FROM meta WHERE key = 'kept'`
  }
]

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  writeFileSync(path, bytes)
}

const keyOf = (place: { entries: Map<string, string> }) => Buffer.from(place.entries.get('database-key') ?? '', 'hex')

describe('the database', () => {
  test('has all its content again after a restart', async () => {
    const place = await withSomethingKept()
    const reopened = await place.open()
    expect(reopened.state).toBe('encrypted')
    expect(reopened.setAside).toBeUndefined()
    expect(storedValue(reopened.db)).toBe(PLANTED)
  })

  test('leaves nothing readable on the disk, in its file or in its journal', async () => {
    const place = workstation()
    const { db } = await place.open()
    keep(db, PLANTED)
    const before = contentsOf(place.folder)
    expect(Object.keys(before).toSorted()).toEqual([DATABASE_FILE, `${DATABASE_FILE}-shm`, `${DATABASE_FILE}-wal`])
    expect(before[`${DATABASE_FILE}-wal`]?.byteLength).toBeGreaterThan(4096)
    db.pragma('wal_checkpoint(TRUNCATE)')
    for (const content of [...Object.values(before), ...Object.values(contentsOf(place.folder))]) {
      expect(content.includes('Planted sentence')).toBe(false)
      expect(content.includes('SQLite format 3')).toBe(false)
      expect(content.includes('CREATE TABLE')).toBe(false)
    }
  })

  test('has a key of 32 random bytes, stored only in the keychain and nowhere on the disk', async () => {
    const place = await withSomethingKept()
    expect(place.entries.get('database-key')).toMatch(/^[0-9a-f]{64}$/)
    for (const content of Object.values(contentsOf(place.folder))) {
      expect(content.includes(keyOf(place))).toBe(false)
      expect(content.includes(place.entries.get('database-key') ?? '')).toBe(false)
    }
  })

  test.runIf(process.platform !== 'win32')('can be read only by its user', async () => {
    const place = workstation({ folder: join(temporaryFolder(), 'data') })
    const { db } = await place.open()
    keep(db, PLANTED)
    expect(statSync(place.folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(place.folder)) expect(statSync(join(place.folder, name)).mode & 0o077).toBe(0)
  })

  test('flushes each transaction to the disk, enforces foreign keys, and spills nothing unencrypted', async () => {
    const { db } = await workstation().open()
    const setting = (name: string) => db.pragma(name, { simple: true })
    expect(setting('journal_mode')).toBe('wal')
    expect(setting('synchronous')).toBe(2)
    expect(setting('foreign_keys')).toBe(1)
    expect(setting('temp_store')).toBe(2)
    expect(setting('busy_timeout')).toBeGreaterThan(0)
  })

  test('flushes again after unflushed work, even if that throws', async () => {
    const { db } = await workstation().open()
    const setting = () => db.pragma('synchronous', { simple: true })
    expect(withoutFlush(db, setting)).toBe(1)
    expect(setting()).toBe(2)
    expect(() => withoutFlush(db, () => expect.fail('full'))).toThrow('full')
    expect(setting()).toBe(2)
    db.pragma('journal_mode = DELETE')
    expect(withoutFlush(db, setting)).toBe(2)
  })

  test('starts again after its very first start was killed', async () => {
    const place = workstation()
    mkdirSync(place.folder, { recursive: true })
    writeFileSync(join(place.folder, `${DATABASE_FILE}.begun`), 'half a database')
    writeFileSync(join(place.folder, `${DATABASE_FILE}.begun-wal`), 'half a log')
    const opened = await place.open()
    expect(opened).toMatchObject({ state: 'encrypted' })
    expect(opened.setAside).toBeUndefined()
    expect(readdirSync(place.folder).some((name) => name.includes('begun'))).toBe(false)
  })
})

describe('a database file that can’t be opened', () => {
  const damages: [string, string, (place: Awaited<ReturnType<typeof withSomethingKept>>) => void][] = [
    ['another key', 'unreadable', ({ entries }) => entries.set('database-key', 'ab'.repeat(32))],
    ['a damaged start', 'unreadable', ({ path }) => overwrite(path, 0, 100)],
    ['other content', 'unreadable', ({ path }) => writeFileSync(path, 'no database at all, '.repeat(500))],
    ['a damaged page', 'damaged', ({ path }) => overwrite(path, 4096 * 2 + 40, 200)],
    ['a lost second half', 'damaged', ({ path }) => truncateSync(path, statSync(path).size / 2)],
    ['a lost end', 'damaged', ({ path }) => truncateSync(path, statSync(path).size - 1000)],
    ['only its first bytes left', 'unreadable', ({ path }) => truncateSync(path, 100)],
    ['nothing left in it', 'damaged', ({ path }) => truncateSync(path, 0)]
  ]

  test.each(damages)(
    'with %s is set aside unchanged, reported as “%s”, and replaced by a new one',
    async (_, reason, damage) => {
      const place = await withSomethingKept()
      damage(place)
      const bytes = readFileSync(place.path)
      const opened = await place.open()
      expect(opened).toMatchObject({
        state: 'encrypted',
        setAside: { name: 'set-aside-2026-11-21T09-30-00Z', reason }
      })
      expect(readFileSync(join(place.folder, 'set-aside-2026-11-21T09-30-00Z', DATABASE_FILE))).toEqual(bytes)
      keep(opened.db, 'new')
      opened.db.close()
      const reopened = await place.open()
      expect(reopened.setAside).toBeUndefined()
      expect(storedValue(reopened.db)).toBe('new')
    }
  )

  test('from a later version is left untouched with its journal, and that version is named', async () => {
    const place = workstation({ version: '0.9.0' })
    const first = await place.open()
    keep(first.db, PLANTED)
    first.db.pragma('user_version = 999')
    const killed = workstation({ version: '0.3.0' })
    for (const name of readdirSync(place.folder)) copyFileSync(join(place.folder, name), join(killed.folder, name))
    killed.entries.set('database-key', place.entries.get('database-key') ?? '')
    const [database, log] = [readFileSync(killed.path), readFileSync(`${killed.path}-wal`)]
    const opened = await killed.open()
    expect(opened).toMatchObject({ state: 'memory', because: 'newer-version', hasData: true, usedBy: '0.9.0' })
    expect(opened.setAside).toBeUndefined()
    expect([readFileSync(killed.path), readFileSync(`${killed.path}-wal`)]).toEqual([database, log])
    const later = connectEncrypted(killed.path, keyOf(killed))
    expect(storedValue(later)).toBe(PLANTED)
    later.close()
  })

  test('from an earlier version is copied once, before it is migrated', async () => {
    const place = await withSomethingKept()
    const opened = await place.open({ steps: NEXT })
    expect(opened.state).toBe('encrypted')
    expect([versionOf(opened.db), opened.db.prepare('SELECT note FROM notes').pluck().get()]).toEqual([
      NEXT.length,
      PLANTED
    ])
    opened.db.close()
    const [copy, ...others] = await copiesIn(place.folder)
    expect(copy).toMatchObject({ version: migrations.length, isBeforeUpdate: true, at: NOW })
    const copied = connectReadOnly(join(place.folder, COPIES_FOLDER, copy?.name ?? ''), keyOf(place))
    expect([versionOf(copied), storedValue(copied)]).toEqual([migrations.length, PLANTED])
    copied.close()
    await place.open({ steps: NEXT })
    expect([others, await copiesIn(place.folder)]).toEqual([[], [copy]])
  })

  test('from an earlier version isn’t changed if there is no room for the copy', async () => {
    const place = await withSomethingKept()
    const before = readFileSync(place.path)
    // A file where the folder for copies would be.
    writeFileSync(join(place.folder, COPIES_FOLDER), '')
    expect(await place.open({ steps: NEXT })).toMatchObject({ state: 'memory', hasData: true })
    expect(readFileSync(place.path)).toEqual(before)
  })

  test('whose migration failed stays as it was, and no new one is begun in its place', async () => {
    const place = await withSomethingKept()
    const planted = connectEncrypted(place.path, keyOf(place))
    planted.exec('CREATE TABLE notes (id)')
    planted.close()
    expect(await place.open({ steps: NEXT })).toMatchObject({
      state: 'memory',
      because: 'upgrade-failed',
      hasData: true
    })
    const left = connectReadOnly(place.path, keyOf(place))
    expect([versionOf(left), storedValue(left)]).toEqual([migrations.length, PLANTED])
    left.close()
    // The previous version still opens it.
    expect(await place.open()).toMatchObject({ state: 'encrypted' })
  })

  test('stays in place while there is a usable copy; one under another key isn’t usable', async () => {
    const place = await withSomethingKept()
    await makeCopy(place.folder, { database: DATABASE_FILE, key: keyOf(place), now: NOW })
    overwrite(place.path, 0, 100)
    const bytes = readFileSync(place.path)
    expect(await place.open()).toMatchObject({ state: 'memory', because: 'damaged', hasData: true })
    expect(readFileSync(place.path)).toEqual(bytes)
    place.entries.set('database-key', 'ab'.repeat(32))
    const { setAside } = await place.open()
    expect(setAside?.reason).toBe('unreadable')
    expect(readdirSync(join(place.folder, setAside?.name ?? ''))).toEqual(
      expect.arrayContaining([COPIES_FOLDER, DATABASE_FILE])
    )
  })

  test('is set aside together with the unwritten pages in its journal, even after the wrong key was tried', async () => {
    const place = workstation()
    const running = await place.open()
    keep(running.db, PLANTED)
    const crashed = workstation()
    for (const name of readdirSync(place.folder)) copyFileSync(join(place.folder, name), join(crashed.folder, name))
    crashed.entries.set('database-key', 'cd'.repeat(32))
    const { setAside } = await crashed.open()
    expect(setAside?.reason).toBe('unreadable')
    const rescued = connectEncrypted(join(crashed.folder, setAside?.name ?? '', DATABASE_FILE), keyOf(place))
    expect(storedValue(rescued)).toBe(PLANTED)
    rescued.close()
  })

  test.each<[what: string, damage: (log: string, file: string) => void, reason?: 'damaged']>([
    ['lacks its end', (log) => truncateSync(log, Math.floor(statSync(log).size * 0.9)), 'damaged'],
    ['has an altered byte', (log) => flipByte(log, Math.floor(statSync(log).size / 2)), 'damaged'],
    ['has an altered start', (log) => flipByte(log, 17), 'damaged'],
    ['is empty', (log) => truncateSync(log, 0), 'damaged'],
    ['is gone', (log) => rmSync(log), 'damaged'],
    ['belongs to a damaged file', (_log, file) => flipByte(file, Math.floor(statSync(file).size * 0.6)), 'damaged'],
    ['is unchanged', () => undefined]
  ])('and whose journal %s after a crash: no saved data is lost unreported', async (_what, damage, reason) => {
    const place = workstation()
    const running = await place.open()
    for (let number = 1; number <= 20; number++) keep(running.db, PLANTED, `kept ${number}`)
    const crashed = workstation()
    for (const name of readdirSync(place.folder)) copyFileSync(join(place.folder, name), join(crashed.folder, name))
    crashed.entries.set('database-key', place.entries.get('database-key') ?? '')
    damage(`${crashed.path}-wal`, crashed.path)
    const before = contentsOf(crashed.folder)
    const { db, setAside } = await crashed.open()
    expect(setAside?.reason).toBe(reason)
    if (!setAside) expect(storedValue(db, 'kept 20')).toBe(PLANTED)
    else {
      const contents = contentsOf(join(crashed.folder, setAside.name))
      for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`]) expect(contents[name]).toEqual(before[name])
    }
  })

  test('whose journal was restarted before a power failure is opened completely, despite its stale index', async () => {
    const place = workstation()
    const { db } = await place.open()
    for (let number = 1; number <= 20; number++) keep(db, PLANTED, `kept ${number}`)
    const lost = workstation()
    copyFileSync(`${place.path}-shm`, `${lost.path}-shm`)
    db.pragma('wal_checkpoint(RESTART)')
    keep(db, PLANTED, 'kept 21')
    for (const ending of ['', '-wal']) copyFileSync(place.path + ending, lost.path + ending)
    lost.entries.set('database-key', place.entries.get('database-key') ?? '')
    const beforeTheStart = Date.now() / 1000 - uptime() - 60
    utimesSync(`${lost.path}-shm`, beforeTheStart, beforeTheStart)
    const opened = await lost.open()
    expect(opened.setAside).toBeUndefined()
    expect([storedValue(opened.db, 'kept 20'), storedValue(opened.db, 'kept 21')]).toEqual([PLANTED, PLANTED])
  })

  test('never overwrites one set aside earlier, even in the same second', async () => {
    const place = await withSomethingKept()
    const names = new Set<string | undefined>()
    for (const content of ['first', 'second', 'third']) {
      writeFileSync(place.path, content)
      const { db, setAside } = await place.open()
      db.close()
      names.add(setAside?.name)
    }
    expect([...names]).toEqual([
      'set-aside-2026-11-21T09-30-00Z',
      'set-aside-2026-11-21T09-30-00Z-2',
      'set-aside-2026-11-21T09-30-00Z-3'
    ])
    const texts = [...names].map((name) => readFileSync(join(place.folder, name ?? '', DATABASE_FILE), 'utf8'))
    expect(texts).toEqual(['first', 'second', 'third'])
  })

  test('of which only the journal is left keeps that journal', async () => {
    const place = workstation()
    mkdirSync(place.folder, { recursive: true })
    writeFileSync(`${place.path}-wal`, 'what is left')
    const { setAside } = await place.open()
    expect(setAside?.reason).toBe('incomplete')
    expect(readFileSync(join(place.folder, setAside?.name ?? '', `${DATABASE_FILE}-wal`), 'utf8')).toBe('what is left')
  })

  test('stays in place if it can’t be moved, and this run is in memory', async () => {
    const place = await withSomethingKept()
    writeFileSync(place.path, 'no database at all')
    const refused = Object.assign(new Error('no'), { code: 'EACCES', syscall: 'mkdir' })
    const noNewFolder: Files['mkdir'] = (path, options) =>
      path.includes('set-aside') ? Promise.reject(refused) : files.mkdir(path, options)
    const opened = await place.open({ files: { ...files, mkdir: noNewFolder } })
    expect(opened).toMatchObject({ state: 'memory', because: 'not-writable' })
    expect(readFileSync(place.path, 'utf8')).toBe('no database at all')
  })
})

describe('when the file is not at fault, it stays untouched and this run is in memory', () => {
  test.each(['locked', 'failed'] as const)('a keychain that exists but is %s', async (code) => {
    const place = await withSomethingKept()
    const before = contentsOf(place.folder)
    const opened = await place.open({ keychain: troubledKeychain(code) })
    expect(opened).toMatchObject({ state: 'memory', because: `keychain-${code}`, hasData: true })
    expect(opened.setAside).toBeUndefined()
    expect(contentsOf(place.folder)).toEqual(before)
    expect(storedValue((await place.open()).db)).toBe(PLANTED)
  })

  test.each<[string, (entries: Map<string, string>) => unknown]>([
    ['lost the key', (entries) => entries.delete('database-key')],
    ['has an invalid key', (entries) => entries.set('database-key', 'hunter2')]
  ])(
    'a keychain that %s: it isn’t treated as a new installation, and all is back once the key is',
    async (_what, lose) => {
      const place = await withSomethingKept()
      const key = place.entries.get('database-key') ?? ''
      lose(place.entries)
      const [before, entries] = [contentsOf(place.folder), new Map(place.entries)]
      const opened = await place.open()
      expect(opened).toMatchObject({ state: 'memory', because: 'key-missing', hasData: true })
      expect(opened.setAside).toBeUndefined()
      expect(contentsOf(place.folder)).toEqual(before)
      expect(place.entries).toEqual(entries)
      place.entries.set('database-key', key)
      expect(storedValue((await place.open()).db)).toBe(PLANTED)
    }
  )

  test('no keychain where there was one: existing data are reported and left alone', async () => {
    const place = await withSomethingKept()
    const before = contentsOf(place.folder)
    expect(await place.open({ keychain: memoryKeychain() })).toMatchObject({ because: 'no-keychain', hasData: true })
    expect(contentsOf(place.folder)).toEqual(before)
  })

  test('a lost key, after a person set the database aside: the next start begins a new one', async () => {
    const place = await withSomethingKept()
    const bytes = readFileSync(place.path)
    place.entries.delete('database-key')
    const name = await setDatabaseAside(place.folder, NOW)
    expect(await place.open()).toMatchObject({ state: 'encrypted' })
    expect(readFileSync(join(place.folder, name, DATABASE_FILE))).toEqual(bytes)
  })

  test('no keychain at all: nothing is written to the disk', async () => {
    const place = workstation({ keychain: memoryKeychain() })
    const opened = await place.open()
    expect(opened).toMatchObject({ state: 'memory', because: 'no-keychain', hasData: false })
    keep(opened.db, PLANTED)
    expect(storedValue(opened.db)).toBe(PLANTED)
    expect(contentsOf(place.folder)).toEqual({})
  })

  test('a keychain that forgets what it stores: no database is created that could never be opened again', async () => {
    const place = workstation({ keychain: { ...lastingKeychain(), databaseKey: forgetfulSlot() } })
    expect(await place.open()).toMatchObject({ state: 'memory', because: 'keychain-failed' })
    expect(contentsOf(place.folder)).toEqual({})
  })

  test('a data folder that can’t be created', async () => {
    const place = workstation({ folder: join(temporaryFolder(), 'a file', 'data') })
    writeFileSync(join(place.folder, '..'), 'in the way')
    const opened = await place.open()
    expect(opened).toMatchObject({ state: 'memory', because: 'not-writable' })
    keep(opened.db, PLANTED)
    expect(storedValue(opened.db)).toBe(PLANTED)
  })

  test('a disk without space for a new database', async () => {
    const place = workstation()
    const onFullDisk = (path: string, key: Uint8Array) => {
      const db = connectEncrypted(path, key)
      db.pragma('max_page_count = 3')
      return db
    }
    expect(await place.open({ connect: onFullDisk })).toMatchObject({ state: 'memory', because: 'no-space' })
    const opened = await place.open()
    expect(opened).toMatchObject({ state: 'encrypted' })
    expect(opened.setAside).toBeUndefined()
  })

  test('a full disk that SQLite reports as an input/output error', async () => {
    const place = await withSomethingKept()
    const before = readFileSync(place.path)
    const failing = () => {
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_SHMSIZE' })
    }
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' })
    const open: Files['open'] = async (path, flags, mode) => {
      const file = await files.open(path, flags, mode)
      return { write: () => Promise.reject(full), sync: () => file.sync(), close: () => file.close() }
    }
    const opened = await place.open({ connect: failing, files: { ...files, open } })
    expect(opened).toMatchObject({ state: 'memory', because: 'no-space' })
    expect(await place.open({ connect: failing })).toMatchObject({ state: 'memory', because: 'disk-failed' })
    expect(readFileSync(place.path)).toEqual(before)
    expect(statSync(`${place.path}-wal`).size).toBe(0)
  })

  test('another program that has locked the file', async () => {
    const place = await withSomethingKept()
    const other = connectEncrypted(place.path, keyOf(place))
    other.exec('BEGIN IMMEDIATE')
    expect(await place.open()).toMatchObject({ state: 'memory', because: 'in-use' })
    other.exec('ROLLBACK')
    other.close()
    expect(storedValue((await place.open()).db)).toBe(PLANTED)
  })
})

function overwrite(path: string, from: number, length: number): void {
  const bytes = readFileSync(path)
  bytes.fill(7, from, from + length)
  writeFileSync(path, bytes)
}

function forgetfulSlot() {
  return { get: async () => null, set: async () => undefined, delete: async () => undefined }
}
