/**
 * Copies of the database in a folder beside it, encrypted with its key: one of each day of use, and one from before each update of its
 * tables. A copy has its name only once it is whole, checked and on the disk.
 */
import * as nodeFiles from 'node:fs/promises'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY } from '../lib/calendar.ts'
import { flushFolder, replaceWith } from './atomic-file.ts'
import { connectToLook } from './connection.ts'
import { filed } from './file-error.ts'
import { DamagedDatabaseError } from './integrity.ts'
import { versionOf } from './migrations.ts'

/** Inside the data folder. */
export const COPIES_FOLDER = 'copies'
const NAME = /^(\d{6})-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z-v(\d{1,6})(-before-update)?\.db$/
/** What is being made; a kill leaves it, and the next one removes it. */
const UNFINISHED = 'unfinished.db'

/** So many of those of each day are kept, and of those from before an update. */
const DAILY_KEPT = 5
const BEFORE_UPDATES_KEPT = 2
/** The newest apart, none is older: a draft that went to the trash and was erased is in none. In milliseconds, as few as the trash keeps. */
const OLDEST = 10 * DAY

export interface Copy {
  /** Of the file in the folder. */
  name: string
  /** In which order they were made, whatever the clock said. */
  number: number
  /** When it was made, in milliseconds since 1970 UTC, by whole seconds. */
  at: number
  /** How many steps of `migrations` it has. */
  version: number
  isBeforeUpdate: boolean
}

/** Newest first. None where the folder can’t be read. */
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

/** Whether this version of the application could go on from it: of its tables or earlier ones, under this key. */
export function isUsable(folder: string, { name, version }: Copy, key: Uint8Array, known: number): boolean {
  if (version > known) return false
  try {
    const db = connectToLook(join(folder, COPIES_FOLDER, name), key)
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
 * @param name of the database’s file in the folder.
 * @throws DamagedDatabaseError where not every page of it can be read; SQLite’s error; FileError. Nothing is left behind then.
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
  const passing = join(copies, UNFINISHED)
  await filed(() => mkdir(copies, { recursive: true, mode: 0o700 }))
  await removeCopy(folder, UNFINISHED)
  try {
    const version = copyDatabase(join(folder, database), key, passing)
    const file = await filed(() => open(passing, 'r+'))
    try {
      await file.chmod(0o600).catch(() => undefined)
      await filed(() => file.sync())
    } finally {
      await file.close()
    }
    const [newest] = await copiesIn(folder)
    const name = nameOf({ number: (newest?.number ?? 0) + 1, at: now, version, isBeforeUpdate })
    await replaceWith(nodeFiles, passing, join(copies, name))
    await flushFolder(copies)
  } catch (error) {
    await removeCopy(folder, UNFINISHED).catch(() => undefined)
    throw error
  }
}

/**
 * Copies a database as it is at one moment, also while it is written to, and reads every page of the copy.
 * @returns how many steps of its migrations it has.
 * @throws DamagedDatabaseError; SQLite’s error.
 */
export function copyDatabase(from: string, key: Uint8Array, to: string): number {
  const db = connectToLook(from, key)
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
  const look = connectToLook(to, key)
  try {
    if (look.pragma('quick_check(1)', { simple: true }) !== 'ok') throw new DamagedDatabaseError('The file is damaged.')
    return versionOf(look)
  } finally {
    look.close()
  }
}

/** Removes those that are too many or too old. @throws FileError */
export async function removeOldCopies(folder: string, now: number): Promise<void> {
  const copies = await copiesIn(folder)
  const kept = [
    ...copies.filter(({ isBeforeUpdate }) => !isBeforeUpdate).slice(0, DAILY_KEPT),
    ...copies.filter(({ isBeforeUpdate }) => isBeforeUpdate).slice(0, BEFORE_UPDATES_KEPT)
  ]
  for (const [index, copy] of copies.entries()) {
    const isOld = index > 0 && Math.abs(now - copy.at) > OLDEST
    if (isOld || !kept.includes(copy)) await removeCopy(folder, copy.name)
  }
}

/** With what SQLite may have beside it. @throws FileError */
export async function removeCopy(folder: string, name: string): Promise<void> {
  for (const end of ['', '-journal', '-wal', '-shm'])
    await filed(() => rm(join(folder, COPIES_FOLDER, `${name}${end}`), { force: true }))
}
