/// <reference path="./better-sqlite3-multiple-ciphers.d.ts" />
/**
 * A connection to the encrypted database, set so that a transaction that has been answered is on the disk, and so that
 * nothing the database holds is written anywhere else in the clear.
 */
import Sqlite, { type Database } from 'better-sqlite3-multiple-ciphers'

export type Db = Database

export const KEY_BYTES = 32
const BUSY_TIMEOUT_MS = 2_000

/**
 * Opens (or begins) a file with its raw key; no key derivation, because the key is random already. A wrong key shows at
 * the first read, as SQLite's `SQLITE_NOTADB`.
 *
 * @param key {@link KEY_BYTES} bytes.
 */
export function connectEncrypted(path: string, key: Uint8Array): Db {
  const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    unlock(db, key)
    // A mode other than WAL (a network disk) is accepted: it is slower there, and lasts as well.
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    // On macOS an ordinary flush stops at the drive's own memory. Other systems take no notice of these two.
    db.pragma('fullfsync = ON')
    db.pragma('checkpoint_fullfsync = ON')
    return settled(db)
  } catch (error) {
    db.close()
    throw error
  }
}

/** A connection that only reads: neither the file nor its log is another afterwards, also where they are damaged. */
export function connectToLook(path: string, key: Uint8Array): Db {
  const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS, readonly: true, fileMustExist: true })
  unlock(db, key)
  return settled(db)
}

/** The same tables without a file; everything is forgotten at the end. */
export function connectInMemory(): Db {
  return settled(new Sqlite(':memory:'))
}

function settled(db: Db): Db {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  db.pragma('foreign_keys = ON')
  // Only the database's own files are encrypted: a large sort would spill into a readable file.
  db.pragma('temp_store = MEMORY')
  db.pragma('trusted_schema = OFF')
  // What is deleted is overwritten: with the key, too, nobody finds it again in the file.
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

/** As SQLCipher takes a key that needs no derivation. */
export function rawKey(key: Uint8Array): Buffer {
  return Buffer.from(`x'${Buffer.from(key).toString('hex')}'`, 'latin1')
}

/**
 * What `work` writes outlasts the end of the process, and a loss of power once something more is written: to wait for the disk would cost
 * more than the work. Not inside a transaction. Without a log of its own, as on a network disk, a file that isn't
 * flushed could be damaged: there it is.
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
