/**
 * What can't be opened is put out of the way under a name of its own, whole, and never over anything else, so that
 * someone who knows more can open it later.
 */
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { flushFolder } from './atomic-file.ts'
import { FileError, fileErrorOf } from './file-error.ts'
import type { Files } from './files.ts'

const HIGHEST_NUMBER = 999

/**
 * Moves files that belong together into a new folder beside them.
 *
 * @param names the files' names; those that aren't there are passed over. The one that makes the others worthless when
 *   it is missing comes first, so that being killed half-way leaves a state that is recognised at the next start.
 * @returns the new folder's name: `set-aside-2026-11-21T09-30-00Z`.
 * @throws {FileError} nothing could be moved, or not all of it.
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

/** Making a folder fails when the name is taken, on every system, in one step: nothing can be overwritten. */
async function newFolder(folder: string, now: number, files: Files): Promise<string> {
  const stamp = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  for (let number = 1; number <= HIGHEST_NUMBER; number++) {
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
    if (fileErrorOf(error)?.system !== 'ENOENT') throw error
  }
}
