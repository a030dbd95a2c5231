/** How the built application is run on the Chromium host, outside of tests. */
import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** What Node is to be started with. @param passedOn arguments for the application. */
export function hostArguments(passedOn: readonly string[] = []): string[] {
  const hasFolder = passedOn.some((argument) => argument.startsWith('--user-data-dir='))
  return [
    '--import',
    new URL('../test/host/register.ts', import.meta.url).href,
    join(root, 'out/main/index.js'),
    ...(hasFolder ? [] : [`--user-data-dir=${join(homedir(), '.countersign')}`]),
    ...passedOn
  ]
}

/** What the host is told by its environment: a window where there is a display. */
export function hostEnvironment(): NodeJS.ProcessEnv {
  const hasDisplay = process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
  return { ...process.env, HOST_HEADED: hasDisplay ? '1' : '0' }
}

/** Makes sure of what the host needs from the system; ends this process where it can't be had. */
export function requireSystemPackages(...needs: string[]): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/system-packages.ts'), ...needs], {
    stdio: 'inherit'
  })
  if (status !== 0) process.exit(1)
}
