/**
 * Gives the database another key. It is asked for while the application works, and done at the next start, before anything is opened:
 * a copy under the new key takes the place of the database in one step. Until the keychain has the new key in its usual place both are
 * there, so that however it is killed the database has a key that opens it, and all that was in it.
 *
 * Data that were set aside keep the key that they have: it is sealed under the new one beside them. Where someone puts them back, with that
 * file, the next start opens them by it and gives them the key of now.
 */
import * as nodeFiles from 'node:fs/promises'
import { open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../lib/json-scanning.ts'
import { flushFolder, replaceWith, writeAtomically } from './atomic-file.ts'
import { connectEncrypted, connectToLook, KEY_BYTES, rawKey } from './connection.ts'
import { COPIES_FOLDER } from './copies.ts'
import { faultOf, type MemoryReason, memoryReasonOf } from './database-fault.ts'
import { FileError, filed, fileErrorOf } from './file-error.ts'
import { isThere, removeIfThere } from './files.ts'
import { checkWithLog } from './integrity.ts'
import { type Keychain, KeychainError, type SecretSlot } from './keychain.ts'
import { openedKey, SealedKey, sealedKey } from './sealed-key.ts'

/** That another key was asked for; there until all that follows of it is done. */
const ASKED_FILE = 'rekey.json'
const COPY_ENDING = '.rekeyed'
/** Beside data that were set aside before the database got another key: the key that they have, sealed under that one. */
export const FORMER_KEY_FILE = 'former-key.json'
const Former = z.object({ version: z.literal(1), keys: z.array(SealedKey).max(20) })
/** Of each, sealed under keys that aren't known: the oldest, as what keys that were given up leave comes before them. */
const OTHERS_KEPT = 18
// @wc-ignore
const PURPOSE = 'Countersign former key'

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

/**
 * The next start gives the database this key. Not to be called while one is asked for.
 * @param prepare what must be on the disk before that, and is of use only if the keychain has the key.
 * @throws KeychainError; FileError; what `prepare` throws. Nothing is changed then.
 */
export async function askForKey(
  folder: string,
  { nextDatabaseKey }: Keys,
  key: Uint8Array,
  prepare: () => Promise<void> = async () => undefined
): Promise<void> {
  try {
    await keepIn(nextDatabaseKey, key)
    await prepare()
    await writeAtomically(join(folder, ASKED_FILE), '{}', { ifExists: 'replace' })
  } catch (error) {
    await nextDatabaseKey.delete().catch(() => undefined)
    throw error
  }
}

/** Whether another key was asked for, and not all that follows of it is done. @throws FileError */
export const isKeyAsked = (folder: string): Promise<boolean> => isThere(join(folder, ASKED_FILE), nodeFiles)

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
  const path = join(folder, name)
  if (key) await takeBack(path, key)
  if (!(await isKeyAsked(folder))) return { key }
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
    // First: once the keychain has the new key alone, nothing else knows the old one.
    const reason = (await sealFormer(folder, key, next)) ?? (await copied(path, key, next))
    if (reason !== undefined) return giveUp(reason)
  } else if (!hasOld && !opens(path, next)) return { key }
  await keepIn(keys.databaseKey, next)
  // Who has the old key could read them.
  await rm(join(folder, COPIES_FOLDER), { recursive: true, force: true }).catch(() => undefined)
  return { key: next, rekeyed: { state: 'done', settled: () => forget(folder, keys) } }
}

/**
 * The keys of all that was set aside, sealed under the next one, beside those that are sealed under the one of now: another key may be given up.
 * Answers why that couldn't be done.
 */
async function sealFormer(folder: string, key: Uint8Array, next: Uint8Array): Promise<MemoryReason | undefined> {
  try {
    for (const aside of await readdir(folder)) {
      const database = join(folder, aside, 'countersign.db')
      if (!aside.startsWith('set-aside-') || !(await isThere(database, nodeFiles))) continue
      const path = join(folder, aside, FORMER_KEY_FILE)
      const kept = await formerIn(path)
      // What is damaged may be opened by no key: that of now is the likeliest, where no other is there.
      const own = formerKey(kept, key) ?? (kept.length === 0 || opens(database, key) ? key : undefined)
      // Sealed under a key that the keychain has lost: that one may come back, as out of an old keychain.
      if (!own) continue
      const isOf = (secret: Uint8Array) => (one: SealedKey) => openedKey(secret, one, PURPOSE) !== undefined
      const others = kept.filter((one) => !isOf(key)(one) && !isOf(next)(one))
      const keys = [sealedKey(next, own, PURPOSE), ...kept.filter(isOf(key)).slice(0, 1), ...others.slice(-OTHERS_KEPT)]
      await writeAtomically(path, JSON.stringify({ version: 1, keys }), { ifExists: 'replace' })
    }
    return undefined
  } catch (error) {
    return memoryReasonOf(fileErrorOf(error)?.code)
  }
}

/**
 * Data that were set aside under an earlier key, and that someone has put back, get the key of now.
 * @throws FileError where that can't be done now; nothing is changed then. What is damaged stays as it is.
 */
async function takeBack(path: string, key: Uint8Array): Promise<void> {
  const file = join(path, '..', FORMER_KEY_FILE)
  const kept = await formerIn(file)
  if (kept.length === 0) return
  if (!opens(path, key)) {
    const own = formerKey(kept, key)
    const reason = own && opens(path, own) ? await copied(path, own, key) : 'damaged'
    if (reason === 'damaged') return
    if (reason !== undefined) throw new FileError(reason === 'no-space' || reason === 'not-writable' ? reason : 'other')
  }
  await removeIfThere(file, nodeFiles)
}

const formerKey = (kept: readonly SealedKey[], key: Uint8Array) =>
  kept.map((one) => openedKey(key, one, PURPOSE)).find((own) => own !== undefined)

/** Nothing where there is none, or it isn't ours. @throws FileError */
async function formerIn(path: string): Promise<readonly SealedKey[]> {
  const text = await filed(() => readFile(path, 'utf8')).catch((error: unknown) => {
    if (fileErrorOf(error)?.system === 'ENOENT') return ''
    throw error
  })
  return Former.safeParse(parsedJson(text)).data?.keys ?? []
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
