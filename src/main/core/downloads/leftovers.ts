/** What writes that were killed left: found again in the folders that were used, and told from what others are writing there. */
import { createHash } from 'node:crypto'
import * as nodeFiles from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { isUnfinished } from '../storage/atomic-file.ts'
import type { FolderFiles } from '../storage/files.ts'
import { nameKey } from '../storage/same-name.ts'
import { findFolders, fitPath, kindOf } from './target-folder.ts'

const DAY = 86_400_000

/**
 * Stands in the passing names of this user of this workstation. A folder can be one of a share, where others are
 * writing just now: of theirs, only what is a day old is removed.
 */
export const MARK = createHash('sha256').update(`${hostname()}\n${homedir()}`).digest('hex').slice(0, 8)

/**
 * Removes what is left of this workstation's writes, and of others' that are a day old. To be called at start, while none
 * of our own is under way.
 * @param folder absolute: the chosen folder, which is looked in itself, too.
 * @param paths of the files that were under way, or that were asked for, as `keepFile` was given them.
 * @returns how many were removed. Never throws: what can't be removed now does no harm.
 */
export async function removeLeftovers(
  folder: string,
  paths: Iterable<readonly string[]>,
  options: { files?: FolderFiles; mark?: string; now?: number } = {}
): Promise<number> {
  const { files = nodeFiles, mark = MARK, now = Date.now() } = options
  const places = new Map<string, { folders: string[]; names: Set<string> }>([['', { folders: [], names: new Set() }]])
  for (const path of paths) {
    const fitting = fitted(folder, path)
    const folders = fitting.slice(0, -1)
    const key = folders.map(nameKey).join('/')
    const place = places.get(key) ?? { folders, names: new Set<string>() }
    places.set(key, place)
    place.names.add(nameKey(fitting.at(-1) ?? ''))
  }
  let removed = 0
  for (const { folders, names } of places.values()) {
    const found = await findFolders(files, folder, folders)
    if (found) removed += await clear(files, join(folder, ...found), names, { mark, now })
  }
  return removed
}

async function clear(
  files: FolderFiles,
  place: string,
  names: ReadonlySet<string>,
  { mark, now }: { mark: string; now: number }
): Promise<number> {
  const there = await files.readdir(place).catch(() => [])
  const wasKilled = there.some((name) => isUnfinished(name, mark))
  let removed = 0
  for (const name of there) {
    const isPart = isUnfinished(name)
    // On a disk without links an empty file holds the name for a moment, while the whole one is still beside it.
    const mayHoldName = wasKilled && (names.has(nameKey(name)) || names.has(unnumbered(name)))
    if (!isPart && !mayHoldName) continue
    const path = join(place, name)
    const kind = await kindOf(files, path).catch(() => undefined)
    if (!kind?.isFile()) continue
    const isOver = isPart ? isUnfinished(name, mark) || now - kind.mtimeMs > DAY : kind.size === 0
    if (isOver && (await unlinked(files, path))) removed += 1
  }
  return removed
}

async function unlinked(files: FolderFiles, path: string): Promise<boolean> {
  return await files.unlink(path).then(
    () => true,
    () => false
  )
}

/** The key of the name before it had a number. */
function unnumbered(name: string): string {
  return nameKey(name).replace(/ \(\d{1,4}\)(?=\.[^.]*$)/, '')
}

function fitted(folder: string, path: readonly string[]): string[] {
  try {
    return fitPath(folder, path)
  } catch {
    // In a folder that deep nothing was ever written.
    return []
  }
}
