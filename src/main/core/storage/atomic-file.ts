/**
 * Atomic file writes: a file is written under a temporary name in the same folder, flushed, and only then renamed, so
 * that it is either there in full or not at all. An existing file is replaced only if the caller asks for it.
 */
import { randomBytes } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileError, fileErrorOf, withFileErrors } from './file-error.ts'
import type { Files, OpenFile } from './files.ts'
import { numberedName } from './safe-name.ts'

export interface AtomicOptions {
  /**
   * What to do if the name is taken: `refuse` (error `exists`, the default), `replace` it, or `number` the new one:
   * `name (2).pdf`.
   */
  readonly ifExists?: 'refuse' | 'replace' | 'number'
  /** File permissions, where the system has them. By default, only the user may read it. */
  readonly mode?: number
  readonly files?: Files
  readonly random?: (bytes: number) => Uint8Array
  /** Eight hexadecimal digits in the temporary name, which identify this writer's leftovers. */
  readonly mark?: string
}

export interface WrittenFile {
  /** Its path; differs from the requested one only with `number`. */
  readonly path: string
  readonly bytes: number
}

export type FileContent = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

const TEMPORARY_NAME = /^\.countersign-(?<mark>[0-9a-f]{8})[0-9a-f]{8}\.part$/
export const TEMPORARY_NAME_LENGTH = '.countersign-0123456789abcdef.part'.length
const MAX_NUMBER = 9_999

/**
 * Writes a file atomically.
 *
 * @throws {FileError} if the file can't be written. Errors from reading `content` are passed on unchanged. Either way,
 * nothing is left behind.
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
    (temporary) => giveName(files, temporary, path, options.ifExists ?? 'refuse'),
    options
  )
  await flushFolder(dirname(path), files)
  return { path: named, bytes }
}

/**
 * Writes a file under a temporary name and calls `name` once it is complete and on disk; `name` may give it a final
 * name ({@link takeFreeName}). A file without one is removed afterwards. The new name survives a power failure only
 * after its folder is flushed ({@link flushFolder}); the caller does that, once for many files.
 *
 * @param folder where the file is written and named.
 * @throws {FileError} as {@link writeAtomically}; errors from `content` and `name` are passed on. Nothing is left
 * behind.
 */
export async function writeThenName<Named>(
  folder: string,
  content: FileContent,
  name: (temporary: string, bytes: number) => Promise<Named>,
  options: Pick<AtomicOptions, 'mode' | 'files' | 'random' | 'mark'> = {}
): Promise<{ named: Named; bytes: number }> {
  const files = options.files ?? nodeFiles
  const temporary = join(folder, temporaryName(options))
  try {
    const bytes = await writeDurably(files, temporary, content, options.mode ?? 0o600)
    return { named: await name(temporary, bytes), bytes }
  } finally {
    // If the file was hard-linked to its final name, this removes the temporary one. If that fails, both names refer to
    // the complete file.
    await files.unlink(temporary).catch(() => undefined)
  }
}

/** Returns whether a name is temporary; `mark` restricts that to one writer. */
export function isTemporaryName(name: string, mark?: string): boolean {
  const found = TEMPORARY_NAME.exec(name)?.groups?.mark
  return found !== undefined && (mark === undefined || found === mark)
}

/** Makes new names in a folder survive a power failure. Some systems (Windows) have no such call. */
export async function flushFolder(folder: string, files: Files = nodeFiles): Promise<void> {
  try {
    const handle = await files.open(folder, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // The file itself is flushed. Systems that can't flush folders keep their names safe themselves.
  }
}

function temporaryName({ mark = '', random = randomBytes }: Pick<AtomicOptions, 'mark' | 'random'>): string {
  const digits = mark + Buffer.from(random(8)).toString('hex')
  return `.countersign-${digits.slice(0, 16)}.part`
}

async function writeDurably(files: Files, path: string, content: FileContent, mode: number): Promise<number> {
  const handle = await withFileErrors(() => files.open(path, 'wx', mode))
  let bytes = 0
  try {
    for await (const chunk of chunksOf(content)) {
      bytes += chunk.byteLength
      await withFileErrors(() => writeFully(handle, chunk))
    }
    await withFileErrors(() => handle.sync())
  } finally {
    // Some network drives report only on close that there is no space.
    await withFileErrors(() => handle.close())
  }
  return bytes
}

/** Writes a whole chunk: one call may write less than it was given, as happens just before a disk is full. */
async function writeFully(handle: OpenFile, chunk: Uint8Array): Promise<void> {
  let written = 0
  while (written < chunk.byteLength) {
    const { bytesWritten } = await handle.write(chunk, written, chunk.byteLength - written)
    if (bytesWritten === 0) throw new FileError('no-space')
    written += bytesWritten
  }
}

async function giveName(
  files: Files,
  temporary: string,
  path: string,
  ifExists: 'refuse' | 'replace' | 'number'
): Promise<string> {
  if (ifExists === 'replace') {
    await replaceWith(files, temporary, path)
    return path
  }
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const candidate = number === 1 ? path : join(dirname(path), numberedName(basename(path), number))
    if (await takeFreeName(files, temporary, candidate)) return candidate
    if (ifExists === 'refuse') break
  }
  throw new FileError('exists')
}

/** Renames the complete file, replacing any existing one. @throws {FileError} */
export async function replaceWith(files: Files, temporary: string, path: string): Promise<void> {
  await withFileErrors(() => retryRename(() => files.rename(temporary, path)))
}

/**
 * Gives the complete file the wanted name if it is free; returns whether it was. The file may still have its temporary
 * name as well. Atomic: checking first and renaming afterwards would be a race.
 * @throws {FileError}
 */
export async function takeFreeName(files: Files, temporary: string, target: string): Promise<boolean> {
  try {
    await files.link(temporary, target)
    return true
  } catch (error) {
    const fileError = fileErrorOf(error)
    if (fileError?.code === 'exists') return false
    if (fileError?.code === 'no-space') throw fileError
    return await takeFreeNameWithoutLinks(files, temporary, target)
  }
}

/**
 * For drives without hard links (a USB stick's FAT): an empty file reserves the name until the complete one replaces
 * it.
 */
async function takeFreeNameWithoutLinks(files: Files, temporary: string, target: string): Promise<boolean> {
  try {
    const handle = await files.open(target, 'wx')
    await handle.close()
  } catch (error) {
    const fileError = fileErrorOf(error)
    if (fileError?.code === 'exists') return false
    throw fileError ?? error
  }
  try {
    await retryRename(() => files.rename(temporary, target))
    return true
  } catch (error) {
    await files.unlink(target).catch(() => undefined)
    throw fileErrorOf(error) ?? error
  }
}

/** Retries a rename: on Windows, virus scanners briefly hold new files open. */
async function retryRename(rename: () => Promise<void>): Promise<void> {
  for (const pause of [20, 80, 300]) {
    try {
      return await rename()
    } catch (error) {
      const system = fileErrorOf(error)?.systemCode ?? ''
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
