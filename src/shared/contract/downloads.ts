/**
 * Downloads of ID-verification data and signed documents to disk, and their PDFs shown on a page: views and requests.
 * Paths never cross the boundary: folders are known by id and label.
 */

import { z } from 'zod'
import { ID_VERIFICATION_DATA_TYPES } from '../model/id-verification.ts'
import { DocumentQuery } from './document-query.ts'
import type { AppError } from './errors.ts'
import { answers, byId, id, noInput, page } from './request.ts'

/** The type of a file: the PDF or the records of an identity check (operation 9), or the signed document. */
export const DOWNLOAD_TYPES = [...ID_VERIFICATION_DATA_TYPES, 'signed'] as const
export type DownloadType = (typeof DOWNLOAD_TYPES)[number]

const DOWNLOAD_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type DownloadState = (typeof DOWNLOAD_STATES)[number]

export interface DownloadView {
  id: string
  accountId: string
  documentReference: string
  documentName: string
  type: DownloadType
  state: DownloadState
  /** Where its file goes: the label of the chosen folder, and the subfolder. */
  folder: string
  /** Relative to the folder, with `/` between its parts; absent until the name is final. */
  fileName?: string
  /** The same content already existed under this name, so nothing was written. */
  wasThere?: true
  /** The office's workstation that saved it, if it is another one. */
  workstation?: string
  /** The rule that requested it. */
  ruleId?: string
  bytes: number
  /** Total size, if the service gives it. */
  total?: number
  /** SHA-256 of the complete file in hexadecimal. */
  sha256?: string
  error?: AppError
  /**
   * When a download waiting for a connection, or for the service's rate limit, is retried; milliseconds since 1970 UTC.
   */
  retryAt?: number
  queuedAt: number
  finishedAt?: number
}

export interface DownloadPage {
  items: DownloadView[]
  /** The number of all matching downloads. */
  total: number
}

/** The whole queue of the current account. */
export interface DownloadSummary {
  counts: Record<DownloadState, number>
  /** Progress since the queue was last empty; `of` includes those in progress. Absent before the first. */
  run?: { done: number; failed: number; of: number }
  isPaused: boolean
  /**
   * Why waiting downloads don't move: connection, account key, or a folder that is missing or full. Reported once for
   * all of them.
   */
  problem?: AppError
  /** When it is retried automatically, if so. */
  retryAt?: number
  /** The destination of what has the problem. */
  folder?: DownloadFolder
  /** Bytes of downloads in progress so far, and their total size as far as known. */
  bytes: number
  total?: number
  /** Over the last seconds; absent if nothing is moving. */
  bytesPerSecond?: number
  /** Estimated from the files and their sizes so far; absent if unknown. */
  secondsLeft?: number
}

const reference = z.string().min(1).max(2000)
const type = z.enum(DOWNLOAD_TYPES)
/** Which files are wanted, and how they are named. Becomes the default for the next time. */
const choice = z.strictObject({
  types: z.array(type).min(1).max(DOWNLOAD_TYPES.length),
  /** See `core/downloads/name-pattern.ts` for the syntax. */
  pattern: z.string().trim().min(1).max(500),
  /** Maintains `index.csv` next to the files. */
  writesIndex: z.boolean()
})
export type DownloadChoice = z.output<typeof choice>

export interface DownloadFolder {
  id: string
  /** The last part of its path. */
  label: string
}

export interface DownloadSettings extends DownloadChoice {
  folder: DownloadFolder
  /** Whether a person has chosen the folder; until then it is the system's own, as a suggestion. */
  isFolderChosen: boolean
  /** How many files are fetched at once: 1 to 8. */
  concurrency: number
}

export interface PatternPreview {
  /** The names that some documents' files would get, relative to the folder, with `/` between parts. */
  examples: { documentName: string; fileName: string }[]
  /** What in the pattern can't be used, in words; absent if all of it can. */
  problem?: string
}

/** What a rule does for a document: downloads a file, or has the service verify its signatures. */
const RULE_TASKS = [...DOWNLOAD_TYPES, 'verification'] as const
export type RuleTask = (typeof RULE_TASKS)[number]

export interface RuleVerifications {
  done: number
  waiting: number
  /** The service was asked but never answered. */
  failed: number
  /** Why waiting verifications don't move; otherwise why the newest failed, unless a later one succeeded. */
  problem?: AppError
}

/**
 * A rule for documents as they complete, all of an account's or those of a view: downloads files into a folder,
 * verifies signatures.
 */
export interface DownloadRule extends Omit<DownloadChoice, 'types'> {
  id: string
  types: RuleTask[]
  /** Absent if it applies to all documents. */
  viewId?: string
  /** Absent if it applies to all documents, or if the view no longer exists: the rule is then inactive. */
  viewName?: string
  /** The office's other workstation that changed the view's query since someone here last edited the rule. */
  viewChangedBy?: string
  folder: DownloadFolder
  isOn: boolean
  /** How many files it has fetched. */
  fetched: number
  /** Why its newest file couldn't be fetched, if so. */
  problem?: AppError
  /** Absent if it has never verified anything, and isn't meant to. */
  verifications?: RuleVerifications
}

export interface AddedDownloads {
  added: number
  /** Already in progress or waiting. */
  alreadyQueued: number
  /** Documents skipped because they have no identity check, or aren't complete as required. */
  leftOut: number
}

export interface DownloadCheck {
  checkedAt: number
  intact: number
  missing: CheckedDownload[]
  altered: CheckedDownload[]
  /** Couldn't be read now, for example because the folder isn't available. */
  unreadable: CheckedDownload[]
}
export type CheckedDownload = Pick<
  DownloadView,
  'id' | 'documentReference' | 'documentName' | 'type' | 'folder' | 'fileName'
>

/** A rule that only verifies still stores a folder and a pattern, in case it downloads later. */
const ruleChoice = choice.extend({ folderId: id, types: z.array(z.enum(RULE_TASKS)).min(1).max(RULE_TASKS.length) })

/** Requests for downloads and rules. */

export const downloadRequests = {
  /**
   * Queues one document with the configured folder and pattern; returns the existing entry if the same is queued
   * already.
   */
  'downloads.start': answers<DownloadView>()(z.strictObject({ reference, type })),
  /** Queues many documents of the current account: those listed, or all that match a query. */
  'downloads.add': answers<AddedDownloads>()(
    z.strictObject({
      what: z.union([
        z.strictObject({ references: z.array(reference).min(1).max(10_000) }),
        z.strictObject({ query: DocumentQuery })
      ]),
      folderId: id,
      ...choice.shape
    })
  ),
  /** Active ones first, then finished ones, newest first. */
  'downloads.list': answers<DownloadPage>()(
    z.strictObject({
      states: z.array(z.enum(DOWNLOAD_STATES)).min(1).optional(),
      /** Of this document only. */
      reference: reference.optional(),
      ...page
    })
  ),
  'downloads.summary': answers<DownloadSummary>()(noInput),
  /** Pauses the whole queue, across restarts; downloads in progress are put back. */
  'downloads.pause': answers<DownloadSummary>()(noInput),
  /**
   * Resumes the queue, and retries at once what waits for a connection, a folder or its time, even if the queue wasn't
   * paused.
   */
  'downloads.resume': answers<DownloadSummary>()(noInput),
  'downloads.cancel': answers<null>()(byId),
  'downloads.cancelAll': answers<null>()(noInput),
  /**
   * Saves what waits for one folder to another instead; returns the number of files. Rules and later downloads keep
   * their folders.
   */
  'downloads.relocate': answers<{ moved: number }>()(z.strictObject({ from: id, to: id })),
  /** Restarts downloads that failed or were cancelled, or that the check found missing or altered. */
  'downloads.retry': answers<null>()(z.strictObject({ ids: z.array(id).min(1).max(10_000) })),
  /** Restarts all that failed. */
  'downloads.retryFailed': answers<null>()(noInput),
  /** Removes failed and cancelled downloads from the list. Files, and what is recorded about them, stay. */
  'downloads.clear': answers<null>()(noInput),
  'downloads.reveal': answers<null>()(byId),
  'downloads.settings': answers<DownloadSettings>()(noInput),
  'downloads.configure': answers<DownloadSettings>()(
    choice.extend({ concurrency: z.int().min(1).max(8), folderId: id }).partial()
  ),
  /** Lets a person choose a folder; null if they cancel. This changes no setting: pass the id to another request. */
  'downloads.chooseFolder': answers<DownloadFolder | null>()(noInput),
  /** The names that files would get: for these documents, or for the newest ones with an identity check. */
  'downloads.preview': answers<PatternPreview>()(
    z.strictObject({ pattern: z.string().max(500), type, references: z.array(reference).max(5).optional() })
  ),
  'downloads.rules': answers<DownloadRule[]>()(noInput),
  /** Applies to documents that complete from now on; with `alsoNow` also to those already complete. */
  'downloads.addRule': answers<DownloadRule>()(
    ruleChoice.extend({
      /** Absent: for all documents. */
      viewId: id.optional(),
      alsoNow: z.boolean()
    })
  ),
  'downloads.changeRule': answers<DownloadRule>()(ruleChoice.extend({ isOn: z.boolean() }).partial().extend({ id })),
  /** Retries a rule's failed verifications. */
  'downloads.verifyAgain': answers<null>()(byId),
  'downloads.removeRule': answers<null>()(byId),
  /** Reads every downloaded file and compares it with what is recorded. */
  'downloads.check': answers<DownloadCheck>()(noInput),
  /** Writes a folder's index again. Returns its name relative to the folder. */
  'downloads.writeIndex': answers<{ fileName: string; rows: number }>()(z.strictObject({ folderId: id }))
}

/** Which PDF of a document: the report of its identity check, or the signed document. */
const PdfKind = z.enum(['identity', 'signed'])
export type PdfKind = z.output<typeof PdfKind>

/** A PDF whose first bytes have arrived. */
export interface PdfView {
  /** Identifies this viewing; opening it again gives a new id. */
  id: string
  documentReference: string
  documentName: string
  /** Total size, if the service gives it; for a progress display. */
  length?: number
  /** Where a signed document comes from, if not from the account's own service. */
  from?: string
}

export interface PdfPart {
  bytes: Uint8Array
  /** The last part: the PDF is complete. */
  isLast: boolean
}

export const pdfRequests = {
  /**
   * Requests it from the service, and answers once its first bytes have arrived. Only one can be open: the previous one
   * ends. Fails with `too-large` above the size limit for display.
   */
  'pdf.open': answers<PdfView>()(z.strictObject({ reference, kind: PdfKind })),
  /** The next part. The main process discards each part as it hands it out. */
  'pdf.next': answers<PdfPart>()(byId),
  'pdf.close': answers<null>()(byId),
  /** Prints the window's own page, with its print stylesheet, through the system's dialog. */
  'pdf.print': answers<{ isPrinted: boolean }>()(noInput)
}
