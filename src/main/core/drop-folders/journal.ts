/**
 * What became of each file, written before and with each step, so that it is taken once whatever happens in between:
 * claimed (noted here before it is claimed on the share), then made (together with its drafts, or found by its batch), then
 * put away, and looked at once more.
 */
import type { AppError, DroppedFile } from '../../../shared/contract/index.ts'
import { json, optional, type RecordOf, type Row, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
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
  /** The id of the batch that it becomes, should it become one. */
  batchId: value<string>(),
  outcome: optional(value<DroppedFile['outcome']>()),
  /** How many drafts, presets or packages came of it. */
  count: value<number>(),
  draftIds: json<string[]>(),
  error: optional(json<AppError>()),
  report: optional(value<string>()),
  /** Its name in `done` or `failed`, once one is chosen. */
  putAs: optional(value<string>())
})

export interface Made {
  outcome: DroppedFile['outcome']
  /** How many drafts, presets or packages came of it. */
  count: number
  draftIds: readonly string[]
  error?: AppError | undefined
  report: string
}

/** So many drafts of one file can be led to from its line. */
const MOST_LINKS = 100

export type Journal = ReturnType<typeof openJournal>

export function openJournal(db: Db) {
  const one = db.prepare<[string], Row>('SELECT * FROM hand_off_files WHERE id = ?')
  const unfinished = db.prepare<[string], Row>(
    `SELECT * FROM hand_off_files WHERE folder_id = ? AND state <> 'finished' ORDER BY number`
  )
  const unsettled = db.prepare<[string], Row>(
    `SELECT * FROM hand_off_files WHERE folder_id = ? AND state = 'finished' AND is_settled = 0 ORDER BY number`
  )
  const look = db.prepare<{ id: string; size: number; sha256: string }>(
    `UPDATE hand_off_files SET size = @size, sha256 = @sha256 WHERE id = @id AND state = 'claimed'`
  )
  const reserved = db
    .prepare<[string, string], number>(
      `SELECT 1 FROM hand_off_files WHERE folder_id = ? AND state <> 'finished' AND put_as = ?`
    )
    .pluck()
  const insert = db.prepare(
    `INSERT INTO hand_off_files (id, folder_id, name, size, sha256, state, taken_at, batch_id)
     VALUES (@id, @folderId, @name, @size, @sha256, 'claimed', @now, @batchId)`
  )
  const make = db.prepare(
    `UPDATE hand_off_files SET state = 'made', outcome = @outcome, count = @count, draft_ids = @draftIds, error = @error,
       report = @report, taken_at = @now WHERE id = @id AND state = 'claimed'`
  )
  const choose = db.prepare<[string | null, string]>('UPDATE hand_off_files SET put_as = ? WHERE id = ?')
  const finish = db.prepare<[string]>(
    `UPDATE hand_off_files SET state = 'finished', report = NULL, is_settled = (outcome = 'failed') WHERE id = ?`
  )
  const giveUp = db.prepare<[string]>(`UPDATE hand_off_files SET state = 'finished', is_settled = 1 WHERE id = ?`)
  const reopen = db.prepare<[string]>(`UPDATE hand_off_files SET state = 'made' WHERE id = ? AND state = 'finished'`)
  const settle = db.prepare<[string]>('UPDATE hand_off_files SET is_settled = 1 WHERE id = ?')
  const erase = db.prepare<[string]>('DELETE FROM hand_off_files WHERE id = ?')
  const shown = db.prepare<{ folderId: string; offset: number; limit: number }, Row>(
    `SELECT * FROM hand_off_files WHERE folder_id = @folderId AND state <> 'claimed'
     ORDER BY number DESC LIMIT @limit OFFSET @offset`
  )
  const counts = db.prepare<[string], { outcome: DroppedFile['outcome']; count: number; last: number }>(
    `SELECT outcome, count(*) AS count, max(taken_at) AS last FROM hand_off_files
     WHERE folder_id = ? AND state <> 'claimed' GROUP BY outcome`
  )

  function find(id: string): Entry | undefined {
    return FILES.find(one.get(id))
  }

  return {
    find,
    /** Oldest first. */
    unfinished: (folderId: string): Entry[] => unfinished.all(folderId).map(FILES.read),
    /** Those that were put away, and not looked at since; oldest first. */
    unsettled: (folderId: string): Entry[] => unsettled.all(folderId).map(FILES.read),
    /** Whether one that isn't put away is to have this name. */
    isReserved: (folderId: string, putAs: string): boolean => reserved.get(folderId, putAs) !== undefined,

    /** @param seen the file as it is before it is read. */
    claim(entry: Pick<Entry, 'id' | 'folderId' | 'name' | 'batchId'> & { seen: { size: number } }, now: number): Entry {
      const { seen, ...ids } = entry
      insert.run({ ...ids, size: seen.size, sha256: '', now })
      return find(entry.id) as Entry
    },

    /** What a claimed file is to be known again by. */
    read: (id: string, { size, sha256 }: Pick<Content, 'size' | 'sha256'>): void => void look.run({ id, size, sha256 }),

    /** Nothing came of a claim, and nothing will. */
    drop: (id: string): void => void erase.run(id),

    /** @throws Error where it was made before: anyone who writes together with this must not either. */
    made(id: string, { outcome, count, draftIds, error, report }: Made, now: number): void {
      const some = draftIds.slice(0, MOST_LINKS)
      const { changes } = make.run({ ...FILES.write({ id, outcome, count, report, error, draftIds: some }), now })
      if (changes !== 1) throw new Error('This file was taken before.')
    },

    putAs: (id: string, name: string | undefined): void => void choose.run(name ?? null, id),
    /** The report is beside the file now, or nowhere: it isn't kept here. */
    finish: (id: string): void => void finish.run(id),
    /** The file isn't there to be put away. Its report is kept, should it come back. */
    giveUp: (id: string): void => void giveUp.run(id),
    /** The file is there after all. */
    reopen: (id: string): void => void reopen.run(id),
    /** It is as it was put away. */
    settle: (id: string): void => void settle.run(id),
    /** Writes several of these together, or none. */
    together: (steps: () => void): void => db.transaction(steps)(),

    /** Newest first. */
    list: (folderId: string, page: { offset: number; limit: number }): DroppedFile[] =>
      shown
        .all({ folderId, ...page })
        .map(FILES.read)
        .map(viewOf),

    tally(folderId: string): { taken: number; failed: number; lastTakenAt: number | undefined } {
      const rows = counts.all(folderId)
      const failed = rows.find(({ outcome }) => outcome === 'failed')?.count ?? 0
      const all = rows.reduce((sum, { count }) => sum + count, 0)
      const last = Math.max(0, ...rows.map((row) => row.last))
      return { taken: all - failed, failed, lastTakenAt: last || undefined }
    }
  }
}

function viewOf({
  id,
  folderId,
  name,
  takenAt,
  outcome = 'failed',
  count,
  draftIds,
  batchId,
  error
}: Entry): DroppedFile {
  return {
    ...{ id, folderId, name, at: takenAt, outcome, count, draftIds },
    ...(outcome === 'batch' && { batchId }),
    ...(error && { error })
  }
}

/** The moments between which a file is taken. A test may end the application at each of them. */
export type StepName = 'noted' | 'claimed' | 'read' | 'made' | 'named' | 'reported' | 'moved'

export type Step = (name: StepName) => void | Promise<void>
