/** What the screens are shown: records without secrets, paths or signing links. Times are milliseconds since 1970 UTC. */

import type { z } from 'zod'
import type { CompletionRecipient, ListedTemplate, NotificationRecipient } from '../model/index.ts'
import type { documentColumns } from './document-query.ts'
import type { AccountRights, OtherMember } from './document-views.ts'
import type { AppError } from './errors.ts'
import type { PracticeDay } from './practice-day.ts'

export type * from './appointments.ts'
export type * from './composing-views.ts'
export type * from './counter-views.ts'
export type * from './document-views.ts'
export type * from './downloads.ts'
export type * from './identity.ts'

export const AUTH_SCHEMES = ['none', 'api-key', 'bearer', 'basic', 'headers', 'oauth'] as const
export type AuthScheme = (typeof AUTH_SCHEMES)[number]

/** What a service says of an account (not in the reference). Whatever it doesn't say is absent, and not known. */
export interface AccountLimits {
  /** How many documents the plan has left. */
  documentsLeft?: number
  /** In how many days a package has to be due at the latest. */
  mostDueDays?: number
  /** In how many days after sending a package is due where it names no date. */
  defaultDueDays?: number
  faceToFace?: boolean
  /** How the account's user writes dates, in .NET's letters (`dd/MM/yyyy`). */
  dateFormat?: string
}

/** What this sign-in may do at the service, as far as it says so or as trying has shown. What is absent isn't known. */
export interface AccountMay {
  administrate?: boolean
  faceToFace?: boolean
  video?: boolean
  remind?: boolean
  readEmployers?: boolean
}

/** A certificate of the system's store, by which an account proves at the line itself who it is. */
export interface ClientCertificate {
  /** Whose it is, and who says so. */
  subject: string
  issuer: string
  /** Milliseconds since 1970 UTC. */
  validTo: number
}

/** A proxy of the office's network that waits for someone to sign in. */
export interface ProxyView {
  /** Host and port. */
  proxy: string
  /** It took what was entered before no longer, or never. */
  wasRefused: boolean
}

export interface AccountView {
  id: string
  name: string
  kind: 'practice' | 'service'
  /** As typed; for the practice office the address it listens on now. */
  baseUrl: string
  scheme: AuthScheme
  /** A CSS colour for the stripe that tells accounts apart. */
  colour: string
  /** One or two letters beside that colour, of no other account: those that a person chose, or of its name. */
  mark: string
  /** A person chose the mark. */
  hasOwnMark?: true
  /** The folders that this office uses, in its order. */
  folders: string[]
  /** How its service wants `pdf` and `json` spelled in the address of its identity data. */
  dataTypeSpelling: DataTypeSpelling
  /** It is the one that is worked in. */
  chosen: boolean
  /** Whether the screens show it: the chosen one alone, or all. */
  shown: boolean
  limits: AccountLimits
  /** The service has no SendForms2 (operation 1): forms go by SendForms. */
  formsBy?: 'SendForms'
  /** How the practice office answers; absent for another account, and on a usual day. */
  day?: PracticeDay
  /** Whether its signed documents may be saved: unknown until a person has looked at one. */
  savesSigned: AccountRights['signedDocuments']
  /** Origins beside the service's own from which they may be saved. */
  signedFrom: readonly string[]
  /** Whose certificate its service is shown, where one is. */
  certificate?: Pick<ClientCertificate, 'subject' | 'issuer'>
  /** False where the keychain no longer has this account's secret: it must be entered again. */
  hasSecret: boolean
  /** Its sign-in is over, or was never made: nothing is asked of its service until someone signs in again. */
  waitsForSignIn?: true
  /** Its secret came with an enrolment file. */
  isEnrolled?: true
}

/**
 * The colours that an account may be given, each told from its neighbours on light and on dark ground. The practice office has one to
 * itself, so that it can't be taken for a real account.
 */
export const ACCOUNT_COLOURS = [
  '#1f7a7a',
  '#3b6fd4',
  '#8a5cc7',
  '#c2487a',
  '#4f8a3a',
  '#b4532a',
  '#5f6b7a',
  '#2f8fbf'
] as const
export type AccountColour = (typeof ACCOUNT_COLOURS)[number]

/** A mark that a person may choose; an empty one stands for that of the name. */
export const ACCOUNT_MARK = /^[\p{L}\p{N}]{0,2}$/u

export interface ConnectionView {
  state: 'unknown' | 'online' | 'offline' | 'refused'
  /** When the state began. */
  since: number
  error?: AppError
}

/** A list that was fetched from the service and kept. */
export interface Fetched<Item> {
  items: Item[]
  /** When it was last true; absent where it was never fetched. */
  fetchedAt?: number
  /** How many entries could not be read and are left out, where any are. */
  unreadable?: number
  /** Why the newest attempt failed, where it did. */
  problem?: AppError
}

export type TemplateView = ListedTemplate
export interface RecipientView {
  notification: (NotificationRecipient & { others?: OtherMember[] })[]
  completion: (CompletionRecipient & { others?: OtherMember[] })[]
}

/** A column of the list of documents that is shown, and how wide it is in CSS pixels. */
export type DocumentColumnSetting = z.output<typeof documentColumns>[number]

export interface SettingsView {
  theme: 'system' | 'light' | 'dark'
  zoom: number
  /** The columns of the list of documents in their order; absent until a person changed them. */
  documentColumns?: DocumentColumnSetting[]
  /** The calling code of mobile numbers that have none: the office's choice, or a guess by the system's region. Absent: unknown. */
  countryCode?: { code: string; isGuessed: boolean }
  /** Whether it starts when the user signs in to the computer; absent where nothing is installed that could. */
  startAtLogin?: boolean
  /** The version that runs, where it is another one than before and its news weren't read or dismissed yet. */
  news?: string
}

export type KeychainReason = 'missing' | 'locked' | 'failed'
/**
 * Why this run keeps everything in memory. `key-missing`: the keychain answers, and no longer holds the key of the database that is
 * there. `damaged`, `newer-version` and `upgrade-failed`: as why a file was set aside, with something to go on from. `in-use`: another program holds the file. `disk-failed`: reading or writing failed for another reason than space or permission.
 */
export type MemoryReason =
  | 'no-keychain'
  | 'key-missing'
  | 'keychain-locked'
  | 'keychain-failed'
  | 'not-writable'
  | 'no-space'
  | 'in-use'
  | 'disk-failed'
  | 'damaged'
  | 'newer-version'
  | 'upgrade-failed'
/**
 * Why a file was set aside. `unreadable`: another key, or its start is damaged (which can't be told apart). `damaged`: the key fits, the content doesn't hold. `incomplete`: its main part
 * is missing. `newer-version`: a later version of the application wrote it. `upgrade-failed`: it did not fit this version.
 */
export type SetAsideReason = 'unreadable' | 'damaged' | 'incomplete' | 'newer-version' | 'upgrade-failed'

export interface SystemStatus {
  version: string
  platform: string
  /** Whether secrets and drafts outlive the application. */
  keychain: { state: 'available' } | { state: 'unavailable'; reason: KeychainReason }
  /**
   * `hasData`: a database of an earlier run is on this computer, as it was; this is no new installation. `usedBy`: the newer version of
   * the application that used it last, where that is known. `isByRecoveryKey`: in this run it was opened by a recovery key, as the keychain
   * couldn't be used; `keychain` says whether it can be by now. `isWithout`: a person was asked at the start, and goes on without what is
   * there.
   */
  storage:
    | { state: 'encrypted'; isByRecoveryKey?: true }
    | { state: 'memory'; reason: MemoryReason; hasData: boolean; usedBy?: string; isWithout?: true }
  /** What someone has to see to, the oldest first; in this and later runs, until it is settled. */
  troubles: StoreTrouble[]
}

/** A copy of the database that can take its place. Times in milliseconds since 1970 UTC. */
export interface CopyView {
  name: string
  at: number
  isBeforeUpdate: boolean
  /** What came after it was made, and isn’t in it; without each of which that can’t be read any more. */
  missing?: Partial<Record<'sends' | 'drafts' | 'downloads' | 'audit', number>>
}

/** The fewest characters of a backup's passphrase. */
export const LEAST_PASSPHRASE = 12

/** A backup that was chosen, and what anyone can read of it; in milliseconds since 1970 UTC. */
export interface ChosenBackup {
  id: string
  name: string
  madeAt: number
  madeBy: string
}

/** An enrolment file that was chosen, and what anyone can read of it. */
export type ChosenEnrolment = ChosenBackup

/** What a backup holds, once its passphrase has opened it and all of it was checked. */
export interface BackupContents {
  madeAt: number
  madeBy: string
  accounts: number
  drafts: number
  /** Packages that hadn't left when it was made. */
  waiting: number
  hasSecrets: boolean
}

/**
 * What happened to one of the application's files. `set-aside`: it couldn't be opened, was kept in a folder of this name, and a new
 * one begun; `at` in milliseconds since 1970 UTC. `in-memory`: it can't be written in this run, though the database can. `no-backup`: none
 * could be made as planned since then. `no-new-key`: the database was to get another key, and has the one that it had.
 */
export type StoreTrouble =
  | {
      kind: 'set-aside'
      store: 'database' | 'documents' | 'settings'
      name: string
      reason: SetAsideReason
      at: number
    }
  | { kind: 'in-memory'; store: 'documents' | 'settings'; reason: MemoryReason }
  | { kind: 'no-new-key'; store: 'database'; reason: MemoryReason | 'damaged' }
  | { kind: 'no-backup'; store: 'backups'; reason: AppError['code']; since: number; error: AppError }

/** How an account's service wants `pdf` and `json` spelled in the address of its identity data. */

/** The last one tries the other where the first isn't known, and goes on with what worked. */
export const DATA_TYPE_SPELLINGS = ['lower', 'upper', 'lower-then-upper'] as const
export type DataTypeSpelling = (typeof DATA_TYPE_SPELLINGS)[number]
export const USUAL_DATA_TYPE_SPELLING: DataTypeSpelling = 'lower-then-upper'
