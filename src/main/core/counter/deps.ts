/**
 * What the counter depends on: the service's answers, the signing page, the screen that a person has, the staff's PIN,
 * and the marker of a running session.
 */
import type { Composition } from '../../../shared/composition/index.ts'
import type {
  AppError,
  CounterEntry,
  CounterSettings,
  CounterTurn,
  DecodedInput,
  ReceiptCode
} from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import type { Time } from '../lib/time.ts'
import type { MediaDevice, MediaRight } from '../policy/permissions.ts'
import type { SigningAccount } from '../policy/signing-address.ts'
import type { KeepIdentity } from './identity-numbers.ts'
import type { Reservations } from './reservations.ts'
import type { Staff } from './staff.ts'
import type { ChosenFiles } from './turn-files.ts'

export interface CounterDeps {
  /** The active account; '' if there is none. */
  accountId: () => string
  /** Who can sign at the counter, as last known, next due first; includes signers without a link. */
  waitingHere: (accountId: string) => Promise<CounterEntry[]>
  documentOf: (accountId: string, reference: string) => Promise<MirroredDocument | undefined>
  /**
   * What a document was sent as; undefined if it wasn't sent from here. @throws AppFailure `storage` if that can't be
   * read.
   */
  compositionOf: (accountId: string, reference: string) => Composition | undefined
  /** Reads the folders from the service now. */
  refresh: (accountId: string) => Promise<void>
  /** An account's kind and address; undefined if there is no such account (any more). */
  account: (accountId: string) => SigningAccount | undefined
  /** An account's name; '' if there is no such account. */
  officeName: (accountId: string) => string
  /** Origins that the administrator or the office allows signing pages to show, in addition to their own. */
  allowedOrigins: () => readonly string[]
  /** Where this document's signer may be sent after signing, in addition to RETURN_ADDRESS, as far as known. */
  returnAddressesOf: (reference: string) => readonly string[]
  openView: OpenSigningView
  /** The zoom from the settings, which also applies to the signing page. */
  zoom: () => number
  settings: () => Pick<
    CounterSettings,
    'evidence' | 'identityKept' | 'idle' | 'mayKeepPages' | 'mayGiveFiles' | 'languages' | 'moreTime' | 'receipt'
  >
  pinnedEntries: PinnedEntries
  reservations: Reservations
  pin: Pick<Staff, 'state' | 'check'>
  note: NoteInAudit
  keepIdentity: KeepIdentity
  /** The staff member's name, for the audit trail. */
  staff: () => string
  place: CounterPlace
  crashMarker: CrashMarker
  /** Lets staff choose where the page is saved; false if they cancel. The suggested name is untrusted text. */
  savePage: (bytes: Uint8Array, suggestedName: string) => Promise<boolean>
  /** Lets staff choose files, or a folder, that the person may give the page; undefined if they cancel. */
  chooseFiles: (what: 'files' | 'folder') => Promise<ChosenFiles | undefined>
  /** The folder for copies of files that are given to pages: an absolute path, and nothing else is in it. */
  turnFilesFolder: string
  /** A person's own receipt, from the audit trail. @throws AppFailure if it can't be made. */
  receiptOf: (session: string, person: { name: string; contact?: string | undefined }) => Promise<ReceiptCode>
  time: Time
  newId: () => string
  /** Called when a session started, moved on or ended; '' if there is none any more. */
  changed: (id: string) => void
}

export interface PinnedEntries {
  isToday(accountId: string, documentReference: string, signer: number): boolean
  /** Pins a signature to today, until midnight, or unpins it. @throws SQLite's error: then nothing has changed. */
  set(accountId: string, documentReference: string, signer: number, isToday: boolean): void
}

/** The stored marker of a running session. A marker found at a start means that its session was interrupted. */
export interface CrashMarker {
  /** Replaces the marker; null clears it. Write errors are reported elsewhere, never thrown. */
  save(session: RunningSession | null): void
  /** `unreadable`: there is a marker that can't be understood. */
  read(): RunningSession | 'unreadable' | null
}

/** Plain JSON. Contains names, so it belongs in the encrypted database; never contains a signing link. */
export interface RunningSession {
  id: string
  accountId: string
  startedAt: number
  staff: string
  current: number
  turns: (CounterTurn & KeptTurn)[]
}

/** What is stored about a turn in addition to what is shown. */
export interface KeptTurn {
  /** The signer as they were when the session started: an index alone may come to mean someone else. */
  identity: SignerIdentity
  /** Their page was opened. */
  hasBegun: boolean
  /** When the service was asked for the turn's outcome. */
  askedAt?: number
  /** The audit trail has the turn's outcome. */
  isTold?: boolean
}

export interface SignerIdentity {
  signerReference?: string
  /** See `personOf`. */
  person: string
}

/**
 * The screen that a person signs on: this window in full screen, or the second display. Its owner tells the counter
 * when the screen was left, so that the page can be covered, and when the second display is lost (`displayLost` of the
 * counter): this window then takes its place.
 */
export interface CounterPlace {
  /** Gives the person a screen. Returns which one; resolves once it's ready to show something. */
  handOver(): Promise<'here' | 'other-display'>
  /** Enlarges our own page beyond the office's zoom; 1 is the office's. Lasts until `giveBack`. */
  enlarge(factor: number): void
  /** Gives the screen back to staff. Harmless without a `handOver` before it. */
  giveBack(): void
}

/**
 * Why the screen was left: another window came to the front, full screen ended, the window was hidden or closed, a
 * display was unplugged, the computer was locked or slept, or our own page in the window crashed.
 */
export type LeaveReason = 'blur' | 'full-screen' | 'hidden' | 'closing' | 'display' | 'locked' | 'page'

/**
 * The page that a turn is signed on. It's untrusted: the view confines it to the allowed origins, reports what it
 * tried, and leaves nothing of it behind.
 */
export interface SigningView {
  /** Shows the page at these bounds, over our own, and gives it the keyboard focus. */
  show(bounds: ViewBounds): void
  /** Hides the page and takes the keyboard from it; the page keeps running. */
  hide(): void
  /** Sets the page's zoom: 1 is as designed. */
  zoom(factor: number): void
  /** Sets the language for the page's next requests, as `SigningTurn.languages`. */
  setLanguages(languages: string): void
  /** Gives the page that asked the file at this path, under its name. Rejects if the page no longer asks. */
  giveFile(path: string): Promise<void>
  /** Prints what is shown, on the default printer and without a dialog. Rejects if it can't be printed. */
  print(): Promise<void>
  /** Returns what is shown, as a PDF. */
  pdf(): Promise<Uint8Array>
  /** Destroys the page and wipes everything it stored. Resolves once nothing is left. Calling it again is harmless. */
  destroy(): Promise<void>
}

/** Opens the page out of sight and begins to load it. */
type OpenSigningView = (turn: SigningTurn) => SigningView

export interface SigningTurn {
  /** As `checkSigningAddress` approved it. */
  url: string
  allowedOrigins: readonly string[]
  returnAddresses: readonly string[]
  /** The languages that the person reads, as sent to the page's server, best first, as in `mi,en`. */
  languages: string
  practiceOrigin?: string
  /** See `SigningScope`. */
  linkOrigin?: string
  /** Evaluated each time the page asks. */
  media(): MediaRight
  /**
   * Whether the page may be given a file, evaluated each time it asks. If not, or if it asks for a folder, it's
   * refused.
   */
  files(): boolean
  events: SigningViewEvents
}

/** Events of the page, in the order in which they may happen; none follows `destroy`. */
export interface SigningViewEvents {
  loading(): void
  /**
   * The page has something to read and act on; repeated when another document loads.
   * @param origin scheme and host of the document that is shown, if the view knows them
   */
  open(origin?: string): void
  /** The page went to one of the return addresses, which wasn't loaded. Only the service knows the outcome; ask it. */
  returned(): void
  /** The page can't be shown (any more): it failed to load, took too long, or crashed. */
  failed(error: AppError): void
  /**
   * Something that the page tried was refused; described in words for people, without addresses.
   * @param wanted a file from this computer, which it doesn't get: the person has to be told why nothing happens
   */
  refused(what: string, wanted?: 'file'): void
  /**
   * The page asks for a file while `files` returns true. It gets none until `giveFile`. @param accept as of `acceptedTypes`;
   * empty for any.
   */
  asksForFile(accept: readonly string[]): void
  /** The page asks for devices while `media` returns `ask`. It waits until `answer` is called; once is enough. */
  asksFor(devices: readonly MediaDevice[], answer: (granted: boolean) => void): void
  /** The page got these devices. */
  granted(devices: readonly MediaDevice[]): void
  /** The page got a camera other than the one the office chose, which isn't connected or can't be used. */
  otherCamera(): void
  /** The person touched, typed or scrolled; reported at most once a second. */
  touched(): void
}

/** In CSS pixels of our own page, whose zoom the view knows. */
export type ViewBounds = DecodedInput<'counter.show'>['bounds']
