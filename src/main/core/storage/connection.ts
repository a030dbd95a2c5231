/// <reference path="./better-sqlite3-multiple-ciphers.d.ts" />
/**
 * Connections to the encrypted database, configured so that committed transactions are on disk, and nothing from the
 * database is written elsewhere unencrypted.
 */
import Sqlite, { type Database } from 'better-sqlite3-multiple-ciphers'

export type Db = Database

export const KEY_BYTES = 32
const BUSY_TIMEOUT_MS = 2_000

/**
 * Opens (or creates) a file with its raw key. No key derivation, because the key is already random. A wrong key shows
 * at the first read, as SQLite's `SQLITE_NOTADB`.
 *
 * @param key {@link KEY_BYTES} bytes.
 */
export function connectEncrypted(path: string, key: Uint8Array): Db {
  const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    unlock(db, key)
    // Another mode than WAL (on a network drive) is accepted: slower, but just as durable.
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    // On macOS, a normal flush only reaches the drive's cache. Other systems ignore these two pragmas.
    db.pragma('fullfsync = ON')
    db.pragma('checkpoint_fullfsync = ON')
    return configure(db)
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a read-only connection; it changes neither the file nor its log, even if they are damaged. */
export function connectReadOnly(path: string, key: Uint8Array): Db {
  const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS, readonly: true, fileMustExist: true })
  unlock(db, key)
  return configure(db)
}

/** Opens an in-memory database with the same settings; its data is lost at the end. */
export function connectInMemory(): Db {
  return configure(new Sqlite(':memory:'))
}

function configure(db: Db): Db {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  db.pragma('foreign_keys = ON')
  // Only the database's own files are encrypted: a large sort would otherwise spill into a readable file.
  db.pragma('temp_store = MEMORY')
  db.pragma('trusted_schema = OFF')
  // Overwrites deleted data, so that it can't be recovered from the file even with the key.
  db.pragma('secure_delete = ON')
  return db
}

function unlock(db: Db, key: Uint8Array): void {
  db.pragma("cipher = 'sqlcipher'")
  db.pragma('legacy = 4')
  const passed = rawKey(key)
  db.key(passed)
  passed.fill(0)
}

/** Formats a key as SQLCipher expects one that needs no derivation. */
export function rawKey(key: Uint8Array): Buffer {
  return Buffer.from(`x'${Buffer.from(key).toString('hex')}'`, 'latin1')
}

/**
 * Runs `work` without waiting for the disk, which would cost more than the work. Its writes survive the end of the
 * process, but a power failure only once something else is written. Not for use inside a transaction. Without WAL, as
 * on a network drive, an unflushed file could be damaged, so there it is flushed.
 */
export function withoutFlush<Result>(db: Db, work: () => Result): Result {
  if (db.pragma('journal_mode', { simple: true }) !== 'wal') return work()
  const before = db.pragma('synchronous', { simple: true })
  db.pragma('synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.pragma(`synchronous = ${before}`)
  }
}
