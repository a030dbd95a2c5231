/** The folders that are watched, as they are kept: whose they are, where, and what is to be made of their files. */
import { fail } from '../lib/failure.ts'
import type { Db } from '../storage/connection.ts'

export interface Folder {
  id: string
  accountId: string
  /** Absolute, links followed. Never logged. */
  place: string
  sends: boolean
  presetId: string | undefined
  isPaused: boolean
}

interface Row {
  id: string
  account_id: string
  place: string
  sends: 0 | 1
  preset_id: string | null
  is_paused: 0 | 1
}

const COLUMNS = 'id, account_id, place, sends, preset_id, is_paused'

export function openFolders(db: Db) {
  const all = db.prepare<[], Row>(
    `SELECT ${COLUMNS} FROM hand_off_folders WHERE removed_at IS NULL ORDER BY created_at, rowid`
  )
  const one = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM hand_off_folders WHERE id = ? AND removed_at IS NULL`)
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
    const row = one.get(id)
    return row && folderOf(row)
  }

  return {
    /** Of all accounts, oldest first. */
    all: (): Folder[] => all.all().map(folderOf),
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
      const { sends, presetId, isPaused } = { ...get(id), ...changes }
      write.run({ id, sends: sends ? 1 : 0, presetId: presetId ?? null, isPaused: isPaused ? 1 : 0 })
      return get(id)
    },

    remove(id: string, now: number): void {
      get(id)
      remove.run({ id, now })
    }
  }
}

function folderOf(row: Row): Folder {
  return {
    id: row.id,
    accountId: row.account_id,
    place: row.place,
    sends: row.sends === 1,
    presetId: row.preset_id ?? undefined,
    isPaused: row.is_paused === 1
  }
}
