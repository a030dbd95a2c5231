/**
 * The files that staff opens for one turn, and of these the one that the person gives to the page. Only regular files that were
 * seen when staff opened them are offered; what is given is read once, by its descriptor, into a private copy under the same
 * name, which ends with the turn. The page never learns where the file was, and neither does any log.
 */
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { OfferedFile } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'

/** In bytes. What a signing service takes is smaller, as a rule; it says so itself. */
export const LARGEST_FILE = 25 * 1024 * 1024
const MOST_FILES = 200
/** So many entries of a folder are looked at. */
const MOST_LOOKED_AT = 5000
const CHUNK = 256 * 1024
// Windows has neither of them: there the look before says that it is no link, and the one after that it is the same file.
const UNFOLLOWED = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

interface Seen extends Pick<Stats, 'dev' | 'ino' | 'size' | 'mtimeMs'> {
  id: string
  name: string
  path: string
}

/** What staff chose, as the system's dialog answered: files, or one folder. */
export type Opened = { files: readonly string[] } | { folder: string }

export class TurnFiles {
  /** Where copies are made: a folder of ours in which nothing else is. */
  readonly #place: string
  #seen: Seen[] = []
  #isOpen = false
  #mayHaveCopies = false
  /** Counts the turns: what is under way in an earlier one comes to nothing. */
  #turn = 0
  #copying: Promise<unknown> = Promise.resolve()

  constructor(place: string) {
    this.#place = place
  }

  /** Whether staff has opened any in this turn. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /**
   * Takes the place of what was opened before. Links, hidden and empty files, and files that are too large are left out. Answers
   * whether it is open: not where the turn was over first.
   */
  async open(opened: Opened): Promise<boolean> {
    const turn = this.#turn
    const paths = 'files' in opened ? opened.files : await pathsIn(opened.folder)
    const seen: Seen[] = []
    for (const path of paths) {
      const found = seen.length < MOST_FILES ? await seenAt(path) : undefined
      if (found) seen.push(found)
    }
    if (turn !== this.#turn) return false
    this.#seen = seen
    this.#isOpen = true
    return true
  }

  /** Those that a page takes, by the words of its `accept`. */
  offered(accept: readonly string[]): OfferedFile[] {
    return this.#seen
      .filter(({ name }) => isTaken(name, accept))
      .map(({ id, name, size }) => ({ id, name, bytes: size }))
  }

  /**
   * Copies one of them into a private folder of its own, and answers the copy's path.
   * @throws AppFailure `gone` where it isn't offered, `bad-file` where it is no longer what was offered or can't be read.
   */
  copy(id: string): Promise<string> {
    const copying = this.#copy(id, this.#turn)
    this.#copying = copying.catch(() => {})
    return copying
  }

  /** The turn is over: nothing is offered any more, and every copy is removed. Answers whether none is left. */
  async wipe(): Promise<boolean> {
    this.#turn++
    this.#seen = []
    this.#isOpen = false
    if (!this.#mayHaveCopies) return true
    await this.#copying
    try {
      await fs.rm(this.#place, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
      this.#mayHaveCopies = false
      return true
    } catch {
      return false
    }
  }

  async #copy(id: string, turn: number): Promise<string> {
    const seen = this.#seen.find((one) => one.id === id)
    if (!seen) return fail('gone', 'This file is no longer offered.')
    const folder = join(this.#place, randomUUID())
    this.#mayHaveCopies = true
    try {
      await fs.mkdir(folder, { recursive: true, mode: 0o700 })
      const copy = join(folder, seen.name)
      await copied(seen, copy)
      if (turn === this.#turn) return copy
    } catch {
      // What the system says of it may name where it is.
    }
    await fs.rm(folder, { recursive: true, force: true }).catch(() => {})
    return fail('bad-file', 'This file can’t be used: it was changed, moved, or can’t be read.', {
      next: 'Choose another file, or ask staff.'
    })
  }
}

/** The files directly in a folder, by name. Hidden ones, and what systems put there for themselves, are not for anyone. */
async function pathsIn(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true })
  return entries
    .slice(0, MOST_LOOKED_AT)
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))
    .sort((one, other) => basename(one).localeCompare(basename(other), 'en', { numeric: true }))
}

const HIDDEN = /^(\.|~\$|desktop\.ini$|thumbs\.db$)/i

/** Undefined where it isn't a regular file that may be offered. A link isn't one, whatever it leads to. */
async function seenAt(path: string): Promise<Seen | undefined> {
  const name = basename(path)
  if (HIDDEN.test(name)) return undefined
  try {
    const { dev, ino, size, mtimeMs, ...stats } = await fs.lstat(path)
    if (!isRegular(stats.mode) || size === 0 || size > LARGEST_FILE) return undefined
    return { id: randomUUID(), name, path, dev, ino, size, mtimeMs }
  } catch {
    return undefined
  }
}

const isRegular = (mode: number) => (mode & constants.S_IFMT) === constants.S_IFREG

function isSame({ dev, ino, size, mtimeMs, mode }: Stats, seen: Seen): boolean {
  const isAsLarge = size === seen.size && mtimeMs === seen.mtimeMs
  return isRegular(mode) && dev === seen.dev && ino === seen.ino && isAsLarge
}

/** @throws where it isn't, or doesn't stay, what was seen. */
async function copied(seen: Seen, to: string): Promise<void> {
  await using from = await fs.open(seen.path, UNFOLLOWED)
  if (!isSame(await from.stat(), seen)) throw new Error('It is another file.')
  await using copy = await fs.open(to, 'wx', 0o600)
  let read = 0
  while (read <= seen.size) {
    const { bytesRead, buffer } = await from.read(new Uint8Array(CHUNK), 0, CHUNK, read)
    if (bytesRead === 0) break
    // A disk that is nearly full takes a part, and says no more of it.
    const { bytesWritten } = await copy.write(buffer, 0, bytesRead)
    if (bytesWritten !== bytesRead) throw new Error('The disk is full.')
    read += bytesRead
  }
  if (read !== seen.size || !isSame(await from.stat(), seen)) throw new Error('It changed while it was read.')
}

/** What an `accept` of a whole family stands for. Others go by their extension, which is also what browsers go by. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
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

function isTaken(name: string, accept: readonly string[]): boolean {
  if (accept.length === 0 || accept.includes('*/*')) return true
  const extension = extname(name).slice(1).toLowerCase()
  return accept.some((word) => {
    if (word.startsWith('.')) return word.slice(1) === extension
    return FAMILIES[word]?.includes(extension) ?? word.split('/')[1] === extension
  })
}
