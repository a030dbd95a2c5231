// Starts the built application for a test and returns its pages and surroundings: on the Chromium host by default, on
// Electron itself with COUNTERSIGN_E2E=electron. Tests are written against this one interface.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright'
import { launchOnElectron } from './on-electron.ts'
import { launchOnHost } from './on-host.ts'

type Modules = typeof import('electron')

/** What a test may set for a start; everything has a default. */
export interface LaunchOptions {
  /** A user-data folder to keep between starts; by default a new one that is removed at the end. */
  readonly userData?: string
  /** Added to the environment of the application. */
  readonly env?: Readonly<Record<string, string>>
  /** Added to the application's arguments. */
  readonly args?: readonly string[]
  /** The script to run, from the project's root; by default the built application. */
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
  /** Whether the icon has a visible picture. */
  readonly hasImage: boolean
  readonly items: readonly MenuPicture[]
}

export interface Badge {
  readonly count: number
  /** The description of the icon that overlays the window's own on the task bar. */
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

/** The machine and the desktop around the application, emulated by the test. */
interface Surroundings {
  readonly dialog: {
    /** Queues an answer for the next open dialog: the chosen files; none cancels. */
    answerOpen(filePaths: readonly string[]): Promise<void>
    /** Queues an answer for the next save dialog (a download's too); '' cancels. */
    answerSave(filePath: string): Promise<void>
    /** Queues an answer for the next message box: the label of the button to press. */
    answerMessage(button: string): Promise<void>
    /** Returns all dialogs so far. */
    shown(): Promise<readonly ShownDialog[]>
  }
  notifications(): Promise<readonly ShownNotification[]>
  /** Clicks the notification with this index; a negative one counts from the latest. */
  clickNotification(index: number): Promise<void>
  /** Returns the addresses passed to other programs. */
  openedExternally(): Promise<readonly string[]>
  openedPaths(): Promise<readonly string[]>
  shownInFolder(): Promise<readonly string[]>
  /** Returns how often the computer's own sound was requested. */
  beeps(): Promise<number>
  clipboardText(): Promise<string>
  setClipboardText(text: string): Promise<void>
  /** Returns the open context menu, or else the application's. */
  menu(): Promise<readonly MenuPicture[]>
  clickMenu(labels: readonly string[]): Promise<void>
  /** Returns the tray icon, or null if there is none. */
  tray(): Promise<TrayPicture | null>
  clickTray(): Promise<void>
  clickTrayMenu(labels: readonly string[]): Promise<void>
  badge(): Promise<Badge>
  /** Sets how long the computer has been idle. */
  setIdleSeconds(seconds: number): Promise<void>
  emitPower(event: 'suspend' | 'resume'): Promise<void>
  /** Locks or unlocks the computer's screen, with an event where this system has one. */
  setLocked(isLocked: boolean): Promise<void>
  setOnline(online: boolean): Promise<void>
  /** Sets the certificates with their keys in the system's store, as PEM. Only the host can emulate that. */
  setOwnCertificates(certificates: readonly { cert: string; key: string }[]): Promise<void>
  setMachineTheme(theme: { dark?: boolean; highContrast?: boolean }): Promise<void>
  windows(): Promise<readonly WindowInfo[]>
  resizeWindow(size: { width: number; height: number }): Promise<void>
  closeWindow(): Promise<void>
  /** Brings the main window to the front. */
  focusWindow(): Promise<void>
  /** Brings another program to the front. */
  blurWindow(): Promise<void>
  /** Plugs another display in, to the right of the others; resolves to its id. */
  addDisplay(size: { width: number; height: number }): Promise<number>
  removeDisplay(id: number): Promise<void>
  /** Saves a PNG at `file` of the window's content as a person sees it, with the views over it. */
  screenshot(file: string): Promise<void>
}

export interface Launched extends Surroundings {
  /** `host` or `electron`: for the few things that only one of them can show. */
  readonly flavour: 'host' | 'electron'
  /** The page of the main window. */
  readonly window: Page
  /** Resolves to the page of the first window with a matching address, once there is one. */
  waitForWindow(address: RegExp): Promise<Page>
  readonly userData: string
  /** Returns the pages laid over the window, the lowest first; by default only visible ones. */
  views(which?: 'visible' | 'all'): Promise<Page[]>
  /** Resolves to the first view with a matching address, once there is one. */
  waitForView(address: RegExp): Promise<Page>
  /** Returns a page's address as the application knows it: app://… where the host carries it as http://…. */
  addressOf(page: Page): Promise<string>
  /**
   * Runs a function inside the application's main process, with Electron's modules and an argument. Only its source
   * text is sent, so it may use nothing from outside itself.
   */
  evaluate<R, A = undefined>(work: (electron: Modules, argument: A) => R | Promise<R>, argument?: A): Promise<R>
  /** Asks the application to quit. Resolves to its exit code once it has. */
  quit(): Promise<number | null>
  /** Kills the process at once (SIGKILL), as a power cut would. The user-data folder stays until close(). */
  kill(): Promise<void>
  /** Resolves to the exit code once the process has ended for any reason. */
  readonly ended: Promise<number | null>
  /** Quits the application if it's still running, and removes all temporary folders except a given `userData`. */
  close(): Promise<void>
  /** Returns what the process has written so far, to both streams. */
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

/** Starts the application and waits for its main window's page (but not for the page's content). */
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
      // Temporary files go into a folder of this start's own, so that nothing can be left behind.
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
      // All starts share what Node has compiled: a fifth of a start's work.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
      ...options.env
    },
    userData
  }
  try {
    const started = await (process.env.COUNTERSIGN_E2E === 'electron' ? launchOnElectron(start) : launchOnHost(start))
    const close = async () => {
      try {
        await quitOrKill(started)
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

async function quitOrKill(started: Started): Promise<void> {
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
