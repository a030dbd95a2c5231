/**
 * Processes a file step by step: it is claimed; once it has been stable since, it is turned into drafts or a batch; it
 * is archived. Between any two steps the application may end, the folder vanish, or its settings change.
 */
import { join } from 'node:path'
import type { AppError } from '../../../shared/contract/index.ts'
import type { Time } from '../lib/time.ts'
import { fileErrorOf } from '../storage/file-error.ts'
import type { openArchive } from './archive.ts'
import {
  type Claim,
  type ClaimedFile,
  claimedStat,
  claimOnDisk,
  claimsIn,
  isGone,
  release,
  WORKING,
  workingFolderOf
} from './claiming.ts'
import { contentOf, isFree } from './dropped-file.ts'
import type { FileImport } from './file-import.ts'
import type { Folder } from './folders.ts'
import type { Entry, Journal, Step } from './journal.ts'
import { ensureFolder } from './own-folders.ts'
import { type FileStat, StableClaims } from './stable-file.ts'

/** At how many looks a claimed file may be missing before it is given up. */
const MAX_ABSENCES = 10

export interface FileProcessingDeps {
  /** Returns the folder's current settings; undefined once it isn't watched any more. */
  current: () => Folder | undefined
  /** Returns whether files are to be taken now. */
  isWanted: () => boolean
  journal: Journal
  fileImport: FileImport
  archive: ReturnType<typeof openArchive>
  step: Step
  time: Pick<Time, 'now' | 'elapsed'>
  newId: () => string
  /** Called when its state, or what was taken from it, has changed. */
  changed: () => void
  /** Called when a file could not be taken; it is retried. */
  onError: (error: unknown) => void
}

/** moving: look at it again soon. stuck: it can't be claimed, or can't be archived. */
export type Outcome = 'done' | 'stuck' | 'moving'

export function openFileProcessing({
  current,
  isWanted,
  journal,
  fileImport,
  archive,
  step,
  ...deps
}: FileProcessingDeps) {
  const stableClaims = new StableClaims(deps.time)
  const checkOtherClaims = openOtherWorkstations({ journal, ...deps })
  const absences = new Map<string, number>()
  /** The claims that this run made or resumed, and where: these are given back when it ends. */
  const claims = new Map<string, { place: string; entry: ClaimedFile }>()

  /** Resumes files that were claimed before and aren't archived. */
  async function resumeUnfinished(folder: Folder): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    checkOtherClaims(folder, await claimsIn(folder.place).catch(() => []))
    for (const entry of journal.unfinished(folder.id)) {
      if (!isWanted()) break
      outcomes.push(await reportingErrors(() => resumeEntry(folder, entry)))
    }
    return outcomes
  }

  async function resumeEntry(folder: Folder, entry: Entry): Promise<Outcome> {
    if (entry.state === 'made' || fileImport.adoptBatch(entry)) return archiveEntry(folder, entry.id)
    claims.set(entry.id, { place: folder.place, entry })
    const seen = await claimedStat(folder.place, entry)
    if (!seen) return countAbsence(folder, entry)
    if (!stableClaims.isStable(entry.id, seen)) return 'moving'
    return processFile(entry, seen)
  }

  async function archiveEntry(folder: Folder, id: string): Promise<Outcome> {
    claims.delete(id)
    const entry = journal.find(id)
    if (!entry) return 'done'
    const result = await archive(folder.place, entry)
    if (result === 'waiting') return countAbsence(folder, entry)
    if (result === 'away') {
      absences.delete(id)
      stableClaims.forget(id)
      deps.changed()
    }
    return result === 'stuck' ? 'stuck' : 'done'
  }

  /**
   * Counts a claimed file as missing, but only if our working folder is there. A folder without it isn't the one we
   * knew, so nothing is gone from it.
   */
  async function countAbsence({ place }: Folder, entry: Entry): Promise<Outcome> {
    const { id, state } = entry
    if (!(await isGone(place, entry).catch(() => false))) return 'done'
    const count = (absences.get(id) ?? 0) + 1
    absences.set(id, count)
    if (count < MAX_ABSENCES) return 'done'
    absences.delete(id)
    claims.delete(id)
    stableClaims.forget(id)
    if (state === 'claimed') journal.drop(id)
    else journal.giveUp(id)
    return 'done'
  }

  async function reportingErrors(act: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await act()
    } catch (error) {
      // The file is where it is and unchanged: the next look retries it.
      deps.onError(error)
      return fileErrorOf(error)?.code === 'not-writable' ? 'stuck' : 'done'
    }
  }

  async function claim(folder: Folder, seen: FileStat): Promise<Outcome> {
    const { id: folderId, place } = folder
    // Don't start with a file that couldn't be archived.
    for (const folder of ['done', WORKING]) await ensureFolder(place, folder)
    const ids = { id: deps.newId(), batchId: deps.newId() }
    const entry = journal.claim({ ...ids, folderId, name: seen.name, seen }, deps.time.now())
    await step('noted')
    const from = join(place, seen.name)
    const claimed = await claimOnDisk(place, from, entry).catch(async (error: unknown) => {
      // If it may have been moved after all, the next look finds it by the journal.
      const isWhereItWas = async () => !(await isFree(from).catch(() => true))
      if (await isGone(place, entry).catch(isWhereItWas)) journal.drop(entry.id)
      throw error
    })
    if (!claimed) {
      journal.drop(entry.id)
      return 'done'
    }
    claims.set(entry.id, { place, entry })
    stableClaims.isStable(entry.id, claimed)
    await step('claimed')
    return 'moving'
  }

  /** Processes a claimed file that has been stable since. */
  async function processFile(entry: Entry, seen: FileStat): Promise<Outcome> {
    const folder = current()
    if (!folder) return 'done'
    const content = await contentOf(workingFolderOf(folder.place), seen, isWanted)
    if (!content) return 'moving'
    await step('read')
    journal.recordContent(entry.id, content)
    const result = await fileImport.importFile(folder, entry, content, current)
    // The settings changed meanwhile: the next look follows the new ones.
    if (result === 'set-otherwise') return 'moving'
    deps.changed()
    await step('made')
    return archiveEntry(folder, entry.id)
  }

  /** Gives back claimed files that nothing was made from, so that another workstation or a person may take them. */
  async function releaseClaims(): Promise<void> {
    for (const [id, { place, entry }] of claims) {
      try {
        const known = journal.find(id)
        if (known && (known.state !== 'claimed' || fileImport.adoptBatch(known))) continue
        await release(place, entry)
        journal.drop(id)
      } catch (error) {
        deps.onError(error)
      }
      claims.delete(id)
      stableClaims.forget(id)
    }
  }

  return {
    resumeUnfinished,
    /** Claims a stable file. Never rejects because of problems with the file. */
    claim: (folder: Folder, seen: FileStat): Promise<Outcome> => reportingErrors(() => claim(folder, seen)),
    releaseClaims
  }
}

const DAY = 86_400_000
/** A workstation may be switched off over a long weekend. */
const ABANDONED_AFTER = 4 * DAY

interface OtherWorkstationsDeps {
  journal: Journal
  time: Pick<Time, 'now'>
  newId: () => string
  changed: () => void
}

/**
 * Handles claims of other workstations in a watched folder, which are left alone. A claim unfinished for days is
 * reported, since no one may know that the file is there.
 */
function openOtherWorkstations({ journal, time, newId, changed }: OtherWorkstationsDeps) {
  function reportAbandoned(folderId: string, reportId: string, name: string): void {
    const at = time.now()
    const error: AppError = { code: 'bad-file', message: ABANDONED_MESSAGE }
    journal.inTransaction(() => {
      journal.claim({ id: reportId, batchId: newId(), folderId, name, seen: { size: 0 } }, at)
      journal.recordMade(reportId, { outcome: 'failed', count: 0, draftIds: [], error, report: '' }, at)
      journal.finish(reportId)
    })
    changed()
  }

  return ({ id: folderId }: Folder, claims: readonly Claim[]): void => {
    for (const { id, name, at } of claims) {
      const ours = journal.find(id)
      // It was given up while it was missing, and is there again.
      if (ours?.folderId === folderId && ours.state === 'finished') journal.reopen(id)
      if (ours || time.now() - at < ABANDONED_AFTER) continue
      const reportId = `left-${id}`
      if (!journal.find(reportId)) reportAbandoned(folderId, reportId, name)
    }
  }
}

const ABANDONED_MESSAGE =
  'Another workstation started this file days ago and hasn’t finished it, so it’s still in the folder “.countersign”. Start Countersign there. If that workstation is gone, check whether anything was created from the file, and drop it again if not.'
