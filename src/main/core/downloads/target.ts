/**
 * Saves a fetched file in the chosen folder: it is complete under its name, or it isn't there. It never replaces
 * another file; if the same content already has its name, nothing is written.
 */
import { createHash } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { endingOf } from '../../../shared/file-endings.ts'
import { inTurn } from '../lib/slices.ts'
import { takeFreeName, writeThenName } from '../storage/atomic-file.ts'
import { FileError } from '../storage/file-error.ts'
import type { FolderFiles } from '../storage/files.ts'
import { numberedName } from '../storage/safe-name.ts'
import { nameKey } from '../storage/same-name.ts'
import { checkFile, type Expected } from './file-check.ts'
import { WORKSTATION_MARK } from './leftovers.ts'
import type { FolderCache } from './target-folder.ts'
import {
  assertInside,
  findFolders,
  fitPath,
  isInside,
  kindOf,
  type MadeFolders,
  makeFolders,
  namesIn,
  rootOf
} from './target-folder.ts'

/** A saved file, complete and flushed, under its final name. The name is durable once its folder is flushed, too. */
export interface SavedFile {
  /** Below the chosen folder, as the names are on disk. */
  path: string[]
  bytes: number
  /** Hexadecimal digits. */
  sha256: string
  /** The same content was there already, so nothing was written. */
  wasThere: boolean
}

export interface SaveOptions {
  /**
   * Whether a file below the folder is known to be another document's. Then the same content is written again with a
   * number, so that each document has its own file.
   */
  belongsToOther?: (path: readonly string[]) => boolean
  /** Whether to create the chosen folder itself if it is missing: for the default one that no one chose. */
  makesFolder?: boolean
  /** A cache of folders that many files are saved to. Without it, everything is read each time. */
  folderCache?: FolderCache
  /**
   * Called with what identifies the file, and its name before any number, before it gets a name; not if the same
   * content was there already. If this throws, the file doesn't get a name.
   */
  beforeNaming?: (mine: Expected, path: readonly string[]) => void | Promise<void>
  /** See {@link WORKSTATION_MARK}. */
  mark?: string
  files?: FolderFiles
  random?: (bytes: number) => Uint8Array
}

const MAX_NUMBER = 9_999

/**
 * Writes a file below a folder, creating the folders on its path.
 * @param folder absolute.
 * @param path as from `relativePath`. Names may get shortened, numbered, or take the case of existing ones.
 * @param content is read to its end; its errors are passed on. It isn't touched if the folder can't be used.
 * @throws {FileError} also `away`, `outside`, `too-deep`. No file is left behind then.
 */
export async function saveFile(
  folder: string,
  path: readonly string[],
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | string,
  options: SaveOptions = {}
): Promise<SavedFile> {
  const files = options.files ?? nodeFiles
  const fitting = fitPath(folder, path)
  const name = fitting.at(-1) ?? ''
  const { folderCache } = options
  const make = () => makeFolders(files, folder, fitting.slice(0, -1), options.makesFolder ?? false)
  const { root, folders } = await (folderCache
    ? makeOrReuse(files, folderCache, folder, fitting.slice(0, -1), make)
    : make())
  const targetFolder = join(folder, ...folders)
  const hashed = hashing(content)
  try {
    const { named, bytes } = await writeThenName(
      targetFolder,
      hashed.chunks,
      (temporary, bytes) =>
        inTurn(`file ${targetFolder}/${nameKey(name)}`, async () => {
          // The folder may have been replaced by a link during the write.
          await assertInside(files, root, targetFolder)
          const mine = { bytes, sha256: hashed.sha256() }
          const isOurs = (found: string) => !options.belongsToOther?.([...folders, found])
          const beforeNaming = async () => options.beforeNaming?.(mine, [...folders, name])
          const seen = folderCache
          return await giveName({ files, seen, beforeNaming }, targetFolder, name, temporary, mine, isOurs)
        }),
      { files, mark: options.mark ?? WORKSTATION_MARK, ...(options.random && { random: options.random }) }
    )
    return { path: [...folders, named.name], bytes, sha256: hashed.sha256(), wasThere: named.wasThere }
  } catch (error) {
    folderCache?.forget()
    // During a write, a stick that was pulled out looks like any disk error.
    if (error instanceof FileError) await rootOf(files, folder)
    throw error
  }
}

/**
 * Finds a file that was being given its name when an earlier run ended, if it has that name.
 * @param path as for `saveFile`.
 * @throws {FileError}
 */
export async function findSavedFile(
  folder: string,
  path: readonly string[],
  mine: Expected,
  { belongsToOther, files = nodeFiles }: Pick<SaveOptions, 'belongsToOther' | 'files'> = {}
): Promise<SavedFile | undefined> {
  const fitting = fitPath(folder, path)
  const name = fitting.at(-1) ?? ''
  const folders = await findFolders(files, folder, fitting.slice(0, -1))
  if (!folders) return undefined
  const targetFolder = join(folder, ...folders)
  for (const found of numbersTaken(await namesIn(files, targetFolder, stemOf(name)), name).values()) {
    if (belongsToOther?.([...folders, found]) || (await checkFile(join(targetFolder, found), mine)) !== 'intact')
      continue
    return { path: [...folders, found], ...mine, wasThere: false }
  }
  return undefined
}

/** Returns where a folder was a moment ago, if it is still there. */
async function makeOrReuse(
  files: FolderFiles,
  folderCache: FolderCache,
  folder: string,
  path: readonly string[],
  make: () => Promise<MadeFolders>
): Promise<MadeFolders> {
  const known = await folderCache.madeFolders(folder, path, make)
  const targetFolder = join(folder, ...known.folders)
  const isThere = (await kindOf(files, targetFolder))?.isDirectory() ?? false
  // A folder above it may have been replaced by a link since; nothing may be written behind that, not even under a
  // temporary name.
  if (isThere && (await isInside(files, known.root, targetFolder))) return known
  folderCache.forget()
  return await folderCache.madeFolders(folder, path, make)
}

interface NamingResult {
  name: string
  wasThere: boolean
}

/** Finds the content under its name or a numbered one, or else gives it the first free one. */
async function giveName(
  {
    files,
    seen: folderCache,
    beforeNaming
  }: { files: FolderFiles; seen: FolderCache | undefined; beforeNaming: () => Promise<void> },
  targetFolder: string,
  name: string,
  temporary: string,
  mine: Expected,
  isOurs: (found: string) => boolean
): Promise<NamingResult> {
  const refused = new Set<number>()
  for (;;) {
    const readTaken = async () => numbersTaken(await namesIn(files, targetFolder, stemOf(name), folderCache), name)
    let taken = await readTaken()
    // A cached file may be gone.
    if (taken.size > 0 && folderCache) {
      folderCache.forget()
      taken = await readTaken()
    }
    for (const found of taken.values()) {
      if (!isOurs(found)) continue
      if ((await checkFile(join(targetFolder, found), mine)) === 'intact') return { name: found, wasThere: true }
    }
    const number = firstFree((one) => taken.has(one) || refused.has(one))
    const wanted = number === 1 ? name : numberedName(name, number)
    await beforeNaming()
    if (await takeFreeName(files, temporary, join(targetFolder, wanted))) {
      folderCache?.addName(targetFolder, wanted)
      return { name: wanted, wasThere: false }
    }
    folderCache?.forget()
    // Someone else took it first; or the system considers it equal to a name that looks different, and then it stays
    // refused.
    refused.add(number)
  }
}

const stemOf = (name: string) => name.slice(0, name.length - endingOf(name).length)

/** Returns the existing names of a file and its numbered forms, by number. */
function numbersTaken(names: ReadonlyMap<string, string>, name: string): Map<number, string> {
  const key = nameKey(name)
  const begin = `${stemOf(key)} (`
  const end = `)${endingOf(key)}`
  const taken = new Map<number, string>()
  for (const [found, actual] of names) {
    if (found === key) taken.set(1, actual)
    if (!found.startsWith(begin) || !found.endsWith(end)) continue
    const digits = found.slice(begin.length, -end.length)
    if (/^[1-9]\d{0,3}$/.test(digits) && digits !== '1') taken.set(Number(digits), actual)
  }
  return taken
}

function firstFree(isTaken: (number: number) => boolean): number {
  for (let number = 1; number <= MAX_NUMBER; number++) if (!isTaken(number)) return number
  throw new FileError('exists')
}

/** Passes the content on, computing its SHA-256 on the way. */
function hashing(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | string) {
  const hash = createHash('sha256')
  let digits: string | undefined
  async function* chunks(): AsyncIterable<Uint8Array> {
    const pieces = typeof content === 'string' ? [Buffer.from(content, 'utf8')] : content
    for await (const piece of pieces) {
      hash.update(piece)
      yield piece
    }
  }
  /** Call it once all content has passed. */
  const sha256 = () => {
    digits ??= hash.digest('hex')
    return digits
  }
  return { chunks: chunks(), sha256 }
}
