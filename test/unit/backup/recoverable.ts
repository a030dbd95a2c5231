/** A computer whose database key can be lost, and recovered with a recovery key. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openRecoveryKeys, recoverKey } from '../../../src/main/core/backup/recovery-keys.ts'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import { openJsonMeta } from '../../../src/main/core/storage/meta.ts'
import { storeKey } from '../../../src/main/core/storage/rekey.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { lastingKeychain } from '../storage/keychains.ts'

export const NOW = Date.UTC(2026, 10, 25, 9)
export const PLANTED = 'what was here'
export const log = { warn: (message: string) => expect.unreachable(message) }

/** Returns a computer with a database, and its stored recovery keys. */
export async function recoverable(publicKey?: string) {
  const folder = temporaryFolder()
  const entries = new Map<string, string>()
  const keychain = lastingKeychain(entries)
  const is = { publicKey }
  const notes: string[] = []

  /** @param key opens the database instead of the keychain's key */
  async function start(key?: Uint8Array) {
    const parts = { folder, keychain, random: randomBytes, clock: () => NOW }
    const storage = await openDatabase({ ...parts, ...(key && { key }) })
    onTestFinished(() => void storage.db.close())
    const recovery = openRecoveryKeys({
      folder,
      storage,
      keychain,
      meta: openJsonMeta(storage.db),
      time: { now: () => NOW },
      random: randomBytes,
      publicKey: () => is.publicKey,
      note: ({ what, detail = {} }) => void notes.push([what, ...Object.values(detail)].join(' ')),
      changed: () => undefined
    })
    await recovery.applyPolicy(log)
    return { storage, recovery }
  }

  const first = await start()
  openJsonMeta(first.storage.db).write('planted', PLANTED)
  return {
    folder,
    entries,
    keychain,
    is,
    notes,
    start,
    ...first,
    file: join(folder, 'recovery.json'),
    recover: (typed: string) =>
      recoverKey({ folder, keep: (key) => storeKey(keychain.databaseKey, key), now: NOW }, typed),
    lose() {
      first.storage.db.close()
      entries.clear()
    }
  }
}
