/**
 * Erases old files of identity data from the disk: only files that were written here, still have the same content, and
 * belong to no document on hold. What someone changed, moved or put there stays, and so does what can't be read at the
 * moment.
 */
import { lstat, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { DownloadFolders } from '../downloads/download-folders.ts'
import { DOWNLOADS, type Download } from '../downloads/download-rows.ts'
import { checkFile, removeIntact } from '../downloads/file-check.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import { TableStatements } from '../storage/statements.ts'
import { type Cutoffs, NOT_HELD, OWN_FILES, type Purging } from './purging.ts'

/**
 * The id of the download whose file is being erased. If the application is killed, the file may be gone although the
 * row still exists.
 */
const BEING_ERASED = 'retention-file-going'

export interface IdentityFilesDeps {
  db: Db
  folders: Pick<DownloadFolders, 'pathOf' | 'fileOf' | 'markIndexDue'>
  purging: Pick<Purging, 'count'>
  /** Called when files may have been erased from folders that keep an index. */
  erased: () => void
}

export type IdentityFiles = ReturnType<typeof openIdentityFiles>

export function openIdentityFiles({ db, folders, purging, erased }: IdentityFilesDeps) {
  const meta = openJsonMeta(db)
  const table = new TableStatements(db, 'downloads', DOWNLOADS)
  const nextBatch = table.all<[{ before: number; after: number }]>(
    `NOT INDEXED WHERE number > @after AND finished_at < @before AND ${OWN_FILES} AND ${NOT_HELD} ORDER BY number LIMIT 100`
  )
  const find = table.one<[id: string]>('WHERE id = ?')
  // Meanwhile its document may have been put on hold, or the file requested again.
  const isStillDue = table.value<[{ id: string; before: number }], 1>(
    `SELECT 1 FROM downloads WHERE id = @id AND finished_at < @before AND ${OWN_FILES} AND ${NOT_HELD}
       AND NOT EXISTS (SELECT 1 FROM downloads AS again WHERE again.state = 'waiting' AND again.account_id = downloads.account_id
         AND again.document_reference = downloads.document_reference AND again.type = downloads.type
         AND again.folder_id = downloads.folder_id)`
  )
  // One that was requested again is still to be fetched.
  const deleteRow = table.run<[id: string]>(`DELETE FROM downloads WHERE id = ? AND state = 'done'`)

  function* oldFiles(before: number): Generator<Download> {
    for (let after = 0; ; ) {
      const files = nextBatch({ before, after })
      const last = files.at(-1)
      if (!last) return
      after = last.number
      yield* files
    }
  }

  function placeOf({ folderId, fileName = '', bytes, sha256 = '' }: Download) {
    const path = folders.fileOf(folderId, fileName)
    return {
      path,
      folder: folders.pathOf(folderId),
      depth: fileName.split('/').length - 1,
      expected: { bytes, sha256 }
    }
  }

  /** Deletes a download's row and counts it, in one transaction. An index still names the file, and its signers. */
  function deleteAndCount({ id, folderId, writesIndex }: Download, kind: 'identityFiles' | 'downloads'): void {
    db.transaction(() => {
      deleteRow(id)
      if (writesIndex) folders.markIndexDue(folderId)
      purging.count(kind, 1)
      meta.erase(BEING_ERASED)
    })()
  }

  /** Finishes what was in progress when the application was killed. */
  async function finishInterrupted(): Promise<void> {
    const id = meta.read(BEING_ERASED, z.string())
    if (id === undefined) return
    const file = find(id)
    if (!file) return void meta.erase(BEING_ERASED)
    const { path, folder, expected } = placeOf(file)
    if ((await checkFile(path, expected, { folder })) === 'missing') deleteAndCount(file, 'identityFiles')
    else meta.erase(BEING_ERASED)
  }

  return {
    /** Counts how many would be erased. Changed content is only noticed when erasing. */
    async countDue(before: number): Promise<number> {
      let count = 0
      for (const file of oldFiles(before)) {
        const { path, expected } = placeOf(file)
        const found = await lstat(path).catch(() => undefined)
        if (found?.isFile() && found.size === expected.bytes) count++
      }
      return count
    },

    /** @throws SQLite's error; what was erased before is counted. */
    async erase({ identityFiles: before, downloads }: Cutoffs, isStopped: () => boolean): Promise<void> {
      await finishInterrupted()
      if (before !== undefined) await eraseOld(before, downloads, isStopped)
      if (db.open) erased()
    }
  }

  async function eraseOld(before: number, downloads: number | undefined, isStopped: () => boolean): Promise<void> {
    for (const file of oldFiles(before)) {
      if (isStopped() || !db.open) break
      const { path, folder, depth, expected } = placeOf(file)
      const isDue = () => isStillDue({ id: file.id, before }) !== undefined
      const removing = () => {
        if (!isDue()) return false
        meta.write(BEING_ERASED, file.id)
        return true
      }
      const state = await removeIntact(path, expected, { folder, removing })
      if (!db.open) break
      if (state === 'removed') {
        deleteAndCount(file, 'identityFiles')
        await removeEmpty(path, depth)
      } else if (state !== 'unreadable' && downloads !== undefined && (file.finishedAt ?? 0) < downloads && isDue()) {
        // The file isn't ours any more, and its row is older than the list of downloads keeps them.
        deleteAndCount(file, 'downloads')
      }
    }
  }
}

/** Removes folders that are empty now, up to the chosen one, because they can be named after people. */
async function removeEmpty(path: string, depth: number): Promise<void> {
  let folder = dirname(path)
  for (let remaining = depth; remaining > 0; remaining--) {
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false
    )
    if (!isRemoved) return
    folder = dirname(folder)
  }
}
