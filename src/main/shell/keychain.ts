/** Opens the operating system's keychain through keytar, whose native part is loaded only here and only now. */
import { type OpenedKeychain, openKeytarKeychain } from '../core/storage/keytar-keychain.ts'

/** Never rejects: where the keychain can't be used, the answer is one in memory, and says why. */
export function openKeychain(): Promise<OpenedKeychain> {
  return openKeytarKeychain(async () => (await import('keytar')).default)
}
