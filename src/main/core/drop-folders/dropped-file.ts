/**
 * The files of a drop folder, of which nothing is trusted: only regular files directly in it are read, no link is
 * followed, and nothing is moved over anything else.
 */

import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { nextTurn } from '../lib/slices.ts'
import { flushFolder } from '../storage/atomic-file.ts'
import { numberedName } from '../storage/safe-name.ts'
import { insist, isIn, notAFolder, statOf } from './own-folders.ts'
import { type FileStat, isSame } from './stable-file.ts'

const CHUNK = 256 * 1024
/** So many files are looked at in one go; the rest have their turn once these have been put away, or can't be. */
const MOST_AT_ONCE = 2_000
/** How much of either end of a file that is too large to be read tells it from others, in bytes. */
const ENDS = 64 * 1024

// Windows has neither of them; links there can be made by administrators only.
const UNFOLLOWED = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** A file's content, and by what it is known again. */
export interface Content {
  /** None of a file that is too large. */
  bytes?: Uint8Array
  size: number
  /** Of all of it; where it is too large, of its size, its time, its beginning and its end. */
  sha256: string
}

/** What one look found. */
export interface Found {
  files: FileStat[]
  /** From which name on the next look begins, should nothing come of these. Undefined where these are all. */
  next: string | undefined
}

/**
 * The regular files directly in the folder that are of a kind that is taken: so many of them, in the order of their names.
 * @param from the first name; undefined for all.
 * @throws where the folder can't be read.
 */
export async function filesIn(place: string, from: string | undefined): Promise<Found> {
  const names = (await fs.readdir(place, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && kindOf(entry.name) !== undefined)
    .map(({ name }) => name)
    .sort()
  const first = from === undefined ? 0 : names.findIndex((name) => name >= from)
  const begin = Math.max(0, first)
  const files: FileStat[] = []
  for (const name of names.slice(begin, begin + MOST_AT_ONCE)) {
    const stat = await fileStatOf(place, name)
    if (stat) files.push(stat)
  }
  return { files, next: names.length > MOST_AT_ONCE ? names[begin + MOST_AT_ONCE] : undefined }
}

/** Undefined where there is no regular file of that name. */
export async function fileStatOf(folder: string, name: string): Promise<FileStat | undefined> {
  const stats = await statOf(join(folder, name))
  return stats?.isFile() ? sighted(name, stats) : undefined
}

/**
 * Reads a file that was seen; of one that is larger than is taken, only what it is known again by. Undefined where it isn't
 * what was seen any more, changed while it was read, or isn't wanted any more.
 * @throws the system's error where it can't be opened: another program may hold it.
 */
export async function contentOf(
  place: string,
  seen: FileStat,
  isWanted: () => boolean = () => true
): Promise<Content | undefined> {
  const handle = await opened(join(place, seen.name))
  if (!handle) return undefined
  try {
    if (!isSeen(await handle.stat(), seen)) return undefined
    const content = seen.size > MOST_BYTES ? await endsOf(handle, seen) : await wholeOf(handle, isWanted)
    return content?.size === seen.size && isSeen(await handle.stat(), seen) ? content : undefined
  } finally {
    await handle.close()
  }
}

async function wholeOf(handle: fs.FileHandle, isWanted: () => boolean): Promise<Content | undefined> {
  const digest = createHash('sha256')
  const chunks: Uint8Array[] = []
  let size = 0
  while (size <= MOST_BYTES) {
    if (!isWanted()) return undefined
    const read = await pieceOf(handle, size, CHUNK)
    if (read.byteLength === 0) return { size, sha256: digest.digest('hex'), bytes: Buffer.concat(chunks) }
    digest.update(read)
    chunks.push(read)
    size += read.byteLength
    await nextTurn()
  }
  return undefined
}

/** A file of gigabytes would be read for minutes, only to be refused. */
async function endsOf(handle: fs.FileHandle, { size, mtimeMs }: FileStat): Promise<Content> {
  const digest = createHash('sha256').update(`${size} ${mtimeMs}`)
  digest.update(await pieceOf(handle, 0, ENDS))
  digest.update(await pieceOf(handle, size - ENDS, ENDS))
  return { size, sha256: digest.digest('hex') }
}

async function pieceOf(handle: fs.FileHandle, from: number, length: number): Promise<Uint8Array> {
  const { bytesRead, buffer } = await handle.read(new Uint8Array(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}

/** Whether a file has this content. */
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
 * Moves a file into a folder of ours in `place`, under a name that is free there or that an empty file holds.
 * @throws the system's error where it can't be moved, or didn't get there: it is where it was.
 */
export async function moveAside(from: string, place: string, folder: string, name: string): Promise<void> {
  await insist(place, folder)
  const to = join(place, folder, name)
  await hold(to)
  try {
    await fs.rename(from, to)
  } catch (error) {
    await removeEmpty(to)
    throw error
  }
  if (!(await isIn(place, folder))) {
    // Someone made a link of the folder in this very moment.
    await fs.rename(to, from)
    throw notAFolder()
  }
  if (!(await fileStatOf(join(place, folder), name))) throw notAFolder()
  // Else a loss of power could bring it back, and it would be taken for a new one.
  await flushFolder(join(place, folder))
  await flushFolder(dirname(from))
}

/** The name, or one like it, that nothing has in the folder. */
export async function freeNameFor(folder: string, name: string): Promise<string> {
  for (let number = 1; number < 1_000; number++) {
    const wanted = number === 1 ? name : numberedName(name, number)
    if (await isFree(join(folder, wanted))) return wanted
  }
  throw Object.assign(new Error('No free name.'), { code: 'EEXIST', syscall: 'rename' })
}

/** Whether nothing has this name. @throws where that can't be told. */
export async function isFree(path: string): Promise<boolean> {
  return (await statOf(path)) === undefined
}

/** Undefined where nothing is there, or a link. */
async function opened(path: string): Promise<fs.FileHandle | undefined> {
  try {
    return await fs.open(path, UNFOLLOWED)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ELOOP') return undefined
    throw error
  }
}

/** An empty file keeps the name until the whole one takes its place: a rename alone would replace whatever is there. */
async function hold(path: string): Promise<void> {
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

function isSeen(stats: Stats, seen: FileStat): boolean {
  return stats.isFile() && isSame(sighted(seen.name, stats), seen)
}

function sighted(name: string, { size, mtimeMs, ino }: Stats): FileStat {
  return { name, size, mtimeMs, ino }
}

export type DroppedFileKind = 'request' | 'countersign' | 'sheet'

/** Beyond this a file is not read: what comes of it goes through the main thread. */
export const MOST_BYTES = 20 * 1024 * 1024
/** XML data of five million characters fits in it. */
export const MOST_REQUEST_BYTES = 6 * 1024 * 1024

const KINDS: Record<string, DroppedFileKind> = {
  json: 'request',
  countersign: 'countersign',
  csv: 'sheet',
  xlsx: 'sheet'
}

/** Undefined for what is left where it is: other kinds, hidden files, and what is still being copied under a passing name. */
export function kindOf(name: string): DroppedFileKind | undefined {
  // `~$staff.xlsx` is what Excel keeps beside a workbook that is open.
  if (name.startsWith('.') || name.startsWith('~') || name.endsWith('~')) return undefined
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return ending === undefined || !Object.hasOwn(KINDS, ending) ? undefined : KINDS[ending]
}
