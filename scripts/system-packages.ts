// Checks for the system packages that tests and the Chromium host need, and installs missing ones where that is
// possible (Debian or Ubuntu, as root or with password-less sudo). Elsewhere it prints the command to run and exits
// with 1.
//
// Use: node scripts/system-packages.ts chromium keyring pdftoppm postgres
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

interface Requirement {
  /** Its name for people. */
  readonly what: string
  readonly debian: readonly string[]
  readonly otherSystems: string
  /** Returns true if this machine has it, or doesn't need it. */
  isPresent(): boolean
}

const linux = process.platform === 'linux'

function findOnPath(...names: string[]): string | undefined {
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
  const knownPaths = [
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
    findOnPath('chromium', 'chromium-browser', 'google-chrome', 'microsoft-edge') ??
    knownPaths.find((file) => existsSync(file))
  )
}

/** The oldest PostgreSQL version that office mode supports. */
const MIN_POSTGRES = 15

/**
 * Returns the folder of the newest PostgreSQL's programs on this machine, if one is new enough. Debian doesn't put them
 * on the path.
 */
export function findPostgres(): string | undefined {
  const versionsFolder = '/usr/lib/postgresql'
  const versions = existsSync(versionsFolder)
    ? readdirSync(versionsFolder)
        .map(Number)
        .filter((version) => version >= MIN_POSTGRES)
    : []
  const folders = versions
    .sort((one, other) => other - one)
    .map((version) => join(versionsFolder, String(version), 'bin'))
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (found) return found
  const initdb = findOnPath('initdb')
  if (!initdb) return undefined
  const { stdout } = spawnSync(initdb, ['--version'], { encoding: 'utf8' })
  return Number(/\d+/.exec(stdout ?? '')?.[0]) >= MIN_POSTGRES ? dirname(initdb) : undefined
}

/**
 * Returns the full path of PgBouncer on this machine, if there is one. Debian installs it where only root's path leads.
 */
export function findPgBouncer(): string | undefined {
  const debian = '/usr/sbin/pgbouncer'
  return findOnPath('pgbouncer') ?? (existsSync(debian) ? debian : undefined)
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

const requirements: Record<string, readonly Requirement[]> = {
  chromium: [
    {
      what: 'Chromium',
      debian: ['chromium'],
      otherSystems: 'Chromium, Google Chrome or Microsoft Edge',
      isPresent: () => findChromium() !== undefined
    },
    {
      what: 'a font, so that pages have letters',
      debian: ['fonts-inter', 'fonts-dejavu-core'],
      otherSystems: 'any TrueType font',
      isPresent: () => !linux || hasFonts()
    }
  ],
  // What Electron itself needs on a Linux without a desktop.
  display: [
    {
      what: 'a virtual display',
      debian: ['xvfb', 'xauth'],
      otherSystems: 'Xvfb',
      isPresent: () => !linux || findOnPath('xvfb-run') !== undefined
    },
    {
      what: 'a window manager',
      debian: ['openbox', 'x11-utils'],
      otherSystems: 'openbox and xprop',
      isPresent: () => !linux || (findOnPath('openbox') !== undefined && findOnPath('xprop') !== undefined)
    },
    {
      what: 'the libraries of a desktop',
      debian: ['libgtk-3-0', 'libnss3', 'libasound2', 'libgbm1'],
      otherSystems: 'GTK 3, NSS, ALSA and GBM',
      isPresent: () => !linux || ['libgtk-3.so.0', 'libnss3.so', 'libasound.so.2', 'libgbm.so.1'].every(hasLibrary)
    }
  ],
  keyring: [
    {
      what: 'a Secret Service to test the keychain with',
      debian: ['gnome-keyring'],
      otherSystems: 'gnome-keyring',
      isPresent: () => !linux || findOnPath('gnome-keyring-daemon') !== undefined
    },
    {
      what: 'a private D-Bus session',
      debian: ['dbus'],
      otherSystems: 'dbus (dbus-run-session, dbus-send)',
      isPresent: () => !linux || (findOnPath('dbus-run-session') !== undefined && findOnPath('dbus-send') !== undefined)
    },
    {
      what: 'libsecret',
      debian: ['libsecret-1-0'],
      otherSystems: 'libsecret-1.so.0',
      isPresent: () => !linux || hasLibrary('libsecret-1.so.0')
    }
  ],
  pdftoppm: [
    {
      what: 'pdftoppm, to open PDFs with',
      debian: ['poppler-utils'],
      otherSystems: 'poppler (pdftoppm)',
      isPresent: () => findOnPath('pdftoppm') !== undefined
    }
  ],
  postgres: [
    {
      what: 'PostgreSQL 15 or later, to test office mode with',
      debian: ['postgresql'],
      otherSystems: 'PostgreSQL 15 or later, with initdb on the path',
      isPresent: () => findPostgres() !== undefined
    },
    {
      what: 'PgBouncer, through which no workstation hears',
      debian: ['pgbouncer'],
      otherSystems: 'PgBouncer',
      isPresent: () => !linux || findPgBouncer() !== undefined
    }
  ]
}

/**
 * Returns which of the named needs this machine lacks.
 * @throws Error for an unknown name.
 */
export function missingRequirements(names: readonly string[]): readonly Requirement[] {
  return names.flatMap((name) => {
    const parts = requirements[name]
    if (!parts) throw new Error(`"${name}" is not a need; there are ${Object.keys(requirements).join(', ')}`)
    return parts.filter((part) => !part.isPresent())
  })
}

function aptPrefix(): readonly string[] | undefined {
  if (!linux || !findOnPath('apt-get')) return undefined
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0 ? ['sudo', '-n'] : undefined
}

/** Installs what is missing, or says how to. Returns the exit code. */
export function ensureInstalled(names: readonly string[]): number {
  const lacking = missingRequirements(names)
  if (lacking.length === 0) return 0
  const packages = lacking.flatMap((need) => need.debian)
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`
  const prefix = aptPrefix()
  if (!prefix) {
    console.error(`Missing on this machine: ${lacking.map((need) => need.what).join('; ')}.`)
    if (linux && findOnPath('apt-get')) console.error(`Install with:\n  sudo apt-get update && sudo ${command}`)
    else console.error(`Please install: ${lacking.map((need) => need.otherSystems).join('; ')}.`)
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
  const stillMissing = missingRequirements(names)
  for (const need of stillMissing) console.error(`Still missing after the installation: ${need.what}.`)
  return stillMissing.length === 0 ? 0 : 1
}

if (import.meta.main) {
  process.exitCode = ensureInstalled(process.argv.slice(2))
}
