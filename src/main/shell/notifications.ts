/** Shows notices by the desktop's own notifications, where it has any, and says which one a person clicked. */
import { app, Notification } from 'electron'
import type { NotificationText } from '../core/notifications/notification-text.ts'

/** As the installer names the application to Windows, which shows notices of no other: `appId` of electron-builder.yml. */
const APP_ID = 'app.countersign.desktop'
/** A notification that nobody holds is swept away, and a click on it with it. */
const MOST_HELD = 50

export interface NotificationParts {
  platform: NodeJS.Platform
  /** A person clicked a notice: it leads there. */
  clicked: (leadsTo: NotificationText['leadsTo']) => void
}

/** Must be called before the first window is there. */
export function nameToDesktop(platform: NodeJS.Platform): void {
  if (platform === 'win32') app.setAppUserModelId(APP_ID)
}

export function openNotifications({ platform, clicked }: NotificationParts) {
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
