/**
 * Opens the built application: on Electron or, if its runtime isn't available, on the Chromium host that the tests use.
 * Run with `npm start`; arguments after `--` are passed to the application. `--office` opens two that share an office:
 * see try-office.ts.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fetchElectron } from './electron-runtime.ts'
import { exitWith, openOnHost, requireSystemPackages } from './host.ts'

const appArguments = process.argv.slice(2)
const electron = fetchElectron()

if (appArguments.includes('--office')) {
  requireSystemPackages('chromium', 'keyring', 'postgres')
  const program = [
    join(import.meta.dirname, 'with-keyring.ts'),
    process.execPath,
    join(import.meta.dirname, 'try-office.ts')
  ]
  const env = { ...process.env, ...(electron && { COUNTERSIGN_E2E: 'electron' }) }
  exitWith(spawn(process.execPath, program, { stdio: 'inherit', env }))
} else if (electron) exitWith(spawn(electron, [join(import.meta.dirname, '..'), ...appArguments], { stdio: 'inherit' }))
else {
  console.log('Electron’s runtime can’t be fetched here, so Countersign opens on Chromium, as its tests do.')
  requireSystemPackages('chromium', 'keyring')
  exitWith(openOnHost(appArguments))
}
