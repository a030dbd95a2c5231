/** One application at a time: two would write the same database. The second shows the first one's window and ends. */
import { app, type BrowserWindow } from 'electron'

/**
 * Must be called before anything is opened.
 * @param windowNow the window to show when somebody starts the application again, if there is one by then.
 * @returns false where another instance runs already: this one must end without touching a file.
 */
export function holdSingleInstance(windowNow: () => BrowserWindow | undefined): boolean {
  if (!app.requestSingleInstanceLock()) return false
  // What the second instance was started with is text from outside, and not looked at.
  app.on('second-instance', () => {
    const window = windowNow()
    if (!window || window.isDestroyed()) return
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
  })
  return true
}
