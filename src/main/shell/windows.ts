/** Brings windows to a person, and waits for what becomes of one, as long as it is worth waiting: systems tell late, or never. */
import type { BrowserWindow } from 'electron'

/** How long a system may take to fill the screen, in milliseconds; some animate it, some never say that it is done. */
const FILLING_TIMEOUT = 1500
/** How long the page on the second display may take to be there, in milliseconds. */
const SHOWING_TIMEOUT = 5000
/** How long the focus may take to come back after a dialog, in milliseconds: some systems tell of it late. */
const FOCUS_TIMEOUT = 500

/** Brings the window to a person who asked for it from outside it. Answers false if there is no window any more. */
export function bringForward(window: BrowserWindow | undefined): boolean {
  if (!window || window.isDestroyed()) return false
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
  return true
}

/** Fills the screen. Resolves once the window fills the screen, or the system doesn't say so in time. */
export async function filled(window: BrowserWindow): Promise<void> {
  await told(window, ['enter-full-screen'], FILLING_TIMEOUT, () => window.setFullScreen(true))
}

/** Answers once the window is to be seen, or is late to be. */
export async function isShown(window: BrowserWindow): Promise<boolean> {
  if (window.isDestroyed()) return false
  if (!window.isVisible()) await told(window, ['show', 'closed'], SHOWING_TIMEOUT)
  return !window.isDestroyed() && window.isVisible()
}

/** Answers once the window is in front, or is late to be. */
export async function hasFocus(window: BrowserWindow): Promise<boolean> {
  if (window.isDestroyed()) return false
  if (!window.isFocused()) await told(window, ['focus'], FOCUS_TIMEOUT)
  return !window.isDestroyed() && window.isFocused()
}

/** Waits for the first of these events, or until it is too late for them. */
async function told(
  window: BrowserWindow,
  events: readonly ('enter-full-screen' | 'show' | 'closed' | 'focus')[],
  timeoutMs: number,
  begin: () => void = () => {}
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const late = setTimeout(resolve, timeoutMs)
  // The declarations have an overload for each event, and none for all of them.
  for (const event of events) window.once(event as 'show', resolve)
  begin()
  await promise
  clearTimeout(late)
  if (!window.isDestroyed()) for (const event of events) window.off(event as 'show', resolve)
}
