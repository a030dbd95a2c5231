/**
 * File access in drop folders, where nothing is trusted: only regular files directly in the folder are read, no link is
 * followed, and nothing is overwritten by a move.
 */

import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { nextTurn } from '../lib/slices.ts'
import { flushFolder } from '../storage/atomic-file.ts'
import { numberedName } from '../storage/safe-name.ts'
import { assertOwnFolder, isDirectlyIn, notAFolder, statOf } from './own-folders.ts'
import { type FileStat, isSameStat } from './stable-file.ts'

const CHUNK = 256 * 1024
/** How many files are looked at in one go; the others follow once these are archived, or can't be. */
const MAX_AT_ONCE = 2_000
/** How many bytes at either end identify a file that is too large to be read. */
const END_BYTES = 64 * 1024

// Windows has neither flag; only administrators can create links there.
const SAFE_READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export interface Content {
  /** Absent if the file is too large. */
  bytes?: Uint8Array
  size: number
  /** Of the whole content; for a file that is too large, of its size, time, beginning and end. */
  sha256: string
}

/** The result of one look. */
export interface FolderListing {
  files: FileStat[]
  /** The name from which the next look starts if nothing comes of these files. Undefined if these are all. */
  next: string | undefined
}

/**
 * Returns the regular files directly in the folder that are of a supported kind, up to a limit, in order of their
 * names.
 * @param from the first name; undefined for all.
 * @throws if the folder can't be read.
 */
export async function filesIn(place: string, from: string | undefined): Promise<FolderListing> {
  const names = (await fs.readdir(place, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && kindOf(entry.name) !== undefined)
    .map(({ name }) => name)
    .sort()
  const first = from === undefined ? 0 : names.findIndex((name) => name >= from)
  const begin = Math.max(0, first)
  const files: FileStat[] = []
  for (const name of names.slice(begin, begin + MAX_AT_ONCE)) {
    const stat = await fileStatOf(place, name)
    if (stat) files.push(stat)
  }
  return { files, next: names.length > MAX_AT_ONCE ? names[begin + MAX_AT_ONCE] : undefined }
}

/** Returns undefined if there is no regular file of that name. */
export async function fileStatOf(folder: string, name: string): Promise<FileStat | undefined> {
  const stats = await statOf(join(folder, name))
  return stats?.isFile() ? fileStatFrom(name, stats) : undefined
}

/**
 * Reads a file that was seen; for one that is too large, only what identifies it. Undefined if the file is no longer
 * the one that was seen, changed during the read, or isn't wanted any more.
 * @throws the system's error if it can't be opened: another program may hold it.
 */
export async function contentOf(
  place: string,
  seen: FileStat,
  isWanted: () => boolean = () => true
): Promise<Content | undefined> {
  const handle = await tryOpen(join(place, seen.name))
  if (!handle) return undefined
  try {
    if (!isUnchanged(await handle.stat(), seen)) return undefined
    const content = seen.size > MAX_FILE_BYTES ? await readEnds(handle, seen) : await readAll(handle, isWanted)
    return content?.size === seen.size && isUnchanged(await handle.stat(), seen) ? content : undefined
  } finally {
    await handle.close()
  }
}

async function readAll(handle: fs.FileHandle, isWanted: () => boolean): Promise<Content | undefined> {
  const digest = createHash('sha256')
  const chunks: Uint8Array[] = []
  let size = 0
  while (size <= MAX_FILE_BYTES) {
    if (!isWanted()) return undefined
    const read = await readPiece(handle, size, CHUNK)
    if (read.byteLength === 0) return { size, sha256: digest.digest('hex'), bytes: Buffer.concat(chunks) }
    digest.update(read)
    chunks.push(read)
    size += read.byteLength
    await nextTurn()
  }
  return undefined
}

/** Reading a file of gigabytes would take minutes, only for it to be refused. */
async function readEnds(handle: fs.FileHandle, { size, mtimeMs }: FileStat): Promise<Content> {
  const digest = createHash('sha256').update(`${size} ${mtimeMs}`)
  digest.update(await readPiece(handle, 0, END_BYTES))
  digest.update(await readPiece(handle, size - END_BYTES, END_BYTES))
  return { size, sha256: digest.digest('hex') }
}

async function readPiece(handle: fs.FileHandle, from: number, length: number): Promise<Uint8Array> {
  const { bytesRead, buffer } = await handle.read(new Uint8Array(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}

export async function hasContent(
  folder: string,
  name: string,
  { size, sha256 }: Pick<Content, 'size' | 'sha256'>
): Promise<boolean> {
  const seen = await fileStatOf(folder, name)
  if (seen?.size !== size) return false
  return (await contentOf(folder, seen))?.sha256 === sha256
}

/**
 * Moves a file into a folder of ours in `place`, under a name that is free there or held by an empty file.
 * @throws the system's error if it can't be moved, or didn't arrive; it stays where it was.
 */
export async function moveAside(from: string, place: string, folder: string, name: string): Promise<void> {
  await assertOwnFolder(place, folder)
  const to = join(place, folder, name)
  await reserve(to)
  try {
    await fs.rename(from, to)
  } catch (error) {
    await removeEmpty(to)
    throw error
  }
  if (!(await isDirectlyIn(place, folder))) {
    // Someone replaced the folder with a link at this very moment.
    await fs.rename(to, from)
    throw notAFolder()
  }
  if (!(await fileStatOf(join(place, folder), name))) throw notAFolder()
  // Otherwise a power failure could bring it back, and it would be taken for a new file.
  await flushFolder(join(place, folder))
  await flushFolder(dirname(from))
}

/** Returns the name, or a numbered one like it, that is free in the folder. */
export async function freeNameFor(folder: string, name: string): Promise<string> {
  for (let number = 1; number < 1_000; number++) {
    const wanted = number === 1 ? name : numberedName(name, number)
    if (await isFree(join(folder, wanted))) return wanted
  }
  throw Object.assign(new Error('No free name.'), { code: 'EEXIST', syscall: 'rename' })
}

/** Returns whether nothing has this name. @throws if that can't be determined. */
export async function isFree(path: string): Promise<boolean> {
  return (await statOf(path)) === undefined
}

/** Returns undefined if there is nothing, or a link. */
async function tryOpen(path: string): Promise<fs.FileHandle | undefined> {
  try {
    return await fs.open(path, SAFE_READ_FLAGS)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ELOOP') return undefined
    throw error
  }
}

/** Reserves the name with an empty file, as a rename alone would overwrite whatever is there. */
async function reserve(path: string): Promise<void> {
  try {
    const handle = await fs.open(path, 'wx')
    await handle.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const there = await statOf(path)
    if (!there?.isFile() || there.size > 0) throw error
  }
}

async function removeEmpty(path: string): Promise<void> {
  const there = await statOf(path).catch(() => undefined)
  if (there?.isFile() && there.size === 0) await fs.unlink(path).catch(() => undefined)
}

function isUnchanged(stats: Stats, seen: FileStat): boolean {
  return stats.isFile() && isSameStat(fileStatFrom(seen.name, stats), seen)
}

function fileStatFrom(name: string, { size, mtimeMs, ino }: Stats): FileStat {
  return { name, size, mtimeMs, ino }
}

export type DroppedFileKind = 'request' | 'countersign' | 'sheet'

/** Larger files aren't read, as what they become passes through the main thread. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024
/** Room for XML data of five million characters. */
export const MAX_REQUEST_BYTES = 6 * 1024 * 1024

const KINDS: Record<string, DroppedFileKind> = {
  json: 'request',
  countersign: 'countersign',
  csv: 'sheet',
  xlsx: 'sheet'
}

/** Returns undefined for files to leave alone: other kinds, hidden ones, and copies under a temporary name. */
export function kindOf(name: string): DroppedFileKind | undefined {
  // Excel keeps `~$staff.xlsx` next to a workbook that is open.
  if (name.startsWith('.') || name.startsWith('~') || name.endsWith('~')) return undefined
  const extension = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return extension === undefined || !Object.hasOwn(KINDS, extension) ? undefined : KINDS[extension]
}
