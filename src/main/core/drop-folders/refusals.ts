/**
 * The files that drop folders refused, for users who wouldn't open the folder to see: those that the desktop hasn't
 * notified them of, and those not dismissed yet.
 */
import { basename } from 'node:path'
import type { AppError, RefusedFile, RefusedFiles } from '../../../shared/contract/index.ts'
import { flag, json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { Statements, TableStatements } from '../storage/statements.ts'

/** The newest refused file of a folder that the desktop hasn't notified the user of, and the number of such files. */
export interface UnnotifiedRefusals {
  accountId: string
  label: string
  count: number
  name: string
  error: AppError | undefined
  /** The last file covered; see `markNotified`. */
  last: number
}

const REFUSED = new Rows({
  number: value<number>(),
  id: value<string>(),
  folderId: value<string>(),
  accountId: value<string>(),
  place: value<string>(),
  name: value<string>(),
  takenAt: value<number>(),
  error: optional(json<AppError>()),
  isDismissed: flag()
})

/** Only watched folders: users don't want to hear about folders they no longer watch. */
const TABLE = `(
  SELECT number, drop_folder_files.id, folder_id, account_id, place, name, taken_at, error, is_dismissed, is_notified
  FROM drop_folder_files JOIN drop_folders ON drop_folders.id = folder_id
  WHERE outcome = 'failed' AND removed_at IS NULL
)`

export type Refusals = ReturnType<typeof openRefusals>

export function openRefusals(db: Db) {
  const refused = new TableStatements(db, TABLE, REFUSED)
  const page = refused.all<[{ accountId: string; offset: number; limit: number }]>(
    'WHERE account_id = @accountId ORDER BY number DESC LIMIT @limit OFFSET @offset'
  )
  const all = refused.value<[accountId: string], number>(`SELECT count(*) FROM ${TABLE} WHERE account_id = ?`)
  // SQLite takes a group's other columns from the row with the greatest number.
  const open = db.prepare<[string], { folderId: string; place: string; newest: string; count: number; last: number }>(
    `SELECT folder_id AS folderId, place, id AS newest, count(*) AS count, max(number) AS last FROM ${TABLE}
     WHERE account_id = ? AND is_dismissed = 0 GROUP BY folder_id ORDER BY last DESC`
  )
  const findUnnotified = refused.all<[]>('WHERE is_notified = 0 ORDER BY number DESC')
  const files = new Statements(db)
  const markNotifiedUpTo = files.run<[last: number]>(
    `UPDATE drop_folder_files SET is_notified = 1 WHERE outcome = 'failed' AND is_notified = 0 AND number <= ?`
  )
  const dismiss = files.run<[{ folderId: string; until: string }]>(
    `UPDATE drop_folder_files SET is_dismissed = 1, is_notified = 1 WHERE outcome = 'failed' AND folder_id = @folderId
       AND number <= (SELECT number FROM drop_folder_files WHERE id = @until)`
  )

  return {
    view: (accountId: string, { offset, limit }: { offset: number; limit: number }): RefusedFiles => ({
      files: page({ accountId, offset, limit }).map(viewOf),
      total: all(accountId) ?? 0,
      open: open.all(accountId).map(({ folderId, place, newest, count }) => ({
        folderId,
        newest,
        count,
        label: basename(place) || place
      }))
    }),

    /** Dismisses a folder's refused files, up to the file `until`. */
    dismiss: (folderId: string, until: string): void => void dismiss({ folderId, until }),

    /** Returns refusals that the desktop hasn't notified the user of, one per folder. */
    unnotified(): UnnotifiedRefusals[] {
      const byFolder = Map.groupBy(findUnnotified(), ({ folderId }) => folderId)
      return [...byFolder.values()].flatMap(([newest, ...others]) => {
        if (!newest) return []
        const { accountId, place, name, error, number } = newest
        return { accountId, name, error, label: basename(place) || place, count: others.length + 1, last: number }
      })
    },

    /** Marks these refusals as notified. Call it before notifying. */
    markNotified: (refusals: readonly UnnotifiedRefusals[]): void => {
      if (refusals.length > 0) markNotifiedUpTo(Math.max(...refusals.map(({ last }) => last)))
    }
  }
}

function viewOf({ id, folderId, place, name, takenAt, error, isDismissed }: RecordOf<typeof REFUSED>): RefusedFile {
  return { id, folderId, name, at: takenAt, folder: basename(place) || place, isDismissed, ...(error && { error }) }
}
