/**
 * A file is there whole and on the disk, or it isn't there: written under a passing name beside its place, flushed, and
 * only then given its name. What stands there already is replaced only where the caller asked for it.
 */
import { randomBytes } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileError, filed, fileErrorOf } from './file-error.ts'
import type { Files, OpenFile } from './files.ts'
import { numberedName } from './safe-name.ts'

export interface AtomicOptions {
  /**
   * What to do when the name is taken: `refuse` (code `exists`), `replace` it, or `number` the new one:
   * `name (2).pdf`. Refusing is the default.
   */
  readonly ifExists?: 'refuse' | 'replace' | 'number'
  /** The file's permissions where the system has them. Only the user may read it, unless told otherwise. */
  readonly mode?: number
  readonly files?: Files
  readonly random?: (bytes: number) => Uint8Array
  /** Eight hexadecimal digits in the passing name, by which what this writer leaves can be told from others'. */
  readonly mark?: string
}

export interface WrittenFile {
  /** Where it is now; another name than asked for only with `number`. */
  readonly path: string
  readonly bytes: number
}

export type FileContent = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

const UNFINISHED = /^\.countersign-(?<mark>[0-9a-f]{8})[0-9a-f]{8}\.part$/
/** Characters of the name that a file has while it is written. */
export const PASSING_NAME_LENGTH = '.countersign-0123456789abcdef.part'.length
const HIGHEST_NUMBER = 9_999

/**
 * Writes a file in one step.
 *
 * @throws {FileError} the file could not be written. What `content` throws while it is read is passed on as it is.
 *   Either way nothing is left behind.
 */
export async function writeAtomically(
  path: string,
  content: FileContent,
  options: AtomicOptions = {}
): Promise<WrittenFile> {
  const files = options.files ?? nodeFiles
  const { named, bytes } = await writeThenName(
    dirname(path),
    content,
    (passing) => giveName(files, passing, path, options.ifExists ?? 'refuse'),
    options
  )
  await flushFolder(dirname(path), files)
  return { path: named, bytes }
}

/**
 * Writes a file under a passing name, and has `name` decide what becomes of it once it is whole and on the disk: it may give
 * it a name ({@link tookFreeName}). A file that has none then is removed. The name outlasts a loss of power once its folder is
 * flushed ({@link flushFolder}), which is the caller's to do: once for many files, where many are written.
 *
 * @param folder where it is written, and named.
 * @throws {FileError} as {@link writeAtomically}; what `content` and `name` throw is passed on. Nothing is left behind.
 */
export async function writeThenName<Named>(
  folder: string,
  content: FileContent,
  name: (passing: string, bytes: number) => Promise<Named>,
  options: Pick<AtomicOptions, 'mode' | 'files' | 'random' | 'mark'> = {}
): Promise<{ named: Named; bytes: number }> {
  const files = options.files ?? nodeFiles
  const passing = join(folder, passingName(options))
  try {
    const bytes = await writeDurably(files, passing, content, options.mode ?? 0o600)
    return { named: await name(passing, bytes), bytes }
  } finally {
    // Where it was linked to its name, this takes the other name from it. One that stays does no harm: it is whole under both.
    await files.unlink(passing).catch(() => undefined)
  }
}

/** Whether a name is one that a file has while it is written; `mark` is the writer's, where it has one. */
export function isUnfinished(name: string, mark?: string): boolean {
  const found = UNFINISHED.exec(name)?.groups?.mark
  return found !== undefined && (mark === undefined || found === mark)
}

/** Makes a new name in a folder last through a loss of power. Some systems (Windows) have no such call. */
export async function flushFolder(folder: string, files: Files = nodeFiles): Promise<void> {
  try {
    const handle = await files.open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // The file itself is flushed; where folders can't be, the system keeps its names by itself.
  }
}

function passingName({ mark = '', random = randomBytes }: Pick<AtomicOptions, 'mark' | 'random'>): string {
  const digits = mark + Buffer.from(random(8)).toString('hex')
  return `.countersign-${digits.slice(0, 16)}.part`
}

async function writeDurably(files: Files, path: string, content: FileContent, mode: number): Promise<number> {
  const handle = await filed(() => files.open(path, 'wx', mode))
  let bytes = 0
  try {
    for await (const chunk of chunksOf(content)) {
      bytes += chunk.byteLength
      await filed(() => writeWhole(handle, chunk))
    }
    await filed(() => handle.sync())
  } finally {
    // Some network disks say only here that there was no room.
    await filed(() => handle.close())
  }
  return bytes
}

/** One call may write less than it was given, as it does just before a disk is full. */
async function writeWhole(handle: OpenFile, chunk: Uint8Array): Promise<void> {
  let written = 0
  while (written < chunk.byteLength) {
    const { bytesWritten } = await handle.write(chunk, written, chunk.byteLength - written)
    if (bytesWritten === 0) throw new FileError('no-space')
    written += bytesWritten
  }
}

async function giveName(
  files: Files,
  passing: string,
  path: string,
  ifExists: 'refuse' | 'replace' | 'number'
): Promise<string> {
  if (ifExists === 'replace') {
    await replaceWith(files, passing, path)
    return path
  }
  for (let number = 1; number <= HIGHEST_NUMBER; number++) {
    const wanted = number === 1 ? path : join(dirname(path), numberedName(basename(path), number))
    if (await tookFreeName(files, passing, wanted)) return wanted
    if (ifExists === 'refuse') break
  }
  throw new FileError('exists')
}

/** Gives the whole file its name, and what had it is gone. @throws {FileError} */
export async function replaceWith(files: Files, passing: string, path: string): Promise<void> {
  await filed(() => patiently(() => files.rename(passing, path)))
}

/**
 * True when the name was free and is now the whole file's, which may still have its passing one as well. Asking first and
 * renaming then would let another file slip between.
 * @throws {FileError}
 */
export async function tookFreeName(files: Files, passing: string, wanted: string): Promise<boolean> {
  try {
    await files.link(passing, wanted)
    return true
  } catch (error) {
    const trouble = fileErrorOf(error)
    if (trouble?.code === 'exists') return false
    if (trouble?.code === 'no-space') throw trouble
    return await tookFreeNameWithoutLinks(files, passing, wanted)
  }
}

/** For disks without hard links (a USB stick's FAT): an empty file holds the name until the whole one takes its place. */
async function tookFreeNameWithoutLinks(files: Files, passing: string, wanted: string): Promise<boolean> {
  try {
    const handle = await files.open(wanted, 'wx')
    await handle.close()
  } catch (error) {
    const trouble = fileErrorOf(error)
    if (trouble?.code === 'exists') return false
    throw trouble ?? error
  }
  try {
    await patiently(() => files.rename(passing, wanted))
    return true
  } catch (error) {
    await files.unlink(wanted).catch(() => undefined)
    throw fileErrorOf(error) ?? error
  }
}

/** Virus scanners hold a new file open for a moment on Windows, and a rename is then refused. */
async function patiently(rename: () => Promise<void>): Promise<void> {
  for (const pause of [20, 80, 300]) {
    try {
      return await rename()
    } catch (error) {
      const system = fileErrorOf(error)?.system ?? ''
      if (!['EPERM', 'EACCES', 'EBUSY'].includes(system)) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  await rename()
}

function chunksOf(content: FileContent): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  if (typeof content === 'string') return [Buffer.from(content, 'utf8')]
  return content instanceof Uint8Array ? [content] : content
}
