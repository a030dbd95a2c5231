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
const withPayload = <Payload>(): { payload?: Payload } => ({})

const events = {
  'accounts.changed': withPayload<null>(),
  'connection.changed': withPayload<null>(),
  'drafts.changed': withPayload<{ id: string }>(),
  'presets.changed': withPayload<null>(),
  /** The address book changed: someone was sent to, corrected or removed, here or at another workstation. */
  'people.changed': withPayload<null>(),
  /** A link or file arrived from outside, or is no longer waiting. */
  'outside.changed': withPayload<null>(),
  /** The sends that changed since the last event; many at once while a batch is being sent. */
  'sends.changed': withPayload<{ ids: string[] }>(),
  /** The outbox was paused, resumed or configured, is waiting for the network, or its counts changed. */
  'outbox.changed': withPayload<null>(),
  'batches.changed': withPayload<{ id: string }>(),
  /** Documents of an account changed, or the problem with reading them did. `version` increases with each change. */
  'documents.changed': withPayload<{ accountId: string; version: number }>(),
  /** An account's folders were read, with or without changes: what is shown is up to date as of `at`. */
  'documents.looked': withPayload<{ accountId: string; at: number }>(),
  'views.changed': withPayload<null>(),
  /** A document's signatures were verified, or a finding was dismissed. */
  'verifications.changed': withPayload<{ accountId: string; reference: string }>(),
  'actions.changed': withPayload<{ ids: string[] }>(),
  /** There is new activity, or the person has seen it. */
  'activity.changed': withPayload<null>(),
  'employers.changed': withPayload<null>(),
  'dropFolders.changed': withPayload<{ id: string }>(),
  /** A person opened a document from outside the page (a notification, the tray): show it in that account. */
  'document.asked': withPayload<
    { accountId: string; reference: string } | { accountId: string; place: 'activity' | 'documents' | 'outbox' }
  >(),
  /** A download changed; null if several did, or the queue, a rule or the settings. At most about five a second. */
  'downloads.changed': withPayload<{ id: string | null }>(),
  /** A reading of identity data was wiped without a request: remove everything of it from the page. */
  'identity.cleared': withPayload<{ reading: string; why: IdentityClearing }>(),
  /** Staff have left the screen: remove everything of an identity check's PDF from the page. */
  'pdf.cleared': withPayload<null>(),
  /** The office window was locked or unlocked. */
  'lock.changed': withPayload<null>(),
  /** A session began, advanced or ended; '' if there is none. */
  'counter.changed': withPayload<{ id: string }>(),
  /** Someone is expected, has come, or is called. */
  'appointments.changed': withPayload<null>(),
  /** News of the office's other counters. */
  'board.changed': withPayload<null>(),
  'audit.changed': withPayload<null>(),
  /** A proxy started or stopped waiting for a sign-in. */
  'proxy.changed': withPayload<null>(),
  /** A request to a service was sent or answered; at most once a second. */
  'requests.changed': withPayload<null>(),
  'settings.changed': withPayload<null>(),
  /** What `system.status` answers may have changed. */
  'system.changed': withPayload<null>(),
  /** What `office.get` answers may have changed. */
  'office.changed': withPayload<null>(),
  /** What `updates.get` answers may have changed. */
  'updates.changed': withPayload<null>(),
  /** A command from the application menu, for a screen to carry out. */
  'menu.chosen': withPayload<{
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
  'window.closing': withPayload<null>()
}

export type EventName = keyof typeof events
export type Events = {
  [Name in EventName]: (typeof events)[Name] extends { payload?: infer Payload } ? Payload : never
}
export const eventNames = Object.keys(events) as readonly EventName[]
