/** What each event carries: ids and versions only. */
import type { EventName } from './channels.ts'
import type { IdentityClearing } from './identity-views.ts'

export interface Events {
  'accounts.changed': null
  'connection.changed': null
  'drafts.changed': { id: string }
  'presets.changed': null
  /** Which sends changed since the last time: many at once while a batch goes. */
  'sends.changed': { ids: string[] }
  /** The outbox was paused, goes again, waits for the line or was set otherwise; or its counts changed. */
  'outbox.changed': null
  'batches.changed': { id: string }
  /** Documents of an account changed, or what was wrong with reading them; and a version that grows with each change. */
  'documents.changed': { accountId: string; version: number }
  /** An account's folders were read, whether or not anything had changed: what is shown of them is as true as at `at`. */
  'documents.looked': { accountId: string; at: number }
  'views.changed': null
  'actions.changed': { ids: string[] }
  /** Something happened, or was seen by the person. */
  'activity.changed': null
  'employers.changed': null
  'dropFolders.changed': { id: string }
  /** A person asked for a document from outside the page (a notification, the tray): show it, of that account. */
  'document.asked': { accountId: string; reference: string } | { accountId: string; place: 'activity' | 'documents' }
  /** A download changed; null where more than one did, or the queue, a rule or how it is set. At most some five a second. */
  'downloads.changed': { id: string | null }
  /** A reading of identity data was wiped without being asked to: nothing of it may stay on the page. */
  'identity.cleared': { reading: string; why: IdentityClearing }
  /** Nobody of staff is at the screen: nothing of an identity check’s PDF may stay on the page. */
  'identityPdf.cleared': null
  /** A session began, moved on or ended; '' where there is none. */
  'counter.changed': { id: string }
  'audit.changed': null
  'settings.changed': null
  /** A command of the application's menu that a screen carries out. */
  'menu.chosen': { command: 'compose' | 'overview' | 'documents' | 'counter' | 'downloads' | 'settings' | 'search' }
  /** The window is about to close: keep what was typed, then say `system.readyToClose`. */
  'window.closing': null
}

/**
 * @public
 * Refuses to compile when channels.ts and this file disagree. */
export type EventsAreComplete = EventName extends keyof Events ? (keyof Events extends EventName ? true : never) : never
