/** What the screens are given about the counter: who can sign here, a session and its turns, the office's own texts. */
import type { ServiceDate } from '../model/index.ts'
import type { IdleCall } from './appointments.ts'
import type { AppError } from './errors.ts'

/** Languages for a person's own screens, as BCP 47 tags. English is always available. */
export const PERSON_LANGUAGES = ['en', 'mi', 'sm', 'to', 'zh-Hans', 'hi', 'pa', 'ar'] as const
export type PersonLanguage = (typeof PERSON_LANGUAGES)[number]
/** Text sizes for a person's own screens; 1 is the office's own size. */
export const TEXT_SIZES = [1, 1.5, 2] as const

/**
 * One person's display preferences while they have the screen. They apply to everything they sign in this session, and
 * aren't stored.
 */
export interface PersonPreferences {
  language: PersonLanguage
  textSize: (typeof TEXT_SIZES)[number]
  highContrast: boolean
  /** They get more time, within the office's limit. */
  moreTime: boolean
}

/**
 * What is kept of a passport or identity card that was compared, as the organisation's policy says. compared: only the
 * fact, and whether the name matched. number-end: also the last characters of its number. number-and-expiry: its
 * number, and the last day it is valid.
 */
export const IDENTITY_KEPT = ['compared', 'number-end', 'number-and-expiry'] as const
export type IdentityKept = (typeof IDENTITY_KEPT)[number]

/**
 * The result of comparing a signer with a passport or identity card that staff typed. unusable: not compared, because
 * these fields can't be what is printed there.
 */
export type PrintedComparison =
  | { kind: 'unusable'; fields: ('name' | 'number' | 'expires')[] }
  | { kind: 'matches' | 'differs'; isExpired: boolean }

/** Someone who can sign here now. */
export interface CounterEntry {
  accountId: string
  documentReference: string
  documentName: string
  signer: number
  signerName: string
  /** The same for all signers who are one person, judged by name and e-mail. Opaque. */
  person: string
  due?: ServiceDate
  faceToFace: boolean
  /** A video confirmation or an identity check was requested, so the page may want the camera. */
  mayNeedCamera: boolean
  /**
   * Files were uploaded when other documents of this form were signed, so its page may ask for one. Absent says
   * nothing.
   */
  hadFiles?: true
  /** Has an appointment today. */
  isToday: boolean
  /** Face-to-face signing was requested but the service gave no link, so signing can't be started here. */
  withoutLink?: true
  /** Another workstation of the office has had them at its counter since `since`, so signing can't be started here. */
  elsewhere?: { workstation: string; since: number }
  /** Their e-mail address, or the end of their mobile number, if someone else who can sign here has the same name. */
  contact?: string
  /** The document's matter, if `contact` doesn't distinguish everyone of that name. For staff only. */
  matter?: string
  /**
   * Their date of birth, `1980-03-12`, if it was part of what was sent from here; shown when `matter` is. For staff
   * only.
   */
  born?: string
}

/** A signature that can be part of a session. */
export interface OfferedEntry extends CounterEntry {
  /** Indices of the document's signers who have to sign first; empty if it is their turn. */
  after: number[]
}

/** One line of the office's own checklist of identity evidence. */
export interface EvidenceItem {
  id: string
  text: string
  /** Nobody is handed the screen without it. */
  isRequired: boolean
}

/** What a session that starts with one signer could include: several people and documents. */
export interface CounterOffer {
  first: CounterEntry
  /**
   * Everything that can be signed here, now or after others, by that person and by everyone who signs one of their
   * documents. The first document comes first, then that person's other documents, then the other people's, each by due
   * date; within a document, the signers in order.
   */
  entries: OfferedEntry[]
  /** How many more of their documents don't fit into one session. */
  further: number
  evidence: EvidenceItem[]
  identityKept: IdentityKept
  /** The current member of staff, for the record. */
  staff: string
  hasPin: boolean
  /** The office's server can't be reached, so another counter could call the same people. */
  isNotReserved?: true
}

/**
 * What the service answered after the page was closed. skipped: the turn never began, because someone else has to sign
 * first or they signed elsewhere.
 */
export interface CounterOutcome {
  signed: 'signed' | 'declined' | 'not-yet' | 'unknown' | 'skipped'
  /** Why it is unknown or was skipped. */
  error?: AppError
}

/** One signer's part of a session: one document and one person. */
export interface CounterTurn
  extends Pick<CounterEntry, 'documentReference' | 'documentName' | 'signer' | 'signerName' | 'person' | 'contact'> {
  /** What is kept of the document that identified them, if more than the fact that it was compared. */
  keeps?: Exclude<IdentityKept, 'compared'>
  /**
   * Absent while the turn is still to come or in progress. `not-yet` may become `signed` later, while the session is
   * shown.
   */
  outcome?: CounterOutcome
}

/**
 * handover: the screen goes to the person whose turn it is. loading, open: the page is shown. covered: our cover hides
 * it, see `cover`. asking: the page is closed, and the service is being asked. between: the result, before the next
 * document, the next person or, if the service has no signature yet, another try. failed: the page can't be shown, or
 * the turn couldn't begin, see `error`. return: the screen goes back to staff; only they can leave this phase. ended:
 * staff have the screen, with all results.
 */
export type CounterPhase =
  | 'handover'
  | 'loading'
  | 'open'
  | 'covered'
  | 'asking'
  | 'between'
  | 'failed'
  | 'return'
  | 'ended'

/** A file that staff opened for this turn. */
export interface OfferedFile {
  id: string
  name: string
  bytes: number
}

/**
 * Why the page is covered. moment, help, finish, stop: the person asked. file: the page asks for a file, which the
 * person picks from those that staff opened. camera: the page asks for the camera or microphone, and staff have to
 * decide. consent: staff allowed it, and the person has to decide. away: the window was left, for example by switching
 * to another. idle: nobody was active. not-me: the screen was handed to the wrong person. staff: staff have entered
 * their PIN and choose what happens.
 */
export type CounterCover =
  | 'moment'
  | 'help'
  | 'finish'
  | 'stop'
  | 'file'
  | 'camera'
  | 'consent'
  | 'away'
  | 'idle'
  | 'not-me'
  | 'staff'

/**
 * What covered the page before staff entered their PIN; for `away`, how the window was left. office: staff covered it
 * from their own screen.
 */
export type CoveredBy =
  | Exclude<CounterCover, 'staff'>
  | ('blur' | 'full-screen' | 'hidden' | 'closing' | 'display' | 'locked' | 'page' | 'office')

export interface CounterSession {
  id: string
  /** The account of the documents; absent for an interrupted session that can’t be read. */
  accountId?: string
  phase: CounterPhase
  /** Set while the phase is covered, and over handover, between and failed if these were left. */
  cover?: CounterCover
  /** Set while a cover is shown, also after staff have entered their PIN. */
  coveredBy?: CoveredBy
  /** Staff have said that they are coming to the second display, which needs them. */
  isAnswered?: true
  /** Only staff can continue from here, with their PIN. */
  isLocked: boolean
  turns: CounterTurn[]
  /** The turn in progress, or the last one. */
  current: number
  /** Scheme and host of the signing page, for our frame to show; '' while unknown. */
  origin: string
  /** The page's zoom: 1 is as designed. */
  zoom: number
  /** The devices that the page asks for, while staff have to decide. */
  asksFor: ('camera' | 'microphone')[]
  allowsCamera: boolean
  /** There has been no activity for a while: the page will be covered at this time unless someone is active. */
  warningUntil?: number
  /** After wrong PINs, no PIN is accepted before this time. */
  pinWaitUntil?: number
  /** Both as in `PinState`. */
  asksName?: true
  needsName?: true
  error?: AppError
  /**
   * A page of this turn asked for a file of this computer and was refused: files aren't given here, or it asked for
   * more, such as a folder.
   */
  wantsFile?: true
  /**
   * The page asks for a file, and waits. `files`: those it accepts; absent until staff have opened any for this turn.
   */
  asksFile?: { files?: OfferedFile[] }
  /** A page of this session got a camera other than the office's choice, which isn't connected or couldn't be used. */
  otherCamera?: true
  /** What pages of this turn tried and were refused, newest last, at most twenty. */
  refused: { what: string; at: number }[]
  /** Which screen the person has: this window, or the second display. */
  place: 'here' | 'other-display'
  /** The application quit in the middle of the session; this was restored at the next start. */
  wasInterrupted: boolean
  /** The session belongs to a practice account: nothing signed is binding. */
  isPractice: boolean
  /**
   * taken: another counter has called the same people. away: one could, because the office's server can't be reached.
   */
  notReserved?: 'taken' | 'away'
  /** Staff may print and save pages. */
  mayKeepPages: boolean
  /** Those of the person whose turn it is. */
  preferences: PersonPreferences
  /** What the office lets them choose from. */
  offers: { languages: PersonLanguage[]; moreTime: boolean }
  /** Whether the person is offered a receipt at the end, or shown it; absent if neither. */
  receipt?: 'on-request' | 'always'
}

export interface PinState {
  isSet: boolean
  /** After wrong PINs, no PIN is accepted before this time. */
  waitUntil?: number
  /** Whether it survives a restart of the application. */
  keptIn: 'keychain' | 'memory'
  /**
   * Anyone who can sign in to this computer can replace a forgotten PIN. asked: the computer has to be locked and
   * unlocked now. allowed: that has just happened.
   */
  reset: 'none' | 'asked' | 'allowed'
  /** The administrator whose PIN can be set again until someone does, because the keychain's entry was removed. */
  resetOf?: string
  /** Whether this system reports when someone signs in; if not, only the administrator can reset the PIN. */
  canReset: boolean
  /**
   * Staff have names: a PIN is checked against the current member unless a name is given with it, and badges are
   * accepted, too.
   */
  asksName?: true
  /** There is no current member: a PIN needs a name. */
  needsName?: true
}

/**
 * Each role includes the ones before it; see `rights.ts`. counter: calls people and hands the screen over. clerk:
 * composes and sends. manager: ends the wait after wrong PINs, resumes the outbox, sees what others did. administrator:
 * changes accounts, settings and the staff list.
 */
export type StaffRole = 'counter' | 'clerk' | 'manager' | 'administrator'

export interface StaffMember {
  id: string
  name: string
  role: StaffRole
  hasBadge: boolean
  /** The current member of staff: the last to prove who they are. */
  isCurrent: boolean
}

/** The staff list, and whether the counter's settings can be changed. */
export interface StaffView {
  /** Empty if everyone shares one PIN. */
  members: StaffMember[]
  /** locked: an administrator's PIN opens them. unguarded: there is no PIN yet. */
  settings: 'locked' | 'open' | 'unguarded'
  release?: ReleaseNeeded
}

/** Packages to more people than this wait for a second person's release; bulk sends always do. 0: every package. */
interface ReleaseNeeded {
  above: number
}

export interface CounterSettings {
  /** The staff member's name for the record; '' uses the name of the computer's user. */
  staffName: string
  evidence: EvidenceItem[]
  /** What the second display shows when no one is signing. */
  idleText: string
  /** A picture as a data URL (PNG, JPEG or WebP), at most 1 MB. */
  logo?: string
  /** The window is full screen while someone signs. */
  fullScreen: boolean
  useOtherDisplay: boolean
  /** The second display's name, if one is connected. */
  otherDisplay?: string
  /** Seconds without activity until the warning, from there until the cover, and from there until the session ends. */
  idle: { warnAfter: number; coverAfter: number; endAfter: number }
  /** Minutes without activity on the computer until the office window is locked; 0 for never. */
  lockAfter: number
  /** Origins (`https://sign.example.com`) that signing pages may show in addition to their own and the service's. */
  allowedOrigins: string[]
  /** Staff may print and save a signing page. */
  mayKeepPages: boolean
  /** Languages for people's own screens, in addition to English. */
  languages: PersonLanguage[]
  /** The factor by which waiting times grow for people who ask for more time; 1 if not offered. */
  moreTime: number
  /** A signing page that asks for a file gets one of those that staff open for the turn; otherwise it is refused. */
  mayGiveFiles: boolean
  /** The name of the camera for signing pages; '' for the browser's choice. */
  camera: string
  /** Set by the organisation's policy only. */
  identityKept: IdentityKept
  /**
   * Whether people are offered a receipt, or shown it without asking. Staff can always make one from the audit trail.
   */
  receipt: 'never' | 'on-request' | 'always'
  waitingRoom: WaitingRoom
}

/** How people are expected and called to the counter. */
interface WaitingRoom {
  /** This counter's name, as used when calling people: "Counter 2". */
  counterName: string
  /** Minutes after which Countersign suggests that someone didn't come. */
  noShowAfter: number
  /** The second display plays a sound when it calls. */
  callSound: boolean
  /** Ids of the pictures that the second display shows in rotation. */
  pictures: string[]
}

/** Whether the office window is locked after inactivity. */
export interface OfficeLockState {
  isLocked: boolean
  /** Signing in to the computer unlocks it, too. */
  opensBySignIn: boolean
  /** Both as in `PinState`. */
  asksName?: true
  needsName?: true
  /** The current member of staff; absent if they have no names, or nobody has entered a PIN. */
  who?: string
  /** After wrong PINs, no PIN is accepted before this time. */
  waitUntil?: number
  /**
   * Whole screens closed to the current member's role, each with the reason as a full sentence; absent if there are
   * none, or nobody has entered a PIN.
   */
  closed?: Partial<Record<ClosedScreen, string>>
  /**
   * Requests refused to the current member's role, by name, each with the reason as a full sentence; absent if there
   * are none.
   */
  refused?: Record<string, string>
}

export type ClosedScreen = 'activity' | 'audit' | 'compose' | 'bulk'

/** What the second display shows when no one is signing. */
export interface IdleScreen {
  text: string
  /** The current account's name; absent if there is none. Shown if the office has no picture. */
  name?: string
  logo?: string
  /** Ids of the pictures shown in rotation; each is requested by its id. */
  pictures: string[]
  /** The number being called. */
  call?: IdleCall
  /** The languages of calls, in addition to English. */
  languages: PersonLanguage[]
  /** Plays a sound when it calls. */
  callSound: boolean
}

/** The people of a session, in the order that numbers their receipt copies from 1. */
export interface ReceiptPeople {
  /** `language`: that of their screens, if still known and not English. */
  people: { name: string; contact?: string; language?: PersonLanguage }[]
  /** Receipt languages that the office offers, in addition to English. */
  languages: PersonLanguage[]
}

/** What a person photographs: the number and hash of their receipt, also as a QR code. */
export interface ReceiptCode {
  number: string
  sha256: string
  /** Modules per side. */
  size: number
  /** The dark modules as an SVG path, each one unit wide and high. */
  path: string
}
