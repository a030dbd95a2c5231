/**
 * Archives a processed file: moves it into `done` or `failed` with its report next to it, and checks it again later.
 * Each step is recorded before it is done, so that it resumes after a crash. A file that can't be moved stays claimed,
 * and is known to be processed.
 */

import { basename, join } from 'node:path'
import type { AppError } from '../../../shared/contract/index.ts'
import { counted } from '../../../shared/counted.ts'
import type { Time } from '../lib/time.ts'
import { writeAtomically } from '../storage/atomic-file.ts'
import { fileErrorOf } from '../storage/file-error.ts'
import { numberedName, safeFileName } from '../storage/safe-name.ts'
import { claimedStat, claimName, claimOnDisk, workingFolderOf } from './claiming.ts'
import { contentOf, fileStatOf, hasContent, isFree, moveAside } from './dropped-file.ts'
import type { Entry, Journal, Step } from './journal.ts'
import { assertOwnFolder, ensureFolder, isDirectlyIn } from './own-folders.ts'
import { reportOf } from './report.ts'

const MAX_NUMBER = 100_000

/** waiting: the file can't be seen at the moment. stuck: it can't be moved, or its report can't be written. */
export type ArchiveResult = 'away' | 'waiting' | 'stuck'

export function openArchive({ journal, step }: { journal: Journal; step: Step }) {
  /** Where the search for a free name resumes, so that thousands of equal names don't each start at one. */
  const numbers = new Map<string, number>()

  async function nameFor(entry: Entry, into: string): Promise<string> {
    const name = safeFileName(entry.name, { fallback: 'file' })
    const key = join(into, name)
    for (let number = numbers.get(key) ?? 1; number < MAX_NUMBER; number++) {
      const wanted = number === 1 ? name : numberedName(name, number)
      if (journal.isReserved(entry.folderId, wanted)) continue
      if (!(await isFree(join(into, wanted))) || !(await isFree(join(into, reportName(wanted))))) continue
      journal.setPutAs(entry.id, wanted)
      numbers.set(key, number + 1)
      return wanted
    }
    throw Object.assign(new Error('No free name.'), { code: 'EEXIST', syscall: 'open' })
  }

  async function archiveFile(place: string, entry: Entry): Promise<ArchiveResult> {
    const folder = folderOf(entry)
    const target = join(place, folder)
    await ensureFolder(place, folder)
    const putAs = entry.putAs ?? (await nameFor(entry, target))
    await step('named')
    await writeReport(place, entry, putAs)
    await step('reported')
    const claimed = await claimedStat(place, entry)
    if (!claimed) return (await hasContent(target, putAs, entry)) ? finished(entry) : 'waiting'
    await moveAside(join(workingFolderOf(place), claimName(entry)), place, folder, putAs)
    await step('moved')
    return finished(entry)
  }

  async function writeReport(place: string, entry: Entry, putAs: string): Promise<void> {
    const path = join(place, folderOf(entry), reportName(putAs))
    if (!entry.report || !(await isFree(path))) return
    await assertOwnFolder(place, folderOf(entry))
    await writeAtomically(path, entry.report, { ifExists: 'refuse', mode: 0o660 })
    await assertOwnFolder(place, folderOf(entry))
  }

  function finished(entry: Entry): ArchiveResult {
    journal.finish(entry.id)
    return 'away'
  }

  /** Continues with a file that has been made into something. Never rejects because of problems with the folder. */
  return async function archive(place: string, entry: Entry): Promise<ArchiveResult> {
    try {
      return await archiveFile(place, entry)
    } catch (error) {
      const trouble = fileErrorOf(error)
      if (!trouble) throw error
      // Something else took the chosen name meanwhile.
      if (trouble.code === 'exists') journal.setPutAs(entry.id, undefined)
      return 'stuck'
    }
  }
}

export function folderOf({ outcome }: Pick<Entry, 'outcome'>): 'done' | 'failed' {
  return outcome === 'failed' ? 'failed' : 'done'
}

export function reportName(putAs: string): string {
  return `${basename(putAs)}.report.txt`
}

/** How long after it was archived a file is checked again, in milliseconds. */
const RECHECK_AFTER = 30_000

interface RecheckDeps {
  journal: Journal
  time: Pick<Time, 'now' | 'elapsed' | 'zone'>
  newId: () => string
  /** Called when a file could not be checked; it is retried. */
  onError: (error: unknown) => void
}

/**
 * Checks archived files again: the program that wrote one may have held it open and kept writing after it was
 * processed. Such a file is moved to `failed`, with a report that says so.
 */
export function openArchiveRecheck({ journal, time, newId, onError }: RecheckDeps) {
  /** When this run first saw each entry, on the monotonic clock. */
  const firstSeenAt = new Map<string, number>()

  async function recheck(place: string, entry: Entry): Promise<'as-it-was' | 'changed'> {
    const folder = folderOf(entry)
    const path = join(place, folder)
    const seen =
      entry.putAs !== undefined && (await isDirectlyIn(place, folder)) && (await fileStatOf(path, entry.putAs))
    if (!seen) return markUnchanged(entry)
    const content = await contentOf(path, seen)
    if (content?.size === entry.size && content.sha256 === entry.sha256) return markUnchanged(entry)
    // It is being written at the moment: the next check sees all of it.
    if (!content) return 'as-it-was'
    const { size, sha256 } = content
    const ids = { id: newId(), batchId: newId(), folderId: entry.folderId, name: entry.name }
    const at = time.now()
    const error: AppError = { code: 'bad-file', message: CHANGED }
    const summary = `${counted(entry.size, ['# byte', '# bytes'])} of it were imported before.`
    journal.inTransaction(() => {
      journal.markUnchanged(entry.id)
      journal.claim({ ...ids, seen }, at)
      journal.recordContent(ids.id, { size, sha256 })
      const report = reportOf({ name: entry.name, at, zone: time.zone(), summary, error })
      journal.recordMade(ids.id, { outcome: 'failed', count: 0, draftIds: [], error, report }, at)
    })
    firstSeenAt.delete(entry.id)
    await claimOnDisk(place, join(path, seen.name), ids)
    return 'changed'
  }

  function markUnchanged({ id }: Entry): 'as-it-was' {
    journal.markUnchanged(id)
    firstSeenAt.delete(id)
    return 'as-it-was'
  }

  /** Returns whether some files had changed, which must then be archived again. Never checks a file before its time. */
  return async function recheckAll(place: string, folderId: string, isWanted: () => boolean): Promise<boolean> {
    let isChanged = false
    for (const entry of journal.toRecheck(folderId)) {
      if (!isWanted()) break
      const began = firstSeenAt.get(entry.id) ?? time.elapsed()
      firstSeenAt.set(entry.id, began)
      if (time.elapsed() - began < RECHECK_AFTER) continue
      try {
        if ((await recheck(place, entry)) === 'changed') isChanged = true
      } catch (error) {
        onError(error)
      }
    }
    return isChanged
  }
}

const CHANGED =
  'This file was still being written when it was imported, so part of it may be missing. Compare the two before dropping it again. Have the other program write it under another name and rename it when complete.'
