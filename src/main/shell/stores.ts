/**
 * What the system stores for the application (its settings file and its keychain entries), and the status of these for
 * the screens.
 */
import { join } from 'node:path'
import { app, ipcMain } from 'electron'
import Store from 'electron-store'
import type { SystemStatus } from '../../shared/contract/index.ts'
import type { OpenedData } from '../core/backup/unlocking.ts'
import { agentOrderOf } from '../core/office/agent-order.ts'
import { profileOf } from '../core/storage/keychain.ts'
import { type OpenedKeychain, openKeychainCalls, openKeytarKeychain } from '../core/storage/keytar-keychain.ts'
import { credentialIn, openSealedKeychain } from '../core/storage/sealed-keychain.ts'
import { openSettings } from '../core/storage/settings.ts'
import type { StoreTroubles } from '../core/storage/store-troubles.ts'

const NAME = 'settings'

/**
 * Opens electron-store in the application's data folder; it contains nothing about a person or an account. A file that
 * can't be read is set aside and reported. Never rejects.
 */
export async function openSettingsStore(): ReturnType<typeof openSettings> {
  const cwd = app.getPath('userData')
  const opened = await openSettings({
    open: () => new Store({ name: NAME, cwd, clearInvalidConfig: false }),
    path: join(cwd, `${NAME}.json`),
    clock: Date.now
  })
  // The package opens a channel that tells any page where our data folder is; none of ours uses it.
  ipcMain.removeAllListeners('electron-store-get-data')
  return opened
}

/** For all keychains that are opened: some are asked repeatedly whether they are available again. */
const calls = openKeychainCalls()

function killIfCallsPending(): void {
  if (calls.underWay > 0) process.kill(process.pid, 'SIGKILL')
}

/**
 * Opens the operating system's keychain through keytar, whose native part is loaded only here; for an agent that the
 * system gives a credential, a file sealed with it. Never rejects: if the keychain can't be used, returns one in
 * memory, with the reason.
 */
export async function openKeychain(): Promise<OpenedKeychain> {
  const credential = agentOrderOf(process.argv) === undefined ? undefined : credentialIn(process.env)
  if (credential !== undefined) return openSealedKeychain({ credential, folder: app.getPath('userData') })
  const usual = join(app.getPath('appData'), app.getName())
  const profile = profileOf(app.getPath('userData'), usual)
  // Everything is stored by then. Node would wait for the call's thread: for ever, if the keychain's prompt was left
  // unanswered.
  if (app.listenerCount('quit', killIfCallsPending) === 0) app.on('quit', killIfCallsPending)
  return openKeytarKeychain(async () => (await import('keytar')).default, { profile, calls })
}

/** Returns the application's own status for the screens. */
export function systemStatus(
  { storage, keychainState, recheckKeychain, isWithoutData }: OpenedData,
  troubles: StoreTroubles
): SystemStatus {
  const keychain = keychainState()
  return {
    version: app.getVersion(),
    platform: process.platform,
    keychain:
      keychain.state === 'available' ? { state: 'available' } : { state: 'unavailable', reason: keychain.reason },
    storage:
      storage.state === 'encrypted'
        ? { state: 'encrypted', ...(recheckKeychain && { isByRecoveryKey: true }) }
        : {
            state: 'memory',
            reason: storage.because,
            hasData: storage.hasData,
            ...(storage.usedBy !== undefined && { usedBy: storage.usedBy }),
            ...(isWithoutData && { isWithout: isWithoutData })
          },
    troubles: troubles.list()
  }
}
