/**
 * Looks once more at files that were archived: the program that wrote one may have held it open, and gone on writing what was
 * taken already. Such a file is put in `failed`, with a report that says so.
 */
import { join } from 'node:path'
import type { AppError } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { folderOf } from './archive.ts'
import { claimOnDisk } from './claiming.ts'
import { contentOf, fileStatOf } from './dropped-file.ts'
import type { Entry, Journal } from './journal.ts'
import { isIn } from './own-folders.ts'
import { counted, reportOf } from './report.ts'

/** How long after it was archived a file is looked at again, in milliseconds. */
const SETTLED_AFTER = 30_000

export interface RecoveryDeps {
  journal: Journal
  time: Pick<Time, 'now' | 'elapsed'>
  newId: () => string
  /** A file could not be looked at just now; it is tried again. */
  trouble: (error: unknown) => void
}

export function openRecovery({ journal, time, newId, trouble }: RecoveryDeps) {
  /** Since when this run knows of each. */
  const since = new Map<string, number>()

  async function settle(place: string, entry: Entry): Promise<'as-it-was' | 'changed'> {
    const folder = folderOf(entry)
    const path = join(place, folder)
    const seen = entry.putAs !== undefined && (await isIn(place, folder)) && (await fileStatOf(path, entry.putAs))
    if (!seen) return asItWas(entry)
    const content = await contentOf(path, seen)
    if (content?.size === entry.size && content.sha256 === entry.sha256) return asItWas(entry)
    // It is being written just now: the next look sees it whole.
    if (!content) return 'as-it-was'
    const { size, sha256 } = content
    const ids = { id: newId(), batchId: newId(), folderId: entry.folderId, name: entry.name }
    const at = time.now()
    const error: AppError = { code: 'bad-file', message: CHANGED }
    const said = `${counted(entry.size, 'byte')} of it were taken before, and what came of them is there already.`
    journal.together(() => {
      journal.settle(entry.id)
      journal.claim({ ...ids, seen }, at)
      journal.read(ids.id, { size, sha256 })
      const report = reportOf({ name: entry.name, at, said, error })
      journal.made(ids.id, { outcome: 'failed', count: 0, draftIds: [], error, report }, at)
    })
    since.delete(entry.id)
    await claimOnDisk(place, join(path, seen.name), ids)
    return 'changed'
  }

  function asItWas({ id }: Entry): 'as-it-was' {
    journal.settle(id)
    since.delete(id)
    return 'as-it-was'
  }

  /** Answers whether some were not as they were: they are to be archived again. Never looks at one before its time. */
  return async function recoverAll(place: string, folderId: string, isWanted: () => boolean): Promise<boolean> {
    let isChanged = false
    for (const entry of journal.unsettled(folderId)) {
      if (!isWanted()) break
      const began = since.get(entry.id) ?? time.elapsed()
      since.set(entry.id, began)
      if (time.elapsed() - began < SETTLED_AFTER) continue
      try {
        if ((await settle(place, entry)) === 'changed') isChanged = true
      } catch (error) {
        trouble(error)
      }
    }
    return isChanged
  }
}

const CHANGED =
  'This file was still being written after it was taken, so part of it is missing from what was made. Compare the two before it is dropped again, and have it written under another name and renamed when it is whole.'
