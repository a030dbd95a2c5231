/**
 * Checks a database when it is opened: fully if it is small, otherwise only at both ends of every tree, so that the
 * application starts as fast in its fifth year as on its first day.
 */
import * as files from 'node:fs/promises'
import { uptime } from 'node:os'
import type { Db } from './connection.ts'
import { fileErrorOf } from './file-error.ts'

/** Maximum size for reading every page, which takes about 50 ms. */
const THOROUGH_UP_TO_BYTES = 16 * 1024 * 1024

/** The file isn't as SQLite wrote it. */
export class DamagedDatabaseError extends Error {
  override readonly name = 'DamagedDatabaseError'
  readonly code = 'damaged'
}

interface Tree {
  readonly name: string
  readonly owner: string
  readonly type: 'table' | 'index'
  readonly hasRowid: 0 | 1
}

/**
 * Checks a database's integrity.
 * @throws {DamagedDatabaseError}
 * @throws SQLite's own error if a page can't be read at all.
 */
export function checkIntegrity(db: Db, thoroughUpToBytes: number = THOROUGH_UP_TO_BYTES): void {
  const bytes = numberOf(db, 'page_count') * numberOf(db, 'page_size')
  if (bytes > thoroughUpToBytes) {
    readEnds(db)
    return
  }
  // SQLite's finding may quote stored data, so it isn't passed on.
  if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') throw new DamagedDatabaseError('The file is damaged.')
}

/**
 * Offsets in the WAL index (`-shm`), which holds two copies of its header, and how much of the log has been
 * checkpointed.
 */
const INDEX = { copy: 48, isBegun: 12, pageSize: 14, frames: 16, copied: 96, length: 136 } as const
const LOG_HEADER = 32
const FRAME_HEADER = 24

/**
 * Checks a database that still has a log before it is opened for writing, which happens when the previous run was
 * killed. Otherwise two things would go wrong silently: SQLite ignores the unreadable rest of a log, so the latest
 * changes would be lost and sent packages would seem unsent; and closing a damaged file copies its log into it.
 *
 * @param path of the database. Neither it nor its log is changed.
 * @param connect opens the database read-only.
 * @throws {DamagedDatabaseError} if the log is shorter than it was or can't be read to its end; or as {@link
 * checkWholeness}.
 */
export async function checkWithLog(path: string, connect: () => Db): Promise<void> {
  const known = await expectedLog(path)
  const bytes = await files.stat(`${path}-wal`).then(
    ({ size }) => size,
    () => 0
  )
  if (known && bytes < LOG_HEADER + known.frames * (FRAME_HEADER + known.pageSize)) throw truncatedLogError()
  if (bytes === 0) return
  const db = connect()
  try {
    // The first read makes SQLite go through the log and rebuild its index.
    checkIntegrity(db)
    const found = await expectedLog(path)
    if (known && (found?.frames ?? 0) < known.frames) throw truncatedLogError()
  } finally {
    db.close()
  }
}

/**
 * Reads from the WAL index how long the log must be. Undefined if all of it is checkpointed, if the index was being
 * written when the run ended, or if the computer has been restarted since. A killed program leaves the index in its
 * last state, but a power failure may leave any earlier one, since it is never flushed: it may describe a log that has
 * since been restarted.
 */
async function expectedLog(path: string): Promise<{ frames: number; pageSize: number } | undefined> {
  const writtenAt = await files.stat(`${path}-shm`).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0
  )
  if (writtenAt < Date.now() - uptime() * 1000) return undefined
  const index = await readBeginning(`${path}-shm`, INDEX.length)
  const isValid =
    index?.byteLength === INDEX.length &&
    index.subarray(0, INDEX.copy).equals(index.subarray(INDEX.copy, 2 * INDEX.copy)) &&
    index[INDEX.isBegun] === 1
  if (!isValid) return undefined
  const [frames, copied] = [index.readUInt32LE(INDEX.frames), index.readUInt32LE(INDEX.copied)]
  const size = index.readUInt16LE(INDEX.pageSize)
  // SQLite encodes 65,536 as 1 in two bytes.
  return frames > copied ? { frames, pageSize: size === 1 ? 65_536 : size } : undefined
}

async function readBeginning(path: string, length: number): Promise<Buffer | undefined> {
  try {
    const file = await files.open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (fileErrorOf(error)) return undefined
    throw error
  }
}

const truncatedLogError = () => new DamagedDatabaseError('The log of the file is damaged.')

function readEnds(db: Db): void {
  for (const tree of treesOf(db)) {
    const table = quoted(tree.owner)
    if (tree.type === 'index') {
      db.prepare(`SELECT 1 FROM ${table} INDEXED BY ${quoted(tree.name)} LIMIT 1`).get()
    } else if (tree.hasRowid === 1) {
      db.prepare(`SELECT * FROM ${table} ORDER BY rowid LIMIT 1`).get()
      db.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).get()
    } else {
      db.prepare(`SELECT * FROM ${table} LIMIT 1`).get()
    }
  }
}

/** Tables, and indexes over all rows; SQLite refuses to use a partial index for a query without its condition. */
function treesOf(db: Db): Tree[] {
  return db
    .prepare<[], Tree>(
      `SELECT s.name, s.tbl_name AS owner, s.type, CASE WHEN t.wr = 1 THEN 0 ELSE 1 END AS hasRowid
         FROM sqlite_schema AS s
         JOIN pragma_table_list AS t ON t.schema = 'main' AND t.name = s.tbl_name
        WHERE s.rootpage > 0 AND (s.type = 'table' OR s.sql IS NULL OR s.sql NOT LIKE '% WHERE %')`
    )
    .all()
}

function numberOf(db: Db, pragma: 'page_count' | 'page_size'): number {
  return Number(db.pragma(pragma, { simple: true }))
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
