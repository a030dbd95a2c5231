/** What the screens are shown of folders, documents and what is done to them. Times are milliseconds since 1970 UTC. */
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
  /** `removed` is one who was taken off the document; `unknown` where the service says nothing of the signer that tells. */
  state: 'signed' | 'declined' | 'waiting' | 'expired' | 'removed' | 'unknown'
  /** Whether a signing link for an embedded view is known, and it is this signer's turn. */
  canSignHere: boolean
}

export interface DocumentRow {
  kind: 'document'
  accountId: string
  reference: string
  name: string
  folder: string
  status: DocumentStatus
  /** A date without a time has the offset that it was written at: its day is the same wherever it is shown. */
  due?: ServiceDate
  /** The due date as the service wrote it, where it can't be read, or not with certainty. */
  dueWritten?: string
  /** Day and month of it could change places. */
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
  /** Something happened to it since the person last looked at it. */
  unread: boolean
  /** When we last saw it change. */
  changedAt: number
  /** When it left all folders, where it has. */
  goneAt?: number
  /** In a grouped list: it stands under its package. */
  isInPackage?: boolean
}

/** In a grouped list, the line above the documents of a package with more than one. */
export interface PackageRow {
  kind: 'package'
  accountId: string
  packageReference: string
  /** Made of the names of its documents. */
  name: string
  documents: number
  /** How many of them are complete, and of how many the service gives no status. */
  complete: number
  unsaid: number
  unread: number
  due?: ServiceDate
  isExpanded: boolean
}

export type FolderRow = DocumentRow | PackageRow

/** A document of an answer that could not be read, or not been taken over: named as far as it says who it is. */
export interface UnreadableDocument {
  folder: string
  /** Its place in the answer, as `[3].Signers[0].HasSigned`. */
  path: string
  reference?: string
  name?: string
  /** It can be read, but another one further on has its reference and says other things: that one is shown. */
  isDoubled?: true
}

export interface DocumentList {
  rows: FolderRow[]
  /** How many rows there are beside the page that is answered. */
  total: number
  /** How many documents, whether or not their packages are expanded. */
  documents: number
  /** When the oldest of the folders that are shown was last read in full; absent where one never was. */
  lookedAt?: number
  problem?: AppError
  /** The folder that the problem is about. */
  problemFolder?: string
  /** The account of that folder, by id, where several are shown. */
  problemAccount?: string
  /** At most twenty, and how many there are. */
  unreadable?: { count: number; documents: UnreadableDocument[] }
}

/** The numbers beside the entries of the side bar. */
export interface DocumentCounts {
  /** By the folder's name. */
  folders: Record<string, number>
  /** By the saved view's id. */
  views: Record<string, number>
  unread: number
}

/** A saved view of an account's documents. */
export interface SavedView {
  id: string
  name: string
  query: DocumentQuery
  /** Whether what a person wants told only of some views is told of this one. */
  tell: boolean
  /** It comes from a file of the organisation's, and can't be changed here. */
  isOrganisations?: true
}

/** What happened to a document, as far as two answers of the service show it. */
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
  /** Grows with each change of this workstation. */
  id: number
  accountId: string
  reference: string
  documentName: string
  kind: ChangeKind
  at: number
  /** Whose signature, decline or turn it was; of what arrived all signers, a line each. */
  signer?: string
  /** Folder, status or due date before and after, as the service spelled them. */
  from?: string
  to?: string
  /** Caused by an action of this workstation. */
  isOwn: boolean
}

export interface ActivityEntry extends DocumentChange {
  /** The batch that it was sent with from here: the name that the office gave it. */
  batch?: string
}

/** What happened while nobody looked. */
export interface AwayView {
  /** Since when; absent where nothing happened, or the person has looked. */
  since?: number
  until?: number
  total: number
  byKind: Partial<Record<ChangeKind, number>>
  /** The newest, at most a hundred. */
  changes: DocumentChange[]
}

export interface SignerView extends SignerProgress {
  /** Place in the document's list of signers. */
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
  /** Whether the service lets the name and e-mail be corrected; perhaps: it doesn't say, and decides when it is asked. */
  editable: boolean | 'perhaps'
  /** How they sign; each absent where the service doesn't say. */
  faceToFace?: boolean
  video?: boolean
  deepfakeDetector?: boolean
  reviewBeforeSigning?: boolean
  videoDetail?: VideoDetailView
  identity: IdentityState
  /** What the service says of this signer's identity check: the reference's field and its own word. */
  identityWords: { field: string; value: string }[]
  /** As the service says it; absent where it doesn't say whether it is shared with anyone. */
  sharedWith?: Partial<ShareUser>[]
  /** Members that this version doesn't know, as they came. */
  others: OtherMember[]
}

/** 2.16, without the password, which is asked for by itself. */
export interface VideoDetailView {
  name?: string
  email?: string
  witnessOwner?: string
  isReady?: boolean
  isWitness?: boolean
  isDisabled?: boolean
  isOptOut?: boolean
  isDeepfake?: boolean
  /** Whether there is a page to watch it on, and whether that asks for a password that is known. */
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
  /** Members that this version doesn't know; absent where there are none. */
  others?: OtherMember[]
}

/** A document of which nothing is purged. */
export interface HoldView {
  accountId: string
  reference: string
  documentName: string
  reason: string
  staff: string
  at: number
}

export interface DocumentPage extends Omit<DocumentRow, 'kind' | 'isInPackage'> {
  /** Minutes east of UTC, where the document names it. */
  gmt?: number
  hasEditUrl: boolean
  people: SignerView[]
  logs: LogView[]
  /** Whether the log may be older than the document: it is being read. */
  logsAreOld: boolean
  /** When the service last told of this document. */
  seenAt: number
  /** Other documents of the same package. */
  package: { reference: string; name: string; status: DocumentStatus }[]
  others: OtherMember[]
  /** Nothing of it is purged until someone releases it. */
  hold?: HoldView
  /** From when on what is kept of it here may be erased; it left the service’s folders. */
  erasedFrom?: number
}

/** How many signatures a verification found, and what the service says of them. Of the rest it says nothing. */
export interface SignatureTally {
  /** Absent where the service names no list of them. */
  signatures?: number
  valid: number
  notValid: number
}

/** A verification of signatures as it is kept, without what the service answered. */
export interface VerificationSummary {
  id: string
  accountId: string
  reference: string
  documentName: string
  /** When the service had answered. */
  at: number
  /** Who asked: a person, or a rule as the document was completed. */
  by: 'person' | 'rule'
  found: SignatureTally
  /** What is kept isn't what the audit trail says was answered: nothing of it can be relied on. */
  isAltered?: true
}

/** The same with what the service answered (2.21), without the document's address. Nothing of it where it was altered. */
export interface VerificationView extends VerificationSummary {
  DocumentName?: ValidationResult['DocumentName']
  Signatures?: (VerifySignature & { others?: OtherMember[]; Signer?: { others?: OtherMember[] } })[]
  /** Members that this version doesn't know; absent where there are none. */
  others?: OtherMember[]
}

/** The verifications of one document. */
export interface DocumentVerifications {
  /** The newest, with all that was answered. */
  last?: VerificationView
  /** All of them, newest first, at most a hundred. */
  verifications: VerificationSummary[]
  total: number
  /** How many the audit trail names that are no longer kept. */
  missing: number
}

/** Verifications, newest first. */
export interface VerificationList {
  verifications: VerificationSummary[]
  total: number
}

/** What an account may do beside the reference, as far as it is known. */
export interface AccountRights {
  reminders: 'yes' | 'no' | 'unknown'
  /** The unlisted route that reads employers. */
  readsEmployers: 'yes' | 'no' | 'unknown'
  /** Whether signed documents may be saved: a person has looked at one, and says so. */
  signedDocuments: 'yes' | 'no' | 'unknown'
  /** Origins that signed documents are fetched from, beside the account's own; a person has looked at one from each. */
  signedFrom: string[]
}

/**
 * waiting: for a connection. running: on its way. done: the service answered. refused: it said no, or it never left. uncertain:
 * the answer was lost, so it may have been done. cancelled: taken back before it left.
 */
export type ActionState = 'waiting' | 'running' | 'done' | 'refused' | 'uncertain' | 'cancelled'

/** One thing done to a document, kept until the person has seen what came of it and for a while after. */
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
  /** What came back, where it says more than "done". */
  notary?: AssignQueueDocumentResponse
}

export interface OverviewView {
  /** By status family; what is gone isn't counted. */
  states: { family: DocumentStatus['family']; count: number }[]
  /** For each of the next fourteen days, from today, in this workstation's zone. */
  due: { day: string; count: number }[]
  /** How many that have not ended, as far as is known, have no known due date, and so stand on no day. */
  withoutDue: number
  overdue: number
  /** Nothing signed and nothing changed for this many days, and not ended. */
  stuck: { days: number; count: number }
  declined: number
  identityFailed: number
  waitingHere: number
  unread: number
  /** For each of the last twelve weeks, Monday first: packages that were sent and those that were completed. */
  weeks: { monday: string; sent: number; completed: number }[]
  /** Of how many documents nobody knows when they were sent, or completed, and so stand in no week. */
  withoutWeek: number
  lookedAt?: number
  problem?: AppError
}

/** One employer record, of any kind: the texts by the reference's names (2.18). */
export interface EmployerRecord {
  kind: EmployerKind
  Reference: string
  Name: string
  IsDefault: boolean
  fields: Record<string, string>
  /** What else the service says of it; it is kept there. */
  others?: OtherMember[]
}

export interface EmployersView {
  records: EmployerRecord[]
  /** service: as the service answered at `at`. local: what was saved from here, and perhaps more is there. */
  from: 'service' | 'local' | 'nowhere'
  at?: number
  problem?: AppError
}

/** A template or form that this office knows, with its last use. */
export interface KnownForm {
  kind: 'form-direct' | 'form-filler'
  Name: string
  Reference: string
  FormType?: string
  usedAt?: number
  /** How many packages with it left from this workstation. */
  uses: number
  /** What else the service says of a template. */
  others?: OtherMember[]
}

/** Which files a drop folder takes are made what of. */
export interface DropFolder {
  id: string
  accountId: string
  /** The last part of its path, for people. */
  label: string
  /** The whole path, as an administrator needs it to tell two apart. */
  place: string
  state: 'watching' | 'missing' | 'not-writable' | 'paused'
  /** Whether sheets and requests with which nothing is wrong go to the outbox by themselves; else drafts are made of them. */
  sends: boolean
  /** What the rows of a sheet fill in. */
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
  /** How many drafts or rows came of it. */
  count: number
  draftIds: string[]
  batchId?: string
  error?: AppError
}

/** A file that a drop folder refused. `dropFolders.reveal` opens its report, by its id. */
export interface RefusedFile extends Pick<DroppedFile, 'id' | 'folderId' | 'name' | 'at' | 'error'> {
  /** The folder's label. */
  folder: string
  /** Whether someone has dismissed it, or the file was dropped again and taken. */
  isDismissed: boolean
}

/** The files that the account's drop folders refused. */
export interface RefusedFiles {
  /** One page, newest first. */
  files: RefusedFile[]
  total: number
  /** The folders with files that nobody has dismissed: how many, and the newest of them. */
  open: { folderId: string; label: string; count: number; newest: string }[]
}

export interface HintView {
  /** Where another program can say that something happened; absent while nobody listens. */
  address?: string
  problem?: AppError
}
