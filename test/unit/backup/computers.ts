/** Computers with content in their databases, and backups of them. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { makeBackup } from '../../../src/main/core/backup/backup.ts'
import { stageBackup } from '../../../src/main/core/backup/restore.ts'
import { documentsKey, openDocuments } from '../../../src/main/core/documents/mirror/database.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import type { Db } from '../../../src/main/core/storage/connection.ts'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { lastingKeychain } from '../storage/keychains.ts'

export const NOW = Date.UTC(2026, 10, 24, 9, 30)
/** A low scrypt cost: nothing sealed here needs protection. */
export const LOW_COST = 2 ** 10
export const PASSPHRASE = 'a passphrase of four words'
export const PLANTED = 'Planted sentence about Ana Example'

/** Returns a computer with its data folder and keychain. */
export function computer() {
  const folder = temporaryFolder()
  const entries = new Map<string, string>()
  const keychain = lastingKeychain(entries)
  return {
    folder,
    entries,
    keychain,
    key: () => Buffer.from(entries.get('database-key') ?? '', 'hex'),
    async open() {
      const opened = await openDatabase({ folder, keychain, random: randomBytes, clock: () => NOW })
      onTestFinished(() => void opened.db.close())
      return opened
    }
  }
}

export const keep = (db: Db, value: string) =>
  db
    .prepare("INSERT INTO meta (key, value) VALUES ('kept', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
    .run(value)
export const storedMark = (db: Db) => db.prepare("SELECT value FROM meta WHERE key = 'kept'").pluck().get()

function addAccount(db: Db) {
  db.prepare(
    `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
       VALUES ('a1', 'Office', 'service', 'https://signing.example.com', 'bearer', 'teal', '[]', 0, 1)`
  ).run()
}
function addSend(db: Db, id: string, state: string, goesAt = 0) {
  db.prepare(
    `INSERT INTO sends (id, account_id, kind, state, title, created_at, goes_at, is_scheduled)
       VALUES (?, 'a1', 'form-direct', ?, ?, 1000, ?, ?)`
  ).run(id, state, `Title ${id}`, goesAt, goesAt === 0 ? 0 : 1)
}

/**
 * Returns a computer with content in both databases, and a backup of it.
 * @param sql run on the database before the backup
 */
export async function backedUp({ secrets = {}, sql = '' }: { secrets?: Record<string, string>; sql?: string } = {}) {
  const own = computer()
  const { db } = await own.open()
  keep(db, PLANTED)
  addAccount(db)
  addSend(db, 's-ready', 'ready', NOW + 86_400_000)
  addSend(db, 's-sent', 'sent')
  const documents = await openDocuments({ folder: own.folder, key: documentsKey(db, randomBytes), time: systemTime })
  documents.db.prepare(`INSERT INTO bodies (id, body) VALUES (7, ?)`).run(PLANTED)
  onTestFinished(() => void documents.db.close())
  db.exec(sql)
  const path = join(temporaryFolder(), 'office.countersign-backup')
  const order = {
    folder: own.folder,
    key: own.key(),
    path,
    passphrase: PASSPHRASE,
    secrets,
    settings: { theme: 'dark' },
    madeAt: NOW,
    madeBy: 'Countersign 0.1.0',
    cost: LOW_COST
  }
  await makeBackup(order)
  return { own, db, path, order }
}

export async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable('It was taken.'),
    (thrown: unknown) => thrown
  )
  expect(error).toBeInstanceOf(AppFailure)
  return (error as AppFailure).appError
}

export const restored = (folder: string, path: string, passphrase = PASSPHRASE, key = randomBytes(32)) =>
  stageBackup({ folder, path, passphrase, key, now: NOW })

export function flip(path: string, at: number) {
  const bytes = readFileSync(path)
  const place = at < 0 ? bytes.length + at : at
  bytes[place] = (bytes[place] ?? 0) ^ 0x10
  writeFileSync(path, bytes)
}

/** Returns the end of a chunk in the file; chunks count from 0. */
export function endOfChunk(path: string, chunk: number): number {
  return 12 + readFileSync(path).readUInt32BE(8) + 48 + (chunk + 1) * (65_536 + 16)
}
