/** Electron's runtime, which its package downloads only on request. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../node_modules/electron')

/** Returns the path of the runtime's program, or undefined if it hasn't been downloaded. */
export function electronRuntime(): string | undefined {
  const pathFile = join(folder, 'path.txt')
  if (!existsSync(pathFile)) return undefined
  const path = join(folder, 'dist', readFileSync(pathFile, 'utf8').trim())
  return existsSync(path) ? path : undefined
}

/** Downloads the runtime if it is missing. Returns undefined if it isn't available. */
export function fetchElectron(): string | undefined {
  // The installer's messages about a missing network are long; callers say what matters in one line.
  if (!electronRuntime()) {
    spawnSync(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', timeout: 300_000 })
  }
  return electronRuntime()
}
