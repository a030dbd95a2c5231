/** What the screens are given about composing and sending. Times are milliseconds since 1970 UTC. */
import type { ColumnMapping, DateOrders } from '../composition/bulk-columns.ts'
import type { ComposedItem, ComposedSigner, Composition, CompositionKind } from '../composition/composition.ts'
import type { Problem } from '../composition/problems.ts'
import type { ServiceDate } from '../model/index.ts'
import type { OtherMember } from './document-views.ts'
import type { AppError } from './errors.ts'

/** A suggestion for a signer. */
export interface PersonView
  extends Pick<ComposedSigner, 'FirstName' | 'MiddleName' | 'LastName' | 'Email' | 'MobileCountry' | 'MobileNumber'> {
  /** sent: this office has sent to them. recipients: on one of the service's recipient lists. */
  from: 'sent' | 'recipients'
  usedAt?: number
}

export interface FoundPeople {
  people: PersonView[]
  /** Nobody has the words as they were typed: these have similar ones. */
  isNear?: true
}

/** Someone this office has sent to, with the number of packages and the time of the last. */
export interface KnownPerson extends PersonView {
  times: number
  usedAt: number
}
export interface PeopleList {
  rows: KnownPerson[]
  total: number
  /** Nobody has the words as they were typed: these have similar ones. */
  isNear?: true
}

export type RememberedForm = Pick<ComposedItem, 'Name' | 'Reference' | 'FormType'>

/** A file was saved where the person chose; `label` is its name without the folder. */
export interface SavedFile {
  label: string
}

export interface DraftSummary {
  id: string
  accountId: string
  kind: CompositionKind
  title: string
  /** The signers' names, as far as known: "Mere Parata and 2 more". Blank if none is known. */
  who: string
  updatedAt: number
  trashedAt?: number
  /** Absent if this workstation belongs to no office, or the office doesn't share the account. */
  office?: DraftOffice
}

/** The state of a draft in an office whose workstations share drafts. */
export interface DraftOffice {
  /** Private to this workstation: the others don't see it. */
  isMine: boolean
  /** Whether it can be made private: it already is, it was created here, or the office doesn't have it yet. */
  canBeMine: boolean
  /** The other workstation where it is being edited. */
  editingBy?: string
  /** How many versions exist next to it; someone has to say which one counts. */
  versions: number
  /** Identifies this content; `drafts.save` gives the edition its change is based on. */
  edition: number
}
export interface DraftView extends DraftSummary {
  composition: Composition
}
export interface DraftList {
  rows: DraftSummary[]
  /** How many match the search. */
  total: number
  /** How many drafts exist, in and out of the trash, regardless of the search. */
  counts: { drafts: number; trashed: number }
}

export interface DraftVersion extends Pick<DraftSummary, 'id' | 'title' | 'who'> {
  savedAt: number
  /**
   * change: stored after ten minutes of changes. send: as it was put in the outbox. restore: replaced when an earlier
   * version was restored. beside: saved at a workstation after the draft had changed elsewhere.
   */
  reason: 'change' | 'send' | 'restore' | 'beside'
  /** For `beside`, the workstation it comes from. */
  workstation?: string
  /** Nobody has decided yet which one counts. */
  isOpen?: true
}

/** The sync state of a preset, a view or the like that the workstations of an office share. */
export interface SharedSyncState {
  /** Has local changes that the office doesn't have yet. */
  isUntold: boolean
  /** The other workstation that changed it last. */
  by?: string
}

export interface PresetSummary extends Pick<DraftSummary, 'id' | 'kind' | 'title' | 'updatedAt'> {
  name: string
  /** Comes from an organisation's file and can't be changed here. */
  isOrganisations?: true
  /** Present if an office shares it. */
  office?: SharedSyncState
}
export interface PresetView extends PresetSummary {
  composition: Composition
}

export interface ImportResult {
  drafts: DraftSummary[]
  presets: PresetSummary[]
  /** Files that couldn't be read at all, by name, with the reason in the user's words. */
  refused: { file: string; message: string }[]
}

/** A draft that a link asks for, before anyone has agreed to it. Untrusted text from outside. */
export interface RequestedDraft {
  /** The name of the preset to start from; without one, `kind` applies. */
  preset?: string | undefined
  kind?: 'form' | 'template' | undefined
  name?: string | undefined
  reference?: string | undefined
  clientReference?: string | undefined
  signers: { name: string; details: string[] }[]
}

/** Something that another program or the system handed over, awaiting a person's decision. */
export type OutsideView = { id: string } & (
  | ({ what: 'draft' } & RequestedDraft)
  /** A `.countersign` file, by name, with the number of drafts and presets in it. */
  | { what: 'file'; file: string; drafts: number; presets: number }
  /** A link, or the file of this name, that can't be used. */
  | { what: 'refused'; file?: string; error: AppError }
)

/**
 * ready: in the outbox, not sent yet. sending: in flight. sent: the service has it. refused: the service rejected it.
 * uncertain: no answer came, so the service may have it. not-sent: the service was asked and doesn't have it.
 * cancelled: taken out of a batch before it was sent.
 */
export type SendState = 'ready' | 'sending' | 'sent' | 'refused' | 'uncertain' | 'not-sent' | 'cancelled'

/**
 * What a ready send is waiting for: the undo window, its scheduled time, an internet connection, a paused outbox or
 * batch, the service's rate limit, the office's server, a second person's release, or its turn.
 */
export type SendHold = 'undo' | 'time' | 'line' | 'paused' | 'rate-limited' | 'office' | 'release' | 'turn'

/** The release of a package that needs a second member of staff: their names. */
export interface SendRelease {
  /** Who put it in the outbox. */
  by: string
  released?: string
  /** It won't be sent; it can be undone. */
  refused?: { by: string; reason: string }
  /** When that was decided; absent if an earlier version decided it. */
  decidedAt?: number
}

export interface SendView extends Pick<DraftSummary, 'id' | 'accountId' | 'kind' | 'title' | 'who'> {
  draftId?: string
  batchId?: string
  /** The row of the batch's sheet, as the spreadsheet numbers it. */
  row?: number
  /** The office's workstation that created it, if it is another one. */
  workstation?: string
  state: SendState
  /** Why a ready send hasn't left. */
  hold?: SendHold
  /** The earliest time a ready send will leave. */
  goesAt?: number
  release?: SendRelease
  /** When it was put in the outbox. */
  createdAt: number
  /** How many attempts were made. */
  attempt: number
  /** When the last attempt was made. */
  attemptedAt?: number
  settledAt?: number
  /** Why it was refused, is uncertain, or is waiting. */
  error?: AppError
  /** When an uncertain send is next reconciled automatically. */
  nextLookAt?: number
  /** Documents that may come from an uncertain send; a person has to decide. */
  ambiguity?: SendAmbiguity
  packageReference?: string
  packageStatus?: string
  /** What else the service answered about the package (2.13); in `sends.get` only. */
  said?: { queueReference?: string; packageName?: string; others: OtherMember[] }
  /** The due date for signing, if known; in `sends.get` only. */
  due?: ServiceDate
  /** `hasLink`: the service gave a link to the document; in `sends.get` only. */
  documents: { reference: string; name: string; hasLink?: boolean }[]
  /** What was corrected in its row before sending; in `sends.get` only. */
  corrected?: BulkCorrection[]
}

/** An earlier send of the same package: when it was sent or queued, and its state. */
export interface EarlierSend {
  at: number
  state: SendState
}

/** Both sides of an ambiguity: what was sent, and the documents in the folders that may be it. */
export interface SendAmbiguity {
  /** Folders of the account that the service doesn't have: it may be there. */
  missingFolders?: string[]
  sent: { name: string; signers: string[]; clientReference: string }[]
  found: {
    reference: string
    name: string
    signers: string[]
    folder: string
    status: string
    clientReference: string
    /** When it was created, if its log says. */
    begunAt?: number
  }[]
}

export interface SendCounts {
  ready: number
  sending: number
  sent: number
  refused: number
  uncertain: number
  notSent: number
  cancelled: number
}

export interface SendList {
  rows: SendView[]
  total: number
}

/** undecided: single sends and whole batches that await a release. refused: sends that won't be sent. */
export interface OutboxReleases {
  undecided: number
  refused: number
}

export interface OutboxPause {
  /** person: paused by hand. service: its refusal would apply to everything that follows. line: no connection. */
  by: 'person' | 'service' | 'line'
  since: number
  error?: AppError
  /** When it resumes automatically. */
  until?: number
}

/** The outbox of the requested account, or of all accounts shown together. */
export interface OutboxView {
  counts: SendCounts
  /** Those of the ready sends that need a release; absent if none does. */
  releases?: OutboxReleases
  /** Why nothing leaves, if every account is paused. */
  pause?: OutboxPause
  /** With several accounts, those that are paused. */
  paused?: { accountId: string; pause: OutboxPause }[]
  settings: { concurrency: number; perMinute: number | null; undoSeconds: number }
  /** The connection to the office's server if the outbox is shared; without it nothing leaves. */
  office?: 'connected' | 'away'
}

export interface BatchView {
  id: string
  accountId: string
  name: string
  createdAt: number
  /** preparing: being stored, nothing leaves yet. going: being sent. paused: on hold. done: nothing left to send. */
  state: 'preparing' | 'going' | 'paused' | 'done'
  counts: SendCounts
  /** Rows left out: they had errors when checked, or were duplicates. */
  leftOut: number
  total: number
  /** Packages of the batch are waiting for a second person's release. */
  release?: SendRelease
}

/** Rows that were left out of a batch: each with its number in the sheet, and why. */
export interface LeftOutRows {
  rows: { row: number; problems: string[] }[]
  total: number
}

/** A sheet that was read completely, in the main process. */
export interface BulkSheet {
  id: string
  fileName: string
  /** All sheets of the file; for CSV, one without a name. */
  sheets: string[]
  sheet: string
  /** The headings, or A, B, C if the first row is data. */
  columns: string[]
  firstRow: 'headings' | 'data'
  /** Columns whose dates could be read either way, each with its first example; by default the day comes first. */
  dateDoubts: { column: number; example: string }[]
  /** Number of rows without the headings. */
  rows: number
  /** The first rows, as texts. */
  sample: string[][]
  /** What was noticed while reading, in the user's words: encoding, separator, dates, formulas. */
  notes: string[]
}

/** A cell's row and the whole check after a correction. */
export interface BulkCorrectionResult {
  check: BulkCheck
  row: BulkRow
  /** Number of corrected cells in all sheets of the file; they are lost when it is closed. */
  inAllSheets: number
}

export interface BulkCheck {
  rows: number
  withErrors: number
  withWarnings: number
  /** Rows that repeat an earlier row, or something sent in the last 30 days. */
  duplicates: number
  /** Rows whose people got the same forms or templates in the last 24 hours, with different data. */
  alike: number
  /** Rows counted in both, which repeat an earlier one of these. */
  alikeDuplicates: number
  /** Rows with a mobile number that has no country code. */
  withoutCountry: number
  /** Rows without errors, which can be sent. */
  ready: number
  /** Rows with a corrected cell. */
  corrected: number
  /** Columns that aren't used. */
  unused: string[]
}

/** A cell of a row; `column` counts from 0. */
interface BulkCell {
  column: number
  value: string
  /** The text is longer than shown, so it can't be corrected here. */
  isCut?: true
}

/** A cell whose text differs from the file's; both texts are shortened. */
export interface BulkCorrection {
  column: number
  /** The column's heading. */
  name: string
  was: string
  now: string
}

export interface BulkRow {
  /** As the spreadsheet numbers it: the headings are row 1 if nothing is above them. */
  row: number
  title: string
  who: string
  problems: (Problem & {
    /** The column that causes the problem, if one does. */
    column?: string
    /** That column's cell. */
    cell?: BulkCell
  })[]
  /** Corrections to this row, in column order. */
  corrected?: BulkCorrection[]
  /** The earlier row it repeats, or when the same was sent. */
  duplicateOf?: { row: number } | { sentAt: number }
  /** When its people recently got the same with different data. */
  alikeSentAt?: number
}

/** How the columns were matched when a sheet with these headings was last checked for these forms or templates. */
export interface RememberedMapping {
  mapping: ColumnMapping
  dateOrders: DateOrders
  at: number
}
