/**
 * Opens the built application: on Electron, or, where its runtime can't be had, on the Chromium host that the tests use.
 * Run by `npm start`; whatever follows `--` is handed to the application.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fetchElectron } from './electron-runtime.ts'
import { endWith, openOnHost, requireSystemPackages } from './host.ts'

const passedOn = process.argv.slice(2)
const electron = fetchElectron()

if (electron) endWith(spawn(electron, [join(import.meta.dirname, '..'), ...passedOn], { stdio: 'inherit' }))
else {
  console.log('Electron’s runtime can’t be fetched here, so Countersign opens on Chromium, as its tests do.')
  requireSystemPackages('chromium', 'keyring')
  endWith(openOnHost(passedOn))
}
