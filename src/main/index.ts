/** Electron's entry. No await at the top: Electron is ready only once this module has been evaluated. */
import { app } from 'electron'
import { openApp, serveScreens } from './app.ts'
import { devServerOf } from './core/policy/app-pages.ts'
import { refusedAtStart } from './core/policy/start-switches.ts'
import { Lifecycle, smoke } from './lifecycle.ts'
import { declareAppScheme, keepOffNetworks } from './shell/app-protocol.ts'
import { sayCannotStart, sayNotStartedWith } from './shell/dialogs.ts'
import { type Log, logUncaught, openLog } from './shell/log.ts'
import { nameToDesktop } from './shell/notifications.ts'
import { lockSessions } from './shell/session-policy.ts'

const isSmoke = process.argv.includes('--smoke')
// Before anything is opened. Anyone who runs the sources may start them as they like.
const refused = app.isPackaged ? refusedAtStart(process) : undefined
if (refused === undefined) begin()
else {
  sayNotStartedWith(refused)
  app.exit(1)
}

function begin(): void {
  const log = openLog()
  logUncaught(log)
  declareAppScheme()
  lockSessions(log)
  nameToDesktop(process.platform)
  // One application at a time: two would write the same database. The second ends without touching a file.
  if (!app.requestSingleInstanceLock()) {
    // Nothing was shown to be there.
    if (isSmoke) app.exit(1)
    else app.quit()
    return
  }
  run(log).catch((error: unknown) => {
    log.error('The application could not start.', { kind: error instanceof Error ? error.name : typeof error })
    sayCannotStart()
    app.exit(1)
  })
}

async function run(log: Log): Promise<void> {
  await app.whenReady()
  const devServer = devServerOf(app, process.env.ELECTRON_RENDERER_URL)
  await keepOffNetworks(devServer)
  const parts = await openApp(log, devServer)
  const lifecycle = new Lifecycle(parts)
  serveScreens(parts, lifecycle)
  if (isSmoke) await smoke(parts)
  else lifecycle.start()
}
