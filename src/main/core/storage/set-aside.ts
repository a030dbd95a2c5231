/**
 * Moves files that can't be opened out of the way, intact and without overwriting anything, so that an expert can
 * examine them later.
 */
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { flushFolder } from './atomic-file.ts'
import { FileError, fileErrorOf } from './file-error.ts'
import type { Files } from './files.ts'

const MAX_NUMBER = 999

/**
 * Moves files that belong together into a new folder next to them.
 *
 * @param names the files' names; missing files are skipped. The file without which the others are worthless comes
 * first, so that a crash half-way leaves a state that the next start recognises.
 * @returns the new folder's name: `set-aside-2026-11-21T09-30-00Z`.
 * @throws {FileError} if not everything could be moved.
 */
export async function setAside(
  folder: string,
  names: readonly string[],
  now: number,
  files: Files = nodeFiles
): Promise<string> {
  try {
    const name = await newFolder(folder, now, files)
    for (const file of names) await move(join(folder, file), join(folder, name, file), files)
    await flushFolder(join(folder, name), files)
    await flushFolder(folder, files)
    return name
  } catch (error) {
    throw fileErrorOf(error) ?? error
  }
}

/** On every system, creating a folder fails atomically if the name is taken, so nothing can be overwritten. */
async function newFolder(folder: string, now: number, files: Files): Promise<string> {
  const stamp = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const name = number === 1 ? `set-aside-${stamp}` : `set-aside-${stamp}-${number}`
    try {
      await files.mkdir(join(folder, name), { mode: 0o700 })
      return name
    } catch (error) {
      if (fileErrorOf(error)?.code !== 'exists') throw error
    }
  }
  throw new FileError('exists')
}

async function move(from: string, to: string, files: Files): Promise<void> {
  try {
    await files.rename(from, to)
  } catch (error) {
    if (fileErrorOf(error)?.systemCode !== 'ENOENT') throw error
  }
}
