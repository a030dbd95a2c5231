/**
 * Copies of the database in a folder next to it, encrypted with the same key: one for each day of use, and one before
 * each schema migration. A copy gets its name only once it is complete, checked and on disk.
 */
import * as nodeFiles from 'node:fs/promises'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY } from '../lib/calendar.ts'
import { flushFolder, replaceWith } from './atomic-file.ts'
import { connectEncrypted, connectReadOnly } from './connection.ts'
import { withFileErrors } from './file-error.ts'
import { DamagedDatabaseError } from './integrity.ts'
import { openMeta, RESTORED_SECRETS } from './meta.ts'
import { versionOf } from './migrations.ts'

/** Inside the data folder. */
export const COPIES_FOLDER = 'copies'
const NAME = /^(\d{6})-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z-v(\d{1,6})(-before-update)?\.db$/
/** A copy in progress; a crash leaves it behind, and the next copy removes it. */
const UNFINISHED = 'unfinished.db'

/** How many daily copies are kept; `BEFORE_UPDATES_KEPT`: how many from before a migration. */
const DAILY_KEPT = 5
const BEFORE_UPDATES_KEPT = 2
/**
 * Maximum age of a copy, except the newest, in milliseconds. No longer than the trash keeps drafts, so that copies
 * don't retain erased drafts.
 */
const MAX_AGE = 10 * DAY

export interface Copy {
  /** File name in the folder. */
  name: string
  /** Sequence number, independent of the clock. */
  number: number
  /** Creation time in milliseconds since 1970 UTC, in whole seconds. */
  at: number
  /** How many `migrations` have been applied to it. */
  version: number
  isBeforeUpdate: boolean
}

/** Returns the copies, newest first. Empty if the folder can't be read. */
export async function copiesIn(folder: string): Promise<Copy[]> {
  const names = await readdir(join(folder, COPIES_FOLDER)).catch(() => [])
  return names.flatMap((name) => copyOf(name) ?? []).sort((one, other) => other.number - one.number)
}

function copyOf(name: string): Copy | undefined {
  const found = NAME.exec(name)
  if (!found) return undefined
  const [, number, day, hour, minute, second, version, before] = found
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(at)) return undefined
  return { name, number: Number(number), at, version: Number(version), isBeforeUpdate: before !== undefined }
}

function nameOf({ number, at, version, isBeforeUpdate }: Omit<Copy, 'name'>): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')
  return `${String(number).padStart(6, '0')}-${stamp}Z-v${version}${isBeforeUpdate ? '-before-update' : ''}.db`
}

/** Returns whether this version could use the copy: not from a newer schema, and readable with this key. */
export function isUsable(folder: string, { name, version }: Copy, key: Uint8Array, known: number): boolean {
  if (version > known) return false
  try {
    const db = connectReadOnly(join(folder, COPIES_FOLDER, name), key)
    try {
      return versionOf(db) === version
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

/**
 * Copies the database into the copies folder.
 * @param database its file name in the folder.
 * @throws DamagedDatabaseError if not every page is readable; SQLite's error; FileError. Nothing is left behind then.
 */
export async function makeCopy(
  folder: string,
  {
    database,
    key,
    now,
    isBeforeUpdate = false
  }: { database: string; key: Uint8Array; now: number; isBeforeUpdate?: boolean }
): Promise<void> {
  const copies = join(folder, COPIES_FOLDER)
  const temporary = join(copies, UNFINISHED)
  await withFileErrors(() => mkdir(copies, { recursive: true, mode: 0o700 }))
  await removeCopy(folder, UNFINISHED)
  try {
    const version = copyDatabase(join(folder, database), key, temporary)
    eraseSecrets(temporary, key)
    const file = await withFileErrors(() => open(temporary, 'r+'))
    try {
      await file.chmod(0o600).catch(() => undefined)
      await withFileErrors(() => file.sync())
    } finally {
      await file.close()
    }
    const [newest] = await copiesIn(folder)
    const name = nameOf({ number: (newest?.number ?? 0) + 1, at: now, version, isBeforeUpdate })
    await replaceWith(nodeFiles, temporary, join(copies, name))
    await flushFolder(copies)
  } catch (error) {
    await removeCopy(folder, UNFINISHED).catch(() => undefined)
    throw error
  }
}

/**
 * Copies a consistent snapshot of a database, even while it is in use, and reads every page of the copy.
 * @returns the number of migrations applied to it.
 * @throws DamagedDatabaseError; SQLite's error.
 */
export function copyDatabase(from: string, key: Uint8Array, to: string): number {
  const db = connectReadOnly(from, key)
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
  const copy = connectReadOnly(to, key)
  try {
    if (copy.pragma('quick_check(1)', { simple: true }) !== 'ok') throw new DamagedDatabaseError('The file is damaged.')
    return versionOf(copy)
  } finally {
    copy.close()
  }
}

function eraseSecrets(path: string, key: Uint8Array): void {
  const db = connectEncrypted(path, key)
  try {
    // A copy has no log next to it.
    db.pragma('journal_mode = DELETE')
    openMeta(db).erase(RESTORED_SECRETS)
  } finally {
    db.close()
  }
}

/** Removes copies that are surplus or too old. @throws FileError */
export async function removeOldCopies(folder: string, now: number): Promise<void> {
  const copies = await copiesIn(folder)
  const kept = [
    ...copies.filter(({ isBeforeUpdate }) => !isBeforeUpdate).slice(0, DAILY_KEPT),
    ...copies.filter(({ isBeforeUpdate }) => isBeforeUpdate).slice(0, BEFORE_UPDATES_KEPT)
  ]
  for (const [index, copy] of copies.entries()) {
    const isOld = index > 0 && Math.abs(now - copy.at) > MAX_AGE
    if (isOld || !kept.includes(copy)) await removeCopy(folder, copy.name)
  }
}

/** Removes a copy with the files that SQLite may keep next to it. @throws FileError */
export async function removeCopy(folder: string, name: string): Promise<void> {
  for (const end of ['', '-journal', '-wal', '-shm'])
    await withFileErrors(() => rm(join(folder, COPIES_FOLDER, `${name}${end}`), { force: true }))
}
