/**
 * The window on the second display, where a person signs: our own page, as large as that display, with nothing of the office
 * in it and none of its requests.
 */
import { BrowserWindow, type Display } from 'electron'
import { reviveAfterCrash } from './main-window.ts'
import { applyZoom, guardOwnPage, ownPagePreferences } from './own-page.ts'

export interface PersonWindowParts {
  /** The address of its page. */
  start: string
  /** Absolute path of the built preload. */
  preload: string
  /** How large our own pages are shown. */
  zoom: () => number
  devServer: URL | undefined
  log: { error(message: string, detail?: Record<string, unknown>): void }
}

/** Opens it on that display without taking the keyboard from the clerk's window. */
export function openPersonWindow(display: Display, parts: PersonWindowParts): BrowserWindow {
  const window = new BrowserWindow({
    ...display.bounds,
    show: false,
    frame: false,
    fullscreen: true,
    skipTaskbar: true,
    minimizable: false,
    closable: false,
    title: 'Countersign',
    webPreferences: ownPagePreferences(parts.preload)
  })
  guardOwnPage(window.webContents, parts.devServer)
  // Its page offers no menu, and the office's keys are not for the person who sits before it.
  window.removeMenu()
  window.webContents.setIgnoreMenuShortcuts(true)
  // Nobody before it closes it, whatever keys the system has for that; we destroy it, which asks nothing.
  window.on('close', (event) => event.preventDefault())
  // A window that can't show its page is none to sign in.
  reviveAfterCrash(window, parts.log, () => setImmediate(() => window.isDestroyed() || window.destroy()))
  window.webContents.on('dom-ready', () => applyZoom(window, parts.zoom()))
  window.once('ready-to-show', () => window.showInactive())
  window.loadURL(parts.start).catch(() => parts.log.error('The page of the second display could not be loaded.'))
  return window
}
