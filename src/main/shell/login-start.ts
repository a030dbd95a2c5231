/** Whether the application starts when its user signs in to the computer: kept by the system itself, so that its own settings say the same. */
import { join } from 'node:path'
import { app, type BrowserWindow } from 'electron'
import { type LoginStart, xdgLoginStart } from '../core/support/login-start.ts'

/** What a start at sign-in is told by, where the system doesn't say it. */
const AT_LOGIN = '--at-login'

/** Undefined where there is nothing installed that could be started. */
export function loginStartHere(): LoginStart | undefined {
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

/** Whether it is the system that started it, and nobody looks. */
export function isStartedAtLogin(): boolean {
  if (process.platform === 'darwin') return app.getLoginItemSettings().wasOpenedAtLogin
  return process.argv.includes(AT_LOGIN)
}

/** Out of the way until someone wants it. Not every desktop of Linux has a tray: there it waits in the task bar. */
export function showAtLogin(window: BrowserWindow): void {
  if (process.platform === 'linux') window.minimize()
}
