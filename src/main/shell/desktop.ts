/** The application on the desktop outside of its window: notices, badge and tray. They lead into the window, unless somebody signs. */
import { join } from 'node:path'
import { app, type BrowserWindow } from 'electron'
import type { Standing } from '../core/notifications/badge-counts.ts'
import { openBadge } from './badge.ts'
import type { SendEvent } from './events.ts'
import { bringForward } from './foreground.ts'
import { openNotifications } from './notifications.ts'
import { openTray, type TrayParts } from './tray.ts'

export interface DesktopParts extends Pick<TrayParts, 'log'> {
  windowNow: () => BrowserWindow | undefined
  /** Whether the screen is in a signer's hands: then the office's own screens stay out of sight. */
  isHandedOver: () => boolean
  send: SendEvent
}

export function openDesktop({ windowNow, isHandedOver, send, log }: DesktopParts) {
  const { platform } = process
  const pictures = app.isPackaged
    ? join(process.resourcesPath, 'tray')
    : join(import.meta.dirname, '../../resources/tray')
  const badge = openBadge({ platform, pictures, windowNow })
  const tray = openTray({
    ...{ platform, pictures, log },
    quit: () => app.quit(),
    open(place) {
      if (isHandedOver() || !bringForward(windowNow())) return
      if (place) send('menu.chosen', { command: place })
    }
  })
  return {
    notifications: openNotifications({
      platform,
      clicked: (leadsTo) => !isHandedOver() && bringForward(windowNow()) && send('document.asked', leadsTo)
    }),
    /** Shows how the chosen account stands. */
    show(standing: Standing): void {
      badge(standing.unread)
      tray.show(standing)
    },
    remove: tray.remove
  }
}
