/** Opens what the system keeps for the application: its settings' file, and its entries in the keychain. */
import { join } from 'node:path'
import { app, ipcMain } from 'electron'
import Store from 'electron-store'
import { profileOf } from '../core/storage/keychain.ts'
import { type OpenedKeychain, openKeytarKeychain } from '../core/storage/keytar-keychain.ts'
import { openSettings } from '../core/storage/settings.ts'

const NAME = 'settings'

/**
 * electron-store in the application's data folder; it holds nothing of a person or an account. A file that can't be read is
 * set aside and told of. Never rejects.
 */
export async function openSettingsStore(): ReturnType<typeof openSettings> {
  const cwd = app.getPath('userData')
  const opened = await openSettings({
    open: () => new Store({ name: NAME, cwd, clearInvalidConfig: false }),
    path: join(cwd, `${NAME}.json`),
    clock: Date.now
  })
  // The package opens a channel that tells any page where our data folder is; nobody of ours asks it.
  ipcMain.removeAllListeners('electron-store-get-data')
  return opened
}

/**
 * The operating system's keychain through keytar, whose native part is loaded only here and only now. Never rejects: if the
 * keychain can't be used, the answer is one in memory, and says why.
 */
export function openKeychain(): Promise<OpenedKeychain> {
  const usual = join(app.getPath('appData'), app.getName())
  const profile = profileOf(app.getPath('userData'), usual)
  return openKeytarKeychain(async () => (await import('keytar')).default, { profile })
}
