/**
 * Opens the encrypted main database. Always returns a working database, with whether it is persistent, and whether an
 * earlier file was set aside. A file is set aside only if it is at fault. It stays untouched if the keychain is locked
 * or has lost its key, the disk is full, or another program uses the file; and also if it is a newer version's
 * database, or a copy of it is usable.
 */
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { SetAsideReason } from '../../../shared/contract/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { flushFolder, writeAtomically } from './atomic-file.ts'
import type { Db } from './connection.ts'
import { connectEncrypted, connectInMemory, connectReadOnly, KEY_BYTES } from './connection.ts'
import { COPIES_FOLDER, copiesIn, isUsable, makeCopy } from './copies.ts'
import type { DatabaseFault, MemoryReason } from './database-fault.ts'
import { faultOf } from './database-fault.ts'
import { fileErrorOf } from './file-error.ts'
import { type Files, removeIfExists } from './files.ts'
import { checkIntegrity, checkWithLog } from './integrity.ts'
import type { Keychain } from './keychain.ts'
import { openMeta } from './meta.ts'
import { type Migration, migrate, migrations, NewerSchemaError, versionOf } from './migrations.ts'
import { applyKeyChange, FORMER_KEY_FILE, keyOf, type Rekeyed, storeKey } from './rekey.ts'
import { markOf } from './sealed-key.ts'
import { setAside } from './set-aside.ts'

export const DATABASE_FILE = 'countersign.db'
/** Data read from the service; see documents/mirror. */
export const DOCUMENTS_FILE = 'documents.db'
/** The database's key, sealed under recovery keys; see backup/recovery-keys.ts. */
export const RECOVERY_FILE = 'recovery.json'
const Marks = z.object({ keys: z.array(z.object({ opens: z.string() })) })
const INCOMPLETE_FILE = 'countersign.db.begun'
/** Meta key for the application version that last used the database, so that an older one can name it. */
const USED_BY = 'used-by'

interface SetAside {
  /** The folder inside the data folder that now contains the file. */
  readonly name: string
  readonly reason: SetAsideReason
}

export type OpenedDatabase =
  | { readonly db: Db; readonly state: 'encrypted'; readonly setAside?: SetAside; readonly rekeyed?: Rekeyed }
  | {
      readonly db: Db
      readonly state: 'memory'
      readonly because: MemoryReason
      /**
       * Whether an earlier run's database, or remains of one, is still there unchanged; false for a new installation.
       */
      readonly hasData: boolean
      /** The newer application version that last used it, if readable. */
      readonly usedBy?: string
      readonly setAside?: SetAside
    }

export interface DatabaseOptions {
  /** The application's data folder; created if missing. */
  readonly folder: string
  readonly keychain: Keychain
  /** Returns unpredictable bytes (`randomBytes` from `node:crypto`). */
  readonly random: (bytes: number) => Uint8Array
  /** Milliseconds since 1970 (`Date.now`). */
  readonly clock: () => number
  /** The application's version, such as `1.2.0`. Stored in the database that it opens. */
  readonly version?: string
  /**
   * The database's key, instead of the keychain's. In that case, nothing is set aside or created, and no key change is
   * completed.
   */
  readonly key?: Uint8Array
  readonly files?: Files
  readonly connect?: (path: string, key: Uint8Array) => Db
  /** The steps that this version knows. Tests of an update add one. */
  readonly steps?: readonly Migration[]
}

type Parts = Required<Omit<DatabaseOptions, 'version' | 'key'>> & Pick<DatabaseOptions, 'version' | 'key'>

/** Opens the database. Never rejects because of the disk, the file or the keychain: see {@link OpenedDatabase}. */
export async function openDatabase(options: DatabaseOptions): Promise<OpenedDatabase> {
  const parts: Parts = { files: nodeFiles, connect: connectEncrypted, steps: migrations, ...options }
  if (options.keychain.keeps === 'in-memory') return inMemory('no-keychain', parts)
  let moved: SetAside | undefined
  try {
    await prepare(parts)
    if (parts.key) return await openWithKey(parts.key, parts)
    const own = keyOf(await parts.keychain.databaseKey.get())
    const found = await findFiles(parts)
    const { key: currentKey, rekeyed } =
      found === 'database' ? await applyKeyChange(parts.folder, DATABASE_FILE, parts.keychain, own) : { key: own }
    let key = currentKey
    // The key may come back: with an older keychain, from paper, or in a backup.
    if (key === undefined && found === 'database') return inMemory('key-missing', parts)
    const opened = key !== undefined && found === 'database' ? await openExisting(parts, key) : undefined
    // A key that this file's recovery keys don't match says nothing about it, as when the folder was copied from elsewhere.
    if (key !== undefined && opened?.reason === 'unreadable' && (await belongsToOtherKey(parts.folder, key)))
      return inMemory('key-missing', parts)
    if (opened?.db !== undefined) return { db: opened.db, state: 'encrypted', ...(rekeyed && { rekeyed }) }

    if (found !== 'nothing') {
      const reason = opened?.reason ?? (found === 'emptied' ? 'damaged' : 'incomplete')
      if (reason === 'upgrade-failed') return inMemory(reason, parts)
      if (reason === 'newer-version') return inMemory(reason, parts, { usedBy: usedBy(parts.folder, key) })
      // There is a usable copy; the user decides which to restore.
      if (key !== undefined && (await hasCopy(parts, key))) return inMemory('damaged', parts)
      const names = [...filesOf(DATABASE_FILE), RECOVERY_FILE, FORMER_KEY_FILE, COPIES_FOLDER]
      moved = { name: await setAside(parts.folder, names, parts.clock(), parts.files), reason }
    }
    // Reuse an existing key, so that it still opens what was set aside.
    key ??= await newKey(parts)
    return { db: await createDatabase(parts, key), state: 'encrypted', ...(moved && { setAside: moved }) }
  } catch (error) {
    const fault = faultOf(error)
    return inMemory(await reasonOfFault(fault, parts), parts, { moved })
  }
}

async function openWithKey(key: Uint8Array, parts: Parts): Promise<OpenedDatabase> {
  const opened =
    (await findFiles(parts)) === 'database' ? await openExisting(parts, key) : { reason: 'incomplete' as const }
  if (opened.db) return { db: opened.db, state: 'encrypted' }
  const { reason } = opened
  if (reason === 'newer-version') return inMemory(reason, parts, { usedBy: usedBy(parts.folder, key) })
  return inMemory(reason === 'upgrade-failed' ? reason : 'damaged', parts)
}

type Existing = { readonly db: Db; readonly reason?: never } | { readonly db?: never; readonly reason: SetAsideReason }

/** Opens an existing file. @throws if the file isn't at fault. */
async function openExisting(parts: Parts, key: Uint8Array): Promise<Existing> {
  const path = join(parts.folder, DATABASE_FILE)
  let db: Db | undefined
  try {
    await checkWithLog(path, () => connectReadOnly(path, key))
    const found = inspect(path, key, versionOf)
    // Checked before opening for writing: a newer version's data stays unchanged.
    if (found > parts.steps.length) throw new NewerSchemaError(found, parts.steps.length)
    if (found < parts.steps.length) {
      const order = { database: DATABASE_FILE, key, now: parts.clock(), isBeforeUpdate: true }
      await makeCopy(parts.folder, order)
    }
    db = parts.connect(path, key)
    migrate(db, parts.steps)
    checkIntegrity(db)
    // A read-only file opens normally; this is the first statement that it rejects.
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

function inspect<Answer>(path: string, key: Uint8Array, read: (db: Db) => Answer): Answer {
  const db = connectReadOnly(path, key)
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/** The version that last used the database; undefined if unknown. */
function usedBy(folder: string, key: Uint8Array | undefined): string | undefined {
  if (key === undefined) return undefined
  try {
    return inspect(join(folder, DATABASE_FILE), key, (db) => openMeta(db).read(USED_BY))?.slice(0, 40)
  } catch {
    // A newer version may have other tables.
    return undefined
  }
}

/** Whether recovery keys exist for the database in the folder, and none is for this key. */
async function belongsToOtherKey(folder: string, key: Uint8Array): Promise<boolean> {
  const text = await nodeFiles.readFile(join(folder, RECOVERY_FILE), 'utf8').catch(() => '')
  const marks = Marks.safeParse(parsedJson(text)).data?.keys ?? []
  return marks.length > 0 && marks.every(({ opens }) => opens !== markOf(key))
}

async function hasCopy({ folder, steps }: Parts, key: Uint8Array): Promise<boolean> {
  return (await copiesIn(folder)).some((copy) => isUsable(folder, copy, key, steps.length))
}

/**
 * Creates a new database under a temporary name first: a file with the real name has been complete once, so an empty
 * one can't be mistaken for one that was just created.
 */
async function createDatabase(parts: Parts, key: Uint8Array): Promise<Db> {
  const incomplete = join(parts.folder, INCOMPLETE_FILE)
  const path = join(parts.folder, DATABASE_FILE)
  const handle = await parts.files.open(incomplete, 'wx', 0o600)
  await handle.close()
  const db = parts.connect(incomplete, key)
  try {
    migrate(db, parts.steps)
    if (parts.version !== undefined) openMeta(db).write(USED_BY, parts.version)
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
  await parts.files.rename(incomplete, path)
  await flushFolder(parts.folder, parts.files)
  return parts.connect(path, key)
}

async function prepare({ folder, files }: Parts): Promise<void> {
  await files.mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of filesOf(INCOMPLETE_FILE)) await removeIfExists(join(folder, name), files)
}

/**
 * Returns the key for a restored database: the keychain's, or a new one. `keep` has the keychain keep it, and returns
 * what erases a new one again; undefined if the keychain has another key by then, which opens other data.
 * @throws KeychainError
 */
export async function keyForRestoring({ keychain, random }: Pick<Parts, 'keychain' | 'random'>): Promise<{
  key: Uint8Array
  keep: () => Promise<(() => Promise<void>) | undefined>
}> {
  const key = (await storedKey(keychain)) ?? random(KEY_BYTES)
  async function keep() {
    const current = await storedKey(keychain)
    if (current) return Buffer.from(current).equals(key) ? async () => undefined : undefined
    await storeKey(keychain.databaseKey, key)
    return () => keychain.databaseKey.delete()
  }
  return { key, keep }
}

/** Returns the key, or undefined if the keychain holds no valid one. */
export async function storedKey(keychain: Pick<Keychain, 'databaseKey'>): Promise<Uint8Array | undefined> {
  return keyOf(await keychain.databaseKey.get())
}

async function newKey({ keychain, random }: Pick<Parts, 'keychain' | 'random'>): Promise<Uint8Array> {
  const key = random(KEY_BYTES)
  await storeKey(keychain.databaseKey, key)
  return key
}

async function findFiles({ folder, files }: Parts): Promise<'nothing' | 'database' | 'emptied' | 'remains'> {
  const bytes = await sizeOf(join(folder, DATABASE_FILE), files)
  // SQLite would treat an empty file as new and silently initialise it.
  if (bytes !== undefined) return bytes === 0 ? 'emptied' : 'database'
  // Creating a new database next to an old log would delete the log.
  return (await sizeOf(join(folder, `${DATABASE_FILE}-wal`), files)) === undefined ? 'nothing' : 'remains'
}

async function reasonOfFault(fault: DatabaseFault, { folder, files, random }: Parts): Promise<MemoryReason> {
  if (fault.kind === 'file') return 'disk-failed'
  if (fault.because !== 'disk-failed') return fault.because
  return (await writeTrouble(folder, files, random)) ?? 'disk-failed'
}

/** SQLite reports some full disks as "I/O error"; writing as much as it needs at first tells them apart. */
async function writeTrouble(
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
    await removeIfExists(trial, files).catch(() => undefined)
  }
}

async function inMemory(
  because: MemoryReason,
  parts: Parts,
  { moved, usedBy }: { moved?: SetAside | undefined; usedBy?: string | undefined } = {}
): Promise<OpenedDatabase> {
  const db = connectInMemory()
  migrate(db, parts.steps)
  // An unreadable folder can't be assumed to be empty.
  const hasData = await findFiles(parts).then(
    (found) => found !== 'nothing',
    (error: unknown) => fileErrorOf(error)?.systemCode !== 'ENOTDIR'
  )
  return { db, state: 'memory', because, hasData, ...(moved && { setAside: moved }), ...(usedBy && { usedBy }) }
}

/**
 * Sets aside a database that can't be opened, with its copies, at the user's request, so that the next start creates a
 * new one. Don't call while it is open.
 * @returns the name of the folder that now contains it.
 * @throws {FileError}
 */
export function setDatabaseAside(folder: string, now: number): Promise<string> {
  const names = [...filesOf(DATABASE_FILE), ...filesOf(DOCUMENTS_FILE), RECOVERY_FILE, FORMER_KEY_FILE, COPIES_FOLDER]
  return setAside(folder, names, now)
}

function filesOf(name: string): string[] {
  return [name, `${name}-wal`, `${name}-shm`]
}

/** A file's size in bytes; undefined if it doesn't exist. */
async function sizeOf(path: string, files: Files): Promise<number | undefined> {
  try {
    return (await files.lstat(path)).size
  } catch (error) {
    if (fileErrorOf(error)?.systemCode === 'ENOENT') return undefined
    throw error
  }
}
