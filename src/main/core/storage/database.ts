/**
 * Opens the one encrypted database. The answer is always a database that works; it says whether what is written stays,
 * and whether an earlier file had to be set aside. A file is set aside only when it is the file that is at fault: a
 * keychain that is shut or lost its key, a full disk or another program using it leave it where it is, untouched; so do a newer version's
 * database, and one of which there is a copy to go on from.
 */
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { SetAsideReason } from '../../../shared/contract/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { flushFolder, writeAtomically } from './atomic-file.ts'
import type { Db } from './connection.ts'
import { connectEncrypted, connectInMemory, connectToLook, KEY_BYTES } from './connection.ts'
import { COPIES_FOLDER, copiesIn, isUsable, makeCopy } from './copies.ts'
import type { DatabaseFault, MemoryReason } from './database-fault.ts'
import { faultOf } from './database-fault.ts'
import { fileErrorOf } from './file-error.ts'
import { type Files, removeIfThere } from './files.ts'
import { checkWholeness, checkWithLog } from './integrity.ts'
import type { Keychain } from './keychain.ts'
import { openMeta } from './meta.ts'
import { migrate, migrations, NewerSchemaError, versionOf } from './migrations.ts'
import { FORMER_KEY_FILE, keepIn, keyOf, type Rekeyed, settleKey } from './rekey.ts'
import { markOf } from './sealed-key.ts'
import { setAside } from './set-aside.ts'

export const DATABASE_FILE = 'countersign.db'
/** What was read from the service; see documents/mirror. */
export const DOCUMENTS_FILE = 'documents.db'
/** The database's key, under recovery keys; see backup/recovery.ts. */
export const RECOVERY_FILE = 'recovery.json'
const Marks = z.object({ keys: z.array(z.object({ opens: z.string() })) })
const BEGUN_FILE = 'countersign.db.begun'
/** Which version of the application used the database last, so that an older one can name it. */
const USED_BY = 'used-by'

interface SetAside {
  /** The folder inside the data folder that now holds the file. */
  readonly name: string
  readonly reason: SetAsideReason
}

export type OpenedDatabase =
  | { readonly db: Db; readonly state: 'encrypted'; readonly setAside?: SetAside; readonly rekeyed?: Rekeyed }
  | {
      readonly db: Db
      readonly state: 'memory'
      readonly because: MemoryReason
      /** A database of an earlier run, or what is left of one, is there as it was: this is no new installation. */
      readonly hasData: boolean
      /** Which version of the application used it last, where a newer one did and it can be read. */
      readonly usedBy?: string
      readonly setAside?: SetAside
    }

export interface DatabaseOptions {
  /** The application's data folder; made when it isn't there. */
  readonly folder: string
  readonly keychain: Keychain
  /** Bytes that can't be guessed (`node:crypto`'s `randomBytes`). */
  readonly random: (bytes: number) => Uint8Array
  /** Milliseconds since 1970 (`Date.now`). */
  readonly clock: () => number
  /** Of the application: `1.2.0`. Remembered in the database that it opens. */
  readonly version?: string
  /** The database's key, where it isn't to be asked of the keychain. Nothing is set aside or begun then, and no other key settled. */
  readonly key?: Uint8Array
  readonly files?: Files
  readonly connect?: (path: string, key: Uint8Array) => Db
}

type Parts = Required<Omit<DatabaseOptions, 'version' | 'key'>> & Pick<DatabaseOptions, 'version' | 'key'>

/** Never rejects for anything that is wrong with the disk, the file or the keychain: see {@link OpenedDatabase}. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenedDatabase> {
  const parts: Parts = { files: nodeFiles, connect: connectEncrypted, ...options }
  if (options.keychain.keeps === 'in-memory') return inMemory('no-keychain', parts)
  let moved: SetAside | undefined
  try {
    await prepare(parts)
    if (parts.key) return await openBy(parts.key, parts)
    const own = keyOf(await parts.keychain.databaseKey.get())
    const found = await lookForFiles(parts)
    const { key: settled, rekeyed } =
      found === 'database' ? await settleKey(parts.folder, DATABASE_FILE, parts.keychain, own) : { key: own }
    let key = settled ?? (await sharedKey(parts.keychain))
    // Its key may come back: with the keychain of yesterday, from paper, or in a backup.
    if (key === undefined && found === 'database') return inMemory('key-missing', parts)
    const opened = key !== undefined && found === 'database' ? await openExisting(parts, key) : undefined
    // What all had once may be another's key by now: that says nothing of this file.
    if (settled === undefined && opened?.reason === 'unreadable') return inMemory('key-missing', parts)
    // Nor does one that recovery keys of this file say isn't its own, as where the folder came from elsewhere.
    if (key !== undefined && opened?.reason === 'unreadable' && (await isOfOtherKey(parts.folder, key)))
      return inMemory('key-missing', parts)
    if (key !== undefined && opened?.db !== undefined) {
      // One of its own from now on; where it can't be kept yet, the next start tries again.
      if (settled === undefined) await keepIn(parts.keychain.databaseKey, key).catch(() => undefined)
      return { db: opened.db, state: 'encrypted', ...(rekeyed && { rekeyed }) }
    }

    if (found !== 'nothing') {
      const reason = opened?.reason ?? (found === 'emptied' ? 'damaged' : 'incomplete')
      if (reason === 'upgrade-failed') return inMemory(reason, parts)
      if (reason === 'newer-version') return inMemory(reason, parts, { usedBy: usedBy(parts.folder, key) })
      // There is something to go on from: which, is for a person to say.
      if (key !== undefined && (await hasCopy(parts.folder, key))) return inMemory('damaged', parts)
      const names = [...filesOf(DATABASE_FILE), RECOVERY_FILE, FORMER_KEY_FILE, COPIES_FOLDER]
      moved = { name: await setAside(parts.folder, names, parts.clock(), parts.files), reason }
    }
    // A key that is there is used again, so that what was set aside can still be opened with it.
    key ??= await newKey(parts)
    return { db: await begin(parts, key), state: 'encrypted', ...(moved && { setAside: moved }) }
  } catch (error) {
    const fault = faultOf(error)
    return inMemory(await becauseOf(fault, parts), parts, { moved })
  }
}

async function openBy(key: Uint8Array, parts: Parts): Promise<OpenedDatabase> {
  const opened =
    (await lookForFiles(parts)) === 'database' ? await openExisting(parts, key) : { reason: 'incomplete' as const }
  if (opened.db) return { db: opened.db, state: 'encrypted' }
  const { reason } = opened
  if (reason === 'newer-version') return inMemory(reason, parts, { usedBy: usedBy(parts.folder, key) })
  return inMemory(reason === 'upgrade-failed' ? reason : 'damaged', parts)
}

type Existing = { readonly db: Db; readonly reason?: never } | { readonly db?: never; readonly reason: SetAsideReason }

/** @throws when it isn't the file that is at fault. */
async function openExisting(parts: Parts, key: Uint8Array): Promise<Existing> {
  const path = join(parts.folder, DATABASE_FILE)
  let db: Db | undefined
  try {
    await checkWithLog(path, () => connectToLook(path, key))
    const found = lookAt(path, key, versionOf)
    // Before anything is opened for writing: what a newer version wrote stays as it is.
    if (found > migrations.length) throw new NewerSchemaError(found, migrations.length)
    if (found < migrations.length) {
      const order = { database: DATABASE_FILE, key, now: parts.clock(), isBeforeUpdate: true }
      await makeCopy(parts.folder, order)
    }
    db = parts.connect(path, key)
    migrate(db)
    checkWholeness(db)
    // A file that may only be read opens well enough; this is the first thing that it refuses.
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    const meta = openMeta(db)
    if (parts.version !== undefined && meta.read(USED_BY) !== parts.version) meta.write(USED_BY, parts.version)
    return { db }
  } catch (error) {
    db?.close()
    const fault = faultOf(error)
    if (fault.kind === 'file') return { reason: fault.reason }
    throw error
  }
}

function lookAt<Answer>(path: string, key: Uint8Array, look: (db: Db) => Answer): Answer {
  const db = connectToLook(path, key)
  try {
    return look(db)
  } finally {
    db.close()
  }
}

/** Undefined where it isn't known. */
function usedBy(folder: string, key: Uint8Array | undefined): string | undefined {
  if (key === undefined) return undefined
  try {
    return lookAt(join(folder, DATABASE_FILE), key, (db) => openMeta(db).read(USED_BY))?.slice(0, 40)
  } catch {
    // Its tables may be others by then.
    return undefined
  }
}

/** Whether recovery keys were made for the database in the folder, and none of them for this key. */
async function isOfOtherKey(folder: string, key: Uint8Array): Promise<boolean> {
  const text = await nodeFiles.readFile(join(folder, RECOVERY_FILE), 'utf8').catch(() => '')
  const marks = Marks.safeParse(parsedJson(text)).data?.keys ?? []
  return marks.length > 0 && marks.every(({ opens }) => opens !== markOf(key))
}

async function hasCopy(folder: string, key: Uint8Array): Promise<boolean> {
  return (await copiesIn(folder)).some((copy) => isUsable(folder, copy, key, migrations.length))
}

/**
 * Makes a new database under a passing name first: a file that bears the real name has been whole once, so that an
 * empty one can never be taken for one that was just begun.
 */
async function begin(parts: Parts, key: Uint8Array): Promise<Db> {
  const begun = join(parts.folder, BEGUN_FILE)
  const path = join(parts.folder, DATABASE_FILE)
  const handle = await parts.files.open(begun, 'wx', 0o600)
  await handle.close()
  const db = parts.connect(begun, key)
  try {
    migrate(db)
    if (parts.version !== undefined) openMeta(db).write(USED_BY, parts.version)
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
  await parts.files.rename(begun, path)
  await flushFolder(parts.folder, parts.files)
  return parts.connect(path, key)
}

async function prepare({ folder, files }: Parts): Promise<void> {
  await files.mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of filesOf(BEGUN_FILE)) await removeIfThere(join(folder, name), files)
}

/** The key that a restored database gets: that of the keychain, or one that isn't kept yet. @throws KeychainError */
export async function keyForRestoring({
  keychain,
  random
}: Pick<Parts, 'keychain' | 'random'>): Promise<{ key: Uint8Array; keep: () => Promise<unknown> }> {
  const key = await storedKey(keychain)
  if (key) return { key, keep: async () => undefined }
  const made = random(KEY_BYTES)
  return { key: made, keep: () => newKey({ keychain, random: () => made }) }
}

/** The key, or undefined if the keychain holds none that could ever have opened a database. */
export async function storedKey(keychain: KeyPlaces): Promise<Uint8Array | undefined> {
  return keyOf(await keychain.databaseKey.get()) ?? (await sharedKey(keychain))
}

export type KeyPlaces = Pick<Keychain, 'databaseKey' | 'sharedDatabaseKey'>

async function sharedKey({ sharedDatabaseKey }: Pick<Keychain, 'sharedDatabaseKey'>): Promise<Uint8Array | undefined> {
  return keyOf((await sharedDatabaseKey?.get()) ?? null)
}

async function newKey({ keychain, random }: Pick<Parts, 'keychain' | 'random'>): Promise<Uint8Array> {
  const key = random(KEY_BYTES)
  await keepIn(keychain.databaseKey, key)
  return key
}

async function lookForFiles({ folder, files }: Parts): Promise<'nothing' | 'database' | 'emptied' | 'remains'> {
  const bytes = await sizeOf(join(folder, DATABASE_FILE), files)
  // SQLite would take a file without content for a new one, and begin it again without a word.
  if (bytes !== undefined) return bytes === 0 ? 'emptied' : 'database'
  // Opening a new database beside an old log would delete the log.
  return (await sizeOf(join(folder, `${DATABASE_FILE}-wal`), files)) === undefined ? 'nothing' : 'remains'
}

async function becauseOf(fault: DatabaseFault, { folder, files, random }: Parts): Promise<MemoryReason> {
  if (fault.kind === 'file') return 'disk-failed'
  if (fault.because !== 'disk-failed') return fault.because
  return (await spaceTrouble(folder, files, random)) ?? 'disk-failed'
}

/** SQLite says "I/O error" for some full disks: writing as much as it needs to begin tells. */
async function spaceTrouble(
  folder: string,
  files: Files,
  random: (bytes: number) => Uint8Array
): Promise<MemoryReason | undefined> {
  const trial = join(folder, '.countersign-trial')
  try {
    await writeAtomically(trial, new Uint8Array(64 * 1024), { ifExists: 'replace', files, random })
    return undefined
  } catch (error) {
    const code = fileErrorOf(error)?.code
    return code === 'no-space' || code === 'not-writable' ? code : undefined
  } finally {
    await removeIfThere(trial, files).catch(() => undefined)
  }
}

async function inMemory(
  because: MemoryReason,
  parts: Parts,
  { moved, usedBy }: { moved?: SetAside | undefined; usedBy?: string | undefined } = {}
): Promise<OpenedDatabase> {
  const db = connectInMemory()
  migrate(db)
  // A folder that can't even be looked at isn't known to be empty.
  const hasData = await lookForFiles(parts).then(
    (found) => found !== 'nothing',
    (error: unknown) => fileErrorOf(error)?.system !== 'ENOTDIR'
  )
  return { db, state: 'memory', because, hasData, ...(moved && { setAside: moved }), ...(usedBy && { usedBy }) }
}

/**
 * Puts a database that can't be opened out of the way with its copies, as a person asked for, so that the next start begins a new one. Not
 * to be called while it is open.
 * @returns the name of the folder that has it now.
 * @throws {FileError}
 */
export function putDatabaseAside(folder: string, now: number): Promise<string> {
  const names = [...filesOf(DATABASE_FILE), ...filesOf(DOCUMENTS_FILE), RECOVERY_FILE, FORMER_KEY_FILE, COPIES_FOLDER]
  return setAside(folder, names, now)
}

function filesOf(name: string): string[] {
  return [name, `${name}-wal`, `${name}-shm`]
}

/** In bytes; undefined when there is no such file. */
async function sizeOf(path: string, files: Files): Promise<number | undefined> {
  try {
    return (await files.lstat(path)).size
  } catch (error) {
    if (fileErrorOf(error)?.system === 'ENOENT') return undefined
    throw error
  }
}
