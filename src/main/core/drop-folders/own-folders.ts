/**
 * The folders that we create in a watched folder. Anyone with write access there may replace them with a link, so each
 * is checked just before and after something is put in it.
 */
import type { Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { join, relative } from 'node:path'

const DAY = 86_400_000
/** Temporary files left by writing a report, if the process is killed. */
const UNFINISHED = /^\.countersign-[0-9a-f]{16}\.part$/

/** Returns whether there is a folder; a link to one doesn't count. */
export async function isFolder(path: string): Promise<boolean> {
  return (await statOf(path))?.isDirectory() ?? false
}

/** Creates a folder of ours in `place` if there is none. @throws if something else is there, such as a link. */
export async function ensureFolder(place: string, folder: string): Promise<void> {
  await fs.mkdir(join(place, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await assertOwnFolder(place, folder)
}

/** @throws if the folder isn't directly in `place`. */
export async function assertOwnFolder(place: string, folder: string): Promise<void> {
  if (!(await isDirectlyIn(place, folder))) throw notAFolder()
}

/** Returns whether a folder of this name is directly in `place`, and not a link to elsewhere. */
export async function isDirectlyIn(place: string, folder: string): Promise<boolean> {
  const path = join(place, folder)
  if (!(await isFolder(path))) return false
  try {
    const relativePath = relative(await fs.realpath(place), await fs.realpath(path))
    // On a case-insensitive disk, the name has the case in which someone created it.
    return relativePath.toLowerCase() === folder.toLowerCase()
  } catch {
    return false
  }
}

/** Removes a killed run's unfinished reports after a day; another workstation may be writing newer ones. */
export async function removeUnfinishedReports(place: string, folder: string, now: number): Promise<void> {
  if (!(await isDirectlyIn(place, folder))) return
  for (const name of await fs.readdir(join(place, folder)).catch(() => [])) {
    if (!UNFINISHED.test(name)) continue
    const stats = await statOf(join(place, folder, name)).catch(() => undefined)
    if (stats?.isFile() && now - stats.mtimeMs > DAY) await fs.unlink(join(place, folder, name)).catch(() => undefined)
  }
}

/** Returns undefined if nothing is there. @throws if that can't be determined. */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await fs.lstat(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

export function notAFolder(): Error {
  return Object.assign(new Error('Not a folder.'), { code: 'ENOTDIR', syscall: 'mkdir' })
}
