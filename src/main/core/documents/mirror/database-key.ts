/** The key of `documents.db`. It lies in the main database, which is encrypted with the keychain's: one way in for both. */
import { type Db, KEY_BYTES } from '../../storage/connection.ts'
import { openMeta } from '../../storage/meta.ts'

const KEY = 'documents-key'

export interface DocumentsKey {
  key: Uint8Array
  /** It was made now: a file that is there can't have been written with it. */
  isNew: boolean
}

/**
 * The key, made where there is none yet.
 * @param db the main database.
 * @param random bytes that can't be guessed (`node:crypto`'s `randomBytes`).
 */
export function documentsKey(db: Db, random: (bytes: number) => Uint8Array): DocumentsKey {
  const meta = openMeta(db)
  const kept = meta.read(KEY)
  if (kept !== undefined && new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`).test(kept)) {
    return { key: Uint8Array.from(Buffer.from(kept, 'hex')), isNew: false }
  }
  const key = Uint8Array.from(random(KEY_BYTES))
  meta.write(KEY, Buffer.from(key).toString('hex'))
  return { key, isNew: true }
}
