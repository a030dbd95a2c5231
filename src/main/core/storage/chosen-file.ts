/** Reads and writes files that a user chose in a system dialog, or that a policy names. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppFailure, fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { type FileContent, writeAtomically } from './atomic-file.ts'
import { fileErrorOf } from './file-error.ts'

/**
 * Writes the file atomically. Some systems' dialogs don't add the extension and so don't confirm overwriting the name
 * with it; in that case nothing is replaced.
 * @param path absolute; if it has the extension, the user has confirmed replacing an existing file.
 * @param ending the extension without its dot: `csv`.
 * @returns the resulting file name.
 * @throws FileError; errors from reading `content`. Nothing is left behind then.
 */
export async function writeChosen(path: string, ending: string, content: FileContent): Promise<string> {
  const hasEnding = path.toLowerCase().endsWith(`.${ending}`)
  const written = await writeAtomically(hasEnding ? path : `${path}.${ending}`, content, {
    ifExists: hasEnding ? 'replace' : 'number'
  })
  return basename(written.path)
}

/** Otherwise, opening a pipe without a writer would block one of the few threads that all file access needs. */
const NON_BLOCKING_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const MEGABYTE = 1024 * 1024

/**
 * Opens a file that a user or a policy chose, for reading. @throws AppFailure `bad-file` for a folder, pipe or device;
 * the system's error.
 */
export async function openChosen(path: string): Promise<FileHandle> {
  const file = await open(path, NON_BLOCKING_READ)
  const kind = await file.stat().catch(() => undefined)
  if (kind?.isFile()) return file
  await file.close().catch(() => undefined)
  return fail('bad-file', kind?.isDirectory() ? 'This is a folder.' : 'This isn’t a file.', { next: 'Choose a file.' })
}

/**
 * Reads a whole file.
 * @param maxBytes maximum size in bytes.
 * @param next what the user can do if it is larger.
 * @throws AppFailure `bad-file` if it isn't a file; `too-large`, after reading only enough to know; `gone`,
 * `not-allowed`, `storage`.
 */
export async function readChosen(path: string, maxBytes: number, next?: string): Promise<Buffer> {
  let file: FileHandle | undefined
  try {
    file = await openChosen(path)
    const pieces: Buffer[] = []
    let length = 0
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(MEGABYTE, maxBytes + 1 - length)))
      length += bytesRead
      pieces.push(buffer.subarray(0, bytesRead))
      if (bytesRead === 0) return Buffer.concat(pieces, length)
      if (length > maxBytes)
        fail('too-large', `This file is larger than ${Math.ceil(maxBytes / MEGABYTE)} MB.`, defined({ next }))
    }
  } catch (error) {
    if (error instanceof AppFailure) throw error
    const system = fileErrorOf(error)?.systemCode
    if (system === 'ENOENT') fail('gone', 'This file is no longer there.')
    if (system === 'EACCES' || system === 'EPERM')
      fail('not-allowed', 'You don’t have permission to read this file.', {
        next: 'Ask for access, or choose another file.'
      })
    return fail('storage', 'This file couldn’t be read because its disk failed.')
  } finally {
    await file?.close().catch(() => undefined)
  }
}
