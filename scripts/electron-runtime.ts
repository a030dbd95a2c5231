/** Electron's runtime, which its package fetches only when asked. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../node_modules/electron')

/** The runtime's program, or undefined if it hasn't been fetched. */
export function electronRuntime(): string | undefined {
  const named = join(folder, 'path.txt')
  if (!existsSync(named)) return undefined
  const path = join(folder, 'dist', readFileSync(named, 'utf8').trim())
  return existsSync(path) ? path : undefined
}

/** Fetches the runtime where it isn't there; undefined if it can't be had. */
export function fetchElectron(): string | undefined {
  // Its own words about a network that isn't there are long; anyone who calls says what matters in one line.
  if (!electronRuntime()) {
    spawnSync(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', timeout: 300_000 })
  }
  return electronRuntime()
}
