/**
 * The files that staff opens for one turn, of which the person may give one to the page. Only regular files that were
 * there when staff opened them are offered. A file that is given is read once, through its descriptor, into a private
 * copy with the same name, which is removed when the turn ends. Neither the page nor any log learns where the file was.
 */
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { OfferedFile } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'

/** In bytes. The limit of a signing service is usually lower, and the service reports it itself. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024
const MAX_FILES = 200
/** How many entries of a folder are looked at. */
const MAX_ENTRIES = 5000
const CHUNK = 256 * 1024
// Windows has neither flag: there the check before opening finds links, and the one after it that it's still the same
// file.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

interface SeenFile extends Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'> {
  id: string
  name: string
  path: string
}

/** What staff chose in the system's dialog: files, or one folder. */
export type ChosenFiles = { files: readonly string[] } | { folder: string }

export class TurnFiles {
  /** The folder for copies: ours alone, and nothing else is in it. */
  readonly #folder: string
  #seen: SeenFile[] = []
  #isOpen = false
  #mayHaveCopies = false
  /** The number of the turn; work that began in an earlier turn has no effect. */
  #turn = 0
  #copying: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /**
   * Offers what staff opened, in place of what was offered before. Leaves out links, hidden and empty files, and files
   * that are too large. Returns false if the turn ended first.
   */
  async open(chosen: ChosenFiles): Promise<boolean> {
    const turn = this.#turn
    const paths = 'files' in chosen ? chosen.files : await pathsIn(chosen.folder)
    const seen: SeenFile[] = []
    for (const path of paths) {
      const found = seen.length < MAX_FILES ? await inspectFile(path) : undefined
      if (found) seen.push(found)
    }
    if (turn !== this.#turn) return false
    this.#seen = seen
    this.#isOpen = true
    return true
  }

  /** Returns the files that a page accepts, according to its `accept`. */
  offered(accept: readonly string[]): OfferedFile[] {
    return this.#seen
      .filter(({ name }) => isAccepted(name, accept))
      .map(({ id, name, size }) => ({ id, name, bytes: size }))
  }

  /**
   * Copies a file into a private folder of its own, and returns the copy's path.
   * @throws AppFailure `gone` if the file isn't offered, `bad-file` if it has changed since or can't be read.
   */
  copy(id: string): Promise<string> {
    const copying = this.#copy(id, this.#turn)
    this.#copying = copying.catch(() => {})
    return copying
  }

  /** Ends the turn: offers nothing any more and removes every copy. Returns whether no copy is left. */
  async wipe(): Promise<boolean> {
    this.#turn++
    this.#seen = []
    this.#isOpen = false
    if (!this.#mayHaveCopies) return true
    await this.#copying
    try {
      await fs.rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
      this.#mayHaveCopies = false
      return true
    } catch {
      return false
    }
  }

  async #copy(id: string, turn: number): Promise<string> {
    const seen = this.#seen.find((one) => one.id === id)
    if (!seen) return fail('gone', 'This file is no longer offered.')
    const folder = join(this.#folder, randomUUID())
    this.#mayHaveCopies = true
    try {
      await fs.mkdir(folder, { recursive: true, mode: 0o700 })
      const copy = join(folder, seen.name)
      await copyFile(seen, copy)
      if (turn === this.#turn) return copy
    } catch {
      // The system's error may contain the file's location.
    }
    await fs.rm(folder, { recursive: true, force: true }).catch(() => {})
    return fail('bad-file', 'This file can’t be used: it was changed, moved, or can’t be read.', {
      next: 'Choose another file, or ask staff.'
    })
  }
}

/** The files directly in a folder, by name. Hidden files and those that systems create for themselves are left out. */
async function pathsIn(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true })
  return entries
    .slice(0, MAX_ENTRIES)
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))
    .sort((one, other) => basename(one).localeCompare(basename(other), 'en', { numeric: true }))
}

const HIDDEN = /^(\.|~\$|desktop\.ini$|thumbs\.db$)/i

/** Undefined if it isn't a regular file that may be offered. Links are never offered, whatever they point to. */
async function inspectFile(path: string): Promise<SeenFile | undefined> {
  const name = basename(path)
  if (HIDDEN.test(name)) return undefined
  try {
    const { dev, ino, size, mtimeMs, ...stats } = await fs.lstat(path)
    if (!isRegular(stats.mode) || size === 0 || size > MAX_FILE_BYTES) return undefined
    return { id: randomUUID(), name, path, dev, ino, size, mtimeMs }
  } catch {
    return undefined
  }
}

const isRegular = (mode: number) => (mode & constants.S_IFMT) === constants.S_IFREG

function isUnchanged({ dev, ino, size, mtimeMs, mode }: Stats, seen: SeenFile): boolean {
  const isUnmodified = size === seen.size && mtimeMs === seen.mtimeMs
  return isRegular(mode) && dev === seen.dev && ino === seen.ino && isUnmodified
}

/** @throws if the file isn't the one that was offered, or changes while it is read. */
async function copyFile(seen: SeenFile, to: string): Promise<void> {
  await using from = await fs.open(seen.path, OPEN_FLAGS)
  if (!isUnchanged(await from.stat(), seen)) throw new Error('It is another file.')
  await using copy = await fs.open(to, 'wx', 0o600)
  let read = 0
  while (read <= seen.size) {
    const { bytesRead, buffer } = await from.read(new Uint8Array(CHUNK), 0, CHUNK, read)
    if (bytesRead === 0) break
    // A nearly full disk writes only a part, without an error.
    const { bytesWritten } = await copy.write(buffer, 0, bytesRead)
    if (bytesWritten !== bytesRead) throw new Error('The disk is full.')
    read += bytesRead
  }
  if (read !== seen.size || !isUnchanged(await from.stat(), seen)) throw new Error('It changed while it was read.')
}

/**
 * The extensions that an `accept` type stands for. Types that aren't listed are matched by extension, as browsers do.
 */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  'image/*': ['jpg', 'jpeg', 'png', 'gif', 'webp', 'bmp', 'tif', 'tiff', 'heic', 'heif', 'avif', 'svg'],
  'video/*': ['mp4', 'm4v', 'mov', 'webm', 'avi', 'mkv'],
  'audio/*': ['mp3', 'm4a', 'wav', 'ogg', 'flac', 'aac'],
  'text/*': ['txt', 'csv', 'html', 'htm', 'xml', 'md'],
  'application/msword': ['doc'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/vnd.ms-excel': ['xls'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/rtf': ['rtf'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/tiff': ['tif', 'tiff'],
  'image/svg+xml': ['svg'],
  'text/plain': ['txt']
}

function isAccepted(name: string, accept: readonly string[]): boolean {
  if (accept.length === 0 || accept.includes('*/*')) return true
  const extension = extname(name).slice(1).toLowerCase()
  return accept.some((type) => {
    if (type.startsWith('.')) return type.slice(1) === extension
    return EXTENSIONS[type]?.includes(extension) ?? type.split('/')[1] === extension
  })
}
