/** The number of unread documents on the application's icon, or a mark over it where icons carry no numbers. */
import { join } from 'node:path'
import { app, type BrowserWindow, nativeImage } from 'electron'

export interface BadgeParts {
  platform: NodeJS.Platform
  /** Absolute path of the folder with the pictures of resources/tray. */
  pictures: string
  windowNow: () => BrowserWindow | undefined
}

/** Answers how to show a number; 0 shows nothing. */
export function openBadge({ platform, pictures, windowNow }: BadgeParts): (unread: number) => void {
  return (unread) => {
    if (platform !== 'win32') {
      // Where the desktop has no badges, Electron answers false, and nothing is missing.
      app.setBadgeCount(unread)
      return
    }
    const window = windowNow()
    if (!window || window.isDestroyed()) return
    if (unread === 0) return window.setOverlayIcon(null, '')
    const mark = nativeImage.createFromPath(join(pictures, 'unread.png'))
    window.setOverlayIcon(mark, unread === 1 ? '1 unread document' : `${unread} unread documents`)
  }
}
