/** The settings' file: electron-store in the application's data folder. It holds nothing of a person or an account. */
import { join } from 'node:path'
import { app, ipcMain } from 'electron'
import Store from 'electron-store'
import { openSettings } from '../core/storage/settings.ts'

const NAME = 'settings'

/** Opens it; a file that can't be read is set aside and told of. Never rejects. */
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
