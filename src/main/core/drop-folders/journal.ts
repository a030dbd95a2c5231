/**
 * The record of each file, written before and with each step, so that it is processed exactly once whatever happens in
 * between: claimed (recorded before it is claimed on the share), made (together with its drafts, or found by its
 * batch), archived, and checked again.
 */
import type { AppError, DroppedFile } from '../../../shared/contract/index.ts'
import { json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import type { Content } from './dropped-file.ts'

export type Entry = RecordOf<typeof FILES>

const FILES = new Rows({
  id: value<string>(),
  folderId: value<string>(),
  name: value<string>(),
  size: value<Content['size']>(),
  sha256: value<Content['sha256']>(),
  state: value<'claimed' | 'made' | 'finished'>(),
  takenAt: value<number>(),
  /** The id that its batch gets, if it becomes one. */
  batchId: value<string>(),
  outcome: optional(value<DroppedFile['outcome']>()),
  /** How many drafts, presets or packages it became. */
  count: value<number>(),
  draftIds: json<string[]>(),
  error: optional(json<AppError>()),
  report: optional(value<string>()),
  /** Its name in `done` or `failed`, once chosen. */
  putAs: optional(value<string>())
})

export interface MadeResult {
  outcome: DroppedFile['outcome']
  /** How many drafts, presets or packages it became. */
  count: number
  draftIds: readonly string[]
  error?: AppError | undefined
  report: string
}

/** How many drafts of one file its line can link to. */
const MAX_LINKS = 100

export type Journal = ReturnType<typeof openJournal>

export function openJournal(db: Db) {
  const files = new TableStatements(db, 'drop_folder_files', FILES)
  const find = files.one<[id: string]>('WHERE id = ?')
  const updateContent = files.run<[{ id: string; size: number; sha256: string }]>(
    `UPDATE drop_folder_files SET size = @size, sha256 = @sha256 WHERE id = @id AND state = 'claimed'`
  )
  const updateReport = files.run<[report: string, id: string]>(
    `UPDATE drop_folder_files SET report = ? WHERE id = ? AND state = 'claimed'`
  )
  const reserved = files.value<[folderId: string, putAs: string], number>(
    `SELECT 1 FROM drop_folder_files WHERE folder_id = ? AND state <> 'finished' AND put_as = ?`
  )
  const insert = files.run<[entry: object]>(
    `INSERT INTO drop_folder_files (id, folder_id, name, size, sha256, state, taken_at, batch_id)
     VALUES (@id, @folderId, @name, @size, @sha256, 'claimed', @now, @batchId)`
  )
  const updateMade = files.run<[made: object]>(
    `UPDATE drop_folder_files SET state = 'made', outcome = @outcome, count = @count, draft_ids = @draftIds, error = @error,
       report = @report, taken_at = @now WHERE id = @id AND state = 'claimed'`
  )
  const dismissEarlier = files.run<[{ id: string }]>(
    `UPDATE drop_folder_files SET is_dismissed = 1 WHERE outcome = 'failed' AND is_dismissed = 0
       AND (folder_id, name) = (SELECT folder_id, name FROM drop_folder_files WHERE id = @id)`
  )
  const updatePutAs = files.run<[putAs: string | null, id: string]>(
    'UPDATE drop_folder_files SET put_as = ? WHERE id = ?'
  )
  const shown = files.all<[{ folderId: string; offset: number; limit: number }]>(
    `WHERE folder_id = @folderId AND state <> 'claimed' ORDER BY number DESC LIMIT @limit OFFSET @offset`
  )
  const counts = db.prepare<[string], { outcome: DroppedFile['outcome']; count: number; last: number }>(
    `SELECT outcome, count(*) AS count, max(taken_at) AS last FROM drop_folder_files
     WHERE folder_id = ? AND state <> 'claimed' GROUP BY outcome`
  )

  return {
    find,
    /** Oldest first. */
    unfinished: files.all<[folderId: string]>(`WHERE folder_id = ? AND state <> 'finished' ORDER BY number`),
    /** Files that were archived and haven't been checked since; oldest first. */
    toRecheck: files.all<[folderId: string]>(
      `WHERE folder_id = ? AND state = 'finished' AND is_rechecked = 0 ORDER BY number`
    ),
    /** Whether this name is chosen for a file that isn't archived yet. */
    isReserved: (folderId: string, putAs: string): boolean => reserved(folderId, putAs) !== undefined,

    /** @param seen the file before it is read. */
    claim(entry: Pick<Entry, 'id' | 'folderId' | 'name' | 'batchId'> & { seen: { size: number } }, now: number): Entry {
      const { seen, ...ids } = entry
      insert({ ...ids, size: seen.size, sha256: '', now })
      return find(entry.id) as Entry
    },

    /** Stores what identifies a claimed file. */
    recordContent: (id: string, { size, sha256 }: Pick<Content, 'size' | 'sha256'>): void =>
      void updateContent({ id, size, sha256 }),

    /** Stores a claimed file's report, in case its batch gets created. */
    storeReport: (id: string, report: string): void => void updateReport(report, id),

    /** Drops a claim that nothing came of, and nothing will. */
    drop: files.run<[id: string]>('DELETE FROM drop_folder_files WHERE id = ?'),

    /** @throws Error if it was made before: then the caller's other writes must not happen either. */
    recordMade(id: string, { outcome, count, draftIds, error, report }: MadeResult, now: number): void {
      const some = draftIds.slice(0, MAX_LINKS)
      const changes = updateMade({ ...FILES.write({ id, outcome, count, report, error, draftIds: some }), now })
      if (changes !== 1) throw new Error('This file was already imported.')
      // The file was fixed and dropped again, so its earlier refusal is dismissed.
      if (outcome !== 'failed') dismissEarlier({ id })
    },

    setPutAs: (id: string, name: string | undefined): void => void updatePutAs(name ?? null, id),
    /** Marks a file as archived. The report is next to the file now, or nowhere, so it isn't kept here. */
    finish: files.run<[id: string]>(
      `UPDATE drop_folder_files SET state = 'finished', report = NULL, is_rechecked = (outcome = 'failed') WHERE id = ?`
    ),
    /** Gives up a file that isn't there to be archived. Its report is kept in case it comes back. */
    giveUp: files.run<[id: string]>(`UPDATE drop_folder_files SET state = 'finished', is_rechecked = 1 WHERE id = ?`),
    /** Reopens a file that is there after all. */
    reopen: files.run<[id: string]>(`UPDATE drop_folder_files SET state = 'made' WHERE id = ? AND state = 'finished'`),
    markUnchanged: files.run<[id: string]>('UPDATE drop_folder_files SET is_rechecked = 1 WHERE id = ?'),
    /** Runs several of these steps in one transaction. */
    inTransaction: (steps: () => void): void => db.transaction(steps)(),

    /** Newest first. */
    list: (folderId: string, page: { offset: number; limit: number }): DroppedFile[] =>
      shown({ folderId, ...page }).map(viewOf),

    tally(folderId: string): { taken: number; failed: number; lastTakenAt: number | undefined } {
      const rows = counts.all(folderId)
      const failed = rows.find(({ outcome }) => outcome === 'failed')?.count ?? 0
      const all = rows.reduce((sum, { count }) => sum + count, 0)
      const last = Math.max(0, ...rows.map((row) => row.last))
      return { taken: all - failed, failed, lastTakenAt: last || undefined }
    }
  }
}

function viewOf({ outcome = 'failed', ...entry }: Entry): DroppedFile {
  const { id, folderId, name, takenAt, count, draftIds, batchId, error } = entry
  return {
    id,
    folderId,
    name,
    at: takenAt,
    outcome,
    count,
    draftIds,
    ...(outcome === 'batch' && { batchId }),
    ...(error && { error })
  }
}

/** The points between the steps of taking a file. A test may end the application at each of them. */
export type StepName = 'noted' | 'claimed' | 'read' | 'made' | 'named' | 'reported' | 'moved'

export type Step = (name: StepName) => void | Promise<void>
