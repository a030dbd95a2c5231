/**
 * Changes the database's key. The change is requested while the application runs and done at the next start, before
 * anything is opened: a copy under the new key replaces the database in one step. Both keys stay available until the
 * keychain has the new one in its usual place, so that a crash at any point leaves a key that opens the whole database.
 *
 * Data set aside earlier keeps its key, which is sealed under the new one next to it. If someone puts that data back
 * together with this file, the next start opens it and changes it to the current key.
 */
import * as nodeFiles from 'node:fs/promises'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../lib/json-scanning.ts'
import { flushFolder, replaceWith, writeAtomically } from './atomic-file.ts'
import { connectEncrypted, connectReadOnly, KEY_BYTES, rawKey } from './connection.ts'
import { COPIES_FOLDER } from './copies.ts'
import { faultOf, type MemoryReason, memoryReasonOf } from './database-fault.ts'
import { FileError, fileErrorOf, withFileErrors } from './file-error.ts'
import { exists, removeIfExists } from './files.ts'
import { checkWithLog } from './integrity.ts'
import { type Keychain, KeychainError, type SecretSlot } from './keychain.ts'
import { SealedKey, sealKey, unsealKey } from './sealed-key.ts'

/** Marks a requested key change until all follow-up work is done. */
const REQUEST_FILE = 'rekey.json'
const COPY_ENDING = '.rekeyed'
/** Next to data set aside before a key change: its key, sealed under the newer one. */
export const FORMER_KEY_FILE = 'former-key.json'
const FormerKeys = z.object({ version: z.literal(1), keys: z.array(SealedKey).max(20) })
/**
 * How many entries sealed under unknown keys are kept: the oldest, since leftovers of abandoned key changes come before
 * them in the file.
 */
const OTHERS_KEPT = 18
// @wc-ignore
const PURPOSE = 'Countersign former key'

type Keys = Pick<Keychain, 'databaseKey' | 'nextDatabaseKey'>

/** The outcome of a key change at this start. */
export type Rekeyed =
  | {
      state: 'done'
      /** Call once the change is in the audit trail; cleans up. Never rejects. */
      cleanUp: () => Promise<void>
    }
  /** The database still has its previous key. */
  | { state: 'given-up'; reason: MemoryReason | 'damaged' }

/**
 * Requests that the next start changes the database to this key. Don't call while a change is pending.
 * @param prepare stores what must be on disk before that, and is useless without the keychain's key.
 * @throws KeychainError; FileError; what `prepare` throws. Nothing is changed then.
 */
export async function requestKeyChange(
  folder: string,
  { nextDatabaseKey }: Keys,
  key: Uint8Array,
  prepare: () => Promise<void> = async () => undefined
): Promise<void> {
  try {
    await storeKey(nextDatabaseKey, key)
    await prepare()
    await writeAtomically(join(folder, REQUEST_FILE), '{}', { ifExists: 'replace' })
  } catch (error) {
    await nextDatabaseKey.delete().catch(() => undefined)
    throw error
  }
}

/** Returns whether a key change is pending or not fully completed. @throws FileError */
export const isKeyChangePending = (folder: string): Promise<boolean> => exists(join(folder, REQUEST_FILE), nodeFiles)

/**
 * Performs a pending key change, if any.
 * @param name the database's file name in the folder; it must exist.
 * @param key the key in the keychain's usual place.
 * @returns the key that now opens the database.
 * @throws KeychainError if the database already has the new key, but the keychain can't store or return it: nothing may
 * be set aside then.
 */
export async function applyKeyChange(
  folder: string,
  name: string,
  keys: Keys,
  key: Uint8Array | undefined
): Promise<{ key: Uint8Array | undefined; rekeyed?: Rekeyed }> {
  const path = join(folder, name)
  if (key) await rekeyPutBack(path, key)
  if (!(await isKeyChangePending(folder))) return { key }
  const next = keyOf(await keys.nextDatabaseKey.get())
  const hasOld = key !== undefined && canOpen(path, key)
  const giveUp = async (reason: MemoryReason | 'damaged') => {
    await clearRequest(folder, keys)
    return { key, rekeyed: { state: 'given-up', reason } as const }
  }
  if (!next) {
    if (hasOld) return giveUp('keychain-failed')
    throw new KeychainError('failed', 'The keychain no longer has the new key of the database.')
  }
  // If the usual place already has the new key, only the follow-up is left.
  if (hasOld && !Buffer.from(next).equals(key)) {
    // Done first: once the keychain only has the new key, the old one is known nowhere else.
    const reason = (await sealFormer(folder, key, next)) ?? (await rekeyByCopy(path, key, next))
    if (reason !== undefined) return giveUp(reason)
  } else if (!hasOld && !canOpen(path, next)) return { key }
  await storeKey(keys.databaseKey, next)
  // Delete copies, which the old key could still read.
  await rm(join(folder, COPIES_FOLDER), { recursive: true, force: true }).catch(() => undefined)
  return { key: next, rekeyed: { state: 'done', cleanUp: () => clearRequest(folder, keys) } }
}

/**
 * Seals the keys of all set-aside data under the next key, keeping those sealed under the current one, since the change
 * may yet be abandoned. Returns the reason if it fails.
 */
async function sealFormer(folder: string, key: Uint8Array, next: Uint8Array): Promise<MemoryReason | undefined> {
  try {
    for (const aside of await readdir(folder)) {
      const database = join(folder, aside, 'countersign.db')
      if (!aside.startsWith('set-aside-') || !(await exists(database, nodeFiles))) continue
      const path = join(folder, aside, FORMER_KEY_FILE)
      const kept = await readFormerKeys(path)
      // Damaged data may not open with any key; the current one is the most likely if there is no other.
      const own = formerKey(kept, key) ?? (kept.length === 0 || canOpen(database, key) ? key : undefined)
      // Sealed under a key that the keychain has lost; that key may come back from an old keychain.
      if (!own) continue
      const isOf = (secret: Uint8Array) => (one: SealedKey) => unsealKey(secret, one, PURPOSE) !== undefined
      const others = kept.filter((one) => !isOf(key)(one) && !isOf(next)(one))
      const keys = [sealKey(next, own, PURPOSE), ...kept.filter(isOf(key)).slice(0, 1), ...others.slice(-OTHERS_KEPT)]
      await writeAtomically(path, JSON.stringify({ version: 1, keys }), { ifExists: 'replace' })
    }
    return undefined
  } catch (error) {
    return memoryReasonOf(fileErrorOf(error)?.code)
  }
}

/**
 * Changes data that was set aside under an earlier key, and that someone has put back, to the current key.
 * @throws FileError if that isn't possible now; nothing is changed then. Damaged data stays as it is.
 */
async function rekeyPutBack(path: string, key: Uint8Array): Promise<void> {
  const file = join(path, '..', FORMER_KEY_FILE)
  const kept = await readFormerKeys(file)
  if (kept.length === 0) return
  if (!canOpen(path, key)) {
    const own = formerKey(kept, key)
    const reason = own && canOpen(path, own) ? await rekeyByCopy(path, own, key) : 'damaged'
    if (reason === 'damaged') return
    if (reason !== undefined) throw new FileError(reason === 'no-space' || reason === 'not-writable' ? reason : 'other')
  }
  await removeIfExists(file, nodeFiles)
}

const formerKey = (kept: readonly SealedKey[], key: Uint8Array) =>
  kept.map((one) => unsealKey(key, one, PURPOSE)).find((own) => own !== undefined)

/** Empty if there's no such file, or it isn't ours. @throws FileError */
async function readFormerKeys(path: string): Promise<readonly SealedKey[]> {
  const text = await withFileErrors(() => readFile(path, 'utf8')).catch((error: unknown) => {
    if (fileErrorOf(error)?.systemCode === 'ENOENT') return ''
    throw error
  })
  return FormerKeys.safeParse(parsedJson(text)).data?.keys ?? []
}

/**
 * Replaces the database with a copy under the next key. Returns the reason if it fails; then the database is unchanged.
 */
async function rekeyByCopy(
  path: string,
  key: Uint8Array,
  next: Uint8Array
): Promise<MemoryReason | 'damaged' | undefined> {
  const copy = `${path}${COPY_ENDING}`
  try {
    await removeIfExists(copy, nodeFiles)
    await checkWithLog(path, () => connectReadOnly(path, key))
    const db = connectEncrypted(path, key)
    try {
      db.prepare('VACUUM INTO ?').run(copy)
      // The copy includes the log; a log mustn't remain next to the copy.
      db.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
    rekey(copy, key, next)
    const file = await open(copy, 'r+')
    await file.chmod(0o600).catch(() => undefined)
    await file.sync().finally(() => file.close())
    for (const end of ['-wal', '-shm']) await removeIfExists(`${path}${end}`, nodeFiles)
    await replaceWith(nodeFiles, copy, path)
    await flushFolder(join(path, '..'))
    return undefined
  } catch (error) {
    await removeIfExists(copy, nodeFiles).catch(() => undefined)
    const fault = faultOf(error)
    return fault.kind === 'file' ? 'damaged' : fault.because
  }
}

/** Changes a copy's key. @throws if not every page is intact. */
function rekey(path: string, key: Uint8Array, next: Uint8Array): void {
  const db = connectEncrypted(path, key)
  try {
    // SQLite can't change a key in WAL mode.
    db.pragma('journal_mode = DELETE')
    db.rekey(rawKey(next))
  } finally {
    db.close()
  }
  const reopened = connectReadOnly(path, next)
  try {
    if (reopened.pragma('integrity_check(1)', { simple: true }) !== 'ok')
      throw Object.assign(new Error(), { code: 'SQLITE_CORRUPT' })
  } finally {
    reopened.close()
  }
}

/**
 * Returns whether this key opens the database. @throws errors that aren't the key's fault: a full disk, another
 * program.
 */
export function canOpen(path: string, key: Uint8Array): boolean {
  try {
    const db = connectReadOnly(path, key)
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get()
      return true
    } finally {
      db.close()
    }
  } catch (error) {
    if (faultOf(error).kind === 'file') return false
    throw error
  }
}

/** Never rejects. A request must never stay without its key: the next start would report it as given up. */
async function clearRequest(folder: string, { nextDatabaseKey }: Keys): Promise<void> {
  try {
    await removeIfExists(join(folder, REQUEST_FILE), nodeFiles)
    await flushFolder(folder)
    await nextDatabaseKey.delete()
  } catch {
    // A request that stays is cleared by the next start; a key without a request is replaced by the next one.
  }
}

/**
 * Stores a key and reads it back: without its key, the database would be lost at the next start. @throws KeychainError.
 */
export async function storeKey(slot: SecretSlot, key: Uint8Array): Promise<void> {
  const text = Buffer.from(key).toString('hex')
  await slot.set(text)
  if ((await slot.get()) !== text) throw new KeychainError('failed', 'The keychain did not keep the key.')
}

/** Parses a key; undefined if the text can't be one. */
export function keyOf(text: string | null): Uint8Array | undefined {
  const isKey = text !== null && new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`).test(text)
  return isKey ? Buffer.from(text, 'hex') : undefined
}
