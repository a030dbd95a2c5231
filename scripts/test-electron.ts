/**
 * Runs the end-to-end specs on Electron's own runtime, downloading it if necessary. With `--packed`, it starts what
 * `npm run package` built instead, reads its fuses, and has it open everything it needs.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchElectron } from './electron-runtime.ts'
import { fusesOf } from './packed.ts'

const root = join(import.meta.dirname, '..')
const onLinux = process.platform === 'linux'
const needsDisplay = onLinux && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY

/**
 * Starts a desktop if there is none: a display, and a window manager, without which no window ever becomes active,
 * maximised or minimised. It waits for the window manager: windows opened earlier aren't managed.
 */
const DESKTOP = `openbox & manager=$!
until xprop -root _NET_SUPPORTING_WM_CHECK 2>/dev/null | grep -q 0x; do sleep 0.1; done
"$@"; code=$?
kill $manager
exit $code`

if (process.argv[2] === '--packed') testPacked()
else testSpecs(process.argv.slice(2))

function testSpecs(args: readonly string[]): void {
  if (!fetchElectron()) fail('Electron’s runtime can’t be fetched here, so there is nothing to run these specs on.')
  run(['node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'warn'])
  runOnDesktop([process.execPath, 'node_modules/playwright/cli.js', 'test', ...args], { COUNTERSIGN_E2E: 'electron' })
}

function testPacked(): void {
  const [program, withFuses] = packedProgram()
  const { enableCookieEncryption, enableEmbeddedAsarIntegrityValidation, onlyLoadAppFromAsar, ...shut } =
    fusesOf(withFuses)
  const isOn = enableCookieEncryption && enableEmbeddedAsarIntegrityValidation && onlyLoadAppFromAsar
  if (!isOn || Object.values(shut).includes(true))
    fail(`The fuses of ${withFuses} are not as electron-builder.yml has them.`)
  const data = mkdtempSync(join(tmpdir(), 'countersign-smoke-'))
  try {
    runOnDesktop([program, '--smoke', `--user-data-dir=${data}`])
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
  console.log('What was packed opens all that it needs, and its fuses are set.')
}

/** Returns the program electron-builder made for this system, and the file in it that contains the fuses. */
function packedProgram(): [program: string, withFuses: string] {
  const app = (folder: string) => join(root, 'dist', folder, 'Countersign.app/Contents')
  const candidates: [string, string][] = [
    ...['linux-unpacked/countersign', 'linux-arm64-unpacked/countersign'],
    ...['win-unpacked/Countersign.exe', 'win-arm64-unpacked/Countersign.exe']
  ].map((path) => [join(root, 'dist', path), join(root, 'dist', path)])
  for (const folder of ['mac', 'mac-arm64']) {
    const framework = 'Frameworks/Electron Framework.framework/Electron Framework'
    candidates.push([join(app(folder), 'MacOS/Countersign'), join(app(folder), framework)])
  }
  const platformName = { linux: 'linux', win32: 'win', darwin: 'mac' }[process.platform as 'linux'] ?? ''
  const found = candidates.find(([program]) => program.includes(join('dist', platformName)) && existsSync(program))
  return found ?? fail('Nothing was packed for this system: run `npm run package -- --dir` first.')
}

/** Runs a command with a keychain and, on Linux without a desktop, with a desktop. */
function runOnDesktop(command: readonly string[], env: Record<string, string> = {}): void {
  run(['scripts/system-packages.ts', ...(onLinux ? ['keyring'] : []), ...(needsDisplay ? ['display'] : [])])
  const desktop = ['xvfb-run', '-a', '-s', '-screen 0 2560x1440x24', 'sh', '-c', DESKTOP, 'sh']
  run(['scripts/with-keyring.ts', ...(needsDisplay ? desktop : []), ...command], env)
}

function run(args: readonly string[], env: Record<string, string> = {}): void {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exit(status ?? 1)
}

function fail(why: string): never {
  console.error(why)
  process.exit(1)
}
