/** The SQL statements for the tables of `documents.db`. */
import { hash } from 'node:crypto'
import type { DocumentResponse } from '../../../../shared/model/index.ts'
import type { Db } from '../../storage/connection.ts'
import { DamagedDatabaseError } from '../../storage/integrity.ts'
import { FIGURES_FORMAT, figuresOf } from '../index/columns.ts'
import type { StoredFigures } from '../index/overview.ts'
import type { IndexRow } from '../index/row.ts'
import type { Entry, StoredEntry } from './entries.ts'
import { type Folder, newFolder } from './state.ts'

export interface StoredDocument {
  id: number
  account_id: string
  reference: string
  folder: string
  is_placed: 0 | 1
  seen_at: number
  changed_at: number
  arrived_at: number
  completed_at: number | null
  gone_at: number | null
  unread: 0 | 1
  logs_are_old: 0 | 1
  last_log_at: number | null
  package_reference: string | null
  client_reference: string
  likeness: string
  plain_hash: string | null
  logged_hash: string | null
  /** JSON of the index's row. */
  row: string | null
}

/** What an answer about the document may leave unchanged. */
export interface StoredHashes {
  lastLogAt: number | null
  plain: string | null
  logged: string | null
}

export type StoredKeys = Pick<
  StoredDocument,
  'id' | 'account_id' | 'reference' | 'client_reference' | 'likeness' | 'last_log_at'
>

export interface StoredFolder {
  account_id: string
  folder: string
  begun: number
  looked_at: number
  plain_hash: string | null
  logged_hash: string | null
  taken: string
  missing: string
}

/** Parses stored JSON. @throws DamagedDatabaseError if it isn't valid. */
export function readJson<Value>(text: string): Value {
  try {
    return JSON.parse(text) as Value
  } catch {
    throw new DamagedDatabaseError('What is kept is not JSON.')
  }
}

/** How many are read at a time: a few milliseconds' work. */
const PAGE = 200

/** Lists the accounts that have rows in a table, using its index without reading the rows. */
export function accountsIn(db: Db, table: 'documents' | 'changes'): () => string[] {
  const next = db.prepare<[string], string | null>(`SELECT min(account_id) FROM ${table} WHERE account_id > ?`).pluck()
  return () => {
    const found: string[] = []
    for (let account = next.get(''); account; account = next.get(account)) found.push(account)
    return found
  }
}

export function mirrorTables(db: Db) {
  const after = db.prepare<[number], StoredDocument>(
    `SELECT documents.*, index_rows.row FROM documents LEFT JOIN index_rows ON index_rows.id = documents.id
     WHERE documents.id > ? ORDER BY documents.id LIMIT ${PAGE}`
  )
  const documentById = db.prepare<[number], StoredDocument>(
    'SELECT documents.*, NULL AS row FROM documents WHERE id = ?'
  )
  const hashes = db.prepare<[number], StoredHashes>(
    'SELECT last_log_at AS lastLogAt, plain_hash AS plain, logged_hash AS logged FROM documents WHERE id = ?'
  )
  const keys = db.prepare<[number], StoredKeys>(
    `SELECT id, account_id, reference, client_reference, likeness, last_log_at FROM documents
     WHERE id > ? ORDER BY id LIMIT ${PAGE}`
  )
  const body = db.prepare<[number], string>('SELECT body FROM bodies WHERE id = ?').pluck()
  const writeDocument = db
    .prepare<unknown[], number>(
      `INSERT INTO documents (account_id, reference, folder, is_placed, seen_at, changed_at, arrived_at, completed_at,
         gone_at, unread, logs_are_old, last_log_at, package_reference, client_reference, likeness, plain_hash, logged_hash)
       VALUES (@accountId, @reference, @folder, @isPlaced, @seenAt, @changedAt, @arrivedAt, @completedAt,
         @goneAt, @unread, @logsAreOld, @lastLogAt, @packageReference, @clientReference, @matchKey, @plain, @logged)
       ON CONFLICT (account_id, reference) DO UPDATE SET folder = @folder, is_placed = @isPlaced, seen_at = @seenAt,
         changed_at = @changedAt, arrived_at = @arrivedAt, completed_at = @completedAt, gone_at = @goneAt,
         unread = @unread, logs_are_old = @logsAreOld, last_log_at = @lastLogAt, package_reference = @packageReference,
         client_reference = @clientReference, likeness = @matchKey, plain_hash = @plain, logged_hash = @logged
       RETURNING id`
    )
    .pluck()
  const writeRow = db.prepare<[number, string]>('INSERT OR REPLACE INTO index_rows (id, row) VALUES (?, ?)')
  const writeFigures = db.prepare(
    `INSERT OR REPLACE INTO figures (id, account_id, family, identity, flags, due, due_day, idle_since, arrived_at,
       completed_at, package)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const figures = db.prepare<[string], StoredFigures>(
    `SELECT family, identity, flags, due, due_day AS dueDay, idle_since AS idleSince, arrived_at AS arrivedAt,
       completed_at AS completedAt, package FROM figures WHERE account_id = ?`
  )
  const figuresFormat = db.prepare<[], string>('SELECT figures FROM mirror').pluck()
  const setFiguresFormat = db.prepare<[string]>('UPDATE mirror SET figures = ?')
  const writeBody = db.prepare<[number, string]>('INSERT OR REPLACE INTO bodies (id, body) VALUES (?, ?)')
  const setUnread = db.prepare<[number, number]>('UPDATE documents SET unread = ? WHERE id = ?')
  const folders = db.prepare<[], StoredFolder>('SELECT * FROM folders')
  const writeFolder = db.prepare(
    `INSERT INTO folders (account_id, folder, begun, looked_at, plain_hash, logged_hash, taken, missing)
     VALUES (@accountId, @folder, @begun, @lookedAt, @plain, @logged, @taken, coalesce(@missing, '[]'))
     ON CONFLICT (account_id, folder) DO UPDATE SET begun = @begun, looked_at = @lookedAt, plain_hash = @plain,
       logged_hash = @logged, taken = @taken, missing = coalesce(@missing, missing)`
  )
  const forgetHashes = db.prepare<[string, string]>(
    'UPDATE folders SET plain_hash = NULL, logged_hash = NULL WHERE account_id = ? AND folder = ?'
  )
  const renameFolder = db.prepare<[string, string, string]>(
    'UPDATE folders SET folder = ? WHERE account_id = ? AND folder = ?'
  )
  const forgetFolder = db.prepare<[string, string]>('DELETE FROM folders WHERE account_id = ? AND folder = ?')
  const ofAccount = 'IN (SELECT id FROM documents WHERE account_id = ?)'
  const eraseStatements = [
    `DELETE FROM index_rows WHERE id ${ofAccount}`,
    `DELETE FROM bodies WHERE id ${ofAccount}`,
    'DELETE FROM figures WHERE account_id = ?',
    'DELETE FROM documents WHERE account_id = ?',
    'DELETE FROM folders WHERE account_id = ?'
  ].map((sql) => db.prepare<[string]>(sql))

  const forgetStatements = ['index_rows', 'bodies', 'figures', 'documents'].map((table) =>
    db.prepare<[number]>(`DELETE FROM ${table} WHERE id = ?`)
  )

  function saveRow(id: number, row: IndexRow): void {
    writeRow.run(id, JSON.stringify(row))
    saveFigures(id, row)
  }

  function saveFigures(id: number, row: IndexRow): void {
    const { packageReference, accountId } = row
    const packageNumber = packageReference === undefined ? null : packageNumberOf(packageReference)
    const { family, identity, flags, due, dueDay, idleSince, arrivedAt, completedAt } = figuresOf(row)
    // Positional parameters: a first read writes this for every document, and named ones take twice as long.
    const times = [due, dueDay, idleSince, arrivedAt, completedAt]
    writeFigures.run(id, accountId, family, identity, flags, ...times, packageNumber)
  }

  return {
    after: (id: number): StoredDocument[] => after.all(id),

    /** @throws DamagedDatabaseError if it is no longer stored. */
    document(id: number): StoredDocument {
      const found = documentById.get(id)
      if (!found) throw new DamagedDatabaseError('A document that was read is not kept.')
      return found
    },

    hashes: (id: number): StoredHashes | undefined => hashes.get(id),

    keysAfter: (id: number): StoredKeys[] => keys.all(id),

    body(id: number): DocumentResponse {
      const found = body.get(id)
      if (found === undefined) throw new DamagedDatabaseError('A document is kept without its body.')
      return readJson<DocumentResponse>(found)
    },

    /** Returns the document's id. If `hasNewRow` is false, the row isn't written. */
    write(entry: StoredEntry, row: IndexRow, document: DocumentResponse | undefined, hasNewRow: boolean): number {
      const id = Number(
        writeDocument.get({
          accountId: entry.accountId,
          reference: entry.reference,
          folder: entry.folder,
          isPlaced: entry.isPlaced ? 1 : 0,
          seenAt: entry.ownSeenAt,
          changedAt: row.changedAt,
          arrivedAt: row.arrivedAt,
          completedAt: row.completedAt ?? null,
          goneAt: row.goneAt ?? null,
          unread: row.unread ? 1 : 0,
          logsAreOld: entry.logsAreOld ? 1 : 0,
          lastLogAt: entry.lastLogAt ?? null,
          packageReference: entry.packageReference ?? null,
          clientReference: entry.clientReference,
          matchKey: entry.matchKey,
          plain: entry.hashes.plain ?? null,
          logged: entry.hashes.logged ?? null
        })
      )
      if (hasNewRow) saveRow(id, row)
      if (document) writeBody.run(id, JSON.stringify(document))
      return id
    },

    setUnread: db.transaction((some: readonly { entry: Entry; row: IndexRow }[]) => {
      for (const { entry, row } of some) {
        setUnread.run(row.unread ? 1 : 0, entry.id)
        saveRow(entry.id, row)
      }
    }),

    /** Whether every document has figures in the current format. */
    hasFigures: (): boolean => figuresFormat.get() === FIGURES_FORMAT,
    figures: (accountId: string): StoredFigures[] => figures.all(accountId),

    /** Writes the figures of rows that lack them. */
    saveFigures: db.transaction((some: readonly (readonly [id: number, row: IndexRow])[]): void => {
      for (const [id, row] of some) saveFigures(id, row)
    }),

    /** To be called once every document has figures. */
    setHasFigures: (): void => void setFiguresFormat.run(FIGURES_FORMAT),

    accounts: accountsIn(db, 'documents'),

    folders: (): StoredFolder[] => folders.all(),

    /** @param missing documents that the read lacked, with when they were last seen; absent if unchanged. */
    writeFolder(accountId: string, folder: Folder, missing: readonly (readonly [string, number])[] | undefined): void {
      writeFolder.run({
        accountId,
        folder: folder.name,
        begun: folder.begun,
        lookedAt: folder.lookedAt,
        plain: folder.hashes.plain ?? null,
        logged: folder.hashes.logged ?? null,
        taken: JSON.stringify(folder.result ?? null),
        missing: missing ? JSON.stringify(missing) : null
      })
    },

    renameFolder: (accountId: string, from: string, to: string) => void renameFolder.run(to, accountId, from),
    forgetFolder: (accountId: string, folder: string) => void forgetFolder.run(accountId, folder),

    forgetHashes: (accountId: string, folder: string) => void forgetHashes.run(accountId, folder),

    /** Erases one document. */
    forget(id: number): void {
      for (const statement of forgetStatements) statement.run(id)
    },

    erase(accountId: string): void {
      for (const statement of eraseStatements) statement.run(accountId)
    }
  }
}

/** Hexadecimal digits of a hash that fit exactly into a number. */
const DIGITS = 13

/** A number that is all but unique to a package: a collision would hardly show in the overview's weeks. */
function packageNumberOf(packageReference: string): number {
  return Number.parseInt(hash('sha1', packageReference).slice(0, DIGITS), 16)
}

/** Returns the stored entry; nothing is known of this run yet. */
export function storedEntryOf(stored: StoredDocument): StoredEntry {
  return {
    accountId: stored.account_id,
    reference: stored.reference,
    folder: stored.folder,
    isPlaced: stored.is_placed === 1,
    ownSeenAt: stored.seen_at,
    ownSeenInRun: 0,
    knownAt: 0,
    isMissing: false,
    logsAreOld: stored.logs_are_old === 1,
    lastLogAt: stored.last_log_at ?? undefined,
    packageReference: stored.package_reference ?? undefined,
    clientReference: stored.client_reference,
    matchKey: stored.likeness,
    hashes: { plain: stored.plain_hash ?? undefined, logged: stored.logged_hash ?? undefined },
    look: 0,
    place: 0,
    also: undefined
  }
}

export function folderOf(stored: StoredFolder): Folder {
  return {
    ...newFolder(stored.folder),
    begun: stored.begun,
    lookedAt: stored.looked_at,
    hashes: { plain: stored.plain_hash ?? undefined, logged: stored.logged_hash ?? undefined },
    result: readJson<Folder['result'] | null>(stored.taken) ?? undefined
  }
}

/**
 * A document of which this workstation knows something that the office doesn't. `absent`: number of the office's rounds
 * that lacked it.
 */
export interface Unshared {
  version: number
  reference: string
  absent: number
}

/** The tables of shared accounts: which ones, up to which cursor, and what only this workstation knows. */
export function openSharedTables(db: Db) {
  const known = db.prepare<[string], { feed: string; cursor: number; provenAt: number }>(
    'SELECT feed, cursor, proven_at AS provenAt FROM shared_feeds WHERE account_id = ?'
  )
  const keep = db.prepare(
    `INSERT INTO shared_feeds (account_id, feed, cursor, proven_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET feed = excluded.feed, cursor = excluded.cursor, proven_at = excluded.proven_at`
  )
  const updateCursor = db.prepare<[number, string]>('UPDATE shared_feeds SET cursor = ? WHERE account_id = ?')
  const forget = db.prepare<[string]>('DELETE FROM shared_feeds WHERE account_id = ?')
  const all = db.prepare<[], string>('SELECT account_id FROM shared_feeds').pluck()
  const note = db.prepare<[string, string]>('INSERT OR REPLACE INTO unshared (account_id, reference) VALUES (?, ?)')
  const version = db
    .prepare<[string, string], number>('SELECT version FROM unshared WHERE account_id = ? AND reference = ?')
    .pluck()
  const next = db.prepare<[string, number], Unshared>(
    'SELECT version, reference, absent FROM unshared WHERE account_id = ? ORDER BY version LIMIT ?'
  )
  const newest = db.prepare<[string], { count: number; version: number | null }>(
    'SELECT count(*) AS count, max(version) AS version FROM unshared WHERE account_id = ?'
  )
  const drop = db.prepare<[string, number]>('DELETE FROM unshared WHERE account_id = ? AND version = ?')
  const dropTo = db.prepare<[string, number]>('DELETE FROM unshared WHERE account_id = ? AND version <= ?')
  const dropAll = db.prepare<[string]>('DELETE FROM unshared WHERE account_id = ?')
  const incrementAbsent = db.prepare<[number]>('UPDATE unshared SET absent = absent + 1 WHERE version = ?')
  const accounts = new Set(all.all())

  return {
    feedOf: (accountId: string) => known.get(accountId),
    saveFeed(accountId: string, feed: string, cursor: number, provenAt: number): void {
      keep.run(accountId, feed, cursor, provenAt)
      accounts.add(accountId)
    },
    saveCursor: (accountId: string, cursor: number): void => void updateCursor.run(cursor, accountId),
    erase(accountId: string): void {
      forget.run(accountId)
      dropAll.run(accountId)
      accounts.delete(accountId)
    },
    /**
     * Marks a document as unshared if its account is shared. Must be called in the transaction that writes the
     * document.
     */
    markUnshared(accountId: string, reference: string): void {
      if (accounts.has(accountId)) note.run(accountId, reference)
    },
    /** Returns the version of the document's mark; undefined if the office knows everything of it. */
    versionOf: (accountId: string, reference: string): number | undefined => version.get(accountId, reference),
    next: (accountId: string, limit: number): Unshared[] => next.all(accountId, limit),
    /** Returns how many there are, and the version of the newest. */
    newest(accountId: string): { count: number; version: number } {
      const { count, version } = newest.get(accountId) ?? { count: 0, version: 0 }
      return { count, version: version ?? 0 }
    },
    drop: (accountId: string, version: number): void => void drop.run(accountId, version),
    dropUpTo: (accountId: string, version: number): void => void dropTo.run(accountId, version),
    dropAll: (accountId: string): void => void dropAll.run(accountId),
    countAbsence: (version: number): void => void incrementAbsent.run(version)
  }
}
