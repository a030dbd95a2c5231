/** Runs the end-to-end specs on Electron's own runtime, fetched where it isn't there yet. On Linux under a virtual display. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fetchElectron } from './electron-runtime.ts'

const root = join(import.meta.dirname, '..')
if (!fetchElectron()) {
  console.error('Electron’s runtime can’t be fetched here, so there is nothing to run these specs on.')
  process.exit(1)
}

const onLinux = process.platform === 'linux'
const needsDisplay = onLinux && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY
run(['scripts/system-packages.ts', ...(onLinux ? ['keyring'] : []), ...(needsDisplay ? ['display'] : [])])
run(['node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'warn'])
const specs = [process.execPath, 'node_modules/playwright/cli.js', 'test', ...process.argv.slice(2)]
run(['scripts/with-keyring.ts', ...(needsDisplay ? ['xvfb-run', '-a'] : []), ...specs], { COUNTERSIGN_E2E: 'electron' })

function run(args: string[], env: Record<string, string> = {}): void {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exit(status ?? 1)
}
