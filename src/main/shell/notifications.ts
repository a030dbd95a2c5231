/** Shows notifications on desktops that have them, and reports which one a person clicked. */
import { app, Notification } from 'electron'
import type { NotificationText } from '../core/notifications/notification-text.ts'
import type { Log } from './log.ts'

/**
 * As the installer registers the application with Windows, which shows notifications of no other: `appId` of
 * electron-builder.yml.
 */
const APP_ID = 'app.countersign.desktop'
/**
 * Tells Windows who handles a click on a notification. Without it Electron invents another in each run, and rewrites
 * its entries in the Start menu and the registry. resources/installer.nsh uses it to remove both.
 */
const TOAST_ACTIVATOR = '{25DD9B6F-AC50-4F10-9396-6062CA646E0F}'
/** A notification without a reference is garbage-collected, and clicks on it are lost. */
const MAX_HELD_NOTIFICATIONS = 50

export interface NotificationParts {
  platform: NodeJS.Platform
  log: Pick<Log, 'warn'>
  /** A person clicked a notification, which leads to this place. */
  clicked: (leadsTo: NotificationText['leadsTo']) => void
}

/** Must be called before the first window exists. */
export function registerWithDesktop(platform: NodeJS.Platform): void {
  if (platform !== 'win32') return
  app.setAppUserModelId(APP_ID)
  app.setToastActivatorCLSID(TOAST_ACTIVATOR)
}

export function openNotifications({ platform, log, clicked }: NotificationParts) {
  // Closed ones as well: Windows keeps them in its own list, where they can still be clicked.
  const held = new Set<Notification>()
  // Linux desktops may read the text as markup.
  const plain = (text: string) => (platform === 'linux' ? text.replaceAll('<', '‹').replaceAll('>', '›') : text)

  return {
    show({ title, body, isSilent, leadsTo }: NotificationText): void {
      if (!Notification.isSupported()) return
      const notification = new Notification({ title: plain(title), body: plain(body), silent: isSilent })
      notification.on('click', () => {
        held.delete(notification)
        clicked(leadsTo)
      })
      // Reported on Windows and macOS, perhaps because nobody was asked for permission, or it was refused. The system's
      // message may repeat our text.
      notification.on('failed', () => {
        held.delete(notification)
        log.warn('The desktop refused a notice.')
      })
      held.add(notification)
      for (const oldest of held) {
        if (held.size <= MAX_HELD_NOTIFICATIONS) break
        held.delete(oldest)
      }
      notification.show()
    },
    /** Removes shown notifications from the screen, and from the desktop's list if possible. */
    withdraw(): void {
      for (const notification of held) notification.close()
      held.clear()
    }
  }
}
