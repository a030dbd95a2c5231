/** What the screens are shown of the counter: who can sign here, a session and its turns, the office's own words. */
import type { ServiceDate } from '../model/index.ts'
import type { IdleCall } from './appointments.ts'
import type { AppError } from './errors.ts'
import type { OfficeTrailFinding } from './office.ts'

/** The languages in which a person's own screens can be shown, as BCP 47 names them. English is always there. */
export const PERSON_LANGUAGES = ['en', 'mi', 'sm', 'to', 'zh-Hans', 'hi', 'pa', 'ar'] as const
export type PersonLanguage = (typeof PERSON_LANGUAGES)[number]
/** How large a person's own screens are shown: 1 is as the office has them. */
export const TEXT_SIZES = [1, 1.5, 2] as const

/** How one person wants the screen while they have it. It holds for all they sign in this session, and is written down nowhere. */
export interface PersonPreferences {
  language: PersonLanguage
  textSize: (typeof TEXT_SIZES)[number]
  highContrast: boolean
  /** They are waited for longer, as far as the office allows. */
  moreTime: boolean
}

/**
 * What is kept of a passport or an identity card that was compared, as the organisation's policy says it. compared: only
 * that it was, and whether the name matched. number-end: the last characters of its number, too. number-and-expiry: its number, and
 * the day until which it is valid.
 */
export const IDENTITY_KEPT = ['compared', 'number-end', 'number-and-expiry'] as const
export type IdentityKept = (typeof IDENTITY_KEPT)[number]

/**
 * What came of comparing a passport or an identity card that staff typed with a signer. unusable: nothing was compared, as these
 * can't be what is printed there.
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
  /** The same for all signers that are one person, as far as name and e-mail tell. Nothing is to be read from it. */
  person: string
  due?: ServiceDate
  faceToFace: boolean
  /** A video confirmation or an identity check was asked for: the page may want the camera. */
  mayNeedCamera: boolean
  /** Files were uploaded as other documents of this form were signed: its page may ask for one. Absent says nothing. */
  hadFiles?: true
  /** An appointment of today. */
  isToday: boolean
  /** Face-to-face signing was asked for, and the service gave no link for it: they can't be started here. */
  withoutLink?: true
  /** Another workstation of the office has them at its counter, since when: they can't be started here. */
  elsewhere?: { desk: string; since: number }
  /** Their e-mail address, or the end of their mobile number, where someone else who can sign here has the same name. */
  contact?: string
  /** What the document is filed under, where `contact` doesn't tell everyone of that name apart. For staff alone. */
  matter?: string
  /** When they were born, `1980-03-12`, where it was sent from here with that; shown as `matter` is. For staff alone. */
  born?: string
}

/** A signature that can be part of a sitting. */
export interface OfferedEntry extends CounterEntry {
  /** The signers of the document, by index, who have to sign before; empty where it is their turn. */
  after: number[]
}

/** One line of the office's own checklist of identity evidence. */
export interface EvidenceItem {
  id: string
  text: string
  /** Without it nobody is handed the screen. */
  isRequired: boolean
}

/** What a session that begins with one signer could be made of: a sitting of several people and documents. */
export interface CounterOffer {
  first: CounterEntry
  /**
   * What can be signed here, now or after others, by that person and by everyone who signs one of their documents: the first
   * one's document before all others, then theirs, next due first; in each the signers in their order.
   */
  entries: OfferedEntry[]
  /** So many more documents of theirs are not offered at once. */
  further: number
  evidence: EvidenceItem[]
  identityKept: IdentityKept
  /** Who of staff this is, for the record. */
  staff: string
  hasPin: boolean
  /** The office's server can't be reached: another counter could call them, too. */
  isNotReserved?: true
}

/**
 * What the service answered when it was asked after the page was closed. skipped: the turn never began, as someone
 * else's came first, or they had signed elsewhere.
 */
export interface CounterOutcome {
  signed: 'signed' | 'declined' | 'not-yet' | 'unknown' | 'skipped'
  /** Why it is unknown or was skipped. */
  error?: AppError
}

/** One signer's part of a session: one document, one person. */
export interface CounterTurn
  extends Pick<CounterEntry, 'documentReference' | 'documentName' | 'signer' | 'signerName' | 'person' | 'contact'> {
  /** What is kept of the document by which they were identified, where that is more than that it was compared. */
  keeps?: Exclude<IdentityKept, 'compared'>
  /** Absent while it lies before us or runs. What is `not-yet` may become `signed` afterwards, while the session is shown. */
  outcome?: CounterOutcome
}

/**
 * handover: the screen goes to the person whose turn it is. loading, open: the page is shown. covered: it is behind our
 * cover, see `cover`. asking: the page is closed, and the service is being asked. between: what became of it, before the
 * next document, the next person, or, where the service has no signature yet, another try. failed: the page can't be shown,
 * or the turn could not begin, see `error`. return: the screen goes back to staff, who alone can leave it. ended: staff has
 * the screen, and sees what became of everything.
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
 * Why the page is covered. moment, help, finish, stop: the person asked. file: the page asks for a file, which the person
 * chooses of those that staff opened. camera: the page asks for the camera or microphone, and staff has to say. consent: staff has allowed it, and the person has to say. away: the window was left. idle: nobody was there. not-me: anyone who was handed the screen is someone
 * else. staff: staff has given their PIN and chooses what happens.
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

/** Why it was covered before staff gave their PIN: where it was left, by what. office: staff covered it from their own screen. */
export type CoveredBy =
  | Exclude<CounterCover, 'staff'>
  | ('blur' | 'full-screen' | 'hidden' | 'closing' | 'display' | 'locked' | 'page' | 'office')

export interface CounterSession {
  id: string
  /** Whose documents are signed; absent for one that an earlier version left. */
  accountId?: string
  phase: CounterPhase
  /** While the phase is covered, and over handover, between and failed where these were left. */
  cover?: CounterCover
  /** While something lies over it; still told once staff has given their PIN. */
  coveredBy?: CoveredBy
  /** Staff has said that they are on their way to what the second display wants of them now. */
  isAnswered?: true
  /** Only staff can go on from here, with their PIN. */
  isLocked: boolean
  turns: CounterTurn[]
  /** The turn that runs, or the last one. */
  current: number
  /** Scheme and host of the signing page, for our frame to show; '' where none is known yet. */
  origin: string
  /** Size of what the page shows: 1 is as designed. */
  zoom: number
  /** What the page asks for, while staff has to say whether it may. */
  asksFor: ('camera' | 'microphone')[]
  allowsCamera: boolean
  /** Nobody has touched anything for a while: the page will be covered then, unless someone does. */
  warningUntil?: number
  /** Wrong PINs were given: none is taken before then. */
  pinWaitUntil?: number
  /** Both as of `PinState`. */
  asksName?: true
  needsName?: true
  error?: AppError
  /** A page of this turn asked for a file of this computer, and was refused: nobody gets one here, or it asked for more. */
  wantsFile?: true
  /** The page asks for a file, and waits. `files` are those that it takes; absent until staff has opened any for this turn. */
  asksFile?: { files?: OfferedFile[] }
  /** A page of this session got another camera than the office chose: that isn't connected, or couldn't be had. */
  otherCamera?: true
  /** What pages of this turn tried and were refused, newest last, at most twenty. */
  refused: { what: string; at: number }[]
  /** Which screen the person has: this window, or the second display. */
  place: 'here' | 'other-display'
  /** The application ended in the middle of it; what is shown was found when it was opened again. */
  wasInterrupted: boolean
  /** It is of a practice account: nothing that is signed counts. */
  isPractice: boolean
  /** Another counter has called the same people, or could, as the office’s server is away. */
  notReserved?: 'taken' | 'away'
  /** Staff may print a page, and save it. */
  mayKeepPages: boolean
  /** Of the person whose turn it is. */
  preferences: PersonPreferences
  /** What the office offers them to choose from. */
  offers: { languages: PersonLanguage[]; moreTime: boolean }
  /** The person is offered a receipt at their end, or shown it; absent where they aren't. */
  receipt?: 'on-request' | 'always'
}

/** Where the staff's PIN stands. */
export interface PinState {
  isSet: boolean
  /** Wrong PINs were given: none is taken before then. */
  waitUntil?: number
  /** Whether it outlives the application. */
  keptIn: 'keychain' | 'memory'
  /**
   * A forgotten PIN can be replaced by anyone who can sign in to this computer: asked: it is to be locked and unlocked now.
   * allowed: that has happened just now.
   */
  reset: 'none' | 'asked' | 'allowed'
  /** Whose PIN may be set again for as long as nobody does, as the keychain's entry was removed: an administrator's. */
  resetOf?: string
  /** Whether this system tells when someone signs in; where not, only the administrator can reset it. */
  canReset: boolean
  /** Staff have names: a PIN is that of who works here now, unless another name is given with it, and a badge is taken, too. */
  asksName?: true
  /** Nobody of them works here yet: a PIN is nobody’s unless a name is given with it. */
  needsName?: true
}

/**
 * Each may do what the ones before it may; see `rights.ts`. counter: calls people and hands the screen over. clerk: composes and sends. manager: ends
 * the wait after wrong PINs, resumes the outbox, sees what others did. administrator: changes accounts, settings, and who of staff there is.
 */
export type StaffRole = 'counter' | 'clerk' | 'manager' | 'administrator'

export interface StaffMember {
  id: string
  name: string
  role: StaffRole
  hasBadge: boolean
  /** They work here now: they proved it last. */
  isCurrent: boolean
}

/** Who of staff there is, and whether the counter's settings can be changed. */
export interface StaffView {
  /** None where one PIN is everyone's. */
  members: StaffMember[]
  /** locked: an administrator's PIN opens them. unguarded: there is no PIN yet. */
  settings: 'locked' | 'open' | 'unguarded'
  release?: ReleaseNeeded
}

/** Packages to more people than this wait until another of staff releases them; bulk sends do whatever the number. 0: every package. */
interface ReleaseNeeded {
  above: number
}

export interface CounterSettings {
  /** Who of staff works here, for the record; '' takes the name of the computer's user. */
  staffName: string
  evidence: EvidenceItem[]
  /** What the second display shows while nobody signs. */
  idleText: string
  /** A picture as a data URL (PNG, JPEG or WebP), at most 1 MB. */
  logo?: string
  /** The window fills the screen while someone signs. */
  fullScreen: boolean
  useOtherDisplay: boolean
  /** The second display's name, where there is one now. */
  otherDisplay?: string
  /** Seconds without a touch until the warning, from there to the cover, and from there to the end of the session. */
  idle: { warnAfter: number; coverAfter: number; endAfter: number }
  /** Minutes without a touch of the computer until the office's own window is locked; 0 for never. */
  lockAfter: number
  /** Origins (`https://sign.example.com`) that signing pages may show beside their own and the service's. */
  allowedOrigins: string[]
  /** Staff may print a signing page, and save it. */
  mayKeepPages: boolean
  /** In which languages people may have their own screens, beside English. */
  languages: PersonLanguage[]
  /** How many times as long people are waited for who ask for more time; 1 where nobody may. */
  moreTime: number
  /** A signing page that asks for a file gets one of those that staff opens for the turn; else it is refused. */
  mayGiveFiles: boolean
  /** The name of the camera that signing pages get; '' for the one that the browser takes. */
  camera: string
  /** Set by the organisation's policy alone. */
  identityKept: IdentityKept
  /** Whether a person is offered a receipt, or shown it without asking. Staff can always make one from the audit trail. */
  receipt: 'never' | 'on-request' | 'always'
  waitingRoom: WaitingRoom
}

/** How people are expected and called. */
interface WaitingRoom {
  /** What this counter is called, where people are called to: "Counter 2". */
  counterName: string
  /** Minutes after which it is suggested that someone didn't come. */
  noShowAfter: number
  /** The second display sounds when it calls. */
  callSound: boolean
  /** The pictures that the second display shows in turn, by their ids. */
  pictures: string[]
}

/** Whether the office's own window is locked because nobody was there. */
export interface OfficeLockState {
  isLocked: boolean
  /** Signing in to the computer opens it, too. */
  opensBySignIn: boolean
  /** Both as of `PinState`. */
  asksName?: true
  needsName?: true
  /** Who of staff works here now; absent where they have no names, or nobody has entered their PIN. */
  who?: string
  /** Wrong PINs were given: none is taken before then. */
  waitUntil?: number
  /** Screens that the role of who works here refuses as a whole, each with why in a whole sentence; absent where it refuses none, or nobody of staff has entered their PIN. */
  closed?: Partial<Record<ClosedScreen, string>>
  /** Requests that the role of who works here refuses, by their names, each with why in a whole sentence; absent where it refuses none. */
  refused?: Record<string, string>
}

export type ClosedScreen = 'activity' | 'audit' | 'compose' | 'bulk'

/** What the second display shows while nobody signs. */
export interface IdleScreen {
  text: string
  /** What the chosen account is called; absent where there is none. Shown where the office has no picture. */
  name?: string
  logo?: string
  /** Shown in turn; each is asked for by its id. */
  pictures: string[]
  /** The number that is being called. */
  call?: IdleCall
  /** In which languages it calls, beside English. */
  languages: PersonLanguage[]
  /** It sounds when it calls. */
  callSound: boolean
}

/** What the audit trail tells of. */
export type AuditEvent =
  | 'session-started'
  | 'handed-over'
  | 'page-opened'
  | 'camera-allowed'
  | 'camera-refused'
  | 'left'
  | 'idle'
  | 'unlocked'
  | 'pin-wrong'
  | 'page-printed'
  | 'page-saved'
  | 'files-opened'
  | 'file-given'
  | 'file-not-taken'
  | 'turn-ended'
  | 'session-ended'
  | 'session-interrupted'
  | 'pin-set'
  | 'pin-reset'
  | 'pin-wait-ended'
  | 'staff-added'
  | 'staff-changed'
  | 'staff-removed'
  | 'staff-chosen'
  | 'package-released'
  | 'package-refused'
  | 'settings-unlocked'
  | 'settings-changed'
  | 'trail-exported'
  | 'receipt-made'
  | 'signing-key-made'
  | 'account-added'
  | 'account-changed'
  | 'account-removed'
  | 'entries-lost'
  | 'data-backed-up'
  | 'data-restored'
  | 'recovery-key-made'
  | 'enrolment-prepared'
  | 'settings-exported'
  | 'settings-imported'
  | 'database-key-changed'
  | 'recovery-key-used'
  | 'data-purged'
  | 'office-joined'
  | 'office-left'
  | 'document-held'
  | 'document-released'
  | 'retention-changed'
  | 'policy-changed'
  | 'office-locked'
  | 'office-unlocked'
  | 'identity-data-fetched'
  | 'signed-document-fetched'
  | 'signatures-verified'
  | 'appointment-saved'
  | 'appointment-removed'
  | 'appointment-arrived'
  | 'appointment-called'
  | 'appointment-marked'
  | 'appointment-matched'
  | 'appointment-missed'
  | 'appointment-undone'
  | 'appointments-imported'

export interface AuditEntry {
  /** 1 is the first there ever was. */
  seq: number
  at: number
  /** IANA name of the workstation's zone, such as Pacific/Auckland. */
  zone: string
  staff: string
  what: AuditEvent
  /** The session it belongs to. */
  session?: string
  documentReference?: string
  documentName?: string
  signerName?: string
  /** More of it, in words: `evidence` checked, `outcome`, `origin`, and the like. */
  detail: Record<string, string>
}

export interface AuditPage {
  entries: AuditEntry[]
  total: number
}

/** Whether each entry still follows from the one before it, and the last known one is still there. */
export interface AuditCheck {
  isWhole: boolean
  /** How many were checked. */
  entries: number
  /** Only entries after this one were checked, as those before were found whole earlier. */
  after?: number
  /** The first entry that doesn't follow from the one before it, where there is one. */
  brokenAt?: number
  /** Entries at the end, or all, are missing. */
  isCutOff: boolean
  /**
   * By what sign they are missing. cut: taken from a database that is otherwise as it was. older-copy: the whole database is
   * one that was in use before. replaced: it was begun again, as after damage. forgotten: the keychain doesn't know any more
   * which entry was the last.
   */
  missing?: 'cut' | 'older-copy' | 'replaced' | 'forgotten'
  /** The disk couldn't read all of it, or the database's file is damaged: nothing shows that anyone changed it. */
  isDamaged?: true
  /** What can't be written at the moment, as when the disk is full. */
  unwritten?: number
  /** What was found of the trails of an office so far, the newest last; absent where there is nothing, or no office. */
  office?: OfficeTrailFinding[]
}

/** The key that exports are signed with: its public part. */
export interface AuditKey {
  /** The SHA-256 of the key in DER, in groups of four characters, to be compared by eye. */
  fingerprint: string
}

/** What a check of an exported file found. */
export interface AuditFileCheck {
  /** The file's name. */
  label: string
  /**
   * genuine: every byte is as it was signed. changed: bytes were changed, added or removed. signature: what lies beside it isn't
   * a signature of ours, or was changed itself. unsigned: nothing lies beside it.
   */
  verdict: 'genuine' | 'changed' | 'signature' | 'unsigned'
  /** Whose key it is: this computer's, or another, which is to be compared with the one that was noted. */
  key?: AuditKey & { isOurs: boolean }
  /** What was signed. */
  entries?: number
  exportedAt?: string
  /** The newest entry that it holds is in this computer's trail, as it is now. */
  isInTrail?: boolean
  /** The first bytes that differ, counted from 0. */
  bytes?: { from: number; to: number }
  /** The entries that stand there, where the file tells. */
  near?: { from: number; to: number }
  /** It is a PDF: its receipt number where it was signed, and the number of the receipt that took its place. */
  receipt?: { number?: string; replacedBy?: string }
}

/** Who has a part in a session, in the order in which their copies of a receipt are counted, from 1. */
export interface ReceiptPeople {
  /** With the language that they had their screens in, where that is still known and isn't English. */
  people: { name: string; contact?: string; language?: PersonLanguage }[]
  /** In which languages the office offers theirs, beside English. */
  languages: PersonLanguage[]
}

/** What a person takes a picture of: the number and the hash of their receipt, and these as a QR code. */
export interface ReceiptCode {
  number: string
  sha256: string
  /** Modules a side. */
  size: number
  /** The dark ones as the path of a picture, a module wide and high each. */
  path: string
}
