/**
 * The type of `window.countersign`: one function per request, grouped by the part before the dot, and `on` for events.
 * An event carries ids and versions, never records: the renderer then requests what it shows.
 */
import type { AppCommand, DocumentCommand } from './commands.ts'
import type { Result } from './errors.ts'
import type { IdentityClearing } from './identity.ts'
import type { Input, Reply, RequestName } from './requests.ts'

type Domain<Name extends string> = Name extends `${infer First}.${string}` ? First : never
type Action<Name extends string, First extends string> = Name extends `${First}.${infer Rest}` ? Rest : never

/** `accountId`: the account it is for, whichever are shown; see `ofAccount` in the renderer's api.ts. */
type Call<Name extends RequestName> =
  undefined extends Input<Name>
    ? (input?: undefined, accountId?: string) => Promise<Result<Reply<Name>>>
    : (input: Input<Name>, accountId?: string) => Promise<Result<Reply<Name>>>

export type Api = {
  [First in Domain<RequestName>]: {
    [Rest in Action<RequestName, First>]: Call<`${First}.${Rest}` & RequestName>
  }
} & {
  /** Subscribes to an event; returns a function that unsubscribes. */
  on<Name extends EventName>(name: Name, listener: (payload: Events[Name]) => void): () => void
}

/** An event's payload exists for the compiler only. */
const carrying = <Payload>(): { payload?: Payload } => ({})

const events = {
  'accounts.changed': carrying<null>(),
  'connection.changed': carrying<null>(),
  'drafts.changed': carrying<{ id: string }>(),
  'presets.changed': carrying<null>(),
  /** The address book changed: someone was sent to, corrected or removed, here or at another workstation. */
  'people.changed': carrying<null>(),
  /** A link or file arrived from outside, or is no longer waiting. */
  'outside.changed': carrying<null>(),
  /** The sends that changed since the last event; many at once while a batch is being sent. */
  'sends.changed': carrying<{ ids: string[] }>(),
  /** The outbox was paused, resumed or configured, is waiting for the network, or its counts changed. */
  'outbox.changed': carrying<null>(),
  'batches.changed': carrying<{ id: string }>(),
  /** Documents of an account changed, or the problem with reading them did. `version` increases with each change. */
  'documents.changed': carrying<{ accountId: string; version: number }>(),
  /** An account's folders were read, with or without changes: what is shown is up to date as of `at`. */
  'documents.looked': carrying<{ accountId: string; at: number }>(),
  'views.changed': carrying<null>(),
  /** A document's signatures were verified, or a finding was dismissed. */
  'verifications.changed': carrying<{ accountId: string; reference: string }>(),
  'actions.changed': carrying<{ ids: string[] }>(),
  /** There is new activity, or the person has seen it. */
  'activity.changed': carrying<null>(),
  'employers.changed': carrying<null>(),
  'dropFolders.changed': carrying<{ id: string }>(),
  /** A person opened a document from outside the page (a notification, the tray): show it in that account. */
  'document.asked': carrying<
    { accountId: string; reference: string } | { accountId: string; place: 'activity' | 'documents' }
  >(),
  /** A download changed; null if several did, or the queue, a rule or the settings. At most about five a second. */
  'downloads.changed': carrying<{ id: string | null }>(),
  /** A reading of identity data was wiped without a request: remove everything of it from the page. */
  'identity.cleared': carrying<{ reading: string; why: IdentityClearing }>(),
  /** Staff have left the screen: remove everything of an identity check's PDF from the page. */
  'pdf.cleared': carrying<null>(),
  /** The office window was locked or unlocked. */
  'lock.changed': carrying<null>(),
  /** A session began, advanced or ended; '' if there is none. */
  'counter.changed': carrying<{ id: string }>(),
  /** Someone is expected, has come, or is called. */
  'appointments.changed': carrying<null>(),
  /** News of the office's other counters. */
  'board.changed': carrying<null>(),
  'audit.changed': carrying<null>(),
  /** A proxy started or stopped waiting for a sign-in. */
  'proxy.changed': carrying<null>(),
  /** A request to a service was sent or answered; at most once a second. */
  'requests.changed': carrying<null>(),
  'settings.changed': carrying<null>(),
  /** What `system.status` answers may have changed. */
  'system.changed': carrying<null>(),
  /** What `office.get` answers may have changed. */
  'office.changed': carrying<null>(),
  /** What `updates.get` answers may have changed. */
  'updates.changed': carrying<null>(),
  /** A command from the application menu, for a screen to carry out. */
  'menu.chosen': carrying<{
    command:
      | AppCommand
      | 'news'
      | 'today'
      | 'documents'
      | 'counter'
      | 'downloads'
      | 'settings'
      | `document.${DocumentCommand}`
  }>(),
  /** The window is about to close: store what was typed, then call `system.readyToClose`. */
  'window.closing': carrying<null>()
}

export type EventName = keyof typeof events
export type Events = {
  [Name in EventName]: (typeof events)[Name] extends { payload?: infer Payload } ? Payload : never
}
export const eventNames = Object.keys(events) as readonly EventName[]
