/**
 * The application outside its window: notifications, badge and tray icon. They lead into the window, unless someone is
 * signing.
 */
import { join } from 'node:path'
import { app, type BrowserWindow, Menu, type MenuItemConstructorOptions, nativeImage, shell, Tray } from 'electron'
import { Ring } from '../core/counter/ring.ts'
import type { Time } from '../core/lib/time.ts'
import type { BadgeCounts } from '../core/notifications/badge-counts.ts'
import type { Log } from './log.ts'
import { openNotifications } from './notifications.ts'
import type { SendEvent } from './screens.ts'
import { bringForward } from './windows.ts'

export interface DesktopParts extends Pick<TrayParts, 'log'> {
  window: BrowserWindow
  /** Whether a signer has the screen, or it's locked: the office's own screens then stay out of sight. */
  isAway: () => boolean
  send: SendEvent
  time: Pick<Time, 'after'>
}

export function openDesktop({ window, isAway, send, time, log }: DesktopParts) {
  const { platform } = process
  const picturesFolder = app.isPackaged
    ? join(process.resourcesPath, 'tray')
    : join(import.meta.dirname, '../../resources/tray')
  const badge = openBadge({ platform, picturesFolder, window })
  const tray = openTray({
    platform,
    picturesFolder,
    log,
    quit: () => app.quit(),
    open(place) {
      if (isAway() || !bringForward(window)) return
      if (place) send('menu.chosen', { command: place })
    }
  })
  const ring = new Ring(time, () => shell.beep())
  let isFlashing = false
  return {
    /**
     * Calls staff to the second display: in the task bar and the tray until the call is over. Shows no name.
     * @param isUnanswered nobody has answered yet, so that it's also heard, repeatedly.
     */
    call(isStaffCalled: boolean, isUnanswered: boolean): void {
      ring.setRinging(isUnanswered)
      if (isStaffCalled === isFlashing) return
      isFlashing = isStaffCalled
      if (!window.isDestroyed()) window.flashFrame(isFlashing)
      tray.call(isFlashing)
    },
    notifications: openNotifications({
      platform,
      log,
      clicked: (leadsTo) => !isAway() && bringForward(window) && send('document.asked', leadsTo)
    }),
    /** Shows the active account's counts. */
    show(badgeCounts: BadgeCounts): void {
      badge(badgeCounts.unread)
      tray.show(badgeCounts)
    },
    remove(): void {
      ring.end()
      tray.remove()
    }
  }
}

interface BadgeParts {
  platform: NodeJS.Platform
  /** Absolute path of the folder with the pictures of resources/tray. */
  picturesFolder: string
  window: BrowserWindow
}

/**
 * Puts the number of unread documents on the application's icon, or a mark over it where icons have no numbers. Returns
 * a function that shows a number; 0 shows nothing.
 * @public The host's tests call it in the application.
 */
export function openBadge({ platform, picturesFolder, window }: BadgeParts): (unread: number) => void {
  return (unread) => {
    if (platform !== 'win32') {
      // On desktops without badges Electron returns false, which is fine.
      app.setBadgeCount(unread)
      return
    }
    if (window.isDestroyed()) return
    if (unread === 0) return window.setOverlayIcon(null, '')
    const mark = nativeImage.createFromPath(join(picturesFolder, 'unread.png'))
    window.setOverlayIcon(mark, unread === 1 ? '1 unread document' : `${unread} unread documents`)
  }
}

interface TrayParts extends Omit<BadgeParts, 'window'> {
  /** Brings the window forward, at a screen if one is named. */
  open: (place?: 'documents' | 'counter') => void
  quit: () => void
  log: Pick<Log, 'warn'>
}

/**
 * The tray icon: the active account's counts, and shortcuts to them. On desktops without a tray, all of it is in the
 * window, too.
 * @public The host's tests call it in the application.
 */
export function openTray(parts: TrayParts) {
  let state: TrayState = { unread: 0, waiting: 0, isCalled: false }
  const tray = createTray(parts, state)

  function update(change: Partial<TrayState>): void {
    state = { ...state, ...change }
    if (tray && !tray.isDestroyed()) renderTray(tray, parts, state)
  }

  return {
    show: (badgeCounts: BadgeCounts): void => update(badgeCounts),
    /** Whether someone at the counter needs staff. */
    call: (isCalled: boolean): void => update({ isCalled }),
    remove: (): void => tray?.destroy()
  }
}

interface TrayState extends BadgeCounts {
  isCalled: boolean
}

function renderTray(tray: Tray, parts: TrayParts, state: TrayState): void {
  tray.setToolTip(toolTipOf(state))
  tray.setImage(pictureOf(parts, state))
  // Some Linux desktops notice a changed menu only when it's set again.
  tray.setContextMenu(Menu.buildFromTemplate(trayMenu(parts, state)))
}

function toolTipOf({ unread, waiting, isCalled }: TrayState): string {
  const notes = [
    ...(isCalled ? ['staff wanted at the counter'] : []),
    ...(unread > 0 ? [`${unread} unread`] : []),
    ...(waiting > 0 ? [`${waiting} waiting at the counter`] : [])
  ]
  return notes.length === 0 ? 'Countersign' : `Countersign: ${notes.join(', ')}`
}

function trayMenu({ open, quit }: Pick<TrayParts, 'open' | 'quit'>, { unread, waiting, isCalled }: TrayState) {
  const counted = (label: string, count: number, what: string) => (count > 0 ? `${label} (${count} ${what})` : label)
  return [
    { label: 'Open Countersign', click: () => open() },
    { type: 'separator' },
    { label: counted('Documents', unread, 'unread'), click: () => open('documents') },
    {
      label: isCalled ? 'Counter (staff wanted)' : counted('Counter', waiting, waiting === 1 ? 'waits' : 'wait'),
      click: () => open('counter')
    },
    { type: 'separator' },
    { label: 'Quit Countersign', click: quit }
  ] satisfies MenuItemConstructorOptions[]
}

function createTray(parts: TrayParts, state: TrayState): Tray | undefined {
  try {
    const tray = new Tray(pictureOf(parts, state))
    renderTray(tray, parts, state)
    // On macOS a click opens the menu; on Linux it may not be reported at all.
    if (parts.platform !== 'darwin') tray.on('click', () => parts.open())
    return tray
  } catch (error) {
    parts.log.warn('There is no icon in the tray.', { kind: error instanceof Error ? error.name : typeof error })
    return undefined
  }
}

/**
 * macOS colours its template picture itself. Versions for high-resolution screens are next to the picture of that name.
 */
function pictureOf({ platform, picturesFolder }: TrayParts, { unread, isCalled }: TrayState) {
  const name = platform === 'darwin' ? 'trayTemplate.png' : unread > 0 || isCalled ? 'tray-unread.png' : 'tray.png'
  return nativeImage.createFromPath(join(picturesFolder, name))
}
