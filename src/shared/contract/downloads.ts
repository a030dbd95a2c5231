/**
 * ID-verification data and signed documents on their way to disk, and their PDFs on a page that shows them: what the screens see
 * of it, and may ask. Paths never cross: folders are known by id and label.
 */

import { z } from 'zod'
import { ID_VERIFICATION_DATA_TYPES } from '../model/id-verification.ts'
import { DocumentQuery } from './document-query.ts'
import type { AppError } from './errors.ts'
import { answers, byId, id, nothing, page } from './request.ts'

/** What a file is: the PDF or the records of an identity check (operation 9), or the signed document. */
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
  /** Where its file goes, by the label of the chosen folder, and the part of the path below it. */
  folder: string
  /** Below the folder, with `/` between its parts; absent until the name is certain. */
  fileName?: string
  /** The same content was there already under this name: nothing was written. */
  wasThere?: true
  /** The workstation of the office that has saved it, where that is another. */
  desk?: string
  /** It was fetched because a rule asks for it. */
  ruleId?: string
  bytes: number
  /** Bytes in all, where the service says it. */
  total?: number
  /** SHA-256 of the file as hexadecimal digits, once it is whole. */
  sha256?: string
  error?: AppError
  /** Waiting for a connection, or for the service's patience, until then. Milliseconds since 1970. */
  retryAt?: number
  queuedAt: number
  finishedAt?: number
}

export interface DownloadPage {
  items: DownloadView[]
  /** How many there are in all of what was asked for. */
  total: number
}

/** The whole queue of the chosen account. */
export interface DownloadSummary {
  counts: Record<DownloadState, number>
  /** Of the files that were asked for since the queue was last empty: `of` with those on their way. Absent before the first. */
  run?: { done: number; failed: number; of: number }
  isPaused: boolean
  /** Why what waits doesn't move now: the line, the account's key, a folder that is away or full. Said once for all of it. */
  problem?: AppError
  /** When it is tried again by itself, where it is. */
  retryAt?: number
  /** Where what has the problem is to be saved. */
  folder?: DownloadFolder
  /** Bytes of what is under way now, and of what is known of their sizes. */
  bytes: number
  total?: number
  /** Over the last seconds; absent where nothing moves. */
  bytesPerSecond?: number
  /** By files and their sizes so far; absent where it can't be told. */
  secondsLeft?: number
}

const reference = z.string().min(1).max(2000)
const type = z.enum(DOWNLOAD_TYPES)
/** How files are named, and which of them are wanted. Kept as the default for the next time. */
const choice = z.strictObject({
  types: z.array(type).min(1).max(DOWNLOAD_TYPES.length),
  /** See `core/downloads/name-pattern.ts` for what it may say. */
  pattern: z.string().trim().min(1).max(500),
  /** Keeps `index.csv` beside the files. */
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
  /** Whether a person has chosen the folder: until then it is the system's own, which is only proposed. */
  isFolderChosen: boolean
  /** How many files are fetched at once: 1 to 8. */
  concurrency: number
}

export interface PatternPreview {
  /** What the files of some documents would be called below the folder, with `/` between parts. */
  examples: { documentName: string; fileName: string }[]
  /** What of the pattern can't be used, in words; absent where all of it can. */
  problem?: string
}

/** What a rule does with a document: downloads a file of it, or has the service verify its signatures. */
const RULE_TASKS = [...DOWNLOAD_TYPES, 'verification'] as const
export type RuleTask = (typeof RULE_TASKS)[number]

/** What a rule has verified. */
export interface RuleVerifications {
  done: number
  waiting: number
  /** The service was asked, and never answered. */
  failed: number
  /** Why what waits doesn't move now; else why the newest failed, unless another went well since. */
  problem?: AppError
}

/** Every document of a view, or every one of the account, as it completes: files of it into a folder, its signatures verified. */
export interface DownloadRule extends Omit<DownloadChoice, 'types'> {
  id: string
  types: RuleTask[]
  /** Absent where it is about all documents. */
  viewId?: string
  /** Absent where it is about all documents, or where the view is gone: the rule then rests. */
  viewName?: string
  /** The office's other workstation that changed what the view looks for since someone here last said what the rule does. */
  viewChangedBy?: string
  folder: DownloadFolder
  isOn: boolean
  /** How many files it has brought. */
  fetched: number
  /** Why its newest file couldn't be had, where that is so. */
  problem?: AppError
  /** Absent where it never verified anything, and isn't to. */
  verifications?: RuleVerifications
}

export interface AddedDownloads {
  added: number
  /** Under way, or waiting, already. */
  alreadyQueued: number
  /** Documents of which nothing is asked for: without an identity check, or not complete, as they would have to be. */
  leftOut: number
}

export interface DownloadCheck {
  checkedAt: number
  intact: number
  missing: CheckedDownload[]
  altered: CheckedDownload[]
  /** Couldn't be read now: the folder is away, say. */
  unreadable: CheckedDownload[]
}
export type CheckedDownload = Pick<
  DownloadView,
  'id' | 'documentReference' | 'documentName' | 'type' | 'folder' | 'fileName'
>

/** One that only verifies keeps a folder and a pattern for the day that it downloads, too. */
const ruleChoice = choice.extend({ folderId: id, types: z.array(z.enum(RULE_TASKS)).min(1).max(RULE_TASKS.length) })

/** The requests about ID-verification data on its way to disk. */

export const downloadRequests = {
  /** One document, in the folder and by the pattern that are set. Where the same is queued already, that is answered. */
  'downloads.start': answers<DownloadView>()(z.strictObject({ reference, type })),
  /** Many documents of the chosen account: those named, or all that a query finds. */
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
  /** What moves first, then what was finished, newest first. */
  'downloads.list': answers<DownloadPage>()(
    z.strictObject({
      states: z.array(z.enum(DOWNLOAD_STATES)).min(1).optional(),
      /** Of one document only. */
      reference: reference.optional(),
      ...page
    })
  ),
  'downloads.summary': answers<DownloadSummary>()(nothing),
  /** Holds the whole queue, over restarts too; what is under way is put back. */
  'downloads.pause': answers<DownloadSummary>()(nothing),
  /** Goes on; what waits for a connection, a folder or its time is tried at once, whether or not the queue was held. */
  'downloads.resume': answers<DownloadSummary>()(nothing),
  'downloads.cancel': answers<null>()(byId),
  'downloads.cancelAll': answers<null>()(nothing),
  /**
   * Has what waits for one folder saved into another; answers how many files that are. Rules, and what is downloaded
   * later, keep their folders.
   */
  'downloads.relocate': answers<{ moved: number }>()(z.strictObject({ from: id, to: id })),
  /** Begins again what failed or was cancelled, or what the check found missing or altered. */
  'downloads.again': answers<null>()(z.strictObject({ ids: z.array(id).min(1).max(10_000) })),
  /** Begins again all that failed. */
  'downloads.againAll': answers<null>()(nothing),
  /** Takes what failed or was cancelled out of the list. Files, and what is known of them, stay. */
  'downloads.clear': answers<null>()(nothing),
  'downloads.reveal': answers<null>()(byId),
  'downloads.settings': answers<DownloadSettings>()(nothing),
  'downloads.configure': answers<DownloadSettings>()(
    choice.extend({ concurrency: z.int().min(1).max(8), folderId: id }).partial()
  ),
  /** Has the person choose a folder; null where they thought better of it. Nothing is set by it: its id goes into another request. */
  'downloads.chooseFolder': answers<DownloadFolder | null>()(nothing),
  /** What files would be called: of these documents, or of the newest ones with an identity check. */
  'downloads.preview': answers<PatternPreview>()(
    z.strictObject({ pattern: z.string().max(500), type, references: z.array(reference).max(5).optional() })
  ),
  'downloads.rules': answers<DownloadRule[]>()(nothing),
  /** Begins with what completes from now on; `alsoNow`: and with what is complete already. */
  'downloads.addRule': answers<DownloadRule>()(
    ruleChoice.extend({
      /** Absent: of all documents. */
      viewId: id.optional(),
      alsoNow: z.boolean()
    })
  ),
  'downloads.changeRule': answers<DownloadRule>()(ruleChoice.extend({ isOn: z.boolean() }).partial().extend({ id })),
  /** Verifies once more what a rule could not. */
  'downloads.verifyAgain': answers<null>()(byId),
  'downloads.removeRule': answers<null>()(byId),
  /** Reads every file that was fetched, and compares it with what is known of it. */
  'downloads.check': answers<DownloadCheck>()(nothing),
  /** Writes the index of a folder again. Answers its name below the folder. */
  'downloads.writeIndex': answers<{ fileName: string; rows: number }>()(z.strictObject({ folderId: id }))
}

/** Which PDF of a document: the report of its identity check, or the signed document. */
const PdfKind = z.enum(['identity', 'signed'])
export type PdfKind = z.output<typeof PdfKind>

/** A PDF whose first bytes have come. */
export interface PdfView {
  /** Of this look at it; asked for again, it is another. */
  id: string
  documentReference: string
  documentName: string
  /** Bytes in all, where the service says it. For showing how far it is. */
  length?: number
  /** Where a signed document comes from, if that isn't the account's own service. */
  from?: string
}

export interface PdfPart {
  bytes: Uint8Array
  /** Nothing comes after it: what has come is the whole PDF. */
  isLast: boolean
}

export const pdfRequests = {
  /**
   * Asks the service for it, and answers once its first bytes have come. There is one at a time: the one before ends.
   * Fails with `too-large` where it is larger than is shown here.
   */
  'pdf.open': answers<PdfView>()(z.strictObject({ reference, kind: PdfKind })),
  /** What comes next of it. The main process forgets each part as it hands it out. */
  'pdf.next': answers<PdfPart>()(byId),
  'pdf.close': answers<null>()(byId),
  /** Puts the window's own page on paper, as its print style has it, by the system's dialog. */
  'pdf.print': answers<{ isPrinted: boolean }>()(nothing)
}
