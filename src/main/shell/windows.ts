/** Brings windows forward, and waits for what happens to them, within limits: some systems report it late, or never. */
import { app, type BrowserWindow } from 'electron'

/** How long the system may take to enter full screen, in milliseconds; some animate it, some never report it. */
const FILLING_TIMEOUT = 1500
/** How long the page on the second display may take to appear, in milliseconds. */
const SHOWING_TIMEOUT = 5000
/** How long the focus may take to return after a dialog, in milliseconds: some systems report it late. */
const FOCUS_TIMEOUT = 500

/** Brings the window forward for a person who asked for it elsewhere. Returns false if the window no longer exists. */
export function bringForward(window: BrowserWindow | undefined): boolean {
  if (!window || window.isDestroyed()) return false
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
  return true
}

/**
 * Brings the window forward when a person opens the application again: starts it a second time, or clicks its icon in
 * the Dock, for which macOS shows no window by itself.
 * @returns a function that ends this.
 */
export function showWhenReopened(window: BrowserWindow): () => void {
  const show = () => void bringForward(window)
  app.on('second-instance', show)
  app.on('activate', show)
  return () => {
    app.off('second-instance', show)
    app.off('activate', show)
  }
}

/** Reports whether the window can be seen, whenever that may have changed. */
export function followVisibility(window: BrowserWindow, changed: (isShown: boolean) => void): void {
  // Windows doesn't say that a minimised window is restored if it then fills the screen, only that it fills it.
  const appearing = ['show', 'restore', 'enter-full-screen']
  // The type declarations have an overload per event, but none for all of them.
  for (const event of appearing) window.on(event as 'show', () => changed(true))
  for (const event of ['hide', 'minimize']) window.on(event as 'hide', () => changed(false))
}

/** Enters full screen. Resolves once the system reports it, or after a timeout. */
export async function enterFullScreen(window: BrowserWindow): Promise<void> {
  await waitForEvent(window, ['enter-full-screen'], FILLING_TIMEOUT, () => window.setFullScreen(true))
}

/** Resolves to whether the window is visible, waiting for it up to a limit. */
export async function isShown(window: BrowserWindow): Promise<boolean> {
  if (window.isDestroyed()) return false
  if (!window.isVisible()) await waitForEvent(window, ['show', 'closed'], SHOWING_TIMEOUT)
  return !window.isDestroyed() && window.isVisible()
}

/** Resolves to whether the window is in front, waiting for it up to a limit. */
export async function hasFocus(window: BrowserWindow): Promise<boolean> {
  if (window.isDestroyed()) return false
  if (!window.isFocused()) await waitForEvent(window, ['focus'], FOCUS_TIMEOUT)
  return !window.isDestroyed() && window.isFocused()
}

/** Waits for the first of these events, or the timeout. */
async function waitForEvent(
  window: BrowserWindow,
  events: readonly ('enter-full-screen' | 'show' | 'closed' | 'focus')[],
  timeoutMs: number,
  trigger: () => void = () => {}
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, timeoutMs)
  // The type declarations have an overload per event, but none for all of them.
  for (const event of events) window.once(event as 'show', resolve)
  trigger()
  await promise
  clearTimeout(timer)
  if (!window.isDestroyed()) for (const event of events) window.off(event as 'show', resolve)
}
