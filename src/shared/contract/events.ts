/** What each event carries: ids and versions only. */
import type { EventName } from './channels.ts'

export interface Events {
  'accounts.changed': null
  'connection.changed': null
  'drafts.changed': { id: string }
  'sends.changed': { id: string }
  /** Folders whose documents changed, and a version that grows with each change. */
  'documents.changed': { folders: string[]; version: number }
  'downloads.changed': { id: string }
  'counter.changed': { id: string }
  'settings.changed': null
  /** A command of the application's menu that a screen carries out. */
  'menu.chosen': { command: 'compose' | 'documents' | 'counter' | 'downloads' | 'settings' | 'search' }
}

/** Refuses to compile when channels.ts and this file disagree. */
export type EventsAreComplete = EventName extends keyof Events ? (keyof Events extends EventName ? true : never) : never
