/** Files that a person chose in the system's dialog, or that a policy names: where one goes, and how one is read. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppFailure, fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { type FileContent, writeAtomically } from './atomic-file.ts'
import { fileErrorOf } from './file-error.ts'

/**
 * Writes it, whole or not at all. Some systems' dialogs leave the ending to us; they asked nobody about the name with it,
 * so nothing is replaced there.
 * @param path absolute; where it has the ending, the person was asked whether a file of that name may be replaced.
 * @param ending without its dot: `csv`.
 * @returns the name it has now.
 * @throws FileError; what `content` throws while it is read. Nothing is left behind then.
 */
export async function writeWhereChosen(path: string, ending: string, content: FileContent): Promise<string> {
  const hasEnding = path.toLowerCase().endsWith(`.${ending}`)
  const written = await writeAtomically(hasEnding ? path : `${path}.${ending}`, content, {
    ifExists: hasEnding ? 'replace' : 'number'
  })
  return basename(written.path)
}

/** A pipe that nobody writes to would be waited for, by one of the few threads that all reading and writing needs. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
const MEGABYTE = 1024 * 1024

/** Opens a file to be read that a person or a policy names. @throws AppFailure `bad-file`: a folder, a pipe or a device; the system's error. */
export async function openChosen(path: string): Promise<FileHandle> {
  const file = await open(path, WITHOUT_WAITING)
  const kind = await file.stat().catch(() => undefined)
  if (kind?.isFile()) return file
  await file.close().catch(() => undefined)
  return fail('bad-file', kind?.isDirectory() ? 'This is a folder.' : 'This isn’t a file.', { next: 'Choose a file.' })
}

/**
 * All of a file.
 * @param most bytes.
 * @param next what a person can do about one that is larger.
 * @throws AppFailure `bad-file`: no file; `too-large`, of which no more is read than shows it; `gone`, `not-allowed`, `storage`.
 */
export async function readChosen(path: string, most: number, next?: string): Promise<Buffer> {
  let file: FileHandle | undefined
  try {
    file = await openChosen(path)
    const pieces: Buffer[] = []
    let length = 0
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(MEGABYTE, most + 1 - length)))
      length += bytesRead
      pieces.push(buffer.subarray(0, bytesRead))
      if (bytesRead === 0) return Buffer.concat(pieces, length)
      if (length > most)
        fail('too-large', `This file is larger than ${Math.ceil(most / MEGABYTE)} MB.`, defined({ next }))
    }
  } catch (error) {
    if (error instanceof AppFailure) throw error
    const system = fileErrorOf(error)?.system
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
