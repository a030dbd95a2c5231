/**
 * The type of `window.countersign`: one function a request, grouped by the part before the dot, and `on` for events. An event
 * carries ids and versions, never records: the renderer asks for what it shows.
 */
import type { AppCommand, DocumentCommand } from './commands.ts'
import type { Result } from './errors.ts'
import type { IdentityClearing } from './identity.ts'
import type { Input, Reply, RequestName } from './requests.ts'

type Domain<Name extends string> = Name extends `${infer First}.${string}` ? First : never
type Action<Name extends string, First extends string> = Name extends `${First}.${infer Rest}` ? Rest : never

/** `accountId`: the account that is meant, whichever are shown; see `ofAccount` of the renderer's api.ts. */
type Call<Name extends RequestName> =
  undefined extends Input<Name>
    ? (input?: undefined, accountId?: string) => Promise<Result<Reply<Name>>>
    : (input: Input<Name>, accountId?: string) => Promise<Result<Reply<Name>>>

export type Api = {
  [First in Domain<RequestName>]: {
    [Rest in Action<RequestName, First>]: Call<`${First}.${Rest}` & RequestName>
  }
} & {
  /** Listens to an event; answers the function that stops listening. */
  on<Name extends EventName>(name: Name, listener: (payload: Events[Name]) => void): () => void
}

/** An event's payload exists for the compiler only. */
const carrying = <Payload>(): { payload?: Payload } => ({})

const events = {
  'accounts.changed': carrying<null>(),
  'connection.changed': carrying<null>(),
  'drafts.changed': carrying<{ id: string }>(),
  'presets.changed': carrying<null>(),
  /** Whom the address book lists: someone was sent to, corrected or forgotten, here or at another workstation. */
  'people.changed': carrying<null>(),
  /** A link or a file came from outside, or waits no longer. */
  'outside.changed': carrying<null>(),
  /** Which sends changed since the last time: many at once while a batch goes. */
  'sends.changed': carrying<{ ids: string[] }>(),
  /** The outbox was paused, goes again, waits for the network or was set otherwise; or its counts changed. */
  'outbox.changed': carrying<null>(),
  'batches.changed': carrying<{ id: string }>(),
  /** Documents of an account changed, or what was wrong with reading them; and a version that grows with each change. */
  'documents.changed': carrying<{ accountId: string; version: number }>(),
  /** An account's folders were read, whether or not anything had changed: what is shown of them is as true as at `at`. */
  'documents.looked': carrying<{ accountId: string; at: number }>(),
  'views.changed': carrying<null>(),
  /** Signatures of a document were verified, or what was found was dismissed. */
  'verifications.changed': carrying<{ accountId: string; reference: string }>(),
  'actions.changed': carrying<{ ids: string[] }>(),
  /** Something happened, or was seen by the person. */
  'activity.changed': carrying<null>(),
  'employers.changed': carrying<null>(),
  'dropFolders.changed': carrying<{ id: string }>(),
  /** A person asked for a document from outside the page (a notification, the tray): show it, of that account. */
  'document.asked': carrying<
    { accountId: string; reference: string } | { accountId: string; place: 'activity' | 'documents' }
  >(),
  /** A download changed; null where more than one did, or the queue, a rule or how it is set. At most some five a second. */
  'downloads.changed': carrying<{ id: string | null }>(),
  /** A reading of identity data was wiped without being asked to: nothing of it may stay on the page. */
  'identity.cleared': carrying<{ reading: string; why: IdentityClearing }>(),
  /** Nobody of staff is at the screen: nothing of an identity check’s PDF may stay on the page. */
  'pdf.cleared': carrying<null>(),
  /** The office's own window was locked or opened. */
  'lock.changed': carrying<null>(),
  /** A session began, moved on or ended; '' where there is none. */
  'counter.changed': carrying<{ id: string }>(),
  /** Who is expected, who has come, or who is called. */
  'appointments.changed': carrying<null>(),
  /** Other counters of the office are known otherwise. */
  'board.changed': carrying<null>(),
  'audit.changed': carrying<null>(),
  /** Services were asked something, or answered; at most once a second. */
  /** A proxy waits for a sign-in, or none does any more. */
  'proxy.changed': carrying<null>(),
  'requests.changed': carrying<null>(),
  'settings.changed': carrying<null>(),
  /** What `system.status` answers may have changed. */
  'system.changed': carrying<null>(),
  /** What `office.get` answers may have changed. */
  'office.changed': carrying<null>(),
  /** What `updates.get` answers may have changed. */
  'updates.changed': carrying<null>(),
  /** A command of the application's menu that a screen carries out. */
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
  /** The window is about to close: keep what was typed, then say `system.readyToClose`. */
  'window.closing': carrying<null>()
}

export type EventName = keyof typeof events
export type Events = {
  [Name in EventName]: (typeof events)[Name] extends { payload?: infer Payload } ? Payload : never
}
export const eventNames = Object.keys(events) as readonly EventName[]
