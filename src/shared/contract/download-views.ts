/** ID-verification data on its way to disk, as the screens see it. Paths never cross: folders are known by id and label. */
import type { IDVerificationDataType } from '../model/id-verification.ts'
import type { AppError } from './errors.ts'

export type DownloadState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'

export interface DownloadView {
  id: string
  documentReference: string
  documentName: string
  type: IDVerificationDataType
  state: DownloadState
  /** Where its file goes, by the label of the chosen folder, and the part of the path below it. */
  folder: string
  /** Below the folder, with `/` between its parts; absent until the name is certain. */
  fileName?: string
  /** The same content was there already under this name: nothing was written. */
  wasThere?: true
  /** It was fetched because a rule asks for it. */
  ruleId?: string
  bytes: number
  /** Bytes in all, where the service says it. */
  total?: number
  /** SHA-256 of the file as hexadecimal digits, once it is whole. */
  sha256?: string
  error?: AppError
  /** Waits for the line, or for the service's patience, until then. Milliseconds since 1970. */
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

/** How files are named, and which of them are wanted. Kept as the default for the next time. */
export interface DownloadChoice {
  types: IDVerificationDataType[]
  /** See `core/downloads/name-pattern.ts` for what it may say. */
  pattern: string
  /** Keeps `index.csv` beside the files. */
  writesIndex: boolean
}

export interface DownloadFolder {
  id: string
  /** The last part of its path. */
  label: string
}

export interface DownloadSettings extends DownloadChoice {
  folder: DownloadFolder
  /** How many files are fetched at once: 1 to 8. */
  concurrency: number
}

export interface PatternPreview {
  /** What the files of some documents would be called below the folder, with `/` between parts. */
  examples: { documentName: string; fileName: string }[]
  /** What of the pattern can't be used, in words; absent where all of it can. */
  problem?: string
}

/** Every document of a view, as it completes, into a folder. */
export interface DownloadRule extends DownloadChoice {
  id: string
  viewId: string
  /** Absent where the view is gone: the rule then rests. */
  viewName?: string
  folder: DownloadFolder
  isOn: boolean
  /** How many files it has brought. */
  fetched: number
  /** Why its newest file couldn't be had, where that is so. */
  problem?: AppError
}

export interface AddedDownloads {
  added: number
  /** Under way, or waiting, already. */
  alreadyQueued: number
  /** Without an identity check: nothing is asked for. */
  withoutIdentity: number
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
