/** Where the secrets of this run's accounts belong. */
import type { OpenedDatabase } from '../storage/database.ts'
import { type AccountSecrets, type Keychain, memoryKeychain } from '../storage/keychain.ts'

/**
 * The keychain's entries beside a database on disk. Accounts that are in memory only keep their secrets there too:
 * otherwise they would stay in the keychain when nobody knows any more whose they are.
 */
export function secretsBeside(opened: OpenedDatabase, keychain: Keychain): AccountSecrets {
  return opened.state === 'encrypted' ? keychain.accounts : memoryKeychain().accounts
}
