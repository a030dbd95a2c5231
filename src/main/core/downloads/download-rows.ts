/** One file of the queue, as it is known and as it lies on the disk. */
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
  /** By what the file is known that was being given its name. */
  namingBytes: optional(value<number>()),
  namingSha256: optional(value<string>('naming_sha256')),
  /** As they were when it was fetched. */
  signers: json<string[]>(),
  clientReference: optional(value<string>()),
  error: optional(json<AppError>()),
  attempts: value<number>(),
  /** 0: at once. */
  retryAt: value<number>(),
  queuedAt: value<number>(),
  finishedAt: optional(value<number>()),
  /** The workstation of the office that has saved it, where that is another. */
  desk: optional(value<string>()),
  /** By what its folder is known to all workstations that share it, where a rule asked for it: see `SharedFiles`. */
  sharedFolder: optional(value<string>()),
  /** The office is still to hear that the file is there. */
  isUntold: flag(),
  /** A person wants it here, whatever other workstations have saved. */
  isAskedFor: flag()
})

export type NewDownload = Pick<
  Download,
  'id' | 'accountId' | 'documentReference' | 'name' | 'type' | 'folderId' | 'pattern' | 'writesIndex' | 'queuedAt'
> & { ruleId?: string | undefined }

/** What came of a file that is whole and in its place. */
export interface KeptDownload {
  /** Below the folder, with `/` between its parts. */
  fileName: string
  bytes: number
  sha256: string
  /** The same content was there already. */
  wasThere: boolean
  signers: string[]
  clientReference?: string
  /** The office is to know that it is there, in the folder that is known to all so. */
  sharedFolder?: string
  /** Another workstation of the office has saved it. */
  desk?: string
}

/** Files of one account that go into one folder. */
export interface Lane {
  accountId: string
  folderId: string
}
