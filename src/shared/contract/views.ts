/**
 * What the screens are given: records without secrets, paths or signing links. Times are milliseconds since 1970 UTC.
 */

import type { z } from 'zod'
import type { CompletionRecipient, ListedTemplate, NotificationRecipient } from '../model/index.ts'
import type { documentColumns } from './document-query.ts'
import type { AccountRights, OtherMember } from './document-views.ts'
import type { AppError } from './errors.ts'
import type { PracticeDay } from './practice-day.ts'

export type * from './appointments.ts'
export type * from './audit-views.ts'
export type * from './composing-views.ts'
export type * from './counter-views.ts'
export type * from './document-views.ts'
export type * from './downloads.ts'
export type * from './identity.ts'

export const AUTH_SCHEMES = ['none', 'api-key', 'bearer', 'basic', 'headers', 'oauth'] as const
export type AuthScheme = (typeof AUTH_SCHEMES)[number]

/** What a service says about an account (not in the reference). Anything it doesn't say is absent and unknown. */
export interface AccountLimits {
  /** How many documents the plan has left. */
  documentsLeft?: number
  /** The latest due date allowed, in days after sending. */
  maxDueDays?: number
  /** The due date of a package that names none, in days after sending. */
  defaultDueDays?: number
  faceToFace?: boolean
  /** The date format of the account's user, in .NET notation (`dd/MM/yyyy`). */
  dateFormat?: string
}

/** What this sign-in may do at the service, as it says or as attempts have shown. Absent: unknown. */
export interface AccountPermissions {
  administrate?: boolean
  faceToFace?: boolean
  video?: boolean
  remind?: boolean
  readEmployers?: boolean
}

/** A certificate from the system's store that authenticates an account in the TLS handshake. */
export interface ClientCertificate {
  /** Whose it is, and who issued it. */
  subject: string
  issuer: string
  /** Milliseconds since 1970 UTC. */
  validTo: number
}

/** A proxy in the office's network that is waiting for someone to sign in. */
export interface ProxyView {
  /** Host and port. */
  proxy: string
  /** It refused the sign-in entered before, at once or later. */
  wasRefused: boolean
}

export interface AccountView {
  id: string
  name: string
  kind: 'practice' | 'service'
  /** As typed; for the practice office, the address it listens on now. */
  baseUrl: string
  scheme: AuthScheme
  /** The CSS colour of the stripe that tells accounts apart. */
  colour: string
  /** One or two letters shown with that colour, unique among accounts: chosen by a person, or derived from the name. */
  mark: string
  /** The mark was chosen by a person. */
  hasOwnMark?: true
  /** The folders this office uses, in its order. */
  folders: string[]
  /** How its service wants `pdf` and `json` spelled in identity-data addresses. */
  dataTypeSpelling: DataTypeSpelling
  /** The current account. */
  chosen: boolean
  /** Whether the screens show it: either the current account alone, or all. */
  shown: boolean
  /** While all are shown, a new package begins in this one. */
  beginsPackages?: true
  limits: AccountLimits
  /** The service has no SendForms2 (operation 1), so forms are sent with SendForms. */
  formsBy?: 'SendForms'
  /** How the practice office answers; absent for other accounts and on a usual day. */
  day?: PracticeDay
  /** Whether its signed documents may be saved; unknown until a person has viewed one. */
  savesSigned: AccountRights['signedDocuments']
  /** Origins, besides the service's own, from which they may be saved. */
  signedFrom: readonly string[]
  /** The client certificate presented to its service, if any. */
  certificate?: Pick<ClientCertificate, 'subject' | 'issuer'>
  /** False if the keychain no longer has this account's secret, which then has to be entered again. */
  hasSecret: boolean
  /** Its sign-in has expired or was never made: no requests go to its service until someone signs in again. */
  waitsForSignIn?: true
  /** Its secret came from an enrolment file. */
  isEnrolled?: true
}

/**
 * The colours an account can be given, each distinguishable from its neighbours on light and dark backgrounds. The
 * practice office has a colour of its own so that it can't be mistaken for a real account.
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

/** A mark that a person may choose; an empty one means the mark derived from the name. */
export const ACCOUNT_MARK = /^[\p{L}\p{N}]{0,2}$/u

export interface ConnectionView {
  state: 'unknown' | 'online' | 'offline' | 'refused'
  /** When the state began. */
  since: number
  error?: AppError
  /** The shown accounts that their service doesn't accept, and why; absent if it accepts all of them. */
  notAccepted?: { accountId: string; error?: AppError }[]
}

/** A list fetched from the service and cached. */
export interface Fetched<Item> {
  items: Item[]
  /** When it was last fetched or confirmed; absent if never. */
  fetchedAt?: number
  /** How many entries were unreadable and left out, if any. */
  unreadable?: number
  /** Why the latest attempt failed, if it did. */
  problem?: AppError
}

export type TemplateView = ListedTemplate
export interface RecipientView {
  notification: (NotificationRecipient & { others?: OtherMember[] })[]
  completion: (CompletionRecipient & { others?: OtherMember[] })[]
}

/** A visible column of the document list and its width in CSS pixels. */
export type DocumentColumnSetting = z.output<typeof documentColumns>[number]

export interface SettingsView {
  theme: 'system' | 'light' | 'dark'
  zoom: number
  /** The columns of the document list in order; absent until a person changes them. */
  documentColumns?: DocumentColumnSetting[]
  /**
   * The calling code for mobile numbers without one: the office's choice, or a guess from the system's region. Absent:
   * unknown.
   */
  countryCode?: { code: string; isGuessed: boolean }
  /** Whether the application starts when the user signs in to the computer; absent if no installed copy could. */
  startAtLogin?: boolean
  /** The running version, if it differs from the last run's and its news hasn't been read or dismissed yet. */
  news?: string
}

export type KeychainReason = 'missing' | 'locked' | 'failed'
/**
 * Why this run keeps everything in memory. `key-missing`: the keychain works but no longer has the key of the existing
 * database. `damaged`, `newer-version` and `upgrade-failed`: as in `SetAsideReason`, but the file stays in place
 * because there is a way to go on from it. `in-use`: another program has the file open. `disk-failed`: reading or
 * writing failed for a reason other than space or permission.
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
 * Why a file was set aside. `unreadable`: another key, or its start is damaged (they can't be told apart). `damaged`:
 * the key fits but the content is corrupt. `incomplete`: its main part is missing. `newer-version`: written by a later
 * version of the application. `upgrade-failed`: it couldn't be migrated to this version.
 */
export type SetAsideReason = 'unreadable' | 'damaged' | 'incomplete' | 'newer-version' | 'upgrade-failed'

export interface SystemStatus {
  version: string
  platform: string
  /** Whether secrets and drafts outlive this run of the application. */
  keychain: { state: 'available' } | { state: 'unavailable'; reason: KeychainReason }
  /**
   * `hasData`: this computer has an untouched database from an earlier run, so this isn't a new installation. `usedBy`:
   * the newer version of the application that last used it, if known. `isByRecoveryKey`: opened with a recovery key in
   * this run because the keychain couldn't be used; `keychain` says whether it can be used now. `isWithout`: a person
   * was asked at startup and chose to continue without the existing data.
   */
  storage:
    | { state: 'encrypted'; isByRecoveryKey?: true }
    | { state: 'memory'; reason: MemoryReason; hasData: boolean; usedBy?: string; isWithout?: true }
  /** Problems someone has to deal with, oldest first; reported in this and later runs until settled. */
  troubles: StoreTrouble[]
}

/** A copy of the database that can replace it. Times in milliseconds since 1970 UTC. */
export interface CopyView {
  name: string
  at: number
  isBeforeUpdate: boolean
  /** How many newer records the copy lacks; a kind is absent if its number can't be read any more. */
  missing?: Partial<Record<'sends' | 'drafts' | 'downloads' | 'audit', number>>
}

/** The minimum length of a backup's passphrase, in characters. */
export const MIN_PASSPHRASE_LENGTH = 12

/** A backup that was chosen, and what can be read without its passphrase; times in milliseconds since 1970 UTC. */
export interface ChosenBackup {
  id: string
  name: string
  madeAt: number
  madeBy: string
}

/** An enrolment file that was chosen, and what can be read without its code. */
export type ChosenEnrolment = ChosenBackup

/** What a backup holds, known once its passphrase has opened it and all of it was checked. */
export interface BackupContents {
  madeAt: number
  madeBy: string
  accounts: number
  drafts: number
  /** Packages not sent yet when it was made. */
  waiting: number
  hasSecrets: boolean
}

/**
 * A problem with one of the application's files. `set-aside`: it couldn't be opened and was moved to a folder with this
 * name, and a new one was created; `at` in milliseconds since 1970 UTC. `in-memory`: it can't be written in this run,
 * although the database can. `no-backup`: scheduled backups have failed since then. `no-new-key`: changing the
 * database's key failed, and it keeps the old one.
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

/**
 * How an account's service wants `pdf` and `json` spelled in identity-data addresses. `lower-then-upper` tries the
 * other spelling if the first is unknown, and continues with the one that worked.
 */
export const DATA_TYPE_SPELLINGS = ['lower', 'upper', 'lower-then-upper'] as const
export type DataTypeSpelling = (typeof DATA_TYPE_SPELLINGS)[number]
export const USUAL_DATA_TYPE_SPELLING: DataTypeSpelling = 'lower-then-upper'
