/**
 * Whether the application starts when its user signs in to the computer. The system stores it, so that its own settings
 * agree.
 */
import { join } from 'node:path'
import { app, type BrowserWindow } from 'electron'
import { type LoginStart, xdgLoginStart } from '../core/support/login-start.ts'

/** Marks a start at sign-in, on systems that don't report it. */
const AT_LOGIN = '--at-login'

/** Undefined if nothing is installed that could be started. */
export function openLoginStart(): LoginStart | undefined {
  if (!app.isPackaged) return undefined
  if (process.platform === 'linux')
    return xdgLoginStart(join(app.getPath('appData'), 'autostart'), [
      process.execPath,
      '--ozone-platform=x11',
      AT_LOGIN
    ])
  const args = process.platform === 'win32' ? { args: [AT_LOGIN] } : {}
  return {
    isOn: () => app.getLoginItemSettings(args).openAtLogin,
    set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, ...args })
  }
}

/** Whether the system started the application at sign-in, so that nobody is looking. */
export function isStartedAtLogin(): boolean {
  if (process.platform === 'darwin') return app.getLoginItemSettings().wasOpenedAtLogin
  return process.argv.includes(AT_LOGIN)
}

/**
 * Keeps the window in the background until someone wants it. Not every Linux desktop has a tray, so it's minimised to
 * the task bar there.
 */
export function keepInBackground(window: BrowserWindow): void {
  if (process.platform === 'linux') window.minimize()
}
