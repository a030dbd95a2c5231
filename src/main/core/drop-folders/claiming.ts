/**
 * Claims a file for this workstation on the share itself, by moving it into a folder of ours under the journal's id. If
 * several workstations watch one folder, one succeeds; the others find nothing to take.
 */
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { fileStatOf, freeNameFor, isFree } from './dropped-file.ts'
import type { Entry } from './journal.ts'
import { assertOwnFolder, ensureFolder, isDirectlyIn } from './own-folders.ts'
import type { FileStat } from './stable-file.ts'

/** Where files are while they are processed. Begins with a dot, so that most people don't see it. */
export const WORKING = '.countersign'
/** UTF-16 units kept from a name's end: with the id in front, it fits where names are limited to 255 bytes. */
const MAX_NAME_LENGTH = 60
const CLAIM = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(.+)$/

export type ClaimedFile = Pick<Entry, 'id' | 'name'>

/** The claim that a file in the working folder belongs to. `name` is only the end of a long name. */
export interface Claim extends ClaimedFile {
  /** When it was claimed or last changed, in milliseconds since 1970 UTC, by the clock of the disk's machine. */
  at: number
}

export function workingFolderOf(place: string): string {
  return join(place, WORKING)
}

export function claimName({ id, name }: ClaimedFile): string {
  return `${id}-${name.slice(-MAX_NAME_LENGTH)}`
}

/** Returns a claimed file by its entry. Undefined if there is no such file, or it isn't in a folder of ours. */
export async function claimedStat(place: string, entry: ClaimedFile): Promise<FileStat | undefined> {
  return (await isDirectlyIn(place, WORKING)) ? fileStatOf(workingFolderOf(place), claimName(entry)) : undefined
}

/**
 * Moves a file to where this workstation processes it.
 * @returns undefined if it was gone already: another workstation has it, or the person who dropped it took it back.
 * @throws the system's error if it can't be moved; it stays where it was.
 */
export async function claimOnDisk(place: string, from: string, entry: ClaimedFile): Promise<FileStat | undefined> {
  const working = workingFolderOf(place)
  await ensureFolder(place, WORKING)
  const to = join(working, claimName(entry))
  try {
    await fs.rename(from, to)
  } catch (error) {
    // A network disk may have moved it and lost the answer; then the file is there.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !(await isFree(from))) throw error
  }
  const claimed = await fileStatOf(working, claimName(entry))
  // A link or a folder took the file's name just before; or the share is gone at the moment, and the file may be on it.
  if (!claimed) await release(place, entry)
  return claimed
}

/**
 * Moves a file back to where it was dropped, under a free name. Does nothing if it is no longer claimed.
 * @throws the system's error if that can't be determined at the moment, or the file can't be moved; it stays where it
 * was.
 */
export async function release(place: string, entry: ClaimedFile): Promise<void> {
  if ((await claimedKind(place, entry)) === undefined) return
  await fs.rename(join(workingFolderOf(place), claimName(entry)), join(place, await freeNameFor(place, entry.name)))
}

/**
 * Returns whether a claim's file is certainly not in the working folder. A failed lookup proves nothing, as a share may
 * be gone just for that call; only a listing of the folder does.
 * @throws the system's error if it can't be determined at the moment.
 */
export async function isGone(place: string, entry: ClaimedFile): Promise<boolean> {
  return (await claimedKind(place, entry)) !== 'file'
}

async function claimedKind(place: string, { id }: ClaimedFile): Promise<'file' | 'other' | undefined> {
  await assertOwnFolder(place, WORKING)
  const entries = await fs.readdir(workingFolderOf(place), { withFileTypes: true })
  const found = entries.find(({ name }) => name.startsWith(`${id}-`))
  return found && (found.isFile() ? 'file' : 'other')
}

/** Returns all claims in a folder, by any workstation. */
export async function claimsIn(place: string): Promise<Claim[]> {
  const working = workingFolderOf(place)
  if (!(await isDirectlyIn(place, WORKING))) return []
  const claims: Claim[] = []
  for (const entry of await fs.readdir(working, { withFileTypes: true })) {
    const [, id, name] = CLAIM.exec(entry.name) ?? []
    if (!entry.isFile() || id === undefined || name === undefined) continue
    const stats = await fs.lstat(join(working, entry.name)).catch(() => undefined)
    if (stats) claims.push({ id, name, at: Math.max(stats.ctimeMs, stats.mtimeMs) })
  }
  return claims
}
