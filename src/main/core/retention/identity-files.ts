/**
 * Erases files of identity data from the disk once they are old: those that were written here, whose content is still what was written,
 * of no document on hold. What someone changed, moved or put there stays, and so does what can't be read now.
 */
import { lstat, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { DownloadFolders } from '../downloads/download-folders.ts'
import { DOWNLOADS, type Download } from '../downloads/download-rows.ts'
import { checkFile, removeIntact } from '../downloads/file-check.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import { TableStatements } from '../storage/statements.ts'
import { type Cutoffs, NOT_HELD, OWN_FILES, type Purging } from './purging.ts'

/** The one that is being erased, by its id: after a kill it may be gone from the disk, and be known here still. */
const GOING = 'retention-file-going'

export interface IdentityFilesDeps {
  db: Db
  folders: Pick<DownloadFolders, 'pathOf' | 'fileOf'>
  purging: Pick<Purging, 'count'>
  /** Files are gone from these folders, which keep an index. */
  erased: (folderIds: readonly string[]) => void
}

export type IdentityFiles = ReturnType<typeof openIdentityFiles>

export function openIdentityFiles({ db, folders, purging, erased }: IdentityFilesDeps) {
  const kept = keptIn(db)
  const table = new TableStatements(db, 'downloads', DOWNLOADS)
  const some = table.all<[{ before: number; after: number }]>(
    `NOT INDEXED WHERE number > @after AND finished_at < @before AND ${OWN_FILES} AND ${NOT_HELD} ORDER BY number LIMIT 100`
  )
  const find = table.one<[id: string]>('WHERE id = ?')
  const forget = table.run<[id: string]>('DELETE FROM downloads WHERE id = ?')

  function* old(before: number): Generator<Download> {
    for (let after = 0; ; ) {
      const files = some({ before, after })
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

  /** What was known of it goes, and it is counted, together. */
  function forgotten({ id }: Download, kind: 'identityFiles' | 'downloads'): void {
    db.transaction(() => {
      forget(id)
      purging.count(kind, 1)
      kept.erase(GOING)
    })()
  }

  /** One that a kill has left in between. */
  async function settle(): Promise<void> {
    const id = kept.read(GOING, z.string())
    if (id === undefined) return
    const file = find(id)
    if (!file) return void kept.erase(GOING)
    const { path, folder, expected } = placeOf(file)
    if ((await checkFile(path, expected, { folder })) === 'missing') forgotten(file, 'identityFiles')
    else kept.erase(GOING)
  }

  return {
    /** How many would be erased; whether their content was changed is looked at only then. */
    async due(before: number): Promise<number> {
      let count = 0
      for (const file of old(before)) {
        const { path, expected } = placeOf(file)
        const found = await lstat(path).catch(() => undefined)
        if (found?.isFile() && found.size === expected.bytes) count++
      }
      return count
    },

    /** @throws SQLite's error: what was erased before is counted. */
    async erase({ identityFiles: before, downloads }: Cutoffs, isStopped: () => boolean): Promise<void> {
      await settle()
      if (before === undefined) return
      const indexed = new Set<string>()
      for (const file of old(before)) {
        if (isStopped() || !db.open) break
        const { path, folder, depth, expected } = placeOf(file)
        const removing = () => kept.write(GOING, file.id)
        const state = await removeIntact(path, expected, { folder, removing })
        if (!db.open) break
        if (state === 'removed') {
          forgotten(file, 'identityFiles')
          if (file.writesIndex) indexed.add(file.folderId)
          await removeEmpty(path, depth)
        } else if (state !== 'unreadable' && downloads !== undefined && (file.finishedAt ?? 0) < downloads) {
          // It is nobody's here any more, and the list of downloads has it for long enough.
          forgotten(file, 'downloads')
        }
      }
      if (indexed.size > 0) erased([...indexed])
    }
  }
}

/** Folders are named after people, too: those that are empty now go, up to the one that was chosen. */
async function removeEmpty(path: string, depth: number): Promise<void> {
  let folder = dirname(path)
  for (let left = depth; left > 0; left--) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false
    )
    if (!isGone) return
    folder = dirname(folder)
  }
}
