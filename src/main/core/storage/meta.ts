/** Small texts that parts remember in the main database, each under a key of its own. */
import type { Db } from './connection.ts'

export type Meta = ReturnType<typeof openMeta>

/** A key with an account's id between colons goes with the account: see accounts/account.ts. */
export function openMeta(db: Db) {
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const write = db.prepare<[string, string]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
  )
  const erase = db.prepare<[string]>('DELETE FROM meta WHERE key = ?')
  return {
    /** Undefined if nothing was kept. */
    read: (key: string): string | undefined => read.get(key),
    write: (key: string, text: string): void => void write.run(key, text),
    erase: (key: string): void => void erase.run(key)
  }
}
