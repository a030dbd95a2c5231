/** Finds and removes leftovers of killed writes, and tells them from files that others are writing. */
import { createHash } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { endingOf } from '../../../shared/file-endings.ts'
import { DAY } from '../lib/calendar.ts'
import { isTemporaryName } from '../storage/atomic-file.ts'
import type { FolderFiles } from '../storage/files.ts'
import { nameKey } from '../storage/same-name.ts'
import { findFolders, fitPath, kindOf } from './target-folder.ts'

/**
 * Part of the temporary names used by this user of this workstation. In a folder on a share, others may be writing:
 * their files are only removed when a day old.
 */
export const WORKSTATION_MARK = createHash('sha256').update(`${hostname()}\n${homedir()}`).digest('hex').slice(0, 8)

/**
 * Removes leftovers of this workstation's writes, and of others' that are a day old. Call it at the start, before any
 * of our own writes.
 * @param folder absolute: the chosen folder, which is searched, too.
 * @param paths of the files that were in progress, or were requested, as given to `saveFile`.
 * @returns how many were removed. Never throws: leftovers that can't be removed now do no harm.
 */
export async function removeLeftovers(
  folder: string,
  paths: Iterable<readonly string[]>,
  options: { files?: FolderFiles; mark?: string; now?: number } = {}
): Promise<number> {
  const { files = nodeFiles, mark = WORKSTATION_MARK, now = Date.now() } = options
  const places = new Map<string, { folders: string[]; names: Set<string> }>([['', { folders: [], names: new Set() }]])
  for (const path of paths) {
    const fitting = fitOrEmpty(folder, path)
    const folders = fitting.slice(0, -1)
    const key = folders.map(nameKey).join('/')
    const place = places.get(key) ?? { folders, names: new Set<string>() }
    places.set(key, place)
    place.names.add(nameKey(fitting.at(-1) ?? ''))
  }
  let removed = 0
  for (const { folders, names } of places.values()) {
    const found = await findFolders(files, folder, folders)
    if (found) removed += await clearFolder(files, join(folder, ...found), names, { mark, now })
  }
  return removed
}

async function clearFolder(
  files: FolderFiles,
  place: string,
  names: ReadonlySet<string>,
  { mark, now }: { mark: string; now: number }
): Promise<number> {
  const there = await files.readdir(place).catch(() => [])
  const wasKilled = there.some((name) => isTemporaryName(name, mark))
  let removed = 0
  for (const name of there) {
    const isPart = isTemporaryName(name)
    // On a disk without hard links, an empty file holds the name briefly while the complete file is still next to it.
    const mayHoldName = wasKilled && (names.has(nameKey(name)) || names.has(unnumbered(name)))
    if (!isPart && !mayHoldName) continue
    const path = join(place, name)
    const kind = await kindOf(files, path).catch(() => undefined)
    if (!kind?.isFile()) continue
    const isAbandoned = isPart ? isTemporaryName(name, mark) || now - kind.mtimeMs > DAY : kind.size === 0
    if (isAbandoned && (await tryUnlink(files, path))) removed += 1
  }
  return removed
}

async function tryUnlink(files: FolderFiles, path: string): Promise<boolean> {
  return await files.unlink(path).then(
    () => true,
    () => false
  )
}

/** Returns the key of a name without its number. */
function unnumbered(name: string): string {
  const key = nameKey(name)
  const ending = endingOf(key)
  return key.slice(0, key.length - ending.length).replace(/ \(\d{1,4}\)$/, '') + ending
}

function fitOrEmpty(folder: string, path: readonly string[]): string[] {
  try {
    return fitPath(folder, path)
  } catch {
    // Nothing was ever written in a folder that deep.
    return []
  }
}
