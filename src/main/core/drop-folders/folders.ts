/** Storage of watched folders: their account, their path, and what their files become. */
import { fail } from '../lib/failure.ts'
import { flag, optional, type RecordOf, Rows, value } from '../lib/rows.ts'
import type { Db } from '../storage/connection.ts'
import { TableStatements } from '../storage/statements.ts'

export type Folder = RecordOf<typeof FOLDERS>

const FOLDERS = new Rows({
  id: value<string>(),
  accountId: value<string>(),
  /** Absolute, with links resolved. Never logged. */
  place: value<string>(),
  sends: flag(),
  presetId: optional(value<string>()),
  isPaused: flag()
})

export function openFolders(db: Db) {
  const folders = new TableStatements(db, 'drop_folders', FOLDERS)
  const find = folders.one<[id: string]>('WHERE id = ? AND removed_at IS NULL')
  const findByPlace = db.prepare<[string], { id: string; removed_at: number | null }>(
    'SELECT id, removed_at FROM drop_folders WHERE place = ?'
  )
  const insert = folders.run<[folder: object]>(
    `INSERT INTO drop_folders (id, account_id, place, is_paused, created_at)
     VALUES (@id, @accountId, @place, @isPaused, @now)`
  )
  const revive = folders.run<[folder: object]>(
    `UPDATE drop_folders SET account_id = @accountId, created_at = @now, removed_at = NULL, sends = 0,
       preset_id = NULL, is_paused = @isPaused WHERE id = @id`
  )
  const write = folders.run<[folder: object]>(
    'UPDATE drop_folders SET sends = @sends, preset_id = @presetId, is_paused = @isPaused WHERE id = @id'
  )
  const remove = folders.run<[now: number, id: string]>('UPDATE drop_folders SET removed_at = ? WHERE id = ?')

  function get(id: string): Folder {
    return find(id) ?? fail('gone', 'This folder is no longer watched.')
  }

  return {
    /** Of all accounts, oldest first. */
    all: folders.all<[]>('WHERE removed_at IS NULL ORDER BY created_at, rowid'),
    /** @throws AppFailure `gone`. */
    get,
    find,

    /**
     * Stores a folder. One that was watched before keeps its id and the record of its files; it starts like a new one,
     * and sends nothing.
     * @throws AppFailure `conflict` if it is watched already.
     */
    add(newId: string, accountId: string, place: string, initialState: 'watching' | 'paused', now: number): Folder {
      const known = findByPlace.get(place)
      if (known && known.removed_at === null) fail('conflict', 'This folder is already watched.')
      const id = known?.id ?? newId
      const isPaused = initialState === 'paused' ? 1 : 0
      if (known) revive({ id, accountId, isPaused, now })
      else insert({ id, accountId, place, isPaused, now })
      return get(id)
    },

    change(id: string, changes: Partial<Pick<Folder, 'sends' | 'presetId' | 'isPaused'>>): Folder {
      write(FOLDERS.write({ ...get(id), ...changes }))
      return get(id)
    },

    remove(id: string, now: number): void {
      get(id)
      remove(now, id)
    }
  }
}
