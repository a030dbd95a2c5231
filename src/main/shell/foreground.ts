/** Brings the window to a person who asked for it from outside of it. */
import type { BrowserWindow } from 'electron'

/** @returns false where there is no window any more. */
export function bringForward(window: BrowserWindow | undefined): boolean {
  if (!window || window.isDestroyed()) return false
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
  return true
}
