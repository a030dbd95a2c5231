/**
 * Gives the database another key. It is asked for while the application works, and done at the next start, before anything is opened:
 * a copy under the new key takes the place of the database in one step. Until the keychain has the new key in its usual place both are
 * there, so that however it is killed the database has a key that opens it, and all that was in it.
 */
import * as nodeFiles from 'node:fs/promises'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { flushFolder, replaceWith, writeAtomically } from './atomic-file.ts'
import { connectEncrypted, connectToLook, KEY_BYTES, rawKey } from './connection.ts'
import { COPIES_FOLDER } from './copies.ts'
import { faultOf, type MemoryReason } from './database-fault.ts'
import { isThere, removeIfThere } from './files.ts'
import { checkWithLog } from './integrity.ts'
import { type Keychain, KeychainError, type SecretSlot } from './keychain.ts'

/** That another key was asked for; there until all that follows of it is done. */
const ASKED_FILE = 'rekey.json'
const COPY_ENDING = '.rekeyed'

type Keys = Pick<Keychain, 'databaseKey' | 'nextDatabaseKey'>

/** What became of it at this start. */
export type Rekeyed =
  | {
      state: 'done'
      /** To be called once it is in the audit trail: nothing is left to do then. Never rejects. */
      settled: () => Promise<void>
    }
  /** The database has the key that it had. */
  | { state: 'given-up'; reason: MemoryReason | 'damaged' }

/** The next start gives the database this key. @throws KeychainError; FileError. Nothing is changed then. */
export async function askForKey(folder: string, { nextDatabaseKey }: Keys, key: Uint8Array): Promise<void> {
  await keepIn(nextDatabaseKey, key)
  await writeAtomically(join(folder, ASKED_FILE), '{}', { ifExists: 'replace' })
}

/**
 * Does what was asked for, where it was.
 * @param name of the database's file in the folder, which is there.
 * @param key that of the keychain's usual place.
 * @returns the key that opens it now.
 * @throws KeychainError where it has the new key already, and the keychain doesn't take or give that now: nothing may be set aside then.
 */
export async function settleKey(
  folder: string,
  name: string,
  keys: Keys,
  key: Uint8Array | undefined
): Promise<{ key: Uint8Array | undefined; rekeyed?: Rekeyed }> {
  if (!(await isThere(join(folder, ASKED_FILE), nodeFiles))) return { key }
  const path = join(folder, name)
  const next = keyOf(await keys.nextDatabaseKey.get())
  const hasOld = key !== undefined && opens(path, key)
  const giveUp = async (reason: MemoryReason | 'damaged') => {
    await forget(folder, keys)
    return { key, rekeyed: { state: 'given-up', reason } as const }
  }
  if (!next) {
    if (hasOld) return giveUp('keychain-failed')
    throw new KeychainError('failed', 'The keychain no longer has the new key of the database.')
  }
  // Where the usual place has the new one already, only what follows of it is left to do.
  if (hasOld && !Buffer.from(next).equals(key)) {
    const reason = await copied(path, key, next)
    if (reason !== undefined) return giveUp(reason)
  } else if (!hasOld && !opens(path, next)) return { key }
  await keepIn(keys.databaseKey, next)
  // Who has the old key could read them.
  await rm(join(folder, COPIES_FOLDER), { recursive: true, force: true }).catch(() => undefined)
  return { key: next, rekeyed: { state: 'done', settled: () => forget(folder, keys) } }
}

/** Puts a copy under the next key in the database's place. Answers why that couldn't be done; then the database is as it was. */
async function copied(path: string, key: Uint8Array, next: Uint8Array): Promise<MemoryReason | 'damaged' | undefined> {
  const copy = `${path}${COPY_ENDING}`
  try {
    await removeIfThere(copy, nodeFiles)
    await checkWithLog(path, () => connectToLook(path, key))
    const db = connectEncrypted(path, key)
    try {
      db.prepare('VACUUM INTO ?').run(copy)
      // What is in the log is in the copy; beside the copy there may be none.
      db.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
    rekey(copy, key, next)
    const file = await open(copy, 'r+')
    await file.chmod(0o600).catch(() => undefined)
    await file.sync().finally(() => file.close())
    for (const end of ['-wal', '-shm']) await removeIfThere(`${path}${end}`, nodeFiles)
    await replaceWith(nodeFiles, copy, path)
    await flushFolder(join(path, '..'))
    return undefined
  } catch (error) {
    await removeIfThere(copy, nodeFiles).catch(() => undefined)
    const fault = faultOf(error)
    return fault.kind === 'file' ? 'damaged' : fault.because
  }
}

/** @throws where not every page of it is as it was written. */
function rekey(path: string, key: Uint8Array, next: Uint8Array): void {
  const db = connectEncrypted(path, key)
  try {
    // In a log no database gets another key.
    db.pragma('journal_mode = DELETE')
    db.rekey(rawKey(next))
  } finally {
    db.close()
  }
  const look = connectToLook(path, next)
  try {
    if (look.pragma('integrity_check(1)', { simple: true }) !== 'ok')
      throw Object.assign(new Error(), { code: 'SQLITE_CORRUPT' })
  } finally {
    look.close()
  }
}

/** Whether this key opens the database at the path. @throws what isn't the key's fault: a full disk, another program. */
export function opens(path: string, key: Uint8Array): boolean {
  try {
    const db = connectToLook(path, key)
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

async function forget(folder: string, { nextDatabaseKey }: Keys): Promise<void> {
  await nextDatabaseKey.delete().catch(() => undefined)
  await removeIfThere(join(folder, ASKED_FILE), nodeFiles).catch(() => undefined)
}

/** A database whose key was not kept is lost at the next start: better to know now. @throws KeychainError. */
export async function keepIn(slot: SecretSlot, key: Uint8Array): Promise<void> {
  const text = Buffer.from(key).toString('hex')
  await slot.set(text)
  if ((await slot.get()) !== text) throw new KeychainError('failed', 'The keychain did not keep the key.')
}

/** The key, or undefined where the text can't be one. */
export function keyOf(text: string | null): Uint8Array | undefined {
  const isKey = text !== null && new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`).test(text)
  return isKey ? Buffer.from(text, 'hex') : undefined
}
