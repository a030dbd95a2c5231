// Runs a command with a keychain of its own: on Linux a private D-Bus session with an unlocked, temporary Secret
// Service, so that real keychain code meets a real keychain and never the user's. Elsewhere it only runs the command.
// Use: node scripts/with-keyring.ts CMD…
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Forwards our signals to the child, and resolves to the exit code that a shell would report. dbus-run-session doesn't
 * forward signals, so the process inside it treats the disappearance of its parent as one.
 */
async function superviseChild(child: ChildProcess): Promise<number> {
  const forward = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of signals) process.on(signal, forward)
  const parent = process.ppid
  const orphanCheck = setInterval(() => process.ppid !== parent && child.kill(), 250)
  const code = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      console.error(error.message)
      resolve(127)
    })
    child.once('exit', (status, signal) => resolve(status ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  })
  clearInterval(orphanCheck)
  for (const signal of signals) process.off(signal, forward)
  return code
}

function run(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [program = '', ...args] = command
  // On Windows npm's own programs are scripts, which only a shell can start.
  return superviseChild(spawn(program, args, { stdio: 'inherit', env, shell: process.platform === 'win32' }))
}

function isSecretServiceRunning(): boolean {
  const question = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/']
  const asked = [...question, 'org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets']
  return spawnSync('dbus-send', asked, { encoding: 'utf8' }).stdout.includes('boolean true')
}

/** Runs inside the private D-Bus session: keeps the Secret Service running as long as the command. */
async function runInSession(command: readonly string[]): Promise<number> {
  // Without --foreground it would leave daemons behind.
  const keyring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
    stdio: ['pipe', 'ignore', 'ignore']
  })
  let ended = false
  keyring.once('exit', () => (ended = true))
  keyring.once('error', () => (ended = true))
  keyring.stdin.on('error', () => {})
  keyring.stdin.end('\n')
  while (!isSecretServiceRunning()) {
    if (ended) {
      console.error('gnome-keyring-daemon did not start: see `node scripts/system-packages.ts keyring`')
      return 1
    }
    await pause(20)
  }
  try {
    return await run(command, process.env)
  } finally {
    keyring.kill()
  }
}

/** Runs the command. Resolves to its exit code. */
export async function withKeyring(command: readonly string[]): Promise<number> {
  if (process.platform !== 'linux') return run(command, process.env)
  const home = mkdtempSync(join(tmpdir(), 'countersign-keyring-'))
  const folders = {
    XDG_DATA_HOME: join(home, 'data'),
    XDG_RUNTIME_DIR: join(home, 'run'),
    XDG_CACHE_HOME: join(home, 'cache')
  }
  for (const folder of Object.values(folders)) mkdirSync(folder)
  chmodSync(folders.XDG_RUNTIME_DIR, 0o700)
  const inner = [process.execPath, import.meta.filename, '--inside', ...command]
  try {
    return await run(['dbus-run-session', '--', ...inner], { ...process.env, ...folders })
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}

if (import.meta.main) {
  const [first, ...rest] = process.argv.slice(2)
  if (first === undefined || (first === '--inside' && rest.length === 0)) {
    console.error('Use: node scripts/with-keyring.ts CMD…')
    process.exitCode = 2
  } else {
    process.exitCode = first === '--inside' ? await runInSession(rest) : await withKeyring([first, ...rest])
  }
}
