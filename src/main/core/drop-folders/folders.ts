/** The folders that are watched, as they are kept: whose they are, where, and what is to be made of their files. */
import { fail } from '../lib/failure.ts'
import { flag, optional, type RecordOf, type Row, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'

export type Folder = RecordOf<typeof FOLDERS>

const FOLDERS = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  /** Absolute, links followed. Never logged. */
  place: value<string>(),
  sends: flag(),
  presetId: optional(value<string>()),
  isPaused: flag()
})

export function openFolders(db: Db) {
  const all = db.prepare<[], Row>(
    `SELECT ${FOLDERS.columns} FROM hand_off_folders WHERE removed_at IS NULL ORDER BY created_at, rowid`
  )
  const one = db.prepare<[string], Row>(
    `SELECT ${FOLDERS.columns} FROM hand_off_folders WHERE id = ? AND removed_at IS NULL`
  )
  const at = db.prepare<[string], { id: string; account_id: string; removed_at: number | null }>(
    'SELECT id, account_id, removed_at FROM hand_off_folders WHERE place = ?'
  )
  const insert = db.prepare(
    `INSERT INTO hand_off_folders (id, account_id, place, is_paused, created_at)
     VALUES (@id, @accountId, @place, @isPaused, @now)`
  )
  const revive = db.prepare(
    `UPDATE hand_off_folders SET account_id = @accountId, created_at = @now, removed_at = NULL, sends = 0,
       preset_id = NULL, is_paused = @isPaused WHERE id = @id`
  )
  const write = db.prepare(
    'UPDATE hand_off_folders SET sends = @sends, preset_id = @presetId, is_paused = @isPaused WHERE id = @id'
  )
  const remove = db.prepare('UPDATE hand_off_folders SET removed_at = @now WHERE id = @id')

  function get(id: string): Folder {
    return find(id) ?? fail('gone', 'This folder is no longer watched.')
  }

  function find(id: string): Folder | undefined {
    return FOLDERS.find(one.get(id))
  }

  return {
    /** Of all accounts, oldest first. */
    all: (): Folder[] => all.all().map(FOLDERS.read),
    /** @throws AppFailure `gone`. */
    get,
    find,

    /**
     * Keeps a folder. One that was watched before is the same again, and knows what was taken of it; it begins as a new
     * one does, and sends nothing.
     * @throws AppFailure `conflict` where it is watched already.
     */
    add(newId: string, accountId: string, place: string, begins: 'watching' | 'paused', now: number): Folder {
      const known = at.get(place)
      if (known && known.removed_at === null) fail('conflict', 'This folder is watched already.')
      const id = known?.id ?? newId
      const isPaused = begins === 'paused' ? 1 : 0
      if (known) revive.run({ id, accountId, isPaused, now })
      else insert.run({ id, accountId, place, isPaused, now })
      return get(id)
    },

    change(id: string, changes: Partial<Pick<Folder, 'sends' | 'presetId' | 'isPaused'>>): Folder {
      write.run(FOLDERS.write({ ...get(id), ...changes }))
      return get(id)
    },

    remove(id: string, now: number): void {
      get(id)
      remove.run({ id, now })
    }
  }
}
