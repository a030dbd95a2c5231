/**
 * Opens the built application: on Electron, or, where its runtime can't be had, on the Chromium host that the tests use.
 * Run by `npm start`; whatever follows `--` is handed to the application.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fetchElectron } from './electron-runtime.ts'
import { hostArguments, hostEnvironment, requireSystemPackages } from './host.ts'

const root = join(import.meta.dirname, '..')
const passedOn = process.argv.slice(2)
const electron = fetchElectron()

if (!electron) {
  console.log('Electron’s runtime can’t be fetched here, so Countersign opens on Chromium, as its tests do.')
  requireSystemPackages('chromium', 'keyring')
}
const application = electron
  ? spawn(electron, [root, ...passedOn], { cwd: root, stdio: 'inherit' })
  : spawn(process.execPath, hostArguments(passedOn), { cwd: root, stdio: 'inherit', env: hostEnvironment() })

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => application.kill(signal))
application.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
