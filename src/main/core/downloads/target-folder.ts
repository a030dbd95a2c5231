/**
 * Folders below the one that a person chose: found whatever capitals they were made with, made where they aren't there,
 * and never a way out of it; with paths short enough for Windows, where most programs take no longer ones.
 */
import { isAbsolute, join, relative, sep } from 'node:path'
import { inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { PASSING_NAME_LENGTH } from '../storage/atomic-file.ts'
import { FileError, filed, fileErrorOf } from '../storage/file-error.ts'
import type { FileKind, FolderFiles } from '../storage/files.ts'
import { safeFileName } from '../storage/safe-name.ts'
import { byNameKey, nameKey } from '../storage/same-name.ts'

/** Their names say who signed what: only the user may look into them. */
const MODE = 0o700
const HIGHEST_NUMBER = 99

export interface MadeFolders {
  /** Where the chosen folder is in truth. */
  root: string
  /** The folders below it, as their names are on the disk. */
  folders: readonly string[]
}

/**
 * Makes the folders that aren't there yet.
 * @param folder absolute: the chosen folder.
 * @param makesFolder whether the chosen folder itself is made, too.
 * @returns where the chosen folder is in truth, and their names as they are on the disk: one that is there in other
 *   capitals keeps them, and where a file has a folder's name, the folder is numbered.
 * @throws {FileError} `away`: the chosen folder isn't there. `outside`: a link among the folders leads out of it.
 */
export async function makeFolders(
  files: FolderFiles,
  folder: string,
  names: readonly string[],
  makesFolder: boolean
): Promise<MadeFolders> {
  if (makesFolder) await filed(() => files.mkdir(folder, { recursive: true }))
  const root = await rootOf(files, folder)
  // Two that would make "Lease" and "LEASE" at the same moment would both find nothing there.
  return await inTurn(`folders ${root}`, async () => {
    const made: string[] = []
    for (const name of names) {
      made.push(await oneFolder(files, join(folder, ...made), name))
      // Before anything is made behind a link.
      await insistInside(files, root, join(folder, ...made))
    }
    return { root, folders: made }
  })
}

/** The names of folders that are there, as {@link makeFolders} would use them; undefined if one isn't, or leads out. */
export async function findFolders(
  files: FolderFiles,
  folder: string,
  names: readonly string[]
): Promise<string[] | undefined> {
  try {
    const found: string[] = []
    for (const name of names) {
      const there = (await namesIn(files, join(folder, ...found), name)).get(nameKey(name))
      if (there === undefined) return undefined
      found.push(there)
    }
    await insistInside(files, await rootOf(files, folder), join(folder, ...found))
    return found
  } catch {
    return undefined
  }
}

/** What is in a folder that begins like that, by {@link nameKey}, and maybe more. @throws {FileError} */
export async function namesIn(
  files: FolderFiles,
  folder: string,
  beginning: string,
  seen?: SeenFolders
): Promise<Map<string, string>> {
  const read = () => filed(() => files.readdir(folder))
  return byNameKey(await (seen ? seen.names(folder, read) : read()), beginning)
}

/** Whether a path below the chosen folder stays inside of it, whatever links there are on its way. @throws {FileError} */
export async function isInside(files: FolderFiles, root: string, path: string): Promise<boolean> {
  const between = relative(root, await filed(() => files.realpath(path)))
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between)
}

/** @throws {FileError} `outside` where a path below the chosen folder leads out of it. */
export async function insistInside(files: FolderFiles, root: string, path: string): Promise<void> {
  if (!(await isInside(files, root, path))) throw new FileError('outside')
}

/** Where the chosen folder is in truth. @throws {FileError} `away` where it isn't there. */
export async function rootOf(files: FolderFiles, folder: string): Promise<string> {
  try {
    const root = await files.realpath(folder)
    if (!(await files.lstat(root)).isDirectory()) throw new FileError('not-writable', 'ENOTDIR')
    return root
  } catch (error) {
    const trouble = fileErrorOf(error)
    // A share that is disconnected has other words for it on each system.
    if (trouble?.code === 'other' || trouble?.system === 'ENOENT') throw new FileError('away', trouble.system)
    throw trouble ?? error
  }
}

/** What has a name; undefined if nothing has. @throws {FileError} */
export async function kindOf(files: FolderFiles, path: string): Promise<FileKind | undefined> {
  try {
    return await files.lstat(path)
  } catch (error) {
    const trouble = fileErrorOf(error)
    if (trouble?.system === 'ENOENT') return undefined
    throw trouble ?? error
  }
}

async function oneFolder(files: FolderFiles, parent: string, name: string): Promise<string> {
  const there = await namesIn(files, parent, name)
  for (let number = 1; number <= HIGHEST_NUMBER; number++) {
    const wanted = number === 1 ? name : `${name} (${number})`
    const known = there.get(nameKey(wanted))
    if (known !== undefined) {
      if (await isFolder(files, join(parent, known))) return known
    } else if (await madeFolder(files, join(parent, wanted))) return wanted
  }
  throw new FileError('exists')
}

/** A link counts where it leads to a folder; whether that is inside is looked at afterwards. */
async function isFolder(files: FolderFiles, path: string): Promise<boolean> {
  const kind = await kindOf(files, path)
  if (!kind?.isSymbolicLink()) return kind?.isDirectory() ?? false
  const target = await files.realpath(path).catch(() => undefined)
  return target !== undefined && ((await kindOf(files, target))?.isDirectory() ?? false)
}

/** False where a file has the name. */
async function madeFolder(files: FolderFiles, path: string): Promise<boolean> {
  try {
    await filed(() => files.mkdir(path, { mode: MODE }))
    return true
  } catch (error) {
    // Another process was quicker.
    if (fileErrorOf(error)?.code === 'exists') return await isFolder(files, path)
    throw error
  }
}

/** How long something that was seen is taken for true, in milliseconds. */
const FRESH = 2_000
/** Of so many folders at a time. */
const MOST = 64

interface Seen<Value> {
  value: Value
  until: number
}

/**
 * What was seen of folders a moment ago, so that many files for one folder don't have all of it read for each of them: on a
 * share every look takes its time. It is only ever a hint: a name is taken by the disk's own word, and the way into a folder is
 * looked through again before a file gets its name there.
 */
export class SeenFolders {
  readonly #time: Pick<Time, 'elapsed'>
  readonly #names = new Map<string, Seen<string[]>>()
  readonly #made = new Map<string, Seen<MadeFolders>>()

  constructor(time: Pick<Time, 'elapsed'>) {
    this.#time = time
  }

  /** The names in a folder. Those that are added meanwhile are among them. */
  names(place: string, read: () => Promise<string[]>): Promise<readonly string[]> {
    return this.#fresh(this.#names, place, read)
  }

  /** A name was given in a folder. */
  added(place: string, name: string): void {
    this.#names.get(place)?.value.push(name)
  }

  /** Where folders are that were found or made. */
  made(folder: string, path: readonly string[], make: () => Promise<MadeFolders>): Promise<MadeFolders> {
    return this.#fresh(this.#made, [folder, ...path].join('\n'), make)
  }

  /** Something was not as it was seen: everything is looked at again. */
  forget(): void {
    this.#names.clear()
    this.#made.clear()
  }

  async #fresh<Value>(of: Map<string, Seen<Value>>, key: string, look: () => Promise<Value>): Promise<Value> {
    const known = of.get(key)
    if (known && known.until > this.#time.elapsed()) return known.value
    const until = this.#time.elapsed() + FRESH
    const value = await look()
    if (of.size >= MOST) of.clear()
    of.set(key, { value, until })
    return value
  }
}

/** UTF-16 units of a whole path. Windows takes 259; the rest is room for ` (9999)` and for programs that add an ending. */
export const LONGEST_PATH = 240
/** What Windows takes. */
const WINDOWS_PATH = 259
/** A name shorter than this says nothing any more. */
const SHORTEST_STEM = 8
const NO_FILE = -1
const segmenter = new Intl.Segmenter('en')

/**
 * The path with its longest names shortened, never an ending, so that the whole of it can be opened everywhere.
 * @param folder absolute: the folder it is below.
 * @param path safe names, the last of a file with its ending.
 * @throws {FileError} `too-deep`: the folder's own path leaves no room for names that say something.
 */
export function fitPath(folder: string, path: readonly string[]): string[] {
  // What came from a database is made safe once more: safe names stay as they are.
  const safe = path.map((name) => safeFileName(name))
  const inFolders = safe.slice(0, -1)
  // While it is written, the file has a passing name in the same folder.
  const folders = fitted(inFolders, WINDOWS_PATH - folder.length - 1 - PASSING_NAME_LENGTH, NO_FILE)
  const whole = [...folders, ...safe.slice(-1)]
  return fitted(whole, LONGEST_PATH - folder.length, whole.length - 1)
}

/** @param file the index of the file, whose ending stays. */
function fitted(names: readonly string[], room: number, file: number): string[] {
  const left = room - names.length
  if (lengthOf(names) <= left) return [...names]
  const least = names.map((name, index) => SHORTEST_STEM + (index === file ? endingOf(name).length : 0))
  const unitsAt = (limit: number, index: number) => Math.max(limit, least[index] ?? 0)
  for (let limit = Math.max(0, ...names.map(({ length }) => length)) - 1; limit >= SHORTEST_STEM; limit--) {
    const length = names.reduce((sum, name, index) => sum + Math.min(name.length, unitsAt(limit, index)), 0)
    if (length > left) continue
    const shorter = names.map((name, index) => shortened(name, unitsAt(limit, index), index === file))
    if (lengthOf(shorter) <= left) return shorter
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

function endingOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot) : ''
}

function lengthOf(names: readonly string[]): number {
  return names.reduce((length, name) => length + name.length, 0)
}
