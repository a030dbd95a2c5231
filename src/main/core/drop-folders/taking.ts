/**
 * Takes a file step by step: it is claimed; once it has been still since, something is made of it; it is put away. Between
 * any two steps the application may end, the folder vanish, or be set otherwise.
 */
import { join } from 'node:path'
import { fileErrorOf } from '../storage/file-error.ts'
import {
  type Claimed,
  claimedSighting,
  claimOnDisk,
  claimsIn,
  hasWorkingFolder,
  release,
  workingFolderOf
} from './claiming.ts'
import { contentOf, isFree } from './dropped-file.ts'
import type { Folder } from './folders.ts'
import type { Entry, Journal } from './journal.ts'
import type { Making } from './making.ts'
import { ensureFolder } from './own-folders.ts'
import type { openPuttingAway } from './putting-away.ts'
import { openSecondStillness } from './second-stillness.ts'
import type { Step } from './steps.ts'
import type { Sighting } from './stillness.ts'
import { openStrangers } from './strangers.ts'

/** At so many looks a file that was claimed may be out of sight until it is given up. */
const MOST_ABSENCES = 10

export interface TakingParts {
  /** The folder as it is kept now; undefined once it isn't watched any more. */
  current: () => Folder | undefined
  /** Whether files are to be taken now. */
  isWanted: () => boolean
  journal: Journal
  making: Making
  putAway: ReturnType<typeof openPuttingAway>
  step: Step
  clock: () => number
  elapsed: () => number
  newId: () => string
  /** Its state, or what was taken of it, is different. */
  changed: () => void
  /** A file could not be taken just now; it is tried again. */
  trouble: (error: unknown) => void
}

/** moving: it is to be looked at again soon. stuck: it can't be claimed, or not put away. */
export type Outcome = 'done' | 'stuck' | 'moving'

export function openTaking({ current, isWanted, journal, making, putAway, step, ...parts }: TakingParts) {
  const second = openSecondStillness(parts.elapsed)
  const strangers = openStrangers({ journal, ...parts })
  const absences = new Map<string, number>()
  /** Which claims this run made or went on with, and where: what is given back when it ends. */
  const claims = new Map<string, { place: string; entry: Claimed }>()

  /** Goes on with what was claimed before and isn't put away. */
  async function goOn(folder: Folder): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    strangers.look(folder, await claimsIn(folder.place).catch(() => []))
    for (const entry of journal.unfinished(folder.id)) {
      if (!isWanted()) break
      outcomes.push(await patiently(() => onwards(folder, entry)))
    }
    return outcomes
  }

  async function onwards(folder: Folder, entry: Entry): Promise<Outcome> {
    if (entry.state === 'made' || making.takeUp(entry)) return away(folder, entry.id)
    claims.set(entry.id, { place: folder.place, entry })
    const seen = await claimedSighting(folder.place, entry)
    if (!seen) return absent(folder, entry)
    if (!second.isStill(entry.id, seen)) return 'moving'
    return take(entry, seen)
  }

  async function away(folder: Folder, id: string): Promise<Outcome> {
    claims.delete(id)
    const entry = journal.find(id)
    if (!entry) return 'done'
    const result = await putAway(folder.place, entry)
    if (result === 'waiting') return absent(folder, entry)
    if (result === 'away') {
      absences.delete(id)
      second.forget(id)
      parts.changed()
    }
    return result === 'stuck' ? 'stuck' : 'done'
  }

  /** A folder that is there without our own in it isn't the one that was known. */
  async function absent({ place }: Folder, { id, state }: Entry): Promise<Outcome> {
    if (!(await hasWorkingFolder(place))) return 'done'
    const count = (absences.get(id) ?? 0) + 1
    absences.set(id, count)
    if (count < MOST_ABSENCES) return 'done'
    absences.delete(id)
    claims.delete(id)
    second.forget(id)
    if (state === 'claimed') journal.drop(id)
    else journal.giveUp(id)
    return 'done'
  }

  async function patiently(act: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await act()
    } catch (error) {
      // The file is where it is, and as still as it was: the next look tries again.
      parts.trouble(error)
      return fileErrorOf(error)?.code === 'not-writable' ? 'stuck' : 'done'
    }
  }

  async function claim(folder: Folder, seen: Sighting): Promise<Outcome> {
    const { id: folderId, place } = folder
    // What could not be put away isn't begun with.
    await ensureFolder(place, 'done')
    const ids = { id: parts.newId(), batchId: parts.newId() }
    const entry = journal.claim({ ...ids, folderId, name: seen.name, seen }, parts.clock())
    await step('noted')
    const from = join(place, seen.name)
    const claimed = await claimOnDisk(place, from, entry).catch(async (error: unknown) => {
      // Where it may have been moved all the same, the next look finds it by the journal.
      if (!(await isFree(from).catch(() => true))) journal.drop(entry.id)
      throw error
    })
    if (!claimed) {
      journal.drop(entry.id)
      return 'done'
    }
    claims.set(entry.id, { place, entry })
    second.isStill(entry.id, claimed)
    await step('claimed')
    return 'moving'
  }

  /** Makes something of a file that was claimed, and has been still since. */
  async function take(entry: Entry, seen: Sighting): Promise<Outcome> {
    const folder = current()
    if (!folder) return 'done'
    const content = await contentOf(workingFolderOf(folder.place), seen, isWanted)
    if (!content) return 'moving'
    await step('read')
    journal.read(entry.id, content)
    const result = await making.make(folder, entry, content, current)
    // It was set otherwise meanwhile: the next look does as it is set then.
    if (result === 'set-otherwise') return 'moving'
    parts.changed()
    await step('made')
    return away(folder, entry.id)
  }

  /** Lets go of what was claimed and nothing was made of: another workstation may take it, or a person. */
  async function giveBack(): Promise<void> {
    for (const [id, { place, entry }] of claims) {
      try {
        const known = journal.find(id)
        if (known && (known.state !== 'claimed' || making.takeUp(known))) continue
        await release(place, entry)
        journal.drop(id)
      } catch (error) {
        parts.trouble(error)
      }
      claims.delete(id)
      second.forget(id)
    }
  }

  return {
    goOn,
    /** Claims a file that is still. Never rejects for what is wrong with it. */
    claim: (folder: Folder, seen: Sighting): Promise<Outcome> => patiently(() => claim(folder, seen)),
    giveBack
  }
}
