/** Runs the application with hot reload: on Electron, or on the Chromium host if Electron's runtime isn't available. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fetchElectron } from './electron-runtime.ts'
import { exitWith, requireSystemPackages } from './host.ts'

const root = join(import.meta.dirname, '..')
const electron = fetchElectron()
if (!electron) {
  console.log('Electron’s runtime can’t be fetched here, so Countersign runs on Chromium, as its tests do.')
  requireSystemPackages('chromium', 'keyring')
}
// electron-vite starts whatever program it is given as Electron, with the application's folder as its argument.
const program = electron ?? join(root, 'scripts/on-host.ts')
exitWith(
  spawn(process.execPath, [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'dev'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ELECTRON_EXEC_PATH: program }
  })
)
