/** One file of the queue, and its table row. */
import type { AppError, DownloadState, DownloadView } from '../../../shared/contract/index.ts'
import { flag, json, optional, type RecordOf, Rows, value } from '../lib/rows.ts'

export type Download = RecordOf<typeof DOWNLOADS>

export const DOWNLOADS = new Rows({
  number: value<number>(),
  id: value<string>(),
  accountId: value<string>(),
  documentReference: value<string>(),
  name: value<string>(),
  type: value<DownloadView['type']>(),
  folderId: value<string>(),
  pattern: value<string>(),
  writesIndex: flag(),
  ruleId: optional(value<string>()),
  state: value<Exclude<DownloadState, 'running'>>(),
  /** Below the folder, with `/` between its parts. */
  fileName: optional(value<string>()),
  wasThere: flag(),
  bytes: value<number>(),
  sha256: optional(value<string>()),
  /** What identifies the file that was being given its name. */
  namingBytes: optional(value<number>()),
  namingSha256: optional(value<string>('naming_sha256')),
  /** As they were when it was fetched. */
  signers: json<string[]>(),
  clientReference: optional(value<string>()),
  error: optional(json<AppError>()),
  attempts: value<number>(),
  /** 0 for immediately. */
  retryAt: value<number>(),
  queuedAt: value<number>(),
  finishedAt: optional(value<number>()),
  /** The workstation of the office that saved it, if that is another one. */
  workstation: optional(value<string>()),
  /** What identifies its folder to all workstations that share it, if a rule requested it: see `SharedFiles`. */
  sharedFolder: optional(value<string>()),
  /** Whether the office still has to be told that the file is there. */
  isUnreported: flag(),
  /** Whether the user wants it here, whatever other workstations have saved. */
  isRequested: flag()
})

export type NewDownload = Pick<
  Download,
  'id' | 'accountId' | 'documentReference' | 'name' | 'type' | 'folderId' | 'pattern' | 'writesIndex' | 'queuedAt'
> & { ruleId?: string | undefined }

/** The result for a complete file in its place. */
export interface SavedDownload {
  /** Below the folder, with `/` between its parts. */
  fileName: string
  bytes: number
  sha256: string
  /** Whether the same content was there already, and wasn't written by this workstation. */
  wasThere: boolean
  signers: string[]
  clientReference?: string
  /** Set if the office must be told that the file is there: what identifies the folder to all workstations. */
  sharedFolder?: string
  /** The other workstation of the office that saved it. */
  workstation?: string
}

/** Files of one account that go into one folder. */
export interface Lane {
  accountId: string
  folderId: string
}
