// Starts the built application for a test and hands back its pages and its surroundings: on the Chromium host by default,
// on Electron itself where COUNTERSIGN_E2E=electron. Tests are written against the one interface here.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright'
import { launchOnElectron } from './on-electron.ts'
import { launchOnHost } from './on-host.ts'

type Modules = typeof import('electron')

/** What a test may say about a start; everything has a default. */
export interface LaunchOptions {
  /** A folder to keep between starts; a fresh one, removed at the end, otherwise. */
  readonly userData?: string
  /** Added to the environment of the application. */
  readonly env?: Readonly<Record<string, string>>
  /** Added to the application's arguments. */
  readonly args?: readonly string[]
  /** The script to run, from the project's root; the built application otherwise. */
  readonly main?: string
}

export interface ShownDialog {
  readonly kind: 'open' | 'save' | 'message' | 'error'
  readonly title: string
  readonly message: string
  readonly buttons: readonly string[]
}

export interface ShownNotification {
  readonly title: string
  readonly body: string
}

export interface MenuPicture {
  readonly label: string
  readonly type: string
  readonly enabled: boolean
  readonly checked: boolean
  readonly accelerator: string
  readonly items: readonly MenuPicture[]
}

export interface TrayPicture {
  readonly toolTip: string
  /** Whether there is anything to see of it. */
  readonly hasImage: boolean
  readonly items: readonly MenuPicture[]
}

export interface Badge {
  readonly count: number
  /** What is said of the icon that lies over the window's on the task bar. */
  readonly overlay: string | null
}

export interface WindowInfo {
  readonly id: number
  readonly title: string
  readonly bounds: { x: number; y: number; width: number; height: number }
  readonly visible: boolean
  readonly focused: boolean
  readonly minimized: boolean
  readonly maximized: boolean
  readonly fullScreen: boolean
}

/** The machine and the desktop around the application, played by the test. */
interface Surroundings {
  readonly dialog: {
    /** Puts an answer ready for the next open dialog: the files chosen; none cancels. */
    answerOpen(filePaths: readonly string[]): Promise<void>
    /** For the next save dialog (a download's too); '' cancels. */
    answerSave(filePath: string): Promise<void>
    /** For the next message box: the label of the button to press. */
    answerMessage(button: string): Promise<void>
    /** All dialogs so far. */
    shown(): Promise<readonly ShownDialog[]>
  }
  notifications(): Promise<readonly ShownNotification[]>
  /** Clicks the notification of that index; negative counts from the latest. */
  clickNotification(index: number): Promise<void>
  /** Addresses that were given to other programs. */
  openedExternally(): Promise<readonly string[]>
  openedPaths(): Promise<readonly string[]>
  shownInFolder(): Promise<readonly string[]>
  /** How often the computer's own sound was asked for. */
  beeps(): Promise<number>
  clipboardText(): Promise<string>
  setClipboardText(text: string): Promise<void>
  /** The open context menu, or else the application's. */
  menu(): Promise<readonly MenuPicture[]>
  clickMenu(labels: readonly string[]): Promise<void>
  /** The icon in the tray, or null where there is none. */
  tray(): Promise<TrayPicture | null>
  clickTray(): Promise<void>
  clickTrayMenu(labels: readonly string[]): Promise<void>
  badge(): Promise<Badge>
  /** Nobody has touched the computer for so long. */
  setIdleSeconds(seconds: number): Promise<void>
  emitPower(event: 'suspend' | 'resume'): Promise<void>
  /** The computer's screen is locked or unlocked, and tells of it as far as this system does. */
  setLocked(isLocked: boolean): Promise<void>
  setOnline(online: boolean): Promise<void>
  /** What the system's store has of certificates with their keys, as PEM. The host alone can play that. */
  setOwnCertificates(certificates: readonly { cert: string; key: string }[]): Promise<void>
  setMachineTheme(theme: { dark?: boolean; highContrast?: boolean }): Promise<void>
  windows(): Promise<readonly WindowInfo[]>
  resizeWindow(size: { width: number; height: number }): Promise<void>
  closeWindow(): Promise<void>
  /** The main window comes to the front. */
  focusWindow(): Promise<void>
  /** Another program comes to the front. */
  blurWindow(): Promise<void>
  /** Plugs another display in, to the right of the others; resolves to its id. */
  addDisplay(size: { width: number; height: number }): Promise<number>
  removeDisplay(id: number): Promise<void>
  /** The window as a person sees its inside, views laid over it, as PNG at `file`. */
  screenshot(file: string): Promise<void>
}

export interface Launched extends Surroundings {
  /** `host` or `electron`: for the few things that only one of them can show. */
  readonly flavour: 'host' | 'electron'
  /** The page of the main window. */
  readonly window: Page
  /** Resolves to the page of the first window whose address fits, once there is one. */
  waitForWindow(address: RegExp): Promise<Page>
  readonly userData: string
  /** The pages laid over the window, the lowest first; visible ones only unless asked otherwise. */
  views(which?: 'visible' | 'all'): Promise<Page[]>
  /** Resolves to the first view whose address fits, once there is one. */
  waitForView(address: RegExp): Promise<Page>
  /** The address of a page as the application knows it: app://… where the host carries it as http://…. */
  addressOf(page: Page): Promise<string>
  /**
   * Runs a function inside the application's main process, with Electron's modules and an argument. Its text is what
   * travels, so it may use nothing from outside itself.
   */
  evaluate<R, A = undefined>(work: (electron: Modules, argument: A) => R | Promise<R>, argument?: A): Promise<R>
  /** Asks the application to quit; resolves to its exit code once it has. */
  quit(): Promise<number | null>
  /** Ends the process at once, as a power cut would (SIGKILL). The user-data folder stays until close(). */
  kill(): Promise<void>
  /** Resolves to the exit code when the process has ended for any reason. */
  readonly ended: Promise<number | null>
  /** Quits if it still runs, and removes all temporary folders but a `userData` that was given. */
  close(): Promise<void>
  /** What the process has written so far, both streams. */
  logs(): string
}

/** What a flavour needs to start. */
export interface Start {
  readonly root: string
  readonly main: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
  readonly userData: string
}

export type Started = Omit<Launched, 'userData' | 'close'>

const root = resolve(import.meta.dirname, '../..')

/** Starts the application and waits for its main window's page (not for what the page shows). */
export async function launch(options: LaunchOptions = {}): Promise<Launched> {
  const temporary = await mkdtemp(join(tmpdir(), 'countersign-e2e-'))
  const userData = options.userData ?? join(temporary, 'user-data')
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const tidy = () => rm(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  const start: Start = {
    root,
    main: resolve(root, options.main ?? 'out/main/index.js'),
    args: [`--user-data-dir=${userData}`, ...(options.args ?? [])],
    env: {
      ...Object.fromEntries(inherited),
      // Everything that is only temporary goes into a folder of this start's own, so that nothing can be left behind.
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
      // What Node has compiled once serves all starts: a fifth of a start's work.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
      ...options.env
    },
    userData
  }
  try {
    const started = await (process.env.COUNTERSIGN_E2E === 'electron' ? launchOnElectron(start) : launchOnHost(start))
    const close = async () => {
      try {
        await endGently(started)
      } finally {
        await tidy()
      }
    }
    return Object.assign(started, { userData, close })
  } catch (error) {
    await tidy()
    throw error
  }
}

async function endGently(started: Started): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), 20_000)
  })
  const outcome = await Promise.race([started.quit(), late])
  clearTimeout(timer)
  if (outcome !== 'late') return
  await started.kill()
  throw new Error(`The application did not quit when asked; what it wrote:\n${started.logs()}`)
}
