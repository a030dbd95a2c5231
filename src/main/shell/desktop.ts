/** The application on the desktop outside of its window: notices, badge and tray. They lead into the window, unless someone signs. */
import { join } from 'node:path'
import { app, type BrowserWindow, nativeImage } from 'electron'
import type { BadgeCounts } from '../core/notifications/badge-counts.ts'
import { openNotifications } from './notifications.ts'
import type { SendEvent } from './screens.ts'
import { openTray, type TrayParts } from './tray.ts'
import { bringForward } from './windows.ts'

export interface DesktopParts extends Pick<TrayParts, 'log'> {
  window: BrowserWindow
  /** Whether the screen is in a signer's hands: then the office's own screens stay out of sight. */
  isHandedOver: () => boolean
  send: SendEvent
}

export function openDesktop({ window, isHandedOver, send, log }: DesktopParts) {
  const { platform } = process
  const pictures = app.isPackaged
    ? join(process.resourcesPath, 'tray')
    : join(import.meta.dirname, '../../resources/tray')
  const badge = openBadge({ platform, pictures, window })
  const tray = openTray({
    ...{ platform, pictures, log },
    quit: () => app.quit(),
    open(place) {
      if (isHandedOver() || !bringForward(window)) return
      if (place) send('menu.chosen', { command: place })
    }
  })
  return {
    notifications: openNotifications({
      platform,
      clicked: (leadsTo) => !isHandedOver() && bringForward(window) && send('document.asked', leadsTo)
    }),
    /** Shows how the chosen account stands. */
    show(badgeCounts: BadgeCounts): void {
      badge(badgeCounts.unread)
      tray.show(badgeCounts)
    },
    remove: tray.remove
  }
}

interface BadgeParts {
  platform: NodeJS.Platform
  /** Absolute path of the folder with the pictures of resources/tray. */
  pictures: string
  window: BrowserWindow
}

/**
 * The number of unread documents on the application's icon, or a mark over it where icons carry no numbers. Answers how to
 * show a number; 0 shows nothing.
 * @public The tests of the host call it in the application.
 */
export function openBadge({ platform, pictures, window }: BadgeParts): (unread: number) => void {
  return (unread) => {
    if (platform !== 'win32') {
      // Where the desktop has no badges, Electron answers false, and nothing is missing.
      app.setBadgeCount(unread)
      return
    }
    if (window.isDestroyed()) return
    if (unread === 0) return window.setOverlayIcon(null, '')
    const mark = nativeImage.createFromPath(join(pictures, 'unread.png'))
    window.setOverlayIcon(mark, unread === 1 ? '1 unread document' : `${unread} unread documents`)
  }
}
