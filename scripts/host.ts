/** Runs the built application on the Chromium host, outside tests. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { askHost } from '../test/e2e/on-host.ts'

const root = join(import.meta.dirname, '..')

/**
 * Opens the application: in a window if there is a display, otherwise headless; then prints the endpoint to attach to.
 * @param appArguments arguments for the application.
 */
export function openOnHost(appArguments: readonly string[]): ChildProcess {
  const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
  const hasFolder = appArguments.some((argument) => argument.startsWith('--user-data-dir='))
  const application = spawn(
    process.execPath,
    [
      '--import',
      new URL('../test/host/register.ts', import.meta.url).href,
      join(root, 'out/main/index.js'),
      ...(hasFolder ? [] : [`--user-data-dir=${join(homedir(), '.countersign')}`]),
      ...appArguments
    ],
    {
      cwd: root,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, HOST_HEADED: hasDisplay ? '1' : '0' }
    }
  )
  // Checking a policy file opens nothing to attach to.
  if (!hasDisplay && !appArguments.some((argument) => argument.startsWith('--check-policy'))) {
    askHost(application)('endpoint').then(
      (endpoint) => console.log(`There is no display here. Attach a browser’s developer tools to ${endpoint}`),
      () => undefined
    )
  }
  return application
}

/** Forwards signals to a program, and exits when it does, with its exit code. */
export function exitWith(program: ChildProcess): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => program.kill(signal))
  program.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

/** Makes sure that the required system packages are installed. Exits this process if they aren't available. */
export function requireSystemPackages(...needs: string[]): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/system-packages.ts'), ...needs], {
    stdio: 'inherit'
  })
  if (status !== 0) process.exit(1)
}
