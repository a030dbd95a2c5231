/**
 * Claims a file for this workstation, on the share itself: it is moved into a folder of ours under the journal's id. Of
 * several workstations that watch one folder, one succeeds; for the others there is nothing to take.
 */
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { fileStatOf, freeNameFor, isFree } from './dropped-file.ts'
import type { Entry } from './journal.ts'
import { ensureFolder, isFolder, isIn } from './own-folders.ts'
import type { FileStat } from './stable-file.ts'

/** Where files are while something is made of them. Begins with a dot, so that it is shown to few. */
export const WORKING = '.countersign'
/** The end of a name that is kept, in UTF-16 units: with the id before it, it fits where a name may have 255 bytes. */
const LONGEST_NAME = 60
const CLAIM = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(.+)$/

export type Claimed = Pick<Entry, 'id' | 'name'>

/** Which claim a file of the working folder is; of the name of a file that was claimed, the end where it was long. */
export interface Claim extends Claimed {
  /** When it was claimed or changed last, in milliseconds since 1970 UTC, by the clock of anyone who holds the disk. */
  at: number
}

export function workingFolderOf(place: string): string {
  return join(place, WORKING)
}

export function claimName({ id, name }: Claimed): string {
  return `${id}-${name.slice(-LONGEST_NAME)}`
}

/** What is claimed, by its entry. Undefined where there is no such file, or it isn't in a folder of ours. */
export async function claimedStat(place: string, entry: Claimed): Promise<FileStat | undefined> {
  return (await isIn(place, WORKING)) ? fileStatOf(workingFolderOf(place), claimName(entry)) : undefined
}

/**
 * Moves a file to where this workstation works on it.
 * @returns undefined if it was gone already: another workstation has it, or anyone who dropped it took it back.
 * @throws the system's error where it can't be moved: it is where it was.
 */
export async function claimOnDisk(place: string, from: string, entry: Claimed): Promise<FileStat | undefined> {
  const working = workingFolderOf(place)
  await ensureFolder(place, WORKING)
  const to = join(working, claimName(entry))
  try {
    await fs.rename(from, to)
  } catch (error) {
    // A network disk may have moved it and lost the answer: then it is there.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !(await isFree(from))) throw error
  }
  const claimed = await fileStatOf(working, claimName(entry))
  // A link or a folder took the file's name just before.
  if (!claimed) await release(place, entry)
  return claimed
}

/** Gives a file back to where it was dropped, under a name that is free there. Says nothing where it isn't there. */
export async function release(place: string, entry: Claimed): Promise<void> {
  const claimed = join(workingFolderOf(place), claimName(entry))
  if (!(await isIn(place, WORKING)) || (await isFree(claimed))) return
  await fs.rename(claimed, join(place, await freeNameFor(place, entry.name)))
}

/** All claims in a folder, of whichever workstation. */
export async function claimsIn(place: string): Promise<Claim[]> {
  const working = workingFolderOf(place)
  if (!(await isIn(place, WORKING))) return []
  const claims: Claim[] = []
  for (const entry of await fs.readdir(working, { withFileTypes: true })) {
    const [, id, name] = CLAIM.exec(entry.name) ?? []
    if (!entry.isFile() || id === undefined || name === undefined) continue
    const stats = await fs.lstat(join(working, entry.name)).catch(() => undefined)
    if (stats) claims.push({ id, name, at: Math.max(stats.ctimeMs, stats.mtimeMs) })
  }
  return claims
}

/** Whether the folder is as this application left it, so that what isn't in it is gone. */
export const hasWorkingFolder = (place: string): Promise<boolean> => isFolder(workingFolderOf(place))
