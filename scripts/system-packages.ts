// Checks for the system packages that tests and the Chromium host need, and installs missing ones where that is
// possible (Debian or Ubuntu, as root or with password-less sudo). Elsewhere it prints the command to run and exits
// with 1.
//
// Use: node scripts/system-packages.ts chromium keyring pdftoppm postgres
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

interface Need {
  /** Its name for people. */
  readonly what: string
  readonly debian: readonly string[]
  readonly elsewhere: string
  /** Returns true if this machine has it, or doesn't need it. */
  found(): boolean
}

const linux = process.platform === 'linux'

function onPath(...names: string[]): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : ['']
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      for (const ending of endings) {
        const file = join(folder, name + ending)
        if (folder && existsSync(file)) return file
      }
    }
  }
  return undefined
}

/** Returns the full path of Chromium, Chrome or Edge on this machine, if there is one. */
export function findChromium(): string | undefined {
  const usual = [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    ...['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap((variable) => {
      const folder = process.env[variable]
      if (!folder) return []
      return [
        join(folder, 'Chromium', 'Application', 'chrome.exe'),
        join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
        join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe')
      ]
    })
  ]
  return (
    onPath('chromium', 'chromium-browser', 'google-chrome', 'microsoft-edge') ?? usual.find((file) => existsSync(file))
  )
}

/** The oldest PostgreSQL version that office mode supports. */
const POSTGRES = 15

/**
 * Returns the folder of the newest PostgreSQL's programs on this machine, if one is new enough. Debian doesn't put them
 * on the path.
 */
export function findPostgres(): string | undefined {
  const all = '/usr/lib/postgresql'
  const versions = existsSync(all)
    ? readdirSync(all)
        .map(Number)
        .filter((version) => version >= POSTGRES)
    : []
  const folders = versions.sort((one, other) => other - one).map((version) => join(all, String(version), 'bin'))
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (found) return found
  const initdb = onPath('initdb')
  if (!initdb) return undefined
  const { stdout } = spawnSync(initdb, ['--version'], { encoding: 'utf8' })
  return Number(/\d+/.exec(stdout ?? '')?.[0]) >= POSTGRES ? dirname(initdb) : undefined
}

/**
 * Returns the full path of PgBouncer on this machine, if there is one. Debian installs it where only root's path leads.
 */
export function findPgBouncer(): string | undefined {
  const debian = '/usr/sbin/pgbouncer'
  return onPath('pgbouncer') ?? (existsSync(debian) ? debian : undefined)
}

function hasLibrary(name: string): boolean {
  const folders = ['/lib', '/usr/lib', '/usr/lib64', '/usr/local/lib']
  return folders.some((folder) => {
    if (existsSync(join(folder, name))) return true
    if (!existsSync(folder)) return false
    return readdirSync(folder).some((inner) => inner.endsWith('-linux-gnu') && existsSync(join(folder, inner, name)))
  })
}

function hasFonts(): boolean {
  const folders = ['/usr/share/fonts', '/usr/local/share/fonts', join(process.env.HOME ?? '', '.fonts')]
  return folders.some((folder) => {
    if (!existsSync(folder)) return false
    return readdirSync(folder, { recursive: true }).some((file) => /\.(ttf|otf|ttc|woff2?)$/i.test(String(file)))
  })
}

const needs: Record<string, readonly Need[]> = {
  chromium: [
    {
      what: 'Chromium',
      debian: ['chromium'],
      elsewhere: 'Chromium, Google Chrome or Microsoft Edge',
      found: () => findChromium() !== undefined
    },
    {
      what: 'a font, so that pages have letters',
      debian: ['fonts-inter', 'fonts-dejavu-core'],
      elsewhere: 'any TrueType font',
      found: () => !linux || hasFonts()
    }
  ],
  // What Electron itself needs on a Linux without a desktop.
  display: [
    {
      what: 'a virtual display',
      debian: ['xvfb', 'xauth'],
      elsewhere: 'Xvfb',
      found: () => !linux || onPath('xvfb-run') !== undefined
    },
    {
      what: 'a window manager',
      debian: ['openbox', 'x11-utils'],
      elsewhere: 'openbox and xprop',
      found: () => !linux || (onPath('openbox') !== undefined && onPath('xprop') !== undefined)
    },
    {
      what: 'the libraries of a desktop',
      debian: ['libgtk-3-0', 'libnss3', 'libasound2', 'libgbm1'],
      elsewhere: 'GTK 3, NSS, ALSA and GBM',
      found: () => !linux || ['libgtk-3.so.0', 'libnss3.so', 'libasound.so.2', 'libgbm.so.1'].every(hasLibrary)
    }
  ],
  keyring: [
    {
      what: 'a Secret Service to test the keychain with',
      debian: ['gnome-keyring'],
      elsewhere: 'gnome-keyring',
      found: () => !linux || onPath('gnome-keyring-daemon') !== undefined
    },
    {
      what: 'a private D-Bus session',
      debian: ['dbus'],
      elsewhere: 'dbus (dbus-run-session, dbus-send)',
      found: () => !linux || (onPath('dbus-run-session') !== undefined && onPath('dbus-send') !== undefined)
    },
    {
      what: 'libsecret',
      debian: ['libsecret-1-0'],
      elsewhere: 'libsecret-1.so.0',
      found: () => !linux || hasLibrary('libsecret-1.so.0')
    }
  ],
  pdftoppm: [
    {
      what: 'pdftoppm, to open PDFs with',
      debian: ['poppler-utils'],
      elsewhere: 'poppler (pdftoppm)',
      found: () => onPath('pdftoppm') !== undefined
    }
  ],
  postgres: [
    {
      what: 'PostgreSQL 15 or later, to test office mode with',
      debian: ['postgresql'],
      elsewhere: 'PostgreSQL 15 or later, with initdb on the path',
      found: () => findPostgres() !== undefined
    },
    {
      what: 'PgBouncer, through which no workstation hears',
      debian: ['pgbouncer'],
      elsewhere: 'PgBouncer',
      found: () => !linux || findPgBouncer() !== undefined
    }
  ]
}

/**
 * Returns which of the named needs this machine lacks.
 * @throws Error for an unknown name.
 */
export function missing(names: readonly string[]): readonly Need[] {
  return names.flatMap((name) => {
    const parts = needs[name]
    if (!parts) throw new Error(`"${name}" is not a need; there are ${Object.keys(needs).join(', ')}`)
    return parts.filter((part) => !part.found())
  })
}

function aptPrefix(): readonly string[] | undefined {
  if (!linux || !onPath('apt-get')) return undefined
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : undefined
}

/** Installs what is missing, or says how to. Returns the exit code. */
export function ensure(names: readonly string[]): number {
  const lacking = missing(names)
  if (lacking.length === 0) return 0
  const packages = lacking.flatMap((need) => need.debian)
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`
  const prefix = aptPrefix()
  if (!prefix) {
    console.error(`Missing on this machine: ${lacking.map((need) => need.what).join('; ')}.`)
    if (linux && onPath('apt-get')) console.error(`Install with:\n  sudo apt-get update && sudo ${command}`)
    else console.error(`Please install: ${lacking.map((need) => need.elsewhere).join('; ')}.`)
    return 1
  }
  console.error(`Installing ${packages.join(', ')} …`)
  for (const step of ['apt-get update -q', command]) {
    const [program = '', ...args] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', ...step.split(' ')]
    const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    if (status !== 0 && step === command) {
      console.error(`That failed. By hand:\n  ${prefix.join(' ')} apt-get update && ${prefix.join(' ')} ${command}`)
      return 1
    }
  }
  const still = missing(names)
  for (const need of still) console.error(`Still missing after the installation: ${need.what}.`)
  return still.length === 0 ? 0 : 1
}

if (import.meta.main) {
  process.exitCode = ensure(process.argv.slice(2))
}
