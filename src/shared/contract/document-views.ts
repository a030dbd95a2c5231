/**
 * What the screens are given about folders, documents and the actions on them. Times are milliseconds since 1970 UTC.
 */
import type {
  AssignQueueDocumentResponse,
  DocumentLog,
  DocumentStatus,
  EmployerKind,
  ServiceDate,
  ShareUser,
  ValidationResult,
  VerifySignature
} from '../model/index.ts'
import type { ActionRequest } from './document-actions.ts'
import type { DocumentQuery, IdentityState } from './document-query.ts'
import type { AppError } from './errors.ts'

export interface SignerProgress {
  name: string
  /** `removed`: taken off the document. `unknown`: nothing the service says about the signer tells. */
  state: 'signed' | 'declined' | 'waiting' | 'expired' | 'removed' | 'unknown'
  /** A signing link for an embedded view is known, and it is this signer's turn. */
  canSignHere: boolean
  /** Why they declined, in their words, if they said so; shortened. */
  declinedReason?: string
}

export interface DocumentRow {
  kind: 'document'
  accountId: string
  reference: string
  name: string
  folder: string
  status: DocumentStatus
  /** A date without a time keeps the offset it was written with, so its day is the same wherever it is shown. */
  due?: ServiceDate
  /** The due date as the service wrote it, if it can't be read, or not with certainty. */
  dueWritten?: string
  /** Its day and month could be swapped. */
  isDueAmbiguous?: boolean
  lastSigned?: ServiceDate
  /** As `dueWritten`. */
  lastSignedWritten?: string
  packageReference?: string
  clientReference?: string
  formDirectReference?: string
  matterNumber?: string
  /** Absent where the service doesn't say. */
  idVerificationRequested?: boolean
  identity: IdentityState
  hasFileUploaded: boolean
  signers: SignerProgress[]
  /** Changed since the person last opened it. */
  unread: boolean
  /** When we last saw it change. */
  changedAt: number
  /** When it disappeared from all folders, if it did. */
  goneAt?: number
  /** In a grouped list: it is listed under its package. */
  isInPackage?: boolean
}

/** In a grouped list, the row above the documents of a package with more than one. */
export interface PackageRow {
  kind: 'package'
  accountId: string
  packageReference: string
  /** Composed of the names of its documents. */
  name: string
  documents: number
  /** How many of them are complete, and for how many the service gives no status. */
  complete: number
  unsaid: number
  unread: number
  due?: ServiceDate
  isExpanded: boolean
}

export type FolderRow = DocumentRow | PackageRow

/** A document of an answer that couldn't be read or stored, named as far as it identifies itself. */
export interface UnreadableDocument {
  folder: string
  /** Where it is in the answer, such as `[3].Signers[0].HasSigned`. */
  path: string
  reference?: string
  name?: string
  /** Readable, but a later entry has the same reference and different content: that one is shown. */
  isDoubled?: true
}

export interface DocumentList {
  rows: FolderRow[]
  /** How many rows there are in all, not just on this page. */
  total: number
  /** How many documents, whether or not their packages are expanded. */
  documents: number
  /** When the stalest of the folders shown was last read in full; absent if one never was. */
  lookedAt?: number
  problem?: AppError
  problemFolder?: string
  /** The account (by id) of that folder, if several are shown. */
  problemAccount?: string
  /** At most twenty documents; `count` is the number of all. */
  unreadable?: { count: number; documents: UnreadableDocument[] }
}

/** The counts shown in the sidebar. */
export interface DocumentCounts {
  /** By the folder's name. */
  folders: Record<string, number>
  /** By the saved view's id. */
  views: Record<string, number>
  unread: number
}

export interface SavedView {
  id: string
  name: string
  query: DocumentQuery
  /** Whether it counts for notifications that a person limits to views. */
  tell: boolean
  /** Comes from an organisation's file and can't be changed here. */
  isOrganisations?: true
}

/** What happened to a document, as seen by comparing two of the service's answers. */
export type ChangeKind =
  | 'arrived'
  | 'signed'
  | 'completed'
  | 'declined'
  | 'expired'
  | 'identity-failed'
  | 'waits-here'
  | 'moved'
  | 'due-changed'
  | 'signers-changed'
  | 'changed'
  | 'gone'
  | 'returned'

export interface DocumentChange {
  /** Increases with each change at this workstation. */
  id: number
  accountId: string
  reference: string
  documentName: string
  kind: ChangeKind
  at: number
  /** Whose signature, decline or turn it was. For `arrived`, all signers, one a line. */
  signer?: string
  /** The folder, status or due date before and after, in the service's spelling. */
  from?: string
  to?: string
  /** Caused by an action at this workstation. */
  isOwn: boolean
}

export interface ActivityEntry extends DocumentChange {
  /** The office's name for the batch with which it was sent from here. */
  batch?: string
}

/** What happened while nobody was using the application. */
export interface AwayView {
  /** The start; absent if nothing happened, or the person has seen it. */
  since?: number
  until?: number
  total: number
  byKind: Partial<Record<ChangeKind, number>>
  /** The newest, at most a hundred. */
  changes: DocumentChange[]
}

export interface SignerView extends SignerProgress {
  /** Index in the document's list of signers. */
  index: number
  firstName: string
  middleName: string
  lastName: string
  email?: string
  mobileCountry?: string
  mobileNumber?: string
  signerReference?: string
  signerType?: string
  clientReference?: string
  /** The service's own word. */
  signedStatus?: string
  declinedReason?: string
  /** Whether the service lets name and e-mail be corrected. perhaps: it doesn't say, and decides when asked. */
  editable: boolean | 'perhaps'
  /** How they sign; each absent if the service doesn't say. */
  faceToFace?: boolean
  video?: boolean
  deepfakeDetector?: boolean
  reviewBeforeSigning?: boolean
  videoDetail?: VideoDetailView
  identity: IdentityState
  /** What the service says about this signer's identity check: the reference's field, and its own word. */
  identityWords: { field: string; value: string }[]
  /** As the service says it; absent if it says nothing about sharing. */
  sharedWith?: Partial<ShareUser>[]
  /** Members unknown to this version, unchanged. */
  others: OtherMember[]
}

/** 2.16 without the password, which has a request of its own. */
export interface VideoDetailView {
  name?: string
  email?: string
  witnessOwner?: string
  isReady?: boolean
  isWitness?: boolean
  isDisabled?: boolean
  isOptOut?: boolean
  isDeepfake?: boolean
  /** Whether there is a page to watch it on, and whether the page's password is known. */
  hasUrl: boolean
  hasPassword: boolean
  others: OtherMember[]
}

/** A member that the reference doesn't name; its value as short text. */
export interface OtherMember {
  name: string
  value: string
}

export interface LogView extends Pick<DocumentLog, 'Name' | 'Action' | 'Date' | 'GMT' | 'Role'> {
  at?: ServiceDate
  /** Members unknown to this version; absent if there are none. */
  others?: OtherMember[]
}

/** A document that is exempt from purging. */
export interface HoldView {
  accountId: string
  reference: string
  documentName: string
  reason: string
  staff: string
  at: number
}

export interface DocumentPage extends Omit<DocumentRow, 'kind' | 'isInPackage'> {
  /** Minutes east of UTC, if the document gives it. */
  gmt?: number
  hasEditUrl: boolean
  people: SignerView[]
  logs: LogView[]
  /** Whether the log may be older than the document, because it is still being read. */
  logsAreOld: boolean
  /** When the service last sent this document. */
  seenAt: number
  /** Other documents of the same package. */
  package: { reference: string; name: string; status: DocumentStatus }[]
  others: OtherMember[]
  /** Nothing of it is purged until someone releases it. */
  hold?: HoldView
  /** When its data stored here may be erased; it has disappeared from the service's folders. */
  erasedFrom?: number
}

/**
 * How many signatures a verification found, and how many the service calls valid or not valid. About the rest it says
 * nothing.
 */
export interface SignatureTally {
  /** Absent if the service returned no list of them. */
  signatures?: number
  valid: number
  notValid: number
}

/** A stored verification of signatures, without the service's answer. */
export interface VerificationSummary {
  id: string
  accountId: string
  reference: string
  documentName: string
  /** When the service's answer arrived. */
  at: number
  /** Who asked: a person, or a rule when the document was completed. */
  by: 'person' | 'rule'
  found: SignatureTally
  /** The stored data differs from what the audit trail recorded, so none of it can be relied on. */
  isAltered?: true
}

/** The same with the service's answer (2.21), without the document's address. An altered one has none of it. */
export interface VerificationView extends VerificationSummary {
  DocumentName?: ValidationResult['DocumentName']
  Signatures?: (VerifySignature & { others?: OtherMember[]; Signer?: { others?: OtherMember[] } })[]
  /** Members unknown to this version; absent if there are none. */
  others?: OtherMember[]
}

export interface DocumentVerifications {
  /** The newest, with the whole answer. */
  last?: VerificationView
  /** All of them, newest first, at most a hundred. */
  verifications: VerificationSummary[]
  total: number
  /** How many the audit trail lists that are no longer stored. */
  missing: number
}

/** Verifications, newest first. */
export interface VerificationList {
  verifications: VerificationSummary[]
  total: number
}

/** What an account may do beyond the reference, as far as known. */
export interface AccountRights {
  reminders: 'yes' | 'no' | 'unknown'
  /** The undocumented route that reads employers. */
  readsEmployers: 'yes' | 'no' | 'unknown'
  /** Whether signed documents may be saved: a person has viewed one and allowed it. */
  signedDocuments: 'yes' | 'no' | 'unknown'
  /** Origins, besides the account's own, from which signed documents are fetched; a person has viewed one from each. */
  signedFrom: string[]
}

/**
 * waiting: for a connection. running: in flight. done: the service answered. refused: it said no, or the request never
 * left. uncertain: the answer was lost, so it may have been done. cancelled: taken back before it left.
 */
export type ActionState = 'waiting' | 'running' | 'done' | 'refused' | 'uncertain' | 'cancelled'

/** One action on a document, kept until some time after the person has seen its result. */
export interface ActionView {
  id: string
  accountId: string
  request: ActionRequest
  reference: string
  documentName: string
  state: ActionState
  createdAt: number
  attemptedAt?: number
  settledAt?: number
  error?: AppError
  /** The answer, if it says more than "done". */
  notary?: AssignQueueDocumentResponse
}

export interface OverviewView {
  /** By status family, without documents that have disappeared. */
  states: { family: DocumentStatus['family']; count: number }[]
  /** For each of the next fourteen days from today, in this workstation's time zone. */
  due: { day: string; count: number }[]
  /** How many documents have not ended, as far as known, and have no known due date, so that they fall on no day. */
  withoutDue: number
  overdue: number
  /** Expired, and not opened or dismissed since. */
  expired: number
  /** Not ended, with nothing signed or changed for this many days. */
  stuck: { days: number; count: number }
  /** Like `expired`. */
  declined: number
  identityFailed: number
  waitingHere: number
  unread: number
  /** For each of the last twelve weeks, starting on Monday: packages sent and packages completed. */
  weeks: { monday: string; sent: number; completed: number }[]
  /** How many documents fall in no week because it isn't known when they were sent or completed. */
  withoutWeek: number
  lookedAt?: number
  problem?: AppError
}

/** One employer record of any kind: its texts by the reference's names (2.18). */
export interface EmployerRecord {
  kind: EmployerKind
  Reference: string
  Name: string
  IsDefault: boolean
  fields: Record<string, string>
  /** What else the service says about it; saving keeps it there. */
  others?: OtherMember[]
}

export interface EmployersView {
  records: EmployerRecord[]
  /** service: as the service answered at `at`. local: what was saved from here; the service may have more. */
  from: 'service' | 'local' | 'nowhere'
  at?: number
  problem?: AppError
}

/** A template or form known to this office, and when it was last used. */
export interface KnownForm {
  kind: 'form-direct' | 'form-filler'
  Name: string
  Reference: string
  FormType?: string
  usedAt?: number
  /** How many packages with it were sent from this workstation. */
  uses: number
  /** What else the service says about a template. */
  others?: OtherMember[]
}

/** Which files a drop folder takes, and what becomes of them. */
export interface DropFolder {
  id: string
  accountId: string
  /** The last part of its path, for display. */
  label: string
  /** The whole path, which administrators need to tell two apart. */
  place: string
  state: 'watching' | 'missing' | 'not-writable' | 'paused'
  /** Whether sheets and requests without problems go straight to the outbox; otherwise they become drafts. */
  sends: boolean
  /** The preset that a sheet's rows fill in. */
  presetId?: string
  taken: number
  failed: number
  lastTakenAt?: number
}

export interface DroppedFile {
  id: string
  folderId: string
  name: string
  at: number
  outcome: 'drafts' | 'batch' | 'failed'
  /** How many drafts or rows it produced. */
  count: number
  draftIds: string[]
  batchId?: string
  error?: AppError
}

/** A file that a drop folder refused. `dropFolders.reveal` with its id opens its report. */
export interface RefusedFile extends Pick<DroppedFile, 'id' | 'folderId' | 'name' | 'at' | 'error'> {
  /** The folder's label. */
  folder: string
  /** Whether someone dismissed it, or the file was dropped again and taken. */
  isDismissed: boolean
}

/** The files refused by the account's drop folders. */
export interface RefusedFiles {
  /** One page, newest first. */
  files: RefusedFile[]
  total: number
  /** The folders with undismissed files: how many, and the id of the newest. */
  open: { folderId: string; label: string; count: number; newest: string }[]
}

export interface HintView {
  /** Where another program can report that something happened; absent while not listening. */
  address?: string
  problem?: AppError
}
