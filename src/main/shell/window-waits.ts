/** Waits for what becomes of a window, as long as it is worth waiting: systems tell of it late, or never. */
import type { BrowserWindow } from 'electron'

/** How long a system may take to fill the screen, in milliseconds; some animate it, some never say that it is done. */
const FILLING_PATIENCE = 1500
/** How long the page on the second display may take to be there, in milliseconds. */
const SHOWING_PATIENCE = 5000
/** How long the focus may take to come back after a dialog, in milliseconds: some systems tell of it late. */
const FOCUS_PATIENCE = 500

/** Waits for what the window tells, or until it is too late for it. */
async function told(window: BrowserWindow, wait: (done: () => void) => () => void, patience: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, patience)
  const stop = wait(() => resolve())
  await promise
  clearTimeout(late)
  if (!window.isDestroyed()) stop()
}

/** Fills the screen. Resolves once the window fills the screen, or the system doesn't say so in time. */
export function filled(window: BrowserWindow): Promise<void> {
  return told(
    window,
    (done) => {
      window.once('enter-full-screen', done)
      window.setFullScreen(true)
      return () => window.off('enter-full-screen', done)
    },
    FILLING_PATIENCE
  )
}

/** Answers once the window is to be seen, or is late to be. */
export async function isShown(window: BrowserWindow): Promise<boolean> {
  if (window.isDestroyed()) return false
  if (!window.isVisible()) {
    await told(
      window,
      (done) => {
        window.once('show', done)
        window.once('closed', done)
        return () => window.off('show', done).off('closed', done)
      },
      SHOWING_PATIENCE
    )
  }
  return !window.isDestroyed() && window.isVisible()
}

/** Answers once the window is in front, or is late to be. */
export async function hasFocus(window: BrowserWindow): Promise<boolean> {
  if (window.isDestroyed()) return false
  if (!window.isFocused()) {
    await told(
      window,
      (done) => {
        window.once('focus', done)
        return () => window.off('focus', done)
      },
      FOCUS_PATIENCE
    )
  }
  return !window.isDestroyed() && window.isFocused()
}
