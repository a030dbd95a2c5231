/**
 * Folders below the chosen one: found whatever their case, created if missing, and never leading out of it; with paths
 * short enough for Windows, where most programs accept no longer ones.
 */
import { isAbsolute, join, relative, sep } from 'node:path'
import { endingOf } from '../../../shared/file-endings.ts'
import { inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { TEMPORARY_NAME_LENGTH } from '../storage/atomic-file.ts'
import { FileError, fileErrorOf, withFileErrors } from '../storage/file-error.ts'
import type { FileKind, FolderFiles } from '../storage/files.ts'
import { safeFileName } from '../storage/safe-name.ts'
import { byNameKey, nameKey } from '../storage/same-name.ts'

/** Folder names say who signed what, so only the user may open them. */
const MODE = 0o700
const MAX_NUMBER = 99

export interface MadeFolders {
  /** The real path of the chosen folder. */
  root: string
  /** The folders below it, as named on disk. */
  folders: readonly string[]
}

/**
 * Creates missing folders.
 * @param folder absolute: the chosen folder.
 * @param makesFolder whether the chosen folder itself may be created, too.
 * @returns the chosen folder's real path, and the folders' names on disk: an existing one keeps its case, and if a file
 * has a folder's name, the folder gets a number.
 * @throws {FileError} `away`: the chosen folder isn't there. `outside`: a link among the folders leads out of it.
 */
export async function makeFolders(
  files: FolderFiles,
  folder: string,
  names: readonly string[],
  makesFolder: boolean
): Promise<MadeFolders> {
  if (makesFolder) await withFileErrors(() => files.mkdir(folder, { recursive: true }))
  const root = await rootOf(files, folder)
  // Otherwise two calls creating "Lease" and "LEASE" at the same moment would both find nothing there.
  return await inTurn(`folders ${root}`, async () => {
    const created: string[] = []
    for (const name of names) {
      created.push(await ensureFolder(files, join(folder, ...created), name))
      // Checked before anything is created behind a link.
      await assertInside(files, root, join(folder, ...created))
    }
    return { root, folders: created }
  })
}

/** Returns existing folders' names as {@link makeFolders} uses them; undefined if one is missing or leads out. */
export async function findFolders(
  files: FolderFiles,
  folder: string,
  names: readonly string[]
): Promise<string[] | undefined> {
  try {
    const found: string[] = []
    for (const name of names) {
      const existing = (await namesIn(files, join(folder, ...found), name)).get(nameKey(name))
      if (existing === undefined) return undefined
      found.push(existing)
    }
    await assertInside(files, await rootOf(files, folder), join(folder, ...found))
    return found
  } catch {
    return undefined
  }
}

/** Returns at least the names in a folder that begin like that, by {@link nameKey}. @throws {FileError} */
export async function namesIn(
  files: FolderFiles,
  folder: string,
  beginning: string,
  cache?: FolderCache
): Promise<Map<string, string>> {
  const read = () => withFileErrors(() => files.readdir(folder))
  return byNameKey(await (cache ? cache.names(folder, read) : read()), beginning)
}

/** Returns whether a path below the chosen folder stays inside it, whatever links it has. @throws {FileError} */
export async function isInside(files: FolderFiles, root: string, path: string): Promise<boolean> {
  const relativePath = relative(root, await withFileErrors(() => files.realpath(path)))
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}

/** @throws {FileError} `outside` if a path below the chosen folder leads out of it. */
export async function assertInside(files: FolderFiles, root: string, path: string): Promise<void> {
  if (!(await isInside(files, root, path))) throw new FileError('outside')
}

/** Returns the real path of the chosen folder. @throws {FileError} `away` if it isn't there. */
export async function rootOf(files: FolderFiles, folder: string): Promise<string> {
  try {
    const root = await files.realpath(folder)
    if (!(await files.lstat(root)).isDirectory()) throw new FileError('not-writable', 'ENOTDIR')
    return root
  } catch (error) {
    const fileError = fileErrorOf(error)
    // The error for a disconnected share differs between systems.
    if (fileError?.code === 'other' || fileError?.systemCode === 'ENOENT')
      throw new FileError('away', fileError.systemCode)
    throw fileError ?? error
  }
}

/** Returns what has a name; undefined if nothing has. @throws {FileError} */
export async function kindOf(files: FolderFiles, path: string): Promise<FileKind | undefined> {
  try {
    return await files.lstat(path)
  } catch (error) {
    const fileError = fileErrorOf(error)
    if (fileError?.systemCode === 'ENOENT') return undefined
    throw fileError ?? error
  }
}

async function ensureFolder(files: FolderFiles, parent: string, name: string): Promise<string> {
  const existing = await namesIn(files, parent, name)
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const wanted = number === 1 ? name : `${name} (${number})`
    const known = existing.get(nameKey(wanted))
    if (known !== undefined) {
      if (await isFolder(files, join(parent, known))) return known
    } else if (await createFolder(files, join(parent, wanted))) return wanted
  }
  throw new FileError('exists')
}

/** Returns whether there is a folder, or a link to one; whether that is inside is checked afterwards. */
async function isFolder(files: FolderFiles, path: string): Promise<boolean> {
  const kind = await kindOf(files, path)
  if (!kind?.isSymbolicLink()) return kind?.isDirectory() ?? false
  const target = await files.realpath(path).catch(() => undefined)
  return target !== undefined && ((await kindOf(files, target))?.isDirectory() ?? false)
}

/** Returns false if a file has the name. */
async function createFolder(files: FolderFiles, path: string): Promise<boolean> {
  try {
    await withFileErrors(() => files.mkdir(path, { mode: MODE }))
    return true
  } catch (error) {
    // Another process created it first.
    if (fileErrorOf(error)?.code === 'exists') return await isFolder(files, path)
    throw error
  }
}

/** How long cached information is trusted, in milliseconds. */
const CACHE_LIFETIME = 2_000
const MAX_CACHED_FOLDERS = 64

interface CacheEntry<Value> {
  value: Value
  until: number
}

/**
 * A short-lived cache of folders, so that many files for one folder don't each cause it to be read completely: on a
 * share every look takes time. It is only a hint: whether a name is free is decided by the disk, and the path to a
 * folder is checked again before a file gets its name there.
 */
export class FolderCache {
  readonly #time: Pick<Time, 'elapsed'>
  readonly #names = new Map<string, CacheEntry<string[]>>()
  readonly #made = new Map<string, CacheEntry<MadeFolders>>()

  constructor(time: Pick<Time, 'elapsed'>) {
    this.#time = time
  }

  /** Returns the names in a folder, including those added meanwhile. */
  names(place: string, read: () => Promise<string[]>): Promise<readonly string[]> {
    return this.#getOrRead(this.#names, place, read)
  }

  addName(place: string, name: string): void {
    this.#names.get(place)?.value.push(name)
  }

  /** Returns folders that were found or created. */
  madeFolders(folder: string, path: readonly string[], make: () => Promise<MadeFolders>): Promise<MadeFolders> {
    return this.#getOrRead(this.#made, [folder, ...path].join('\n'), make)
  }

  /** Clears the cache, as something wasn't as cached. */
  forget(): void {
    this.#names.clear()
    this.#made.clear()
  }

  async #getOrRead<Value>(
    cache: Map<string, CacheEntry<Value>>,
    key: string,
    read: () => Promise<Value>
  ): Promise<Value> {
    const known = cache.get(key)
    if (known && known.until > this.#time.elapsed()) return known.value
    const until = this.#time.elapsed() + CACHE_LIFETIME
    const value = await read()
    if (cache.size >= MAX_CACHED_FOLDERS) cache.clear()
    cache.set(key, { value, until })
    return value
  }
}

/**
 * The longest path, in UTF-16 units. Windows allows 259; the rest leaves room for ` (9999)` and for programs that add
 * an extension.
 */
export const MAX_PATH_LENGTH = 240
const WINDOWS_PATH = 259
/** A shorter name means nothing to anyone. */
const MIN_STEM_LENGTH = 8
const NO_FILE = -1
const segmenter = new Intl.Segmenter('en')

/**
 * Shortens a path's longest names, but never an ending, so that it can be opened on every system.
 * @param folder absolute: the folder it is below.
 * @param path safe names, the last one a file's with its ending.
 * @throws {FileError} `too-deep`: the folder's own path leaves no room for meaningful names.
 */
export function fitPath(folder: string, path: readonly string[]): string[] {
  // Names from a database are made safe again; safe names don't change.
  const safe = path.map((name) => safeFileName(name))
  const inFolders = safe.slice(0, -1)
  // During writing, the file has a temporary name in the same folder.
  const folders = fitNames(inFolders, WINDOWS_PATH - folder.length - 1 - TEMPORARY_NAME_LENGTH, NO_FILE)
  const allNames = [...folders, ...safe.slice(-1)]
  return fitNames(allNames, MAX_PATH_LENGTH - folder.length, allNames.length - 1)
}

/** @param file the index of the file, whose ending is kept. */
function fitNames(names: readonly string[], room: number, file: number): string[] {
  const available = room - names.length
  if (lengthOf(names) <= available) return [...names]
  const minimums = names.map((name, index) => MIN_STEM_LENGTH + (index === file ? endingOf(name).length : 0))
  const unitsAt = (limit: number, index: number) => Math.max(limit, minimums[index] ?? 0)
  for (let limit = Math.max(0, ...names.map(({ length }) => length)) - 1; limit >= MIN_STEM_LENGTH; limit--) {
    const length = names.reduce((sum, name, index) => sum + Math.min(name.length, unitsAt(limit, index)), 0)
    if (length > available) continue
    const shorter = names.map((name, index) => shortened(name, unitsAt(limit, index), index === file))
    if (lengthOf(shorter) <= available) return shorter
  }
  throw new FileError('too-deep')
}

function shortened(name: string, units: number, isFile: boolean): string {
  if (name.length <= units) return name
  const ending = isFile ? endingOf(name) : ''
  let text = ''
  for (const { segment } of segmenter.segment(name.slice(0, name.length - ending.length))) {
    if (text.length + segment.length > units - ending.length) break
    text += segment
  }
  // A single letter can carry hundreds of accents; then the cut has to go through it.
  return safeFileName(
    text === '' ? name.slice(0, units - ending.length) : text,
    isFile ? { extension: ending.slice(1) } : {}
  )
}

function lengthOf(names: readonly string[]): number {
  return names.reduce((length, name) => length + name.length, 0)
}
