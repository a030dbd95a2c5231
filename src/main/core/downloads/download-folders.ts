/** The folders that a person chose for identity data: known to the screens by id and label, while their paths stay here. */
import { basename, join } from 'node:path'
import type { DownloadFolder } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { Db } from '../storage/connection.ts'

export type DownloadFolders = ReturnType<typeof openDownloadFolders>

export function openDownloadFolders({ db, newId }: { db: Db; newId: () => string }) {
  const add = db.prepare('INSERT INTO download_folders (id, path) VALUES (?, ?) ON CONFLICT (path) DO NOTHING')
  const byPath = db.prepare<[string], string>('SELECT id FROM download_folders WHERE path = ?').pluck()
  const byId = db.prepare<[string], string>('SELECT path FROM download_folders WHERE id = ?').pluck()
  const due = db.prepare<[], string>('SELECT id FROM download_folders WHERE index_due = 1').pluck()
  const setDue = db.prepare('UPDATE download_folders SET index_due = ? WHERE id = ? AND index_due <> ?')

  /** @throws AppFailure `gone`. */
  function pathOf(id: string): string {
    return byId.get(id) ?? fail('gone', 'This folder isn’t known any more.', { next: 'Choose it again.' })
  }

  return {
    pathOf,

    /** Where a file below a folder is; its name has `/` between its parts. @throws AppFailure `gone`. */
    fileOf: (id: string, fileName: string): string => join(pathOf(id), ...fileName.split('/')),

    /** Remembers a folder; the same path is the same folder. */
    of(path: string): DownloadFolder {
      const known = byPath.get(path)
      if (known === undefined) add.run(newId(), path)
      return { id: known ?? byPath.get(path) ?? '', label: labelOf(path) }
    },

    /** @throws AppFailure `gone`. */
    get: (id: string): DownloadFolder => ({ id, label: labelOf(pathOf(id)) }),

    /** Those whose index isn't as new as their files. */
    withDueIndex: (): string[] => due.all(),
    indexIsDue: (id: string): void => void setDue.run(1, id, 1),
    indexIsWritten: (id: string): void => void setDue.run(0, id, 0)
  }
}

/** The last part of a path, for people. */
function labelOf(path: string): string {
  return basename(path) || 'Disk'
}
