/** Small values that parts store in the main database, each under its own key. */
import type { z } from 'zod'
import { parsedJson } from '../lib/json-scanning.ts'
import type { Db } from './connection.ts'
import { Statements } from './statements.ts'

export type Meta = ReturnType<typeof openMeta>

/**
 * Opens the store. Keys that contain an account's id between colons are deleted with the account: see
 * accounts/account.ts.
 */
export function openMeta(db: Db) {
  const statements = new Statements(db)
  return {
    /** Undefined if nothing was stored. */
    read: statements.value<[key: string], string>('SELECT value FROM meta WHERE key = ?'),
    write: statements.run<[key: string, text: string]>(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
    ),
    erase: statements.run<[key: string]>('DELETE FROM meta WHERE key = ?')
  }
}

export function openJsonMeta(db: Db) {
  const meta = openMeta(db)

  return {
    /** Undefined if nothing was stored, or it is invalid. */
    read<Schema extends z.ZodType>(key: string, schema: Schema): z.output<Schema> | undefined {
      const text = meta.read(key)
      return text === undefined ? undefined : schema.safeParse(parsedJson(text)).data
    },
    write: (key: string, value: unknown): void => void meta.write(key, JSON.stringify(value)),
    erase: meta.erase
  }
}

/** Secrets of a restored backup that aren't in the keychain yet. Copies of the database don't have them. */
export const RESTORED_SECRETS = 'restored-secrets'
/** Marks a restored database that doesn't know whether its workstation has joined an office since. See `OfficeMembership`. */
export const OFFICE_UNKNOWN = 'office-unknown'
