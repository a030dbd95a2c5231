/**
 * The queue as it lies on the disk, a row a file. The cost of each step is the same however long the queue is: every query
 * here goes by an index, and totals are counted by triggers.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import type { Row } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { DOWNLOADS, type Download, type KeptDownload, type Lane, type NewDownload } from './download-rows.ts'
import type { Expected } from './file-check.ts'

export type Stopped = 'failed' | 'cancelled'
export type DownloadsTable = ReturnType<typeof openDownloadsTable>

export function openDownloadsTable(db: Db) {
  const one = db.prepare<[string], Row>('SELECT * FROM downloads WHERE id = ?')
  const insert = db.prepare(
    `INSERT INTO downloads (id, account_id, document_reference, name, type, folder_id, pattern, writes_index, rule_id,
       state, queued_at)
     VALUES (@id, @accountId, @documentReference, @name, @type, @folderId, @pattern, @writesIndex, @ruleId, 'waiting',
       @queuedAt)
     ON CONFLICT DO NOTHING`
  )
  const same = db.prepare<Pick<Download, 'accountId' | 'documentReference' | 'type' | 'folderId'>, Row>(
    `SELECT * FROM downloads WHERE state = 'waiting' AND account_id = @accountId
       AND document_reference = @documentReference AND type = @type AND folder_id = @folderId`
  )
  const lanes = db.prepare<[], { account_id: string; folder_id: string }>(
    `SELECT DISTINCT account_id, folder_id FROM downloads INDEXED BY downloads_waiting WHERE state = 'waiting'`
  )
  const heads = db.prepare<[string, string, number], Row>(
    `SELECT * FROM downloads WHERE state = 'waiting' AND account_id = ? AND folder_id = ? ORDER BY retry_at, number LIMIT ?`
  )
  const done = db.prepare(
    `UPDATE downloads SET state = 'done', file_name = @fileName, was_there = @wasThere, bytes = @bytes,
       sha256 = @sha256, signers = @signers, client_reference = @clientReference, error = NULL, retry_at = 0, finished_at = @now,
       naming_bytes = NULL, naming_sha256 = NULL WHERE id = @id AND state = 'waiting'`
  )
  const naming = db.prepare<[number, string, string]>(
    'UPDATE downloads SET naming_bytes = ?, naming_sha256 = ? WHERE id = ?'
  )
  const forgetEarlier = db.prepare(
    `DELETE FROM downloads WHERE state = 'done' AND folder_id = @folderId AND file_name = @fileName
       AND account_id = @accountId AND document_reference = @documentReference AND type = @type AND id <> @id`
  )
  const stop = db.prepare(
    `UPDATE downloads SET state = ?, error = ?, retry_at = 0, finished_at = ? WHERE id = ? AND state = 'waiting'`
  )
  // What was to be fetched again is the file that it was. One that failed says so until it is cleared.
  const backToFile = db.prepare<[string]>(
    `UPDATE downloads SET state = 'done', error = NULL, finished_at = coalesce(finished_at, queued_at)
     WHERE id = ? AND state IN ('failed', 'cancelled') AND file_name IS NOT NULL`
  )
  const delay = db.prepare(
    `UPDATE downloads SET error = ?, attempts = attempts + ?, retry_at = ? WHERE id = ? AND state = 'waiting'`
  )
  const hurry = db.prepare(
    `UPDATE downloads SET retry_at = 0 WHERE state = 'waiting' AND account_id = ? AND folder_id = ? AND retry_at > 0`
  )
  const again = db.prepare<[number, string]>(
    `UPDATE OR IGNORE downloads SET state = 'waiting', error = NULL, attempts = 0, retry_at = 0, finished_at = NULL,
       queued_at = ? WHERE id = ? AND state <> 'waiting'`
  )
  const hurryOne = db.prepare<[string]>(`UPDATE downloads SET retry_at = 0 WHERE id = ? AND state = 'waiting'`)
  const counts = db.prepare<[string], { state: Download['state']; count: number }>(
    'SELECT state, count FROM download_counts WHERE account_id = ?'
  )
  const oldestWaiting = db
    .prepare<[string], number | null>(
      `SELECT min(queued_at) FROM downloads INDEXED BY downloads_in_line WHERE state = 'waiting' AND account_id = ?`
    )
    .pluck()
  const endedSince = db.prepare<[string, number], { state: Download['state']; count: number }>(
    `SELECT state, count(*) AS count FROM downloads INDEXED BY downloads_ended
     WHERE state <> 'waiting' AND account_id = ? AND finished_at >= ? GROUP BY state`
  )
  const waitingOf = db
    .prepare<[string], string>(`SELECT id FROM downloads WHERE state = 'waiting' AND account_id = ? LIMIT 500`)
    .pluck()
  const movable = db
    .prepare<[string, string], string>(
      `SELECT id FROM downloads WHERE state = 'waiting' AND account_id = ? AND folder_id = ? AND file_name IS NULL LIMIT 500`
    )
    .pluck()
  // What it was about to be called was in the folder before.
  const moveTo = db.prepare<[string, string]>(
    `UPDATE OR IGNORE downloads SET folder_id = ?, error = NULL, attempts = 0, retry_at = 0, naming_bytes = NULL,
       naming_sha256 = NULL WHERE id = ? AND state = 'waiting'`
  )
  const leaveOut = db.prepare<[string]>(`DELETE FROM downloads WHERE id = ? AND state = 'waiting'`)
  const stoppedOf = db
    .prepare<[string, string], string>(
      `SELECT id FROM downloads WHERE account_id = ? AND state = ? AND state IN ('failed', 'cancelled') LIMIT 500`
    )
    .pluck()
  const erase = db.prepare<[string]>(`DELETE FROM downloads WHERE id = ? AND state IN ('failed', 'cancelled')`)
  const inLine = db.prepare<[string, string, number, number], Row>(
    `SELECT * FROM downloads INDEXED BY downloads_in_line WHERE state = 'waiting' AND account_id = ?
       AND number NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT ? OFFSET ?`
  )
  const ofDocument = db.prepare<[string, string], Row>(
    'SELECT * FROM downloads WHERE account_id = ? AND document_reference = ?'
  )
  const filesOf = db.prepare<[string, number], Row>(
    `SELECT * FROM downloads NOT INDEXED WHERE account_id = ? AND state = 'done' AND number > ? ORDER BY number
       LIMIT 200`
  )
  const filesIn = db.prepare<[string, string, number], Row>(
    `SELECT * FROM downloads INDEXED BY downloads_by_file WHERE state = 'done' AND folder_id = ?
       AND (file_name, number) > (?, ?) ORDER BY file_name, number LIMIT 200`
  )
  const owners = db
    .prepare<[string, string], string>(
      `SELECT account_id || char(10) || document_reference || char(10) || type FROM downloads
       WHERE state = 'done' AND folder_id = ? AND file_name = ?`
    )
    .pluck()

  /** Ended ones in the order they ended, newest first. */
  function ended(accountId: string, states: readonly Download['state'][], limit: number, offset: number): Row[] {
    return db
      .prepare<[string, number, number], Row>(
        `SELECT * FROM downloads WHERE account_id = ? AND state <> 'waiting' ${among(states)}
         ORDER BY finished_at DESC, number DESC LIMIT ? OFFSET ?`
      )
      .all(accountId, limit, offset)
  }

  return {
    find: (id: string): Download | undefined => DOWNLOADS.find(one.get(id)),

    /** Puts one in line; false where the same is in it already. */
    add: (download: NewDownload): boolean => insert.run(DOWNLOADS.write(download)).changes > 0,

    /** The one that is in line already. */
    same: (download: Pick<Download, 'accountId' | 'documentReference' | 'type' | 'folderId'>): Download | undefined =>
      DOWNLOADS.find(same.get(download)),

    /** Goes through all that waits: for the start only. */
    lanes: (): Lane[] => lanes.all().map((row) => ({ accountId: row.account_id, folderId: row.folder_id })),

    /** The first of a lane, by when they may go. */
    heads: ({ accountId, folderId }: Lane, limit: number): Download[] =>
      heads.all(accountId, folderId, limit).map(DOWNLOADS.read),

    /**
     * It is about to have its name. Outlasts the end of the process, not a loss of power: to wait for the disk for each file
     * would cost more than the file, and a name that isn't flushed either seldom outlasts that.
     */
    naming(id: string, { bytes, sha256 }: Expected): void {
      db.pragma('synchronous = NORMAL')
      try {
        naming.run(bytes, sha256, id)
      } finally {
        db.pragma('synchronous = FULL')
      }
    },

    /** Its file is there. What was known before of the same file goes: it is one file. */
    done: db.transaction((download: Download, kept: KeptDownload, now: number): boolean => {
      const { id, folderId, accountId, documentReference, type } = download
      const { fileName, bytes, sha256, clientReference = null } = kept
      const texts = { fileName, sha256, clientReference, signers: JSON.stringify(kept.signers) }
      const isNoted = done.run({ ...texts, bytes, wasThere: kept.wasThere ? 1 : 0, now, id }).changes > 0
      if (isNoted) {
        forgetEarlier.run({ id, folderId, accountId, documentReference, type, fileName: kept.fileName })
      }
      return isNoted
    }),

    stop: db.transaction((id: string, state: Stopped, error: AppError | undefined, now: number): boolean => {
      const isStopped = stop.run(state, error ? JSON.stringify(error) : null, now, id).changes > 0
      if (isStopped && state === 'cancelled') backToFile.run(id)
      return isStopped
    }),

    /** It stays in line and goes no sooner than then. */
    delay: (id: string, error: AppError, counts: boolean, retryAt: number): void =>
      void delay.run(JSON.stringify(error), counts ? 1 : 0, retryAt, id),

    /** All of a lane may go at once. */
    hurry: ({ accountId, folderId }: Lane): void => void hurry.run(accountId, folderId),

    /** Puts one in line again that has ended; one that waits goes at once. False where its like is in line already. */
    again(id: string, now: number): boolean {
      return again.run(now, id).changes > 0 || hurryOne.run(id).changes > 0
    },

    counts(accountId: string): Record<Download['state'], number> {
      const found = { waiting: 0, done: 0, failed: 0, cancelled: 0 }
      for (const { state, count } of counts.all(accountId)) found[state] = count
      return found
    },

    /** When the first of what waits was asked for. Goes through all that waits. */
    oldestWaiting: (accountId: string): number | undefined => oldestWaiting.get(accountId) ?? undefined,
    /** How many came to an end since then. Goes through all of them. */
    endedSince(accountId: string, since: number): { done: number; failed: number } {
      const found = { done: 0, failed: 0 }
      for (const { state, count } of endedSince.all(accountId, since)) {
        if (state === 'done' || state === 'failed') found[state] = count
      }
      return found
    },

    /** Some of a lane that have no file yet. */
    movable: ({ accountId, folderId }: Lane): string[] => movable.all(accountId, folderId),

    /** It is saved into another folder; false where the same is in line for that already. */
    moveTo: (id: string, folderId: string): boolean => moveTo.run(folderId, id).changes > 0,

    /** Takes one out of line without a trace. */
    leaveOut: (id: string): void => void leaveOut.run(id),

    /** Ids of what waits, some at a time. */
    waitingOf: (accountId: string): string[] => waitingOf.all(accountId),
    /** Ids of what failed or was cancelled, some at a time. */
    stoppedOf: (accountId: string, state: Stopped): string[] => stoppedOf.all(accountId, state),
    /** Takes what failed or was cancelled out of the list; a file that it had before stays known. */
    erase: db.transaction((id: string): void => {
      if (backToFile.run(id).changes === 0) erase.run(id)
    }),

    /** What waits, first in line first, without these. */
    inLine: (accountId: string, without: readonly number[], limit: number, offset: number): Download[] =>
      inLine.all(accountId, JSON.stringify(without), limit, offset).map(DOWNLOADS.read),

    ended: (accountId: string, states: readonly Download['state'][], limit: number, offset: number): Download[] =>
      states.length === 0 ? [] : ended(accountId, states, limit, offset).map(DOWNLOADS.read),

    ofDocument: (accountId: string, reference: string): Download[] =>
      ofDocument.all(accountId, reference).map(DOWNLOADS.read),

    /** Files of an account that are there, as far as is known; some at a time. */
    filesOf: (accountId: string, after: number): Download[] => filesOf.all(accountId, after).map(DOWNLOADS.read),
    /** Files in a folder, of all accounts, in the order of their names; some at a time. */
    filesIn: (folderId: string, after?: Pick<Download, 'fileName' | 'number'>): Download[] =>
      filesIn.all(folderId, after?.fileName ?? '', after?.number ?? 0).map(DOWNLOADS.read),

    /** Whether this name in a folder is known to be the file of something else than this download. */
    isOfAnother({ accountId, documentReference, type, folderId }: Download, fileName: string): boolean {
      const mine = [accountId, documentReference, type].join('\n')
      const known = owners.all(folderId, fileName)
      return known.length > 0 && !known.includes(mine)
    }
  }
}

/** Of one state, or of few, or of all: each has an index of its own. */
function among(states: readonly Download['state'][]): string {
  if (states.length === 1) return `AND state = '${states[0]}'`
  return states.length < 3 ? `AND state IN (${states.map((state) => `'${state}'`).join(', ')})` : ''
}
