import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { completeRestore, finishRestore, stageCopy } from '../../../src/main/core/backup/restore.ts'
import { copyNow, copyViews, RollingCopies } from '../../../src/main/core/backup/rolling-copies.ts'
import { DAY } from '../../../src/main/core/lib/calendar.ts'
import { connectEncrypted, type Db } from '../../../src/main/core/storage/connection.ts'
import { COPIES_FOLDER, copiesIn } from '../../../src/main/core/storage/copies.ts'
import { DATABASE_FILE, type DatabaseOptions, openDatabase } from '../../../src/main/core/storage/database.ts'
import { openMeta } from '../../../src/main/core/storage/meta.ts'
import { migrations } from '../../../src/main/core/storage/migrations.ts'
import { requestKeyChange } from '../../../src/main/core/storage/rekey.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { addAccount } from '../drafts/office.ts'
import { addSend } from '../retention/office.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { lastingKeychain } from '../storage/keychains.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 24, 9, 30)

/** A computer that makes real copies. */
async function computer() {
  const folder = temporaryFolder()
  const entries = new Map<string, string>()
  const keychain = lastingKeychain(entries)
  const key = () => Buffer.from(entries.get('database-key') ?? '', 'hex')
  const is = { busy: false, idle: true, broken: false }
  const troubles: unknown[] = []
  // The clock goes on only once a check is over and the next one is scheduled.
  let waiting = 0
  const time = testTime(NOW, async () => {
    while (waiting === 0) await new Promise((resume) => setImmediate(resume))
  })
  const work = { copy: copyNow, copies: copyViews, stageCopy }
  const ask = (async (name: keyof typeof work, order: never) => {
    if (is.broken) throw new Error('No room')
    return work[name](order)
  }) as never

  async function open(parts: Pick<DatabaseOptions, 'version' | 'steps'> = {}) {
    await finishRestore(folder)
    const storage = await openDatabase({ folder, keychain, random: randomBytes, clock: time.clock, ...parts })
    onTestFinished(() => void storage.db.close())
    return storage
  }
  async function start() {
    const storage = await open()
    const run = time.run()
    const after: typeof run.after = (delay, task) => {
      waiting++
      return run.after(delay, () => {
        waiting--
        task()
      })
    }
    const copies = new RollingCopies({
      ask,
      folder,
      storage,
      keychain,
      time: { now: run.now, after },
      isBusy: () => is.busy,
      isIdle: () => is.idle,
      onError: (error) => troubles.push(error)
    })
    onTestFinished(run.end)
    copies.start()
    return { copies, storage }
  }
  const ages = async () => (await copiesIn(folder)).map(({ at }) => Math.round((time.now - at) / HOUR))
  return { folder, entries, keychain, key, is, time, troubles, open, start, ages }
}

const storedMark = (db: Db) => openMeta(db).read('kept')
const keep = (db: Db, value: string) => openMeta(db).write('kept', value)
const overwritten = (path: string) => {
  const bytes = readFileSync(path)
  bytes.fill(7, 0, 100)
  writeFileSync(path, bytes)
}

test('a copy is made each day of use, while the computer is idle; five are kept', async () => {
  const { time, is, start, ages, folder } = await computer()
  await start()
  await time.pass(HOUR)
  expect(await ages()).toHaveLength(1)
  is.idle = false
  await time.pass(21 * HOUR)
  expect(await ages()).toHaveLength(1)
  is.idle = true
  await time.pass(HOUR)
  expect(await ages()).toHaveLength(2)
  is.idle = false
  await time.pass(28 * HOUR)
  // If the computer is never idle, the copy is made anyway.
  expect(await ages()).toHaveLength(3)
  is.idle = true
  await time.pass(7 * DAY)
  expect(await ages()).toHaveLength(5)
  expect(Math.max(...(await ages()))).toBeLessThan(5 * 24)
  expect(readdirSync(join(folder, COPIES_FOLDER))).toHaveLength(5)
})

test('no copy starts while someone signs, and a failed one is repeated a quarter of an hour later', async () => {
  const { time, is, start, ages, troubles } = await computer()
  is.busy = true
  await start()
  await time.pass(3 * HOUR)
  expect(await ages()).toEqual([])
  is.busy = false
  is.broken = true
  await time.pass(HOUR)
  expect(troubles.length).toBeGreaterThan(1)
  is.broken = false
  await time.pass(HOUR / 4)
  expect(await ages()).toHaveLength(1)
})

test('only the newest copy may be older than ten days, and a jumping clock loses none of the newest', async () => {
  const { time, start, ages } = await computer()
  await start()
  await time.pass(HOUR)
  time.now += 400 * DAY
  await time.pass(HOUR)
  expect(await ages()).toHaveLength(1)
  time.now -= 400 * DAY
  await time.pass(HOUR)
  expect(Math.abs((await ages())[0] ?? 99)).toBeLessThanOrEqual(1)
})

test('a copy replaces a damaged database: waiting sends are looked up first, and the old files are set aside', async () => {
  const { folder, start, open, time, key, keychain } = await computer()
  const { storage } = await start()
  addAccount(storage.db, 'a')
  keep(storage.db, 'old')
  addSend(storage.db, { id: 'waits', who: 'Ana', at: NOW, state: 'ready' })
  await time.pass(HOUR)
  keep(storage.db, 'new')
  addSend(storage.db, { id: 'later', who: 'Ben', at: time.now })
  writeFileSync(join(folder, 'recovery.json'), '{}')
  storage.db.close()
  // As long as the database can be read, what the copy lacks is listed.
  expect(await copyViews({ folder, key: key() })).toMatchObject([{ missing: { sends: 1, drafts: 0, audit: 0 } }])
  overwritten(join(folder, DATABASE_FILE))

  const { copies, storage: damaged } = await start()
  expect(damaged).toMatchObject({ state: 'memory', because: 'damaged' })
  const [copy] = await copies.list()
  expect(copy).not.toHaveProperty('missing')
  await copies.use(await copies.stage(copy?.name ?? ''))
  damaged.db.close()
  const now = await open()
  expect(now.state).toBe('encrypted')
  expect(storedMark(now.db)).toBe('old')
  expect(now.db.prepare('SELECT id, state FROM sends').all()).toEqual([{ id: 'waits', state: 'uncertain' }])
  expect(now.db.prepare('SELECT paused_by FROM outboxes').pluck().all()).toEqual(['person'])
  const restored = await completeRestore(now.db, keychain, () => expect.unreachable())
  expect(restored).toMatchObject({ madeAt: copy?.at, isCopy: true })
  const names = readdirSync(folder)
  const setAsideName = names.find((name) => name.startsWith('set-aside-')) ?? ''
  expect(readdirSync(join(folder, setAsideName)).every((name) => name.startsWith(DATABASE_FILE))).toBe(true)
  // The recovery key also opens the current database; the copies stay.
  expect(names).toContain('recovery.json')
  expect(await copiesIn(folder)).toHaveLength(1)
})

test('what a copy lacks is reported for each kind of data that is still readable', async () => {
  const { folder, start, time, key } = await computer()
  const { storage } = await start()
  addAccount(storage.db, 'a')
  await time.pass(HOUR)
  addSend(storage.db, { id: 'later', who: 'Ben', at: time.now })
  // The root pages of the table and its indexes.
  const roots = storage.db.prepare(`SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'drafts'`).pluck().all()
  storage.db.close()
  const path = join(folder, DATABASE_FILE)
  const bytes = readFileSync(path)
  for (const root of roots.map(Number).filter((page: number) => page > 0))
    bytes.fill(0x5a, (root - 1) * 4096, root * 4096)
  writeFileSync(path, bytes)
  const [copy] = await copyViews({ folder, key: key() })
  expect(copy?.missing).toEqual({ sends: 1, downloads: 0, audit: 0 })
})

test('downgrading uses the copy from before the update and keeps the newer one', async () => {
  const { folder, start, open, key } = await computer()
  const { storage } = await start()
  keep(storage.db, 'before')
  storage.db.close()
  const steps = [...migrations, { name: 'notes', sql: 'CREATE TABLE notes (note TEXT) STRICT' }]
  const { db: updated } = await open({ steps })
  keep(updated, 'of the newer version')
  updated.close()
  const { copies, storage: older } = await start()
  expect(older).toMatchObject({ state: 'memory', because: 'newer-version' })
  const [copy] = await copies.list()
  expect(copy?.isBeforeUpdate).toBe(true)
  await copies.use(await copies.stage(copy?.name ?? ''))
  older.db.close()
  expect(storedMark((await open()).db)).toBe('before')
  const setAsideName = readdirSync(folder).find((name) => name.startsWith('set-aside-')) ?? ''
  const newer = connectEncrypted(join(folder, setAsideName, DATABASE_FILE), key())
  expect(storedMark(newer)).toBe('of the newer version')
  newer.close()
})

test('a copy that is damaged, missing or from a newer version isn’t used', async () => {
  const { folder, start, time } = await computer()
  const { storage } = await start()
  await time.pass(HOUR)
  storage.db.close()
  overwritten(join(folder, DATABASE_FILE))
  const { copies, storage: damaged } = await start()
  const [copy] = await copiesIn(folder)
  const path = join(folder, COPIES_FOLDER, copy?.name ?? '')
  truncateSync(path, readFileSync(path).byteLength - 4096)
  await expect(copies.stage(copy?.name ?? '')).rejects.toMatchObject({ appError: { code: 'bad-file' } })
  await expect(copies.stage('../../etc/passwd')).rejects.toMatchObject({ appError: { code: 'gone' } })
  rmSync(path)
  await expect(copies.stage(copy?.name ?? '')).rejects.toMatchObject({ appError: { code: 'gone' } })
  expect(readdirSync(folder).filter((name) => /^restore/.test(name))).toEqual([])
  damaged.db.close()
})

test('no copy replaces a database that opens', async () => {
  const { start, time } = await computer()
  const { copies } = await start()
  await time.pass(HOUR)
  expect(await copies.list()).toEqual([])
  await expect(copies.stage('x')).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
})

test('after a key change no copy under the old key is left', async () => {
  const { folder, keychain, start, open, time } = await computer()
  const { storage } = await start()
  await time.pass(HOUR)
  expect(await copiesIn(folder)).toHaveLength(1)
  await requestKeyChange(folder, keychain, randomBytes(32))
  storage.db.close()
  expect(await open()).toMatchObject({ state: 'encrypted', rekeyed: { state: 'done' } })
  expect(await copiesIn(folder)).toEqual([])
})

test('the version that last used the database is known to the next', async () => {
  const { open } = await computer()
  for (const version of ['0.3.0', '0.4.0']) {
    const { db } = await open({ version })
    expect(openMeta(db).read('used-by')).toBe(version)
    db.close()
  }
})
