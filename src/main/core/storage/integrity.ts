/**
 * A look at a database when it is opened: thorough for a small file, and for a large one at the ends of every tree,
 * so that the application starts as fast in its fifth year as on its first day.
 */
import type { Db } from './connection.ts'

/** Up to this size every page is read: about 50 ms. */
const THOROUGH_UP_TO_BYTES = 16 * 1024 * 1024

/** Something in the file is not as SQLite wrote it. */
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
 * @throws {DamagedDatabaseError}
 * @throws SQLite's own error, where a page can't be read at all.
 */
export function checkWholeness(db: Db, thoroughUpToBytes: number = THOROUGH_UP_TO_BYTES): void {
  const bytes = numberOf(db, 'page_count') * numberOf(db, 'page_size')
  if (bytes > thoroughUpToBytes) {
    readEnds(db)
    return
  }
  // What SQLite found can quote what is stored, so it is not passed on.
  if (db.pragma('quick_check(1)', { simple: true }) !== 'ok') throw new DamagedDatabaseError('The file is damaged.')
}

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

/** Tables and the indexes over all rows; SQLite would refuse to use a partial index for a query without its condition. */
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
