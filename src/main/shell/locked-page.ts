/**
 * The page that the window shows while the data are locked and a recovery key may open them. Nothing else of the
 * application exists yet.
 */
import { app, type BrowserWindow, ipcMain } from 'electron'
import { type RequestName, requestNames, type SystemStatus } from '../../shared/contract/index.ts'
import type { UnlockOptions } from '../core/backup/unlocking.ts'
import { fail } from '../core/lib/failure.ts'
import { inTurn } from '../core/lib/slices.ts'
import { systemTime as time } from '../core/lib/time.ts'
import { LOCKED_START } from '../core/policy/app-pages.ts'
import type { SettingsStore } from '../core/storage/settings.ts'
import { StatusFile } from '../core/support/status.ts'
import { type RequestHandlers, registerHandlers } from '../ipc/registration.ts'
import { delayQuitUntil } from './delayed-quit.ts'
import type { Log } from './log.ts'
import { installMenu } from './menu.ts'
import { applyZoom } from './own-page.ts'
import { loadFirstPage } from './own-windows.ts'
import type { Screens } from './screens.ts'
import { bringForward, showWhenReopened } from './windows.ts'

interface LockedPage {
  window: BrowserWindow
  screens: Pick<Screens, 'roleOf'>
  settings: Pick<SettingsStore, 'read'>
  devServer: URL | undefined
  log: Log
}

/**
 * Shows the page. Resolves once one of the ways has led on; the window keeps the page until it gets another. Closing it
 * ends the application.
 */
export async function showLockedPage({ window, screens, settings, devServer, log }: LockedPage, ways: UnlockOptions) {
  const done = Promise.withResolvers<void>()
  let hasProceeded = false
  /** One at a time: of two that lead on, one would open what the other leaves behind. */
  const proceedVia =
    <Input>(way: (input: Input) => Promise<void>) =>
    (input: Input): Promise<void> =>
      inTurn(done, async () => {
        if (hasProceeded) return
        await way(input)
        hasProceeded = true
        done.resolve()
      })
  const status: SystemStatus = {
    version: app.getVersion(),
    platform: process.platform,
    keychain: { state: 'unavailable', reason: ways.reason },
    storage: { state: 'memory', reason: 'no-keychain', hasData: true },
    troubles: []
  }
  const refuseLocked = async () => fail('not-allowed', 'Your data is still locked.')
  const handlers: RequestHandlers = {
    ...(Object.fromEntries(requestNames.map((name) => [name, refuseLocked])) as Record<
      RequestName,
      typeof refuseLocked
    >),
    'system.status': async () => status,
    'storage.tryAgain': proceedVia(ways.retry),
    'storage.recover': proceedVia(({ key }: { key: string }) => ways.recover(key)),
    'storage.continueWithout': proceedVia(ways.continueWithoutData)
  }
  registerHandlers({
    handle: (channel, listener) => ipcMain.handle(channel, listener),
    roleOf: screens.roleOf,
    isAway: () => false,
    whenHandedBack: () => done.promise,
    // None of these changes anything that an organisation sets.
    authorise: () => undefined,
    handlers,
    log
  })
  installMenu({ platform: process.platform, isPackaged: app.isPackaged, choose: () => undefined })
  const stopShowing = showWhenReopened(window)
  const facts = { version: status.version, keychain: ways.reason, database: 'locked' } as const
  const statusFile = new StatusFile({ folder: app.getPath('userData'), pid: process.pid, facts: () => facts, time })
  const allowQuit = delayQuitUntil(() => statusFile.end())
  // Even if the system started the application, when its window would stay in the background: there is no tray yet to
  // open it from.
  window.once('ready-to-show', () => void bringForward(window))
  window.webContents.once('dom-ready', () => applyZoom(window, settings.read().zoom))
  log.warn('The data is locked, and a recovery key may open it.', { keychain: ways.reason })
  loadFirstPage(window, devServer ? new URL('locked.html', devServer).href : LOCKED_START, log)
  await done.promise
  stopShowing()
  allowQuit()
  await statusFile.handOver()
  for (const name of requestNames) ipcMain.removeHandler(name)
}
