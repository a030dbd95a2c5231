/** Keychains for tests of the code that uses them: one that outlives a "run", and failing ones. */
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { type Keychain, KeychainError, keychainOver } from '../../../src/main/core/storage/keychain.ts'

/** Keeps its entries as long as the test holds it, as the operating system's keychain does between runs. */
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

/**
 * Keeps its entries in a file that is replaced atomically: what was set survives a kill, as in the system's keychain.
 */
export function fileKeychain(path: string): Keychain {
  const entries = new Map<string, string>(
    (() => {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as [string, string][]
      } catch {
        return []
      }
    })()
  )
  let saving = Promise.resolve()
  function save(): Promise<void> {
    saving = saving.then(async () => {
      await writeFile(`${path}.new`, JSON.stringify([...entries]))
      await rename(`${path}.new`, path)
    })
    return saving
  }
  return keychainOver(
    {
      get: async (name) => entries.get(name) ?? null,
      set(name, secret) {
        entries.set(name, secret)
        return save()
      },
      delete(name) {
        entries.delete(name)
        return save()
      }
    },
    'in-os'
  )
}
