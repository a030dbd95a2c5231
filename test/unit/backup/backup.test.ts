import { createHash, randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type BackupOrder, makeBackup } from '../../../src/main/core/backup/backup.ts'
import { openBackups } from '../../../src/main/core/backup/backups.ts'
import { completeRestore, finishRestore, scheduleRestore, stageBackup } from '../../../src/main/core/backup/restore.ts'
import { copyNow } from '../../../src/main/core/backup/rolling-copies.ts'
import { documentsKey, openDocuments } from '../../../src/main/core/documents/mirror/database.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { connectEncrypted, connectReadOnly, type Db } from '../../../src/main/core/storage/connection.ts'
import { COPIES_FOLDER, copiesIn } from '../../../src/main/core/storage/copies.ts'
import { DATABASE_FILE, DOCUMENTS_FILE } from '../../../src/main/core/storage/database.ts'
import { type AccountSecrets, KeychainError, memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { openJsonMeta } from '../../../src/main/core/storage/meta.ts'
import { type StorageParts, storageHandlers } from '../../../src/main/ipc/storage.ts'
import { contentsOf, temporaryFolder } from '../storage/folders.ts'
import {
  backedUp,
  computer,
  endOfChunk,
  flip,
  keep,
  LOW_COST,
  NOW,
  PASSPHRASE,
  PLANTED,
  refusal,
  restored,
  storedMark
} from './computers.ts'

describe('a backup', () => {
  test('is restored on another computer: data, history, settings and secrets, under that computer’s key', async () => {
    const { own, path } = await backedUp({ secrets: { a1: 'the token' } })
    const other = computer()
    const before = await other.open()
    keep(before.db, 'what was here')
    before.db.close()
    writeFileSync(join(other.folder, 'settings.json'), '{"theme":"light"}')
    const checked = await restored(other.folder, path, PASSPHRASE, other.key())
    expect(checked).toMatchObject({ accounts: 1, drafts: 0, waiting: 1, hasSecrets: true, madeAt: NOW })
    // Until it is decided on, nothing changes.
    await other.open().then(({ db }) => {
      expect(storedMark(db)).toBe('what was here')
      db.close()
    })
    await scheduleRestore(other.folder, checked.stage, NOW)
    await finishRestore(other.folder)

    const { db, state } = await other.open()
    expect(state).toBe('encrypted')
    expect(storedMark(db)).toBe(PLANTED)
    expect(other.entries.get('database-key')).not.toBe(own.entries.get('database-key'))
    const documents = await openDocuments({
      folder: other.folder,
      key: documentsKey(db, randomBytes),
      time: systemTime
    })
    expect(documents).toMatchObject({ state: 'file' })
    expect(documents.setAside).toBeUndefined()
    expect(documents.db.prepare('SELECT body FROM bodies WHERE id = 7').pluck().get()).toBe(PLANTED)
    documents.db.close()
    expect(readFileSync(join(other.folder, 'settings.json'), 'utf8')).toBe('{"theme":"dark"}')

    const settled = await completeRestore(db, other.keychain, () => expect.unreachable())
    expect(settled).toMatchObject({ madeAt: NOW })
    expect(other.entries.get('account:a1')).toBe('the token')
    settled?.clear()
    expect(await completeRestore(db, other.keychain, () => expect.unreachable())).toBeUndefined()

    const setAsideName = readdirSync(other.folder).find((name) => name.startsWith('set-aside-')) ?? ''
    expect(readFileSync(join(other.folder, setAsideName, 'settings.json'), 'utf8')).toBe('{"theme":"light"}')
    const old = connectEncrypted(join(other.folder, setAsideName, DATABASE_FILE), other.key())
    expect(storedMark(old)).toBe('what was here')
    old.close()
    expect(readdirSync(other.folder).filter((name) => /^(restore|backup)-|restore\.json/.test(name))).toEqual([])
  })

  test('is unreadable without its passphrase, and nothing is left beside the database', async () => {
    const { own, path } = await backedUp({ secrets: { a1: 'the token' } })
    const bytes = readFileSync(path)
    for (const text of [PLANTED, 'the token', 'SQLite format 3', own.entries.get('database-key') ?? '', '"theme"'])
      expect(bytes.includes(text)).toBe(false)
    expect(bytes.includes(own.key())).toBe(false)
    expect(readdirSync(own.folder).filter((name) => name.startsWith('backup-'))).toEqual([])
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0)
  })

  test('is larger than a chunk, and two of the same data have nothing in common', async () => {
    const { path, order } = await backedUp()
    const secondPath = `${path}-2`
    await makeBackup({ ...order, path: secondPath })
    const [one, other] = [readFileSync(path), readFileSync(secondPath)]
    expect(one.byteLength).toBeGreaterThan(2 * 65_536)
    expect(one.subarray(-64).equals(other.subarray(-64))).toBe(false)
  })

  test('makes guessing its passphrase cost 128 MB by default', async () => {
    const { path, order } = await backedUp()
    const { cost: _, ...its } = order
    await makeBackup(its)
    const header = readFileSync(path).subarray(12, 12 + readFileSync(path).readUInt32BE(8))
    expect(JSON.parse(header.toString())).toMatchObject({ kdf: 'scrypt', N: 2 ** 17, r: 8, p: 1 })
    const other = computer()
    await (await other.open()).db.close()
    expect((await restored(other.folder, path)).madeBy).toBe('Countersign 0.1.0')
  })

  test('that can’t be written leaves the previous one unchanged', async () => {
    const { path, order, own } = await backedUp()
    const before = readFileSync(path)
    await expect(makeBackup({ ...order, path: join(own.folder, 'not', 'there') })).rejects.toThrow()
    const damagedFolder = temporaryFolder()
    copyFileSync(join(own.folder, DATABASE_FILE), join(damagedFolder, DATABASE_FILE))
    truncateSync(join(damagedFolder, DATABASE_FILE), 4096 * 10)
    expect(await refusal(makeBackup({ ...order, folder: damagedFolder }))).toMatchObject({
      code: 'storage',
      message: expect.stringContaining('part of it is damaged')
    })
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(damagedFolder).filter((name) => name.startsWith('backup-'))).toEqual([])
  })
})

describe('an unusable backup is refused with a reason, and nothing of it is left', () => {
  const CASES: [string, (path: string) => void, RegExp][] = [
    ['a foreign file', (path) => writeFileSync(path, 'PK made elsewhere'), /isn’t a backup of Countersign/],
    ['an empty file', (path) => writeFileSync(path, ''), /isn’t a backup of Countersign/],
    ['a folder', (path) => mkdirSync(`${path}.folder`), /This is a folder/],
    ['a changed header', (path) => flip(path, 40), /damaged/],
    ['an endless header', (path) => flip(path, 8), /damaged/],
    ['a changed byte in the middle', (path) => flip(path, 100_000), /damaged/],
    ['a changed last byte', (path) => flip(path, -1), /damaged/],
    ['a missing chunk', (path) => truncateSync(path, endOfChunk(path, 1)), /Part of this backup is missing/],
    [
      'a missing end',
      (path) => truncateSync(path, statSync(path).size - 1000),
      /Part of this backup is missing|damaged/
    ],
    ['a lone header', (path) => truncateSync(path, 100), /Part of this backup is missing|damaged/],
    ['bytes after its end', (path) => writeFileSync(path, Buffer.alloc(70_000), { flag: 'a' }), /damaged/],
    ['a newer version', newer, /newer version/]
  ]
  test('for each kind of damage', async () => {
    const { path: good } = await backedUp()
    for (const [what, damage, words] of CASES) {
      const folder = temporaryFolder()
      const path = join(folder, 'copy.countersign-backup')
      copyFileSync(good, path)
      damage(path)
      const into = temporaryFolder()
      const error = await refusal(restored(into, what === 'a folder' ? `${path}.folder` : path))
      expect(`${what}: ${error.code}: ${error.message}`).toMatch(words)
      expect(error.code).toBe('bad-file')
      expect(contentsOf(into)).toEqual({})
    }
  }, 60_000)

  test('with the wrong passphrase, but not with the right one from another keyboard', async () => {
    const { path, order } = await backedUp()
    const into = temporaryFolder()
    expect((await refusal(restored(into, path, 'a passphrase of five words'))).message).toMatch(/isn’t the passphrase/)
    expect(contentsOf(into)).toEqual({})
    await makeBackup({ ...order, passphrase: 'Whānau Māori kōrero' })
    await restored(into, path, 'Whānau Māori kōrero'.normalize('NFD'))
  })

  test('with chunks of another backup under the same passphrase', async () => {
    const { path, order } = await backedUp()
    const other = `${path}-2`
    await makeBackup({ ...order, path: other })
    const [one, two] = [readFileSync(path), readFileSync(other)]
    two.copy(one, endOfChunk(path, 0), endOfChunk(path, 0), endOfChunk(path, 1))
    writeFileSync(path, one)
    expect((await refusal(restored(temporaryFolder(), path))).message).toMatch(/damaged/)
  })

  test('with a database from a newer version, or with an unknown schema', async () => {
    const { db, path, order } = await backedUp()
    const version = db.pragma('user_version', { simple: true })
    db.exec('PRAGMA user_version = 999')
    await makeBackup(order)
    expect((await refusal(restored(temporaryFolder(), path))).message).toMatch(/newer version/)
    db.exec(
      `PRAGMA user_version = ${version}; CREATE TRIGGER planted AFTER INSERT ON meta BEGIN DELETE FROM sends; END`
    )
    await makeBackup(order)
    expect((await refusal(restored(temporaryFolder(), path))).message).toMatch(/damaged/)
  })
})

describe('packages waiting to be sent', () => {
  test('are uncertain in the restored, paused Outbox; sent ones and later schedules are kept', async () => {
    const { path } = await backedUp()
    const other = computer()
    await other.open().then(({ db }) => db.close())
    const { stage } = await restored(other.folder, path, PASSPHRASE, other.key())
    await scheduleRestore(other.folder, stage, NOW)
    await finishRestore(other.folder)
    const { db } = await other.open()
    const rows = db.prepare('SELECT id, state, first_attempted_at, goes_at, error FROM sends ORDER BY id').all()
    expect(rows).toMatchObject([
      { id: 's-ready', state: 'uncertain', first_attempted_at: 1000, goes_at: NOW + 86_400_000 },
      { id: 's-sent', state: 'sent', first_attempted_at: null }
    ])
    expect(db.prepare('SELECT account_id, paused_by, pause_error FROM outboxes').all()).toMatchObject([
      { account_id: 'a1', paused_by: 'person', pause_error: expect.stringContaining('Restored from a backup') }
    ])
  })
})

describe('packages shared with an office', () => {
  test('follow the office’s state after a restore, and none is sent without it', async () => {
    const { db, path, order } = await backedUp()
    db.exec(
      `INSERT INTO office_sends (id, account_id, state, revision, epoch, goes_at) VALUES ('s-ready', 'a1', 'ready', 1, 0, 0)`
    )
    await makeBackup(order)
    const other = computer()
    await other.open().then((one) => one.db.close())
    const { stage } = await restored(other.folder, path, PASSPHRASE, other.key())
    await scheduleRestore(other.folder, stage, NOW)
    await finishRestore(other.folder)
    const { db: there } = await other.open()
    expect(there.prepare('SELECT state FROM sends WHERE id = ?').get('s-ready')).toEqual({ state: 'ready' })
  })
})

describe('an interrupted restore', () => {
  /** Covers the renames of a finishing restore and its decision, any of which may be the last thing that happens. */
  test('leaves either the old or the restored data intact at any moment, and the next start completes it', async () => {
    const { path } = await backedUp()
    const first = computer()
    await first.open().then(({ db }) => {
      keep(db, 'what was here')
      db.close()
    })
    const { stage } = await restored(first.folder, path, PASSPHRASE, first.key())
    await scheduleRestore(first.folder, stage, NOW)
    const atFirst = contentsOf(first.folder)
    // Every intermediate state: the first files moved, in the order in which they are moved.
    const setAsideName = JSON.parse(atFirst['restore.json']?.toString() ?? '{}').aside as string
    const outward = [DATABASE_FILE, 'settings.json'].filter((name) => atFirst[name])
    const inward = ['settings.json', DOCUMENTS_FILE, DATABASE_FILE]
    for (let moves = 0; moves <= outward.length + inward.length; moves++) {
      const other = computer()
      other.entries.set('database-key', first.entries.get('database-key') ?? '')
      const state = { ...atFirst }
      for (const name of outward.slice(0, moves)) {
        state[join(setAsideName, name)] = state[name] as Buffer
        delete state[name]
      }
      const isAside = moves >= outward.length
      state['restore.json'] = Buffer.from(JSON.stringify({ stage, aside: setAsideName, isAside }))
      for (const name of inward.slice(0, Math.max(0, moves - outward.length))) {
        state[name] = state[join(stage, name)] as Buffer
        delete state[join(stage, name)]
      }
      for (const [name, bytes] of Object.entries(state)) {
        mkdirSync(join(other.folder, name, '..'), { recursive: true })
        writeFileSync(join(other.folder, name), bytes)
      }
      await finishRestore(other.folder)
      await finishRestore(other.folder)
      const { db, setAside } = await other.open()
      expect({ moves, kept: storedMark(db), setAside }).toEqual({ moves, kept: PLANTED, setAside: undefined })
      const old = connectEncrypted(join(other.folder, setAsideName, DATABASE_FILE), other.key())
      expect(storedMark(old)).toBe('what was here')
      old.close()
      expect(readdirSync(other.folder).filter((name) => /^restore/.test(name))).toEqual([])
    }
  })

  test('is discarded if it wasn’t confirmed, and a foreign confirmation is ignored', async () => {
    const { path } = await backedUp()
    const other = computer()
    await other.open().then(({ db }) => db.close())
    await restored(other.folder, path)
    writeFileSync(join(other.folder, 'restore.json'), '{"stage":"../elsewhere","aside":"set-aside-x","isAside":false}')
    await finishRestore(other.folder)
    expect(readdirSync(other.folder).filter((name) => name.startsWith('restore-'))).toEqual([])
    expect((await other.open()).setAside).toBeUndefined()
    expect(await refusal(scheduleRestore(other.folder, 'restore-0123456789abcdef', NOW))).toMatchObject({
      code: 'gone'
    })
  })
})

test('after a restore the existing audit trail’s head is compared, and its number of entries reported', async () => {
  const { path } = await backedUp()
  const other = computer()
  await other.open().then(({ db }) => db.close())
  other.entries.set('audit-anchor', JSON.stringify({ seq: 41, hash: 'f'.repeat(64) }))
  const { stage } = await restored(other.folder, path, PASSPHRASE, other.key())
  await scheduleRestore(other.folder, stage, NOW)
  await finishRestore(other.folder)
  const { db } = await other.open()
  expect(await completeRestore(db, other.keychain, () => expect.unreachable())).toMatchObject({ entriesBefore: 41 })
  expect(other.entries.get('audit-anchor')).toBeUndefined()
  // It may end before the restore is in the trail, also after the keychain got the restored trail's newest entry.
  for (const anchor of [undefined, { seq: 3, hash: 'a'.repeat(64) }]) {
    if (anchor) other.entries.set('audit-anchor', JSON.stringify(anchor))
    expect(await completeRestore(db, other.keychain, () => expect.unreachable())).toMatchObject({ entriesBefore: 41 })
  }
})

describe('a keychain that refuses one account’s restored secret', () => {
  const SECRETS = { a1: 'secret one', a2: 'secret two', a3: 'secret three', removed: 'secret four' }
  const ACCOUNTS = ['a2', 'a3'].map(
    (id) =>
      `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
         SELECT '${id}', '${id}', kind, base_url, auth_scheme, colour, folders, created_at, position
           FROM accounts WHERE id = 'a1';`
  )

  /** Restores, and starts again and again with a keychain that refuses a2 like this. */
  async function refusing(code: 'too-long' | 'failed') {
    const { path } = await backedUp({ secrets: SECRETS, sql: ACCOUNTS.join('') })
    const other = computer()
    await other.open().then(({ db }) => db.close())
    other.entries.set('audit-anchor', JSON.stringify({ seq: 41, hash: 'f'.repeat(64) }))
    const { stage } = await restored(other.folder, path, PASSPHRASE, other.key())
    await scheduleRestore(other.folder, stage, NOW)
    await finishRestore(other.folder)
    const { db } = await other.open()
    let isRefusing = true
    const sets: string[] = []
    const troubles: unknown[] = []
    const accounts: AccountSecrets = {
      ...other.keychain.accounts,
      async set(id, secret) {
        sets.push(id)
        if (id === 'a2' && isRefusing) throw new KeychainError(code, 'Not this one.')
        await other.keychain.accounts.set(id, secret)
      }
    }
    const start = () =>
      completeRestore(db, { accounts, auditAnchor: other.keychain.auditAnchor }, (error) => troubles.push(error))
    const accept = () => {
      isRefusing = false
    }
    return { other, db, sets, troubles, start, accept, secretOf: other.keychain.accounts.get }
  }

  test('stores the others once, and the restore is completed', async () => {
    const { start, sets, troubles, other, secretOf } = await refusing('too-long')
    const first = await start()
    expect(first).toMatchObject({ entriesBefore: 41 })
    first?.clear()
    expect(troubles).toHaveLength(1)
    expect(sets).toEqual(['a1', 'a2', 'a3'])
    expect(other.entries.get('audit-anchor')).toBeUndefined()
    await other.keychain.accounts.set('a1', 'entered since')
    expect(await start()).toBeUndefined()
    expect(sets).toHaveLength(3)
    expect([await secretOf('a1'), await secretOf('a2'), await secretOf('a3')]).toEqual([
      ...['entered since', null, 'secret three']
    ])
  })

  test('is given only that one again, unless it was entered or its account removed since', async () => {
    for (const since of ['nothing', 'entered', 'removed'] as const) {
      const { start, accept, sets, db, other, secretOf } = await refusing('failed')
      ;(await start())?.clear()
      accept()
      if (since === 'entered') await other.keychain.accounts.set('a2', 'entered since')
      if (since === 'removed') db.exec(`DELETE FROM accounts WHERE id = 'a2'`)
      expect(await start()).toBeUndefined()
      expect(await start()).toBeUndefined()
      expect(sets).toEqual(['a1', 'a2', 'a3', ...(since === 'nothing' ? ['a2'] : [])])
      expect(await secretOf('a2')).toBe({ nothing: 'secret two', entered: 'entered since', removed: null }[since])
    }
  })

  test('isn’t given the others once more if the note about it can’t be written', async () => {
    const { start, accept, troubles, db, other, secretOf } = await refusing('failed')
    accept()
    db.exec(
      `CREATE TEMP TRIGGER full BEFORE DELETE ON meta WHEN OLD.key = 'restored-secrets' BEGIN SELECT RAISE(FAIL, 'disk full'); END`
    )
    expect(await start()).toMatchObject({ entriesBefore: 41 })
    expect(other.entries.get('audit-anchor')).toBeUndefined()
    expect(troubles).toMatchObject([{ message: 'disk full' }])
    db.exec('DROP TRIGGER full')
    await other.keychain.accounts.set('a1', 'entered since')
    expect(await start()).toMatchObject({ isCopy: false })
    expect([await secretOf('a1'), await secretOf('a2')]).toEqual(['entered since', 'secret two'])
    expect(db.prepare(`SELECT 1 FROM meta WHERE key = 'restored-secrets'`).get()).toBeUndefined()
  })

  test('has it in no copy and no backup meanwhile', async () => {
    const { start, db, other } = await refusing('failed')
    const holds = (one: Db) => /secret (one|two)/.test(JSON.stringify(one.prepare('SELECT value FROM meta').all()))
    expect(holds(db)).toBe(true)
    await start()
    expect(holds(db)).toBe(true)
    await copyNow({ folder: other.folder, key: other.key(), now: NOW })
    const [copy] = await copiesIn(other.folder)
    const copied = connectReadOnly(join(other.folder, COPIES_FOLDER, copy?.name ?? ''), other.key())
    expect(holds(copied)).toBe(false)
    copied.close()
    const path = join(temporaryFolder(), 'later.countersign-backup')
    await makeBackup({
      folder: other.folder,
      key: other.key(),
      path,
      passphrase: PASSPHRASE,
      secrets: {},
      settings: {},
      madeAt: NOW,
      madeBy: 'Countersign 0.1.0',
      cost: LOW_COST
    })
    const third = computer()
    await third.open().then((one) => one.db.close())
    const { stage } = await restored(third.folder, path, PASSPHRASE, third.key())
    const restoredDb = connectReadOnly(join(third.folder, stage, DATABASE_FILE), third.key())
    expect(holds(restoredDb)).toBe(false)
    restoredDb.close()
  })
})

/** Returns a computer with what a person's backups need. */
async function userBackups() {
  const other = computer()
  const opened = await other.open()
  const noted: string[] = []
  const deps = {
    ask: ((name: 'make' | 'stage', ask: never) =>
      name === 'make' ? makeBackup({ ...(ask as BackupOrder), cost: LOW_COST }) : stageBackup(ask)) as never,
    folder: other.folder,
    storage: opened,
    keychain: other.keychain,
    secrets: async () => ({}),
    settings: () => ({}),
    madeBy: 'Countersign',
    random: randomBytes,
    newId: () => 'b1',
    time: { now: () => NOW },
    note: ({ what }: { what: string }) => void noted.push(what),
    meta: openJsonMeta(opened.db),
    changed: () => undefined
  }
  return { other, opened, noted, deps, backups: openBackups(deps) }
}

test('a backup replaces a file only under the name that the person confirmed', async () => {
  const { opened, backups } = await userBackups()
  const folder = temporaryFolder()
  const earlier = join(folder, 'office.countersign-backup')
  writeFileSync(earlier, 'an earlier backup')
  let chosen = join(folder, 'office')
  const handlers = storageHandlers({
    ...({ storage: opened, backups, today: () => '2026-11-21' } as StorageParts),
    chooseSaveFile: async () => chosen
  })
  const backUp = () =>
    handlers['storage.backUp'](
      { passphrase: PASSPHRASE, withSecrets: false },
      { from: 'office', stillAsking: () => true }
    )
  // The system’s dialog asked about “office”, which isn’t there.
  expect(await backUp()).toEqual({ name: 'office (2).countersign-backup' })
  expect(backups.last()).toMatchObject({ name: 'office (2).countersign-backup' })
  expect(readFileSync(earlier, 'utf8')).toBe('an earlier backup')
  chosen = earlier
  expect(await backUp()).toEqual({ name: 'office.countersign-backup' })
  expect(readFileSync(earlier, 'utf8')).not.toBe('an earlier backup')
  opened.db.close()
})

test('a restore whose restart is cancelled replaces nothing, then or later', async () => {
  const { path } = await backedUp()
  const { other, opened, backups } = await userBackups()
  keep(opened.db, 'what is here')
  const restarts: ((() => Promise<void>) | undefined)[] = []
  let isSigning = false
  const handlers = storageHandlers({
    ...({ storage: opened, backups, isSigning: () => isSigning } as StorageParts),
    restart: (beforeRestart) => void restarts.push(beforeRestart)
  })
  const restore = () => handlers['storage.restore']({ id: 'b1' }, { from: 'office', stillAsking: () => true })
  const isDecided = () => existsSync(join(other.folder, 'restore.json'))
  await backups.open(path)
  expect(await refusal(restore())).toMatchObject({ code: 'gone' })
  await backups.check('b1', PASSPHRASE)
  await restore()
  // The person stays, and may leave the backup or restore it all the same.
  expect(isDecided()).toBe(false)
  isSigning = true
  expect(await refusal(restore())).toMatchObject({ code: 'busy' })
  isSigning = false
  await restore()
  expect(restarts).toHaveLength(2)
  await restarts[1]?.()
  expect(isDecided()).toBe(true)
})

test('a restore that can’t be scheduled leaves no new key, which would have set the locked database aside', async () => {
  const { path } = await backedUp()
  const { other, opened, backups } = await userBackups()
  opened.db.close()
  const lost = other.entries.get('database-key') ?? ''
  other.entries.delete('database-key')
  await backups.open(path)
  await backups.check('b1', PASSPHRASE)
  mkdirSync(join(other.folder, 'restore.json'))
  await expect(backups.restore('b1')).rejects.toThrow()
  expect(other.entries.get('database-key')).toBeUndefined()
  const locked = await other.open()
  expect(locked).toMatchObject({ state: 'memory', because: 'key-missing' })
  locked.db.close()
  other.entries.set('database-key', lost)
  const { state, db } = await other.open()
  expect(state).toBe('encrypted')
  db.close()
})

test.each([true, false])(
  'a restore never replaces a key that came back since the check (had one then: %s)',
  async (hadKey) => {
    const { path } = await backedUp()
    const { other, opened, backups } = await userBackups()
    opened.db.close()
    const own = other.entries.get('database-key') ?? ''
    if (hadKey) other.entries.set('database-key', 'ab'.repeat(32))
    else other.entries.delete('database-key')
    await backups.open(path)
    await backups.check('b1', PASSPHRASE)
    other.entries.set('database-key', own)
    expect(await refusal(backups.restore('b1'))).toMatchObject({ code: 'gone' })
    expect(other.entries.get('database-key')).toBe(own)
    expect(existsSync(join(other.folder, 'restore.json'))).toBe(false)
  }
)

test('a person’s restore: one backup at a time, checked before it replaces anything, never without a keychain', async () => {
  const { path } = await backedUp()
  const { other, noted, deps, backups } = await userBackups()
  const chosen = await backups.open(path)
  expect(chosen).toEqual({ id: 'b1', name: 'office.countersign-backup', madeAt: NOW, madeBy: 'Countersign 0.1.0' })
  expect(await refusal(backups.restore('b1'))).toMatchObject({ code: 'gone' })
  expect(await refusal(backups.check('b2', PASSPHRASE))).toMatchObject({ code: 'gone' })
  await backups.check('b1', PASSPHRASE)
  await backups.close('b1')
  expect(readdirSync(other.folder).filter((name) => name.startsWith('restore'))).toEqual([])
  // Left while it is being put in place: the checked files stay for the next start.
  await backups.open(path)
  await backups.check('b1', PASSPHRASE)
  const restoring = backups.restore('b1')
  await backups.close('b1')
  await restoring
  const order = JSON.parse(readFileSync(join(other.folder, 'restore.json'), 'utf8'))
  expect(existsSync(join(other.folder, order.stage))).toBe(true)
  await backups.make(join(other.folder, '..', 'made.countersign-backup'), { passphrase: PASSPHRASE, withSecrets: true })
  expect(noted).toEqual(['data-backed-up'])
  const without = openBackups({ ...deps, keychain: memoryKeychain(), storage: { state: 'memory' } })
  expect(() => without.checkBackupPossible()).toThrow()
  await without.open(path)
  expect(await refusal(without.check('b1', PASSPHRASE))).toMatchObject({ code: 'keychain' })
})

/** Rewrites the header as a later version would, with its hash. */
function newer(path: string) {
  const bytes = readFileSync(path)
  const length = bytes.readUInt32BE(8)
  const text = bytes
    .subarray(12, 12 + length)
    .toString()
    .replace('"version":1', '"version":2')
  const truncated = Buffer.concat([bytes.subarray(0, 12), Buffer.from(text)])
  writeFileSync(path, Buffer.concat([truncated, hash(truncated), bytes.subarray(12 + length + 32)]))
}

function hash(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
