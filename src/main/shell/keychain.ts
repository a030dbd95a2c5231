/** Opens the operating system's keychain through keytar, whose native part is loaded only here and only now. */
import { join } from 'node:path'
import { app } from 'electron'
import { profileOf } from '../core/storage/keychain.ts'
import { type OpenedKeychain, openKeytarKeychain } from '../core/storage/keytar-keychain.ts'

/** Never rejects: where the keychain can't be used, the answer is one in memory, and says why. */
export function openKeychain(): Promise<OpenedKeychain> {
  const usual = join(app.getPath('appData'), app.getName())
  const profile = profileOf(app.getPath('userData'), usual)
  return openKeytarKeychain(async () => (await import('keytar')).default, { profile })
}
