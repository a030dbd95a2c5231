/**
 * The folders that drop folders make in a watched one. Anyone who may write there may put a link in their place: each is looked at
 * just before and after something is put in it.
 */
import type { Stats } from 'node:fs'
import * as fs from 'node:fs/promises'
import { join, relative } from 'node:path'

const DAY = 86_400_000
/** What writing a report leaves where it is killed. */
const UNFINISHED = /^\.countersign-[0-9a-f]{16}\.part$/

/** Whether the folder is there as such; a link in its place doesn't count. */
export async function isFolder(path: string): Promise<boolean> {
  return (await statOf(path))?.isDirectory() ?? false
}

/** Makes a folder of ours in `place` where there is none. @throws where something else is in its place, a link for one. */
export async function ensureFolder(place: string, folder: string): Promise<void> {
  await fs.mkdir(join(place, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await insist(place, folder)
}

/** @throws where the folder isn't in `place` itself. */
export async function insist(place: string, folder: string): Promise<void> {
  if (!(await isIn(place, folder))) throw notAFolder()
}

/** Whether a folder of this name is in `place` itself: nothing leads from there to elsewhere. */
export async function isIn(place: string, folder: string): Promise<boolean> {
  const path = join(place, folder)
  if (!(await isFolder(path))) return false
  try {
    const between = relative(await fs.realpath(place), await fs.realpath(path))
    // Where disks take capitals for small letters, the name is as anyone who made the folder wrote it.
    return between.toLowerCase() === folder.toLowerCase()
  } catch {
    return false
  }
}

/** Removes what a run that was killed left of its reports a day ago; what is younger another workstation may be writing. */
export async function removeUnfinishedReports(place: string, folder: string, now: number): Promise<void> {
  if (!(await isIn(place, folder))) return
  for (const name of await fs.readdir(join(place, folder)).catch(() => [])) {
    if (!UNFINISHED.test(name)) continue
    const stats = await statOf(join(place, folder, name)).catch(() => undefined)
    if (stats?.isFile() && now - stats.mtimeMs > DAY) await fs.unlink(join(place, folder, name)).catch(() => undefined)
  }
}

/** Undefined where there is nothing. @throws where that can't be told. */
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
