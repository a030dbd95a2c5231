/**
 * Archives a file that was taken: puts it into `done` or `failed`, with its report beside it. Each step is noted before it is done, so
 * that it is gone on with after a crash; what can't be moved stays claimed, and is known as taken.
 */
import { basename, join } from 'node:path'
import { writeAtomically } from '../storage/atomic-file.ts'
import { fileErrorOf } from '../storage/file-error.ts'
import { numberedName, safeFileName } from '../storage/safe-name.ts'
import { claimedStat, claimName, workingFolderOf } from './claiming.ts'
import { hasContent, isFree, moveAside } from './dropped-file.ts'
import type { Entry, Journal, Step } from './journal.ts'
import { ensureFolder, insist } from './own-folders.ts'

const HIGHEST_NUMBER = 100_000

/** waiting: the file isn't in sight just now. stuck: it can't be moved, or its report not written. */
export type Archived = 'away' | 'waiting' | 'stuck'

export function openArchive({ journal, step }: { journal: Journal; step: Step }) {
  /** Where the search for a free name goes on, so that thousands of files of one name don't begin at one each time. */
  const numbers = new Map<string, number>()

  async function nameFor(entry: Entry, into: string): Promise<string> {
    const name = safeFileName(entry.name, { fallback: 'file' })
    const key = join(into, name)
    for (let number = numbers.get(key) ?? 1; number < HIGHEST_NUMBER; number++) {
      const wanted = number === 1 ? name : numberedName(name, number)
      if (journal.isReserved(entry.folderId, wanted)) continue
      if (!(await isFree(join(into, wanted))) || !(await isFree(join(into, reportName(wanted))))) continue
      journal.putAs(entry.id, wanted)
      numbers.set(key, number + 1)
      return wanted
    }
    throw Object.assign(new Error('No free name.'), { code: 'EEXIST', syscall: 'open' })
  }

  async function put(place: string, entry: Entry): Promise<Archived> {
    const folder = folderOf(entry)
    const into = join(place, folder)
    await ensureFolder(place, folder)
    const putAs = entry.putAs ?? (await nameFor(entry, into))
    await step('named')
    await writeReport(place, entry, putAs)
    await step('reported')
    const claimed = await claimedStat(place, entry)
    if (!claimed) return (await hasContent(into, putAs, entry)) ? finished(entry) : 'waiting'
    await moveAside(join(workingFolderOf(place), claimName(entry)), place, folder, putAs)
    await step('moved')
    return finished(entry)
  }

  async function writeReport(place: string, entry: Entry, putAs: string): Promise<void> {
    const path = join(place, folderOf(entry), reportName(putAs))
    if (entry.report === '' || !(await isFree(path))) return
    await insist(place, folderOf(entry))
    await writeAtomically(path, entry.report, { ifExists: 'refuse', mode: 0o660 })
    await insist(place, folderOf(entry))
  }

  function finished(entry: Entry): Archived {
    journal.finish(entry.id)
    return 'away'
  }

  /** Goes on with a file that was made something of. Never rejects for what is wrong with the folder. */
  return async function archive(place: string, entry: Entry): Promise<Archived> {
    try {
      return await put(place, entry)
    } catch (error) {
      const trouble = fileErrorOf(error)
      if (!trouble) throw error
      // The chosen name was taken meanwhile by something else.
      if (trouble.code === 'exists') journal.putAs(entry.id, undefined)
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
