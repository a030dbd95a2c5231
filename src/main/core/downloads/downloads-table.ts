/**
 * Storage of the queue, one row per file. Each step costs the same however long the queue is: every query uses an
 * index, and triggers count totals.
 */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import type { Row } from '../lib/rows.ts'
import { type Db, withoutFlush } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'
import { DOWNLOADS, type Download, type Lane, type NewDownload, type SavedDownload } from './download-rows.ts'
import type { Expected } from './file-check.ts'

export type Stopped = 'failed' | 'cancelled'
/** What makes two waiting files the same. Two rules may save one document in a folder under different names. */
type DownloadKey = Pick<Download, 'accountId' | 'documentReference' | 'type' | 'folderId' | 'pattern'>
type State = Download['state']
export type DownloadsTable = ReturnType<typeof openDownloadsTable>

export function openDownloadsTable(db: Db) {
  const downloads = new TableStatements(db, 'downloads', DOWNLOADS)
  const insert = downloads.run<[download: object]>(
    `INSERT INTO downloads (id, account_id, document_reference, name, type, folder_id, pattern, writes_index, rule_id,
       state, queued_at)
     VALUES (@id, @accountId, @documentReference, @name, @type, @folderId, @pattern, @writesIndex, @ruleId, 'waiting',
       @queuedAt)
     ON CONFLICT DO NOTHING`
  )
  const lanes = db.prepare<[], Lane>(
    `SELECT DISTINCT account_id AS accountId, folder_id AS folderId FROM downloads INDEXED BY downloads_waiting
     WHERE state = 'waiting'`
  )
  const heads = downloads.all<[accountId: string, folderId: string, limit: number]>(
    `WHERE state = 'waiting' AND account_id = ? AND folder_id = ? ORDER BY retry_at, number LIMIT ?`
  )
  const updateDone = downloads.run<[kept: object]>(
    `UPDATE downloads SET state = 'done', file_name = @fileName, was_there = @wasThere, bytes = @bytes,
       sha256 = @sha256, signers = @signers, client_reference = @clientReference, error = NULL, retry_at = 0, finished_at = @now,
       naming_bytes = NULL, naming_sha256 = NULL, workstation = @workstation, shared_folder = @sharedFolder,
       is_unreported = @sharedFolder IS NOT NULL AND @workstation IS NULL, is_requested = 0 WHERE id = @id AND state = 'waiting'`
  )
  const updateNaming = downloads.run<[bytes: number, sha256: string, id: string]>(
    'UPDATE downloads SET naming_bytes = ?, naming_sha256 = ? WHERE id = ?'
  )
  const forgetEarlier = downloads.run<[Omit<DownloadKey, 'pattern'> & { id: string; fileName: string }]>(
    `DELETE FROM downloads WHERE state = 'done' AND folder_id = @folderId AND file_name = @fileName
       AND account_id = @accountId AND document_reference = @documentReference AND type = @type AND id <> @id`
  )
  const stop = downloads.run<[state: Stopped, error: string | null, now: number, id: string]>(
    `UPDATE downloads SET state = ?, error = ?, retry_at = 0, finished_at = ? WHERE id = ? AND state = 'waiting'`
  )
  // Turns a download that was to be fetched again back into its earlier file. A failed one shows its error first, until
  // it is cleared.
  const revertToSaved = downloads.run<[id: string]>(
    `UPDATE downloads SET state = 'done', error = NULL, finished_at = coalesce(finished_at, queued_at)
     WHERE id = ? AND state IN ('failed', 'cancelled') AND file_name IS NOT NULL`
  )
  const delay = downloads.run<[error: string, attempts: 0 | 1, retryAt: number, id: string]>(
    `UPDATE downloads SET error = ?, attempts = attempts + ?, retry_at = ? WHERE id = ? AND state = 'waiting'`
  )
  const clearRetryAt = downloads.run<[Lane & { code: ErrorCode | null }]>(
    `UPDATE downloads SET retry_at = 0 WHERE state = 'waiting' AND account_id = @accountId AND folder_id = @folderId
       AND retry_at > 0 AND (@code IS NULL OR error ->> 'code' = @code)`
  )
  const requeueEnded = downloads.run<[now: number, id: string]>(
    `UPDATE OR IGNORE downloads SET state = 'waiting', error = NULL, attempts = 0, retry_at = 0, finished_at = NULL,
       queued_at = ?, is_requested = max(is_requested, state = 'done') WHERE id = ? AND state <> 'waiting'`
  )
  const clearRetryAtOf = downloads.run<[id: string]>(
    `UPDATE downloads SET retry_at = 0 WHERE id = ? AND state = 'waiting'`
  )
  const counts = db.prepare<[string], { state: State; count: number }>(
    'SELECT state, count FROM download_counts WHERE account_id = ?'
  )
  const oldestWaiting = downloads.value<[accountId: string], number | null>(
    `SELECT min(queued_at) FROM downloads INDEXED BY downloads_in_line WHERE state = 'waiting' AND account_id = ?`
  )
  const endedSince = db.prepare<[string, number], { state: State; count: number }>(
    `SELECT state, count(*) AS count FROM downloads INDEXED BY downloads_ended
     WHERE state <> 'waiting' AND account_id = ? AND finished_at >= ? GROUP BY state`
  )
  const movable = downloads.values<[accountId: string, folderId: string], string>(
    `SELECT id FROM downloads WHERE state = 'waiting' AND account_id = ? AND folder_id = ? AND file_name IS NULL LIMIT 500`
  )
  // The name in progress belonged to the old folder.
  const moveTo = downloads.run<[folderId: string, id: string]>(
    `UPDATE OR IGNORE downloads SET folder_id = ?, error = NULL, attempts = 0, retry_at = 0, naming_bytes = NULL,
       naming_sha256 = NULL WHERE id = ? AND state = 'waiting'`
  )
  const erase = downloads.run<[id: string]>(`DELETE FROM downloads WHERE id = ? AND state IN ('failed', 'cancelled')`)
  /**
   * Returns a page of several accounts' rows. Each account's rows are already ordered by its index, so SQLite only
   * merges them and sorts nothing.
   */
  function merged(
    accountIds: readonly string[],
    where: string,
    order: string,
    ...page: [limit: number, offset: number]
  ) {
    const each = accountIds.map(() => `SELECT ${DOWNLOADS.columns} FROM downloads ${where}`)
    const rows = db.prepare<unknown[], Row>(`${each.join(' UNION ALL ')} ORDER BY ${order} LIMIT ? OFFSET ?`)
    return rows.all(...accountIds, ...page).map(DOWNLOADS.read)
  }
  const filesIn = downloads.all<[folderId: string, afterName: string, afterNumber: number]>(
    `INDEXED BY downloads_by_file WHERE state = 'done' AND folder_id = ?
       AND (file_name, number) > (?, ?) ORDER BY file_name, number LIMIT 200`
  )
  const owners = downloads.values<[folderId: string, fileName: string], string>(
    `SELECT account_id || char(10) || document_reference || char(10) || type FROM downloads
     WHERE state = 'done' AND folder_id = ? AND file_name = ?`
  )

  return {
    find: downloads.one<[id: string]>('WHERE id = ?'),

    /** Queues a download; false if the same is queued already. */
    add: (download: NewDownload): boolean => insert(DOWNLOADS.write(download)) > 0,

    /** The same download, already queued. */
    findQueued: downloads.one<[DownloadKey]>(
      `WHERE state = 'waiting' AND account_id = @accountId AND document_reference = @documentReference
         AND type = @type AND folder_id = @folderId AND pattern = @pattern`
    ),

    /** Reads all waiting rows: use it only at the start. */
    lanes: (): Lane[] => lanes.all(),

    /** Returns the first rows of a lane, by when they may be fetched. */
    heads: ({ accountId, folderId }: Lane, limit: number): Download[] => heads(accountId, folderId, limit),

    /**
     * Stores what identifies a file that is about to get its name. Not flushed: waiting for the disk for each file
     * would cost more than the file, and a name that isn't flushed either seldom survives a power failure.
     */
    recordNaming(id: string, { bytes, sha256 }: Expected): void {
      withoutFlush(db, () => updateNaming(bytes, sha256, id))
    },

    /** Marks a download's file as saved, and removes earlier rows of the same file. */
    markDone: db.transaction((download: Download, kept: SavedDownload, now: number): boolean => {
      const { id, folderId, accountId, documentReference, type } = download
      const { fileName } = kept
      const isNoted = updateDone({ ...DOWNLOADS.write(kept), now, id }) > 0
      if (isNoted) forgetEarlier({ id, folderId, accountId, documentReference, type, fileName })
      return isNoted
    }),

    stop: db.transaction((id: string, state: Stopped, error: AppError | undefined, now: number): boolean => {
      const isStopped = stop(state, error ? JSON.stringify(error) : null, now, id) > 0
      if (isStopped && state === 'cancelled') revertToSaved(id)
      return isStopped
    }),

    /** Keeps it queued, but no sooner than `retryAt`. */
    delay: (id: string, error: AppError, counts: boolean, retryAt: number): void =>
      void delay(JSON.stringify(error), counts ? 1 : 0, retryAt, id),

    /** Lets all of a lane go at once, or only those that wait because of such an error. */
    retryNow: ({ accountId, folderId }: Lane, code: ErrorCode | null = null): void =>
      void clearRetryAt({ accountId, folderId, code }),

    /** Queues an ended download again; a waiting one may go at once. False if the same is queued already. */
    requeue: (id: string, now: number): boolean => requeueEnded(now, id) > 0 || clearRetryAtOf(id) > 0,

    counts(accountId: string): Record<State, number> {
      const found = { waiting: 0, done: 0, failed: 0, cancelled: 0 }
      for (const { state, count } of counts.all(accountId)) found[state] = count
      return found
    },

    /** Returns when the oldest waiting download was requested. Reads all waiting rows. */
    oldestWaiting: (accountId: string): number | undefined => oldestWaiting(accountId) ?? undefined,
    /** Counts the downloads that ended since then. Reads all of them. */
    endedSince(accountId: string, since: number): { done: number; failed: number } {
      const found = { done: 0, failed: 0 }
      for (const { state, count } of endedSince.all(accountId, since)) {
        if (state === 'done' || state === 'failed') found[state] = count
      }
      return found
    },

    /** Returns some waiting ids of a lane that have no file yet. */
    movable: ({ accountId, folderId }: Lane): string[] => movable(accountId, folderId),

    /** Moves it to another folder; false if the same is queued for that folder already. */
    moveTo: (id: string, folderId: string): boolean => moveTo(folderId, id) > 0,

    /** Removes one from the queue without a trace. */
    dequeue: downloads.run<[id: string]>(`DELETE FROM downloads WHERE id = ? AND state = 'waiting'`),

    /** Some ids of waiting downloads. */
    waitingOf: downloads.values<[accountId: string], string>(
      `SELECT id FROM downloads WHERE state = 'waiting' AND account_id = ? LIMIT 500`
    ),
    /** Some ids of failed or cancelled downloads. */
    stoppedOf: downloads.values<[accountId: string, state: Stopped], string>(
      `SELECT id FROM downloads WHERE account_id = ? AND state = ? AND state IN ('failed', 'cancelled') LIMIT 500`
    ),
    /** Removes a failed or cancelled download from the list; its earlier file stays known. */
    erase: db.transaction((id: string): void => {
      if (revertToSaved(id) === 0) erase(id)
    }),

    /** Returns waiting downloads in queue order, except these. */
    waitingInOrder(
      accountIds: readonly string[],
      without: readonly number[],
      limit: number,
      offset: number
    ): Download[] {
      const where = `INDEXED BY downloads_in_line WHERE state = 'waiting' AND account_id = ?
        AND number NOT IN (${without.map(Number).join(', ')})`
      return merged(accountIds, where, 'number', limit, offset)
    },

    /** Returns ended downloads, most recently ended first. */
    ended(accountIds: readonly string[], states: readonly State[], limit: number, offset: number): Download[] {
      if (states.length === 0) return []
      const where = `WHERE account_id = ? AND state <> 'waiting' ${stateFilter(states)}`
      return merged(accountIds, where, 'finished_at DESC, number DESC', limit, offset)
    },

    ofDocument: downloads.all<[accountId: string, reference: string]>(
      'WHERE account_id = ? AND document_reference = ?'
    ),

    /** Some saved files that the office must still be told about. */
    unreported: downloads.all<[accountId: string]>(
      'INDEXED BY downloads_unreported WHERE is_unreported = 1 AND account_id = ? ORDER BY number LIMIT 100'
    ),
    /** Marks a file as told to the office. */
    markReported: downloads.run<[id: string]>('UPDATE downloads SET is_unreported = 0 WHERE id = ?'),
    /** Marks all files saved since then to be told to the office again. */
    markUnreportedSince: downloads.run<[accountId: string, since: number]>(
      `UPDATE downloads SET is_unreported = 1 WHERE account_id = ? AND state = 'done' AND finished_at >= ?
         AND shared_folder IS NOT NULL`
    ),

    /** Some files of an account that were saved, as far as is known. */
    filesOf: downloads.all<[accountId: string, after: number]>(
      `NOT INDEXED WHERE account_id = ? AND state = 'done' AND number > ? ORDER BY number LIMIT 200`
    ),
    /** Returns some saved files in a folder, of all accounts, by name. */
    filesIn: (folderId: string, after?: Pick<Download, 'fileName' | 'number'>): Download[] =>
      filesIn(folderId, after?.fileName ?? '', after?.number ?? 0),

    /** Returns whether this name in a folder is known to be another download's file. */
    belongsToAnother({ accountId, documentReference, type, folderId }: Download, fileName: string): boolean {
      const mine = [accountId, documentReference, type].join('\n')
      const known = owners(folderId, fileName)
      return known.length > 0 && !known.includes(mine)
    }
  }
}

/** Filters by state: one state, a few, and all of them each use a different index. */
function stateFilter(states: readonly State[]): string {
  if (states.length === 1) return `AND state = '${states[0]}'`
  return states.length < 3 ? `AND state IN (${states.map((state) => `'${state}'`).join(', ')})` : ''
}
