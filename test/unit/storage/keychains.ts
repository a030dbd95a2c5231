/** Keychains for tests of what stands on them: one that outlives the "run", and ones in trouble. */
import { type Keychain, KeychainError, keychainOver } from '../../../src/main/core/storage/keychain.ts'

/** Keeps its entries for as long as the test holds it, as the operating system's does between runs. */
export function lastingKeychain(entries = new Map<string, string>()): Keychain {
  return keychainOver(
    {
      get: async (name) => entries.get(name) ?? null,
      set: async (name, secret) => void entries.set(name, secret),
      delete: async (name) => void entries.delete(name)
    },
    'in-os'
  )
}

export function troubledKeychain(code: 'locked' | 'failed'): Keychain {
  const refuse = () => Promise.reject(new KeychainError(code, 'Not now.'))
  return keychainOver({ get: refuse, set: refuse, delete: refuse }, 'in-os')
}
