/** What the screens are shown: records without secrets, paths or signing links. Times are milliseconds since 1970 UTC. */

import type {
  CompletionRecipient,
  DocumentLog,
  DocumentStatus,
  IDVerificationDataType,
  ListedTemplate,
  NotificationRecipient,
  ServiceDate,
  ValidationResult
} from '../model/index.ts'
import type { AppError } from './errors.ts'

export type * from './composing-views.ts'

export type AuthScheme = 'none' | 'api-key' | 'bearer'

export interface AccountView {
  id: string
  name: string
  kind: 'practice' | 'service'
  /** As typed; for the practice office the address it listens on now. */
  baseUrl: string
  scheme: AuthScheme
  /** A CSS colour for the stripe that tells accounts apart. */
  colour: string
  chosen: boolean
  /** False where the keychain no longer has this account's secret: it must be entered again. */
  hasSecret: boolean
}

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
  notification: NotificationRecipient[]
  completion: CompletionRecipient[]
}

export interface SignerProgress {
  name: string
  state: 'signed' | 'declined' | 'waiting' | 'expired'
  /** Whether a signing link for an embedded view is known. */
  canSignHere: boolean
}

export interface DocumentRow {
  reference: string
  name: string
  folder: string
  status: DocumentStatus
  due?: ServiceDate
  lastSigned?: ServiceDate
  packageReference?: string
  clientReference?: string
  matterNumber?: string
  idVerificationRequested: boolean
  signers: SignerProgress[]
}

export interface DocumentList {
  rows: DocumentRow[]
  /** How many there are beside the page that is answered. */
  total: number
  counts: Record<string, number>
  /** When this folder was last read in full; absent where never. */
  lookedAt?: number
  problem?: AppError
  /** How many documents of the newest answer could not be read, and the place of the first. */
  unreadable?: { count: number; path: string }
}

export interface SignerView extends SignerProgress {
  /** Place in the document's list of signers. */
  index: number
  email?: string
  mobile?: string
  signerReference?: string
  /** The service's own word. */
  signedStatus?: string
  declinedReason?: string
  editable: boolean
  faceToFace: boolean
  video: boolean
  /** What the service says of this signer's identity check, label and its own word. */
  identity: { label: string; value: string }[]
}

export interface LogView extends DocumentLog {
  at?: ServiceDate
}

export interface DocumentPage extends DocumentRow {
  formDirectReference?: string
  /** Minutes east of UTC, where the document names it. */
  gmt?: number
  hasFileUploaded: boolean
  hasEditUrl: boolean
  people: SignerView[]
  logs: LogView[]
  /** When the service last told of this document. */
  seenAt: number
  /** When it left all folders, where it has. */
  goneAt?: number
  /** Other documents of the same package. */
  package: { reference: string; name: string }[]
}

export interface ValidationView extends ValidationResult {
  checkedAt: number
}

export interface DownloadView {
  id: string
  documentReference: string
  documentName: string
  type: IDVerificationDataType
  /** Name only; the path stays in the main process. */
  fileName?: string
  state: 'running' | 'done' | 'failed' | 'cancelled'
  bytes: number
  total?: number
  error?: AppError
  startedAt: number
  finishedAt?: number
}

export interface CounterEntry {
  documentReference: string
  documentName: string
  signer: number
  signerName: string
  due?: ServiceDate
  faceToFace: boolean
}

export interface CounterState {
  id: string
  documentReference: string
  documentName: string
  signerName: string
  /** Scheme and host of the signing page, for our frame to show. */
  origin: string
  /**
   * handover: waiting for the person. loading, open: the page is shown. covered: hidden behind our cover.
   * returned: the page came back to us; the service has not been asked yet. failed: the page can't be shown.
   */
  phase: 'handover' | 'loading' | 'open' | 'covered' | 'returned' | 'failed'
  /** Why the page can't be shown. */
  error?: AppError
  /** What the page tried and was refused, newest last, at most twenty. */
  refused: { what: string; at: number }[]
}

/** What the service answered when it was asked after the page was closed. */
export interface CounterOutcome {
  signed: 'signed' | 'declined' | 'not-yet' | 'unknown'
  /** Why it is unknown. */
  error?: AppError
}

export interface SettingsView {
  theme: 'system' | 'light' | 'dark'
  zoom: number
}

export type KeychainReason = 'missing' | 'locked' | 'failed'
export type MemoryReason =
  | 'no-keychain'
  | 'keychain-locked'
  | 'keychain-failed'
  | 'not-writable'
  | 'no-space'
  | 'in-use'
  | 'disk-failed'
export type SetAsideReason =
  | 'key-missing'
  | 'unreadable'
  | 'damaged'
  | 'incomplete'
  | 'newer-version'
  | 'upgrade-failed'

export interface SystemStatus {
  version: string
  platform: string
  /** Whether secrets and drafts outlive the application. */
  keychain: { state: 'available' } | { state: 'unavailable'; reason: KeychainReason }
  storage: { state: 'encrypted' } | { state: 'memory'; reason: MemoryReason }
  /** Set where a database could not be opened: it was kept under this name and a new one begun. */
  setAside?: { name: string; reason: SetAsideReason }
}
