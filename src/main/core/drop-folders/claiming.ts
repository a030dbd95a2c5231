/**
 * Claims a file for this workstation, on the share itself: it is moved into a folder of ours under the journal's id. Of
 * several workstations that watch one folder, one succeeds; for the others there is nothing to take.
 */
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { fileStatOf, freeNameFor, isFree } from './dropped-file.ts'
import type { Entry } from './journal.ts'
import { ensureFolder, insist, isIn } from './own-folders.ts'
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
  // A link or a folder took the file's name just before; or the share is gone just now, and the file may be on it.
  if (!claimed) await release(place, entry)
  return claimed
}

/**
 * Gives a file back to where it was dropped, under a name that is free there; does nothing where it isn't claimed any more.
 * @throws the system's error where that can't be told just now, or it can't be moved: it is as it was.
 */
export async function release(place: string, entry: Claimed): Promise<void> {
  if ((await claimedKind(place, entry)) === undefined) return
  await fs.rename(join(workingFolderOf(place), claimName(entry)), join(place, await freeNameFor(place, entry.name)))
}

/**
 * Whether the file of a claim is certainly not in the working folder. A missing file alone proves nothing: a share that is
 * gone for a moment has none, and is there again for the next call. A list of the folder is of the folder.
 * @throws the system's error where it can't be told just now.
 */
export async function isGone(place: string, entry: Claimed): Promise<boolean> {
  return (await claimedKind(place, entry)) !== 'file'
}

async function claimedKind(place: string, { id }: Claimed): Promise<'file' | 'other' | undefined> {
  await insist(place, WORKING)
  const entries = await fs.readdir(workingFolderOf(place), { withFileTypes: true })
  const found = entries.find(({ name }) => name.startsWith(`${id}-`))
  return found && (found.isFile() ? 'file' : 'other')
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
