/**
 * What the counter needs of the world around it: the service's answers, the page that is signed on, the screen that a person
 * has, the staff's PIN, and where it is kept that a session runs.
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
import type { KeepsIdentity } from './identity-numbers.ts'
import type { Reservations } from './reservations.ts'
import type { Staff } from './staff.ts'
import type { Opened } from './turn-files.ts'

export interface CounterDeps {
  /** The chosen account; '' if there is none. */
  accountId: () => string
  /** Who can sign at the counter, as last known, next due first; those without a link among them. */
  waitingHere: (accountId: string) => Promise<CounterEntry[]>
  documentOf: (accountId: string, reference: string) => Promise<MirroredDocument | undefined>
  /** What a document was sent as; undefined where it wasn't sent from here. @throws AppFailure `storage` where that can't be read. */
  compositionOf: (accountId: string, reference: string) => Composition | undefined
  /** Reads the folders from the service now. */
  refresh: (accountId: string) => Promise<void>
  /** An account's kind and address; undefined if there is no such account (any more). */
  account: (accountId: string) => SigningAccount | undefined
  /** What an account is called; '' if there is no such account. */
  officeName: (accountId: string) => string
  /** Origins that the administrator or the office lets signing pages show beside their own. */
  allowedOrigins: () => readonly string[]
  /** Where this document's signer may be sent after signing, beside RETURN_ADDRESS, as far as it is known. */
  returnAddressesOf: (reference: string) => readonly string[]
  openView: OpenSigningView
  /** The size that people asked for in the settings; it holds for the signing page too. */
  zoom: () => number
  settings: () => Pick<
    CounterSettings,
    'evidence' | 'identityKept' | 'idle' | 'mayKeepPages' | 'mayGiveFiles' | 'languages' | 'moreTime' | 'receipt'
  >
  appointments: Appointments
  reservations: Reservations
  pin: Pick<Staff, 'state' | 'check'>
  note: NoteInAudit
  keepIdentity: KeepsIdentity
  /** Who of staff this is, for the audit trail. */
  staff: () => string
  place: CounterPlace
  crashMarker: CrashMarker
  /** Lets staff choose where the page is saved; false if they cancel. The name is hostile text. */
  savePage: (bytes: Uint8Array, suggestedName: string) => Promise<boolean>
  /** Lets staff choose files, or a folder, that the person may give of; undefined if they cancel. */
  chooseFiles: (what: 'files' | 'folder') => Promise<Opened | undefined>
  /** The folder in which copies of what is given are made: absolute, and nothing else is in it. */
  filesPlace: string
  /** A person's own receipt, from the audit trail. @throws AppFailure where it can't be made. */
  receiptOf: (session: string, person: { name: string; contact?: string | undefined }) => Promise<ReceiptCode>
  describe: (error: unknown) => AppError
  time: Time
  newId: () => string
  /** A session began, moved on or ended; '' if there is none any more. */
  changed: (id: string) => void
}

export interface Appointments {
  isToday(accountId: string, documentReference: string, signer: number): boolean
  /** Pins it until midnight, or unpins it. @throws SQLite's error: then nothing has changed. */
  set(accountId: string, documentReference: string, signer: number, isToday: boolean): void
}

/** Where it is kept that a session runs: what is found there at a start was interrupted. */
export interface CrashMarker {
  /** Replaces what was kept; null clears it. What couldn't be written is reported elsewhere, never thrown. */
  keep(session: RunningSession | null): void
  /** unreadable: something is kept that can't be understood. */
  read(): RunningSession | 'unreadable' | null
}

/** Plain JSON. Holds names, so it belongs in the encrypted database; no signing link is in it. */
export interface RunningSession {
  id: string
  accountId: string
  startedAt: number
  staff: string
  current: number
  turns: (CounterTurn & KeptTurn)[]
}

/** What is kept of a turn beside what is shown of it. */
export interface KeptTurn {
  /** The signer as they were when the session began: an index alone may come to mean someone else. */
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
 * The screen that a person signs on: this window, filled to the screen, or the second display. Its owner tells the counter
 * when the place is left, so that the page can be covered, and when the second display is lost (`placeLost` of the counter):
 * then this window is the place.
 */
export interface CounterPlace {
  /** The person gets a screen. Answers which; resolves when it is there to be shown on. */
  take(): Promise<'here' | 'other-display'>
  /** Shows our own page on it larger than the office has it: 1 is as that. It ends with `giveBack`. */
  enlarge(factor: number): void
  /** Staff has the screen again. Calling it without a `take` before is harmless. */
  giveBack(): void
}

/**
 * Why the place was left: another window came to the front, the screen is no longer filled, the window was hidden or closed,
 * a display was unplugged, the computer was locked or slept, or our own page in it ended.
 */
export type LeftBy = 'blur' | 'full-screen' | 'hidden' | 'closing' | 'display' | 'locked' | 'page'

/**
 * The page that a turn is signed on. It is hostile: the view keeps it on its ground, tells what it tried, and leaves nothing
 * of it behind.
 */
export interface SigningView {
  /** Puts the page at these bounds over our own and gives it the keyboard. */
  show(bounds: ViewBounds): void
  /** Takes the page from sight, and the keyboard with it; it goes on as it is. */
  cover(): void
  /** Size of what the page shows: 1 is as designed. */
  zoom(factor: number): void
  /** What the page is asked for in from now on, as `SigningTurn.languages`. */
  speak(languages: string): void
  /** Gives the page that asked the file at this path, under its name. Rejects where the page asks no longer. */
  giveFile(path: string): Promise<void>
  /** Prints what is shown, on the default printer and without a dialog. Rejects if it can't be printed. */
  print(): Promise<void>
  /** What is shown, as a PDF. */
  pdf(): Promise<Uint8Array>
  /** Ends the page and wipes all it kept. Resolves when nothing is left. Calling it again is harmless. */
  destroy(): Promise<void>
}

/** Opens the page out of sight and begins to load it. */
type OpenSigningView = (turn: SigningTurn) => SigningView

export interface SigningTurn {
  /** As `signingAddress` judged it. */
  url: string
  allowedOrigins: readonly string[]
  returnAddresses: readonly string[]
  /** What its server is told that the person reads, best first, as in `mi,en`. */
  languages: string
  practiceOrigin?: string
  /** See `SigningGround`. */
  linkOrigin?: string
  /** Asked again each time the page asks. */
  media(): MediaRight
  /** Whether it may be given a file, asked again each time; where not, and where it asks for more, it is refused. */
  files(): boolean
  events: SigningViewEvents
}

/** What happens to the page, in the order it may happen; nothing is told after `destroy` was called. */
export interface SigningViewEvents {
  loading(): void
  /**
   * There is something to read and to act on; told again when another document is shown.
   * @param origin scheme and host of the document that is shown, if the view knows them
   */
  open(origin?: string): void
  /** The page came to one of the return addresses, which was not loaded. The service has the truth; ask it. */
  returned(): void
  /** The page can't be shown (any more): it did not load, took too long, or ended. */
  failed(error: AppError): void
  /**
   * Something the page tried and was refused, in words for people and without addresses.
   * @param wanted a file of this computer, which it doesn't get: the person has to be told why nothing happens
   */
  refused(what: string, wanted?: 'file'): void
  /** The page asks for a file while `files` says yes. It gets none until `giveFile`. @param accept as of `acceptOf`; empty for any. */
  asksForFile(accept: readonly string[]): void
  /** The page asks for devices while `media` says `ask`. It waits until it is answered; once is enough. */
  asksFor(devices: readonly MediaDevice[], answer: (granted: boolean) => void): void
  /** The page got these devices. */
  granted(devices: readonly MediaDevice[]): void
  /** The page got another camera than the office chose: that isn't connected, or can't be had. */
  otherCamera(): void
  /** The person touched, typed or scrolled; at most once a second. */
  touched(): void
}

/** In CSS pixels of our own page, whose zoom the view knows. */
export type ViewBounds = DecodedInput<'counter.show'>['bounds']
