/** What the screens are shown of composing and sending. Times are milliseconds since 1970 UTC. */
import type { ColumnMapping, DateOrders } from '../composition/bulk-columns.ts'
import type { ComposedItem, ComposedSigner, Composition, CompositionKind } from '../composition/composition.ts'
import type { Problem } from '../composition/problems.ts'
import type { ServiceDate } from '../model/index.ts'
import type { OtherMember } from './document-views.ts'
import type { AppError } from './errors.ts'

/** Someone to be picked as a signer. */
export interface PersonView
  extends Pick<ComposedSigner, 'FirstName' | 'MiddleName' | 'LastName' | 'Email' | 'MobileCountry' | 'MobileNumber'> {
  /** sent: this office has sent to them. recipients: the service lists them. */
  from: 'sent' | 'recipients'
  usedAt?: number
}

/** Someone this office has sent to, with how many packages and when the last. */
export interface KnownPerson extends PersonView {
  times: number
  usedAt: number
}
export interface PeopleList {
  rows: KnownPerson[]
  total: number
}

export type RememberedForm = Pick<ComposedItem, 'Name' | 'Reference' | 'FormType'>

/** A file was written where the person said; its name without the folder. */
export interface SavedFile {
  label: string
}

export interface DraftSummary {
  id: string
  accountId: string
  kind: CompositionKind
  title: string
  /** The signers' names, as many as are known: "Mere Parata and 2 more"; blank where none is. */
  who: string
  updatedAt: number
  trashedAt?: number
  /** Absent where this workstation belongs to no office, or the office doesn't share the account. */
  office?: DraftOffice
}

/** How a draft stands where workstations share them. */
export interface DraftOffice {
  /** It is this workstation's own: the others don't see it. */
  isMine: boolean
  /** It can be made this workstation's own: it is, it was made here, or the office doesn't have it yet. */
  canBeMine: boolean
  /** The workstation where another is working on it. */
  editingBy?: string
  /** So many versions stand beside it, and someone has to say which one counts. */
  versions: number
  /** Which content this is: `drafts.save` says which one it goes on from. */
  edition: number
}
export interface DraftView extends DraftSummary {
  composition: Composition
}
export interface DraftList {
  rows: DraftSummary[]
  /** How many fit the search. */
  total: number
  /** How many there are, in and out of the trash, whatever is searched for. */
  counts: { drafts: number; trashed: number }
}

export interface DraftVersion extends Pick<DraftSummary, 'id' | 'title' | 'who'> {
  savedAt: number
  /**
   * change: kept after ten minutes of changes. send: as it was put in the outbox. restore: what going back replaced. beside: saved at a
   * workstation while the draft was another already.
   */
  reason: 'change' | 'send' | 'restore' | 'beside'
  /** The workstation that one beside is from. */
  desk?: string
  /** Nobody has said yet which one counts. */
  isOpen?: true
}

/** How a preset, a view or the like stands where workstations of an office have it in common. */
export interface SharedMark {
  /** The office doesn't have it as it is here. */
  isUntold: boolean
  /** The other workstation that changed it last. */
  by?: string
}

export interface PresetSummary extends Pick<DraftSummary, 'id' | 'kind' | 'title' | 'updatedAt'> {
  name: string
  /** It comes from a file of the organisation's, and can't be changed here. */
  isOrganisations?: true
  /** Where an office has it in common. */
  office?: SharedMark
}
export interface PresetView extends PresetSummary {
  composition: Composition
}

/** What came of reading `.countersign` files. */
export interface Imported {
  drafts: DraftSummary[]
  presets: PresetSummary[]
  /** Files of which nothing could be read, by name, and why in the user's words. */
  refused: { file: string; message: string }[]
}

/** A draft that a link asks for, before anyone agreed: what it would hold. Text from outside. */
export interface AskedDraft {
  /** The name of the preset that it begins from; else which kind it is. */
  preset?: string | undefined
  kind?: 'form' | 'template' | undefined
  name?: string | undefined
  reference?: string | undefined
  clientReference?: string | undefined
  signers: { name: string; details: string[] }[]
}

/** What another program or the system brought, and waits for a person's word. */
export type OutsideView = { id: string } & (
  | ({ what: 'draft' } & AskedDraft)
  /** A `.countersign` file, by its name, with how many there are in it. */
  | { what: 'file'; file: string; drafts: number; presets: number }
  /** It can't be used: a link, or the file of this name. */
  | { what: 'refused'; file?: string; error: AppError }
)

/**
 * ready: in the outbox, not left yet. sending: on its way. sent: the service has it. refused: it did not take it.
 * uncertain: no answer came, so it may have it. not-sent: the service was asked and doesn't have it.
 * cancelled: taken out of a batch before it left.
 */
export type SendState = 'ready' | 'sending' | 'sent' | 'refused' | 'uncertain' | 'not-sent' | 'cancelled'

/**
 * What a ready send waits for: the time to take it back, the time it was given, the line, the box or its batch being
 * let go, the service's "not so fast", the office's server, another of staff who releases it, or its turn.
 */
export type SendHold = 'undo' | 'time' | 'line' | 'paused' | 'rate-limited' | 'office' | 'release' | 'turn'

/** Of a package that took another of staff to release it: their names. */
export interface SendRelease {
  /** Who put it in the outbox. */
  by: string
  released?: string
  /** It won't leave; it can be taken back. */
  refused?: { by: string; reason: string }
}

export interface SendView extends Pick<DraftSummary, 'id' | 'accountId' | 'kind' | 'title' | 'who'> {
  draftId?: string
  batchId?: string
  /** The row of the sheet that a batch was made of, as the spreadsheet counts. */
  row?: number
  /** The workstation of the office that made it, where that is another. */
  desk?: string
  state: SendState
  /** Why a ready send has not left. */
  hold?: SendHold
  /** When a ready send goes at the earliest. */
  goesAt?: number
  release?: SendRelease
  /** When it was put in the outbox. */
  createdAt: number
  /** How often it was tried. */
  attempt: number
  /** When it was tried last. */
  attemptedAt?: number
  settledAt?: number
  /** Why it was refused, why it is uncertain, or why it waits. */
  error?: AppError
  /** When an uncertain send is looked for again by itself. */
  nextLookAt?: number
  /** Documents that may be of an uncertain send: a person must say. */
  ambiguity?: SendAmbiguity
  packageReference?: string
  packageStatus?: string
  /** What else the service answered of the package (2.13); of one that is looked at by itself. */
  said?: { queueReference?: string; packageName?: string; others: OtherMember[] }
  /** By when it can be signed, where that is known; of one that is looked at by itself. */
  due?: ServiceDate
  /** `hasLink`: the service gave a link to the document; of one that is looked at by itself. */
  documents: { reference: string; name: string; hasLink?: boolean }[]
  /** What was corrected in its row before it was sent; of one that is looked at by itself. */
  corrected?: BulkCorrection[]
}

/** One that was put in the outbox before and is the same: when it was sent, or put there, and how it stands. */
export interface SameSend {
  at: number
  state: SendState
}

/** Both sides of an ambiguity: what was sent, and what the folders show that may be it. */
export interface SendAmbiguity {
  sent: { name: string; signers: string[]; clientReference: string }[]
  found: {
    reference: string
    name: string
    signers: string[]
    folder: string
    status: string
    clientReference: string
    /** When it was begun, where its log says. */
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

export interface OutboxPause {
  /** person: paused by hand. service: its refusal concerns all that would follow. line: nothing can be reached. */
  by: 'person' | 'service' | 'line'
  since: number
  error?: AppError
  /** When it is tried again by itself. */
  until?: number
}

/** Of the account that is asked of, or of all that are shown together. */
export interface OutboxView {
  counts: SendCounts
  /** Why nothing leaves, where that is so of each account. */
  pause?: OutboxPause
  /** Of several accounts, those of which nothing leaves. */
  paused?: { accountId: string; pause: OutboxPause }[]
  settings: { concurrency: number; perMinute: number | null; undoSeconds: number }
  /** Where it is one with the office's other workstations: how the server is, without which nothing of it leaves. */
  office?: 'connected' | 'away'
}

export interface BatchView {
  id: string
  accountId: string
  name: string
  createdAt: number
  /** preparing: being written down, nothing leaves yet. going, paused: as it says. done: nothing of it is under way. */
  state: 'preparing' | 'going' | 'paused' | 'done'
  counts: SendCounts
  /** Rows that had errors when they were checked and were left out. */
  leftOut: number
  total: number
  /** Packages of it wait for another of staff. */
  release?: SendRelease
}

/** A sheet that was read, whole, in the main process. */
export interface BulkSheet {
  id: string
  fileName: string
  /** All sheets of the file; one without a name for a CSV. */
  sheets: string[]
  sheet: string
  /** Their headings, or A, B, C where the first row is data. */
  columns: string[]
  firstRow: 'headings' | 'data'
  /** Columns whose dates could be read either way, each with the first that shows it; otherwise the day is first. */
  dateDoubts: { column: number; example: string }[]
  /** Without the headings. */
  rows: number
  /** The first rows, as texts. */
  sample: string[][]
  /** What was noticed while reading, in the user's words: the encoding, the separator, dates, formulas. */
  notes: string[]
}

/** What a correction of a cell has made of its row, and of the check. */
export interface BulkCorrected {
  check: BulkCheck
  row: BulkRow
  /** Cells that are corrected now, in all sheets of the file: they are lost with it. */
  inAllSheets: number
}

export interface BulkCheck {
  rows: number
  withErrors: number
  withWarnings: number
  /** Rows that are the same as an earlier row, or as what was sent in the last 30 days. */
  duplicates: number
  /** Others whose people got the same forms or templates in the last 24 hours, with other data. */
  alike: number
  /** Rows with a mobile number that has no country code. */
  withoutCountry: number
  /** Rows that would go: without errors. */
  ready: number
  /** Rows in which a cell was corrected. */
  corrected: number
  /** Columns that fill nothing. */
  unused: string[]
}

/** A cell of a row, by its column from 0. */
interface BulkCell {
  column: number
  value: string
  /** It says more than is shown here, and can't be corrected here. */
  isCut?: true
}

/** A cell that says something else than it did in the file; both shortened. */
export interface BulkCorrection {
  column: number
  /** What the column is called. */
  name: string
  was: string
  now: string
}

export interface BulkRow {
  /** As the spreadsheet counts: the headings are row 1 where nothing stands above them. */
  row: number
  title: string
  who: string
  problems: (Problem & {
    /** Which column the trouble comes from, where one does. */
    column?: string
    /** What stands there. */
    cell?: BulkCell
  })[]
  /** What was corrected in it, in the order of the columns. */
  corrected?: BulkCorrection[]
  /** The earlier row it repeats, or when the same was sent. */
  duplicateOf?: { row: number } | { sentAt: number }
  /** When its people got the same lately, with other data. */
  alikeSentAt?: number
}

/** Which columns filled what when a sheet with these headings was last checked for what is sent. */
export interface RememberedMapping {
  mapping: ColumnMapping
  dateOrders: DateOrders
  at: number
}
