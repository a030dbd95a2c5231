// Electron's `app`: start, quit, folders, and a single instance per user-data folder.
import { mkdirSync, readFileSync } from 'node:fs'
import type { Server } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type * as Electron from 'electron'
import { BaseWindow } from './base-window.ts'
import { APPENDABLE } from './browser.ts'
import { appendSwitch, chromium, host } from './host.ts'
import { acquireInstanceLock } from './instance-lock.ts'
import { Emulated, notEmulated, preventable } from './strict.ts'
import type { WebContents } from './web-contents.ts'

export const appEvents = {
  emits: [
    'activate',
    'before-quit',
    'browser-window-blur',
    'browser-window-created',
    'browser-window-focus',
    'certificate-error',
    'quit',
    'ready',
    'render-process-gone',
    'second-instance',
    'select-client-certificate',
    'session-created',
    'web-contents-created',
    'will-finish-launching',
    'will-quit',
    'window-all-closed'
  ],
  // The host doesn't expose Chromium's helper processes or pages' HTTP log-ins, and tests don't open links or files
  // with the application.
  never: ['child-process-gone', 'open-url', 'open-file', 'gpu-info-update', 'login']
} as const

type Path = Parameters<Electron.App['getPath']>[0]

type Offered = Pick<
  Electron.App,
  | 'whenReady'
  | 'isReady'
  | 'quit'
  | 'exit'
  | 'relaunch'
  | 'focus'
  | 'getPath'
  | 'setPath'
  | 'getAppPath'
  | 'getVersion'
  | 'getName'
  | 'setName'
  | 'getLocale'
  | 'getSystemLocale'
  | 'getPreferredSystemLanguages'
  | 'getLocaleCountryCode'
  | 'enableSandbox'
  | 'requestSingleInstanceLock'
  | 'hasSingleInstanceLock'
  | 'releaseSingleInstanceLock'
  | 'setAppUserModelId'
  | 'setToastActivatorCLSID'
  | 'setBadgeCount'
  | 'getBadgeCount'
  | 'disableHardwareAcceleration'
  | 'setAboutPanelOptions'
  | 'isPackaged'
>

interface Manifest {
  readonly folder: string
  readonly name: string
  readonly version: string
}

/** Reads the package.json nearest to the running script: the one `electron .` would have read. */
function readManifest(): Manifest {
  for (let folder = dirname(resolve(process.argv[1] ?? '.')); ; folder = dirname(folder)) {
    try {
      const { name, productName, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return { folder, name: productName ?? name, version }
    } catch {
      if (dirname(folder) === folder) return { folder: process.cwd(), name: 'Electron', version: '0.0.0' }
    }
  }
}

function appData(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support')
  if (process.platform === 'win32') return process.env.APPDATA ?? join(homedir(), 'AppData', 'Roaming')
  return process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config')
}

/** Returns the value of a Chromium switch on the command line; Electron honours these too. */
function switchValue(name: string): string | undefined {
  return process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3)
}

class App extends Emulated implements Offered {
  /**
   * True if a test names the resources folder (next to the packed archive), so that behaviour of a packaged application
   * can be tested here too.
   */
  readonly isPackaged = process.env.COUNTERSIGN_HOST_PACKAGED !== undefined
  readonly name: string
  readonly applicationMenu = null
  readonly commandLine = {
    appendSwitch: (name: string, value = '') => {
      if (name === 'disable-features' || APPENDABLE.includes(name)) return appendSwitch(name, value)
      // These change nothing that the host shows. Any other would have to reach Chromium, which isn't supported.
      const harmless = ['lang', 'force-color-profile', 'js-flags', 'disable-renderer-backgrounding', 'password-store']
      if (!harmless.includes(name)) notEmulated(`app.commandLine.appendSwitch('${name}')`)
    },
    hasSwitch: (name: string) => process.argv.some((each) => each === `--${name}` || each.startsWith(`--${name}=`)),
    getSwitchValue: (name: string) => switchValue(name) ?? '',
    appendArgument: () => notEmulated('app.commandLine.appendArgument'),
    removeSwitch: () => notEmulated('app.commandLine.removeSwitch')
  } satisfies Electron.CommandLine
  readonly #manifest = readManifest()
  readonly #paths = new Map<string, string>()
  readonly #whenReady: Promise<void>
  #ready = false
  #quitting = false
  #exiting = false
  #badge = 0
  #lock: Server | undefined

  constructor() {
    super('app', appEvents)
    this.name = this.#manifest.name
    host.applicationName = this.name
    this.#whenReady = this.#start()
    host.on('session-created', (created) => this.emit('session-created', created))
    host.on('web-contents-created', (contents: WebContents) => this.emit('web-contents-created', {}, contents))
    host.on('browser-window-created', (window) => this.emit('browser-window-created', {}, window))
    host.on('browser-window-focus', (window) => this.emit('browser-window-focus', {}, window))
    host.on('browser-window-blur', (window) => this.emit('browser-window-blur', {}, window))
    host.on('render-process-gone', (...args) => this.emit('render-process-gone', {}, ...args))
    host.on('select-client-certificate', (...args) => this.emit('select-client-certificate', ...args))
    host.on('certificate-error', (...args) => this.emit('certificate-error', ...args))
    host.on('close-prevented', () => (this.#quitting = false))
    host.on('window-closed', () => this.#windowClosed())
  }

  whenReady(): Promise<void> {
    return this.#whenReady
  }

  isReady(): boolean {
    return this.#ready
  }

  /** Asks every window to close. As in Electron, a window that doesn't close stops the quit. */
  quit(): void {
    if (this.#quitting || this.#exiting) return
    const event = preventable({})
    this.emit('before-quit', event)
    if (event.defaultPrevented) return
    this.#quitting = true
    const windows = BaseWindow.getAllWindows()
    if (windows.length === 0) {
      this.#finish()
      return
    }
    for (const window of windows) if (this.#quitting) window.close()
  }

  /** Exits at once, without asking any window or listener. */
  exit(code = 0): void {
    if (this.#exiting) return
    this.#exiting = true
    this.emit('quit', {}, code)
    this.#lock?.close()
    void this.#end(code)
  }

  /**
   * Only announces the restart. Nothing starts by itself here: a test starts the application again, as the system
   * would.
   */
  relaunch(): void {
    process.stdout.write('The application starts again.\n')
  }

  focus(): void {
    BaseWindow.getAllWindows()[0]?.focus()
  }

  getPath(name: Path): string {
    const path = this.#paths.get(name) ?? this.#defaultPath(name)
    if (name === 'userData' || name === 'logs') mkdirSync(path, { recursive: true })
    return path
  }

  setPath(name: Path, path: string): void {
    this.#defaultPath(name)
    this.#paths.set(name, resolve(path))
  }

  setAppLogsPath(path?: string): void {
    this.#paths.set('logs', path ?? join(this.getPath('userData'), 'logs'))
  }

  getAppPath(): string {
    return this.#manifest.folder
  }

  getVersion(): string {
    return this.#manifest.version
  }

  getName(): string {
    return this.name
  }

  setName(): void {
    notEmulated('app.setName')
  }

  getLocale(): string {
    return (process.env.LANGUAGE || process.env.LANG || 'en-US')
      .replace(/[.:].*$/, '')
      .replace('_', '-')
      .replace(/^C$/, 'en-US')
  }

  getSystemLocale(): string {
    return this.getLocale()
  }

  getPreferredSystemLanguages(): string[] {
    return [this.getLocale()]
  }

  getLocaleCountryCode(): string {
    return this.getLocale().split('-')[1] ?? ''
  }

  /** Pages here are sandboxed and isolated whether this is called or not. */
  enableSandbox(): void {
    if (this.#ready) throw new Error('app.enableSandbox() can only be called before app is ready')
  }

  requestSingleInstanceLock(additionalData?: Record<string, unknown>): boolean {
    if (this.#lock) return true
    const greeting = { argv: process.argv, workingDirectory: process.cwd(), additionalData: additionalData ?? null }
    this.#lock = acquireInstanceLock(this.getPath('userData'), greeting, (other) => {
      void this.#whenReady.then(() => {
        this.emit('second-instance', {}, other.argv, other.workingDirectory, other.additionalData)
      })
    })
    return this.#lock !== undefined
  }

  hasSingleInstanceLock(): boolean {
    return this.#lock !== undefined
  }

  releaseSingleInstanceLock(): void {
    this.#lock?.close()
    this.#lock = undefined
  }

  // Effects that only a desktop shows.
  setAppUserModelId(): void {}
  setToastActivatorCLSID(id: string): void {
    if (!/^\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$/i.test(id)) throw new TypeError('Invalid CLSID')
  }
  disableHardwareAcceleration(): void {}
  setAboutPanelOptions(): void {}

  /**
   * Behaves as on a desktop that has badges. Without a count, Electron shows a plain badge on macOS; here it means
   * none.
   */
  setBadgeCount(count = 0): boolean {
    if (!Number.isInteger(count)) throw new TypeError('Error processing argument at index 0, conversion failure')
    this.#badge = Math.max(0, count)
    return true
  }

  getBadgeCount(): number {
    return this.#badge
  }

  async #start(): Promise<void> {
    const { version } = await host.started
    // As in Electron, the application's modules have run before it is ready.
    await new Promise((done) => setImmediate(done))
    defineVersion('chrome', version)
    this.#ready = true
    host.emit('ready')
    this.emit('will-finish-launching')
    this.emit('ready', {}, {})
  }

  #defaultPath(name: Path): string {
    const userData = () => switchValue('user-data-dir') ?? join(appData(), this.name)
    const home = homedir()
    const paths: Partial<Record<Path, () => string>> = {
      home: () => home,
      appData,
      userData: () => resolve(userData()),
      sessionData: () => this.getPath('userData'),
      temp: () => tmpdir(),
      logs: () => join(this.getPath('userData'), 'logs'),
      crashDumps: () => join(this.getPath('userData'), 'Crashpad'),
      exe: () => process.execPath,
      module: () => process.execPath,
      desktop: () => join(home, 'Desktop'),
      documents: () => join(home, 'Documents'),
      downloads: () => join(home, 'Downloads'),
      music: () => join(home, 'Music'),
      pictures: () => join(home, 'Pictures'),
      videos: () => join(home, 'Videos')
    }
    return paths[name]?.() ?? notEmulated(`app.getPath('${name}')`)
  }

  #windowClosed(): void {
    if (BaseWindow.getAllWindows().length > 0) return
    if (this.#quitting) {
      this.#finish()
      return
    }
    // Electron quits by default only if there is no listener.
    if (!this.emit('window-all-closed')) this.quit()
  }

  #finish(): void {
    const event = preventable({})
    this.emit('will-quit', event)
    if (event.defaultPrevented) this.#quitting = false
    else this.exit(0)
  }

  async #end(code: number): Promise<void> {
    // Set now in case nothing keeps the process alive until the browser has answered.
    process.exitCode = code
    try {
      await host.started
      await chromium().close()
    } finally {
      process.exit(code)
    }
  }
}

function defineVersion(name: string, value: string): void {
  Object.defineProperty(process.versions, name, { value, enumerable: true, configurable: true })
}

// Set before `app` exists, because the application's modules read these while they load.
defineVersion('electron', '45.4.1-host')
defineVersion('chrome', '0')
Object.defineProperty(process, 'resourcesPath', {
  value: process.env.COUNTERSIGN_HOST_PACKAGED ?? '',
  enumerable: true
})
Object.defineProperty(process, 'type', { value: 'browser', enumerable: true, configurable: true })

export const app = new App()

host.started.catch((error) => {
  console.error('test host:', error instanceof Error ? error.message : error)
  process.exit(1)
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => app.quit())
