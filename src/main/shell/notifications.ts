/** Shows notices by the desktop's own notifications, where it has any, and says which one a person clicked. */
import { app, Notification } from 'electron'
import type { NotificationText } from '../core/notifications/notification-text.ts'
import type { Log } from './log.ts'

/** As the installer names the application to Windows, which shows notices of no other: `appId` of electron-builder.yml. */
const APP_ID = 'app.countersign.desktop'
/**
 * By which Windows finds who answers a click on a notice. Without one Electron makes up another in each run, and writes its
 * entries of the Start menu and the registry again. resources/installer.nsh removes both by it.
 */
const TOAST_ACTIVATOR = '{25DD9B6F-AC50-4F10-9396-6062CA646E0F}'
/** A notification that nobody holds is swept away, and a click on it with it. */
const MOST_HELD = 50

export interface NotificationParts {
  platform: NodeJS.Platform
  log: Pick<Log, 'warn'>
  /** A person clicked a notice: it leads there. */
  clicked: (leadsTo: NotificationText['leadsTo']) => void
}

/** Must be called before the first window is there. */
export function nameToDesktop(platform: NodeJS.Platform): void {
  if (platform !== 'win32') return
  app.setAppUserModelId(APP_ID)
  app.setToastActivatorCLSID(TOAST_ACTIVATOR)
}

export function openNotifications({ platform, log, clicked }: NotificationParts) {
  // Also those that were closed: Windows keeps them in a list of its own, where they can still be clicked.
  const held = new Set<Notification>()
  // Desktops of Linux may read the text as markup.
  const plain = (text: string) => (platform === 'linux' ? text.replaceAll('<', '‹').replaceAll('>', '›') : text)

  return {
    show({ title, body, isSilent, leadsTo }: NotificationText): void {
      if (!Notification.isSupported()) return
      const notification = new Notification({ title: plain(title), body: plain(body), silent: isSilent })
      notification.on('click', () => {
        held.delete(notification)
        clicked(leadsTo)
      })
      // Told on Windows and macOS, where it may be that nobody was asked, or has said no. The system's words may repeat ours.
      notification.on('failed', () => {
        held.delete(notification)
        log.warn('The desktop refused a notice.')
      })
      held.add(notification)
      for (const oldest of held) {
        if (held.size <= MOST_HELD) break
        held.delete(oldest)
      }
      notification.show()
    },
    /** Takes what was shown off the screen, and out of the desktop's list where that is possible. */
    withdraw(): void {
      for (const notification of held) notification.close()
      held.clear()
    }
  }
}
