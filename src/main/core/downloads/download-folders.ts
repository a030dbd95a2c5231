/** The folders that the user chose for identity data. The screens know them by id and label; their paths stay here. */
import { basename, join } from 'node:path'
import type { DownloadFolder } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { Db } from '../storage/connection.ts'
import { Statements } from '../storage/statements.ts'

export type DownloadFolders = ReturnType<typeof openDownloadFolders>

export function openDownloadFolders({ db, newId }: { db: Db; newId: () => string }) {
  const statements = new Statements(db)
  const add = statements.run<[id: string, path: string]>(
    'INSERT INTO download_folders (id, path) VALUES (?, ?) ON CONFLICT (path) DO NOTHING'
  )
  const byPath = statements.value<[path: string], string>('SELECT id FROM download_folders WHERE path = ?')
  const byId = statements.value<[id: string], string>('SELECT path FROM download_folders WHERE id = ?')

  /** @throws AppFailure `gone`. */
  function pathOf(id: string): string {
    return byId(id) ?? fail('gone', 'This folder isn’t known any more.', { next: 'Choose it again.' })
  }

  return {
    pathOf,

    /** Returns the path of a file below a folder; its name has `/` between its parts. @throws AppFailure `gone`. */
    fileOf: (id: string, fileName: string): string => join(pathOf(id), ...fileName.split('/')),

    /** Stores a folder; the same path is the same folder. */
    register(path: string): DownloadFolder {
      const known = byPath(path)
      if (known === undefined) add(newId(), path)
      return { id: known ?? byPath(path) ?? '', label: labelOf(path) }
    },

    /** @throws AppFailure `gone`. */
    get: (id: string): DownloadFolder => ({ id, label: labelOf(pathOf(id)) }),

    /** Folders whose index is older than their files. */
    withDueIndex: statements.values<[], string>('SELECT id FROM download_folders WHERE index_due = 1'),
    markIndexDue: statements.run<[id: string]>(
      'UPDATE download_folders SET index_due = 1 WHERE id = ? AND index_due <> 1'
    ),
    markIndexWritten: statements.run<[id: string]>(
      'UPDATE download_folders SET index_due = 0 WHERE id = ? AND index_due <> 0'
    )
  }
}

/** Returns the last part of a path, for display. */
function labelOf(path: string): string {
  return basename(path) || 'Disk'
}
