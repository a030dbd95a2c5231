/**
 * The windows with our own pages: the office's, which remembers its place, and the one on the second display, where a
 * person signs. They show only our pages, and appear only when there is something to see.
 */
import { BrowserWindow, type Display, nativeTheme, type Rectangle, screen } from 'electron'
import type { SettingsStore, WindowBounds } from '../core/storage/settings.ts'
import type { Log } from './log.ts'
import { keepInBackground } from './login-start.ts'
import { applyZoom, guardOwnPage, ownPagePreferences } from './own-page.ts'

const TITLE_BAR_HEIGHT = 40
const MIN_SIZE = { width: 960, height: 640 }
const INITIAL_SIZE = { width: 1280, height: 840 }

/** As the renderer's tokens `--ground` and `--text`, so that the system's window buttons match our title bar. */
const COLOURS = {
  light: { color: '#eef1f3', symbolColor: '#182026' },
  dark: { color: '#0d1113', symbolColor: '#e7ecef' }
}

export interface MainWindowParts {
  /** Absolute path of the built preload. */
  preload: string
  devServer: URL | undefined
  settings: SettingsStore
  log: Pick<Log, 'error'>
  /** The system started the application, and nobody is looking. */
  isAtLogin?: boolean
}

/** Creates the window without a page: what its page asks for must exist before it can ask. */
export function openMainWindow(parts: MainWindowParts): BrowserWindow {
  const savedBounds = parts.settings.read().windowBounds
  const window = new BrowserWindow({
    ...initialBounds(savedBounds),
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    show: false,
    title: 'Countersign',
    backgroundColor: colours().color,
    titleBarStyle: 'hidden',
    titleBarOverlay: { ...colours(), height: TITLE_BAR_HEIGHT },
    webPreferences: ownPagePreferences(parts.preload)
  })
  guardOwnPage(window.webContents, parts.devServer)
  followTheme(window)
  rememberBounds(window, parts.settings)
  reviveAfterCrash(window, parts.log)
  window.once('ready-to-show', () => {
    if (parts.isAtLogin) return keepInBackground(window)
    window.show()
    if (savedBounds?.maximised) window.maximize()
  })
  return window
}

/** Loads the first page; the window appears when there is something to see. */
export function loadFirstPage(window: BrowserWindow, start: string, log: MainWindowParts['log']): void {
  window.loadURL(start).catch(() => log.error('The first page could not be loaded.'))
}

function colours(): { color: string; symbolColor: string } {
  return nativeTheme.shouldUseDarkColors ? COLOURS.dark : COLOURS.light
}

function followTheme(window: BrowserWindow): void {
  const follow = () => {
    if (window.isDestroyed()) return
    window.setBackgroundColor(colours().color)
    if (process.platform !== 'darwin') window.setTitleBarOverlay({ ...colours(), height: TITLE_BAR_HEIGHT })
  }
  nativeTheme.on('updated', follow)
  window.once('closed', () => nativeTheme.off('updated', follow))
}

function rememberBounds(window: BrowserWindow, settings: SettingsStore): void {
  let saveTimer: NodeJS.Timeout | undefined
  const save = () => {
    clearTimeout(saveTimer)
    if (window.isDestroyed() || window.isMinimized() || window.isFullScreen()) return
    const maximised = window.isMaximized()
    const { x, y, width, height } = maximised ? window.getNormalBounds() : window.getBounds()
    settings.change({ windowBounds: { x, y, width, height, maximised } })
  }
  const saveSoon = () => {
    clearTimeout(saveTimer)
    saveTimer = setTimeout(save, 500)
  }
  window.on('resize', saveSoon)
  window.on('move', saveSoon)
  window.on('close', save)
  window.once('closed', () => clearTimeout(saveTimer))
}

/**
 * Returns the remembered place if it's still on a screen; otherwise centres the window at its first size, or what fits.
 */
function initialBounds(savedBounds: WindowBounds | undefined): Partial<Rectangle> {
  if (savedBounds) {
    const area = screen.getDisplayMatching(savedBounds).workArea
    const overlaps =
      savedBounds.x < area.x + area.width &&
      savedBounds.x + savedBounds.width > area.x &&
      savedBounds.y >= area.y &&
      savedBounds.y < area.y + area.height
    if (overlaps) return { x: savedBounds.x, y: savedBounds.y, width: savedBounds.width, height: savedBounds.height }
  }
  const { width, height } = screen.getPrimaryDisplay().workAreaSize
  return { width: Math.min(INITIAL_SIZE.width, width), height: Math.min(INITIAL_SIZE.height, height) }
}

/**
 * Reloads our page after a crash. Nothing is lost, as the main process holds all state. Doesn't reload in a loop.
 * @param onGaveUp called if it crashed again at once.
 */
function reviveAfterCrash(window: BrowserWindow, log: MainWindowParts['log'], onGaveUp: () => void = () => {}): void {
  let last = 0
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    log.error('The window’s page ended unexpectedly.', { reason, exitCode })
    if (Date.now() - last < 10_000) {
      onGaveUp()
      return
    }
    last = Date.now()
    window.webContents.reload()
  })
}

interface PersonWindowParts extends Omit<MainWindowParts, 'settings'> {
  /** The address of its page. */
  start: string
  /** The zoom of our own pages. */
  zoom: () => number
}

/**
 * Opens the window on the second display without taking the keyboard focus from the clerk's: our own page, filling that
 * display, with nothing of the office in it and none of its requests.
 */
export function openPersonWindow(display: Display, parts: PersonWindowParts): BrowserWindow {
  const window = new BrowserWindow({
    ...display.bounds,
    show: false,
    frame: false,
    skipTaskbar: true,
    minimizable: false,
    closable: false,
    title: 'Countersign',
    webPreferences: ownPagePreferences(parts.preload)
  })
  guardOwnPage(window.webContents, parts.devServer)
  // Its page offers no menu, and the office's shortcuts aren't for the person in front of it.
  window.removeMenu()
  window.webContents.setIgnoreMenuShortcuts(true)
  // The person can't close it, whatever keys the system has for that. We destroy it, which skips this event.
  window.on('close', (event) => event.preventDefault())
  // A window that can't show its page is no use for signing.
  reviveAfterCrash(window, parts.log, () => setImmediate(() => window.isDestroyed() || window.destroy()))
  window.webContents.on('dom-ready', () => applyZoom(window, parts.zoom()))
  // Filling the display any sooner would show it at once on Linux, without its page and with the keyboard focus.
  window.once('ready-to-show', () => {
    window.showInactive()
    window.setFullScreen(true)
  })
  window.loadURL(parts.start).catch(() => parts.log.error('The page of the second display could not be loaded.'))
  return window
}

/**
 * Handles the side buttons of a mouse on Windows and Linux, and a three-finger swipe on macOS: back and forward. A page
 * hears of the buttons, too, and takes whichever comes first.
 */
export function followSideButtons(window: BrowserWindow, go: (way: 'back' | 'forward') => void): void {
  window.on('app-command', (event, command) => {
    if (command !== 'browser-backward' && command !== 'browser-forward') return
    event.preventDefault()
    go(command === 'browser-backward' ? 'back' : 'forward')
  })
  window.on('swipe', (_event, direction) => {
    if (direction === 'left' || direction === 'right') go(direction === 'left' ? 'back' : 'forward')
  })
}
