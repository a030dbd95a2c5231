/**
 * The local copy of the service's folders: everything on disk, and in memory what answers are compared with. Memory
 * follows the disk: nothing is remembered that couldn't be written.
 */
import type { DocumentResponse } from '../../../../shared/model/index.ts'
import { getOrMake } from '../../lib/objects.ts'
import { abortable, inSlices, nextTurn, type Sliced } from '../../lib/slices.ts'
import type { Db } from '../../storage/connection.ts'
import { faultOf, queryTroubleOf } from '../../storage/database-fault.ts'
import { openDocumentIndex } from '../index/document-index.ts'
import type { StoredFigures } from '../index/overview.ts'
import type { RowList } from '../index/results.ts'
import { type IndexRow, indexRowOf } from '../index/row.ts'
import type { MirroredDocument, TakeResult } from '../questions.ts'
import { type Changes, openChanges } from './changes.ts'
import type { Difference } from './differences.ts'
import { Entries, type Entry, type StoredEntry } from './entries.ts'
import { type OwnActions, openOwnActions } from './own-actions.ts'
import { type Account, type Folder, newFolder, seenAt } from './state.ts'
import {
  folderOf,
  mirrorTables,
  openSharedTables,
  readJson,
  type StoredDocument,
  type StoredFolder,
  type StoredHashes,
  storedEntryOf
} from './tables.ts'

/** A change, and whether this workstation made it. */
type AttributedDifference = Difference & { isOwn: boolean }

/** A document to be written: what is known of it, its row, and its changes. */
export interface Writing {
  entry: StoredEntry
  /** The row and the body; absent if both are unchanged. */
  content?: { document?: DocumentResponse; row: IndexRow }
  changeSet: { differences: readonly AttributedDifference[]; at: number }
  /**
   * Set if it came from the office. Otherwise a document with new content is queued for the office if its account is
   * shared.
   */
  isShared?: true
}

/** How many rows are marked at a time: a few milliseconds' work. */
const BATCH_SIZE = 100

export type Mirror = ReturnType<typeof openMirror>

const EMPTY_RESULT: Extract<TakeResult, { kind: 'taken' }> = {
  kind: 'taken',
  documents: 0,
  changed: 0,
  unreadable: { count: 0, documents: [] },
  isComplete: true
}

/**
 * Opens the mirror and starts loading it.
 * @param now when this run began.
 * @param closing stops loading at the next pause.
 */
export function openMirror(db: Db, now: number, closing: AbortSignal) {
  const rows = mirrorTables(db)
  const changes: Changes = openChanges(db)
  const ownActions: OwnActions = openOwnActions(db, now)
  const shared = openSharedTables(db)
  const accounts = new Map<string, Account>()
  let isReady = false
  const foldersLoaded = loadFolders()
  const loading = foldersLoaded.then((folders) => inSlices(load(folders), abortable(closing)))
  // The error reaches everyone who awaits `ready`.
  loading.catch(() => undefined)

  /** Loads the folders: there are few, so they are known at once. */
  async function loadFolders(): Promise<StoredFolder[]> {
    const folders = rows.folders()
    for (const stored of folders) accountOf(stored.account_id).folders.set(stored.folder, folderOf(stored))
    return folders
  }

  /** Loads everything except the bodies. */
  function* load(folders: readonly StoredFolder[]): Sliced<void> {
    const lacksFigures = !rows.hasFigures()
    let last = 0
    for (;;) {
      const some = rows.after(last).map((stored) => {
        const row = stored.row === null ? rowOf(stored) : readJson<IndexRow>(stored.row)
        remember(stored.id, storedEntryOf(stored), row)
        return [stored.id, row] as const
      })
      if (some.length === 0) break
      if (lacksFigures) rows.saveFigures(some)
      last = some.at(-1)?.[0] ?? last
      yield
    }
    if (lacksFigures) rows.setHasFigures()
    for (const stored of folders) {
      for (const [reference, at] of readJson<[string, number][]>(stored.missing)) {
        const entry = accounts.get(stored.account_id)?.entries.get(reference)
        if (entry?.folder === stored.folder) Object.assign(entry, { isMissing: true, ownSeenAt: at })
      }
    }
    isReady = true
  }

  /** Rebuilds a row from the document if an earlier version stored it differently. */
  function rowOf(stored: StoredDocument): IndexRow {
    return indexRowOf(rows.body(stored.id), {
      accountId: stored.account_id,
      folder: stored.folder,
      arrivedAt: stored.arrived_at,
      changedAt: stored.changed_at,
      unread: stored.unread === 1,
      ...(stored.completed_at !== null && { completedAt: stored.completed_at }),
      ...(stored.gone_at !== null && { goneAt: stored.gone_at })
    })
  }

  function accountOf(id: string): Account {
    return getOrMake(accounts, id, () => {
      const index = openDocumentIndex()
      return { id, entries: new Entries(index), folders: new Map(), extended: new Map(), index }
    })
  }

  function remember(id: number, kept: StoredEntry, row: IndexRow | undefined): void {
    const { index, entries } = accountOf(kept.accountId)
    if (row) index.put(row)
    entries.put(id, kept)
  }

  const writeAll = db.transaction((writings: Iterable<Writing | undefined>): (() => void)[] => {
    const afterCommit: (() => void)[] = []
    for (const writing of writings) {
      if (!writing) continue
      const { entry, content, changeSet, isShared } = writing
      const row = content?.row ?? accountOf(entry.accountId).index.get(entry.reference)
      if (!row) continue
      const id = rows.write(entry, row, content?.document, content !== undefined)
      changes.write(changeSet.differences, {
        accountId: entry.accountId,
        reference: entry.reference,
        documentName: row.name,
        at: changeSet.at
      })
      if (content && !isShared) shared.markUnshared(entry.accountId, entry.reference)
      afterCommit.push(() => remember(id, entry, content?.row))
    }
    return afterCommit
  })

  return {
    /** Resolves once the folders are known, which is immediately. Rejects if the file can't be read. */
    whenFoldersKnown: async (): Promise<void> => void (await foldersLoaded),
    /** Resolves once everything is in memory. Rejects if the file can't be read. */
    ready: (): Promise<void> => loading,
    /**
     * Returns an account's stored figures while not everything is in memory; undefined afterwards, or if none are
     * stored.
     */
    figures: (accountId: string): StoredFigures[] | undefined =>
      isReady || !rows.hasFigures() ? undefined : rows.figures(accountId),
    account: accountOf,
    changes,
    ownActions,
    shared,

    /** Returns the folder; its `result` is undefined if it was never read. */
    folder: (account: Account, name: string): Folder => getOrMake(account.folders, name, () => newFolder(name)),

    /**
     * Notes that what is known of a folder's documents no longer comes from its newest read alone, and so forgets the
     * read's hashes.
     */
    invalidateFolder(account: Account, name: string): void {
      const folder = account.folders.get(name)
      if (!folder) return
      folder.invalidations++
      if (folder.hashes.plain === undefined && folder.hashes.logged === undefined) return
      rows.forgetHashes(account.id, name)
      folder.hashes = { plain: undefined, logged: undefined }
    },

    document: (entry: Entry): DocumentResponse => rows.body(entry.id),

    /** Returns everything stored of a document: from memory, and the rest from disk. */
    storedEntry(entry: Entry): StoredEntry {
      const { isMissing, ownSeenAt, ownSeenInRun, knownAt, look, place, also } = entry
      const run = { isMissing, ownSeenAt, ownSeenInRun, knownAt, look, place, also }
      return { ...storedEntryOf(rows.document(entry.id)), ...run }
    },

    /** See the tables. */
    hashes: (entry: Entry): StoredHashes | undefined => rows.hashes(entry.id),
    keysAfter: rows.keysAfter,

    /** Writes documents with their changes, all or none. @throws SQLite's error; then nothing is remembered. */
    write(writings: Iterable<Writing | undefined>): void {
      for (const step of writeAll(writings)) step()
    },

    inTransaction: <Done>(work: () => Done): Done => db.transaction(work)(),

    /** Marks rows as read or unread; returns how many changed. */
    async markRead(targets: RowList, read: boolean): Promise<number> {
      let count = 0
      for (let first = 0; first < targets.length; first += BATCH_SIZE) {
        const changed = targets.slice(first, first + BATCH_SIZE).flatMap(({ accountId, reference }) => {
          const account = accounts.get(accountId)
          const entry = account?.entries.get(reference)
          // The current row: something may have happened to it during a pause.
          const row = account?.index.get(reference)
          return entry && row?.unread === read ? [{ entry, row: { ...row, unread: !read } }] : []
        })
        if (changed.length === 0) continue
        rows.setUnread(changed)
        for (const { row } of changed) accountOf(row.accountId).index.put(row)
        count += changed.length
        await nextTurn()
      }
      return count
    },

    /**
     * Stores what a read found of the folder as a whole, then remembers it.
     * @param next what has changed.
     * @param missing documents that the read lacked, with when they were last seen; absent if unchanged.
     */
    writeFolder(
      account: Account,
      folder: Folder,
      next: Partial<Folder>,
      missing?: readonly (readonly [reference: string, seenAt: number])[]
    ): void {
      rows.writeFolder(account.id, { ...folder, ...next }, missing)
      Object.assign(folder, next)
    },

    /** Adopts a different spelling of the folder's name; the caller renames its documents. */
    renameFolder(account: Account, folder: Folder, name: string): void {
      rows.renameFolder(account.id, folder.name, name)
      account.folders.delete(folder.name)
      account.folders.set(name, Object.assign(folder, { name }))
    },

    /** Forgets a folder, so that its next read is the first. */
    forgetFolder(account: Account, name: string): void {
      rows.forgetFolder(account.id, name)
      account.folders.delete(name)
    },

    /** Whether an error comes from the database itself, not from the data to be read or written. */
    isDatabaseError: (error: unknown): boolean =>
      !db.open || queryTroubleOf(error) !== undefined || faultOf(error).kind === 'file',

    resultOf: (folder: Folder) => folder.result ?? EMPTY_RESULT,

    mirroredDocument(account: Account, entry: Entry): MirroredDocument | undefined {
      const row = account.index.get(entry.reference)
      return (
        row && {
          accountId: account.id,
          document: rows.body(entry.id),
          folder: entry.folder,
          seenAt: seenAt(account, entry),
          changedAt: row.changedAt,
          unread: row.unread,
          logsAreOld: entry.logsAreOld,
          ...(row.goneAt !== undefined && { goneAt: row.goneAt })
        }
      )
    },

    /** All accounts with stored data. */
    accountIds: (): string[] => [...new Set([...rows.accounts(), ...accounts.keys(), ...changes.accounts()])],

    /** Erases documents with all of their changes. */
    eraseDocuments(account: Account, entries: readonly Entry[]): void {
      const targets = entries.map((entry) => ({ entry, id: entry.id, reference: entry.reference }))
      db.transaction(() => {
        for (const { id, reference } of targets) {
          rows.forget(id)
          changes.eraseOf(account.id, reference)
          ownActions.eraseOf(account.id, reference)
        }
      })()
      for (const { entry } of targets) account.entries.remove(entry)
    },

    /** Moves everything written into the main file and empties the WAL. */
    checkpoint: (): void => void db.pragma('wal_checkpoint(TRUNCATE)'),

    erase(accountId: string): void {
      db.transaction(() => {
        rows.erase(accountId)
        changes.erase(accountId)
        ownActions.erase(accountId)
        shared.erase(accountId)
      })()
      accounts.delete(accountId)
    }
  }
}
