/** One file of the queue, as it is known and as it lies on the disk. */
import type { AppError, DownloadState, DownloadView } from '../../../shared/contract/index.ts'
import type { Expected } from './file-check.ts'

export interface Download {
  number: number
  id: string
  accountId: string
  documentReference: string
  name: string
  type: DownloadView['type']
  folderId: string
  pattern: string
  writesIndex: boolean
  ruleId?: string
  state: Exclude<DownloadState, 'running'>
  /** Below the folder, with `/` between its parts. */
  fileName?: string
  wasThere: boolean
  bytes: number
  sha256?: string
  /** By what the file is known that was being given its name. */
  naming?: Expected
  /** As they were when it was fetched. */
  signers: string[]
  clientReference?: string
  error?: AppError
  attempts: number
  /** 0: at once. */
  retryAt: number
  queuedAt: number
  finishedAt?: number
}

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
}

/** Files of one account that go into one folder. */
export interface Lane {
  accountId: string
  folderId: string
}

export interface Row {
  number: number
  id: string
  account_id: string
  document_reference: string
  name: string
  type: DownloadView['type']
  folder_id: string
  pattern: string
  writes_index: 0 | 1
  rule_id: string | null
  state: Download['state']
  file_name: string | null
  was_there: 0 | 1
  bytes: number
  sha256: string | null
  naming_bytes: number | null
  naming_sha256: string | null
  signers: string
  client_reference: string | null
  error: string | null
  attempts: number
  retry_at: number
  queued_at: number
  finished_at: number | null
}

export function downloadOf(row: Row): Download {
  return {
    number: row.number,
    id: row.id,
    accountId: row.account_id,
    documentReference: row.document_reference,
    name: row.name,
    type: row.type,
    folderId: row.folder_id,
    pattern: row.pattern,
    writesIndex: row.writes_index === 1,
    state: row.state,
    wasThere: row.was_there === 1,
    bytes: row.bytes,
    signers: JSON.parse(row.signers) as string[],
    attempts: row.attempts,
    retryAt: row.retry_at,
    queuedAt: row.queued_at,
    ...(row.rule_id !== null && { ruleId: row.rule_id }),
    ...(row.file_name !== null && { fileName: row.file_name }),
    ...(row.sha256 !== null && { sha256: row.sha256 }),
    ...(row.naming_bytes !== null &&
      row.naming_sha256 !== null && { naming: { bytes: row.naming_bytes, sha256: row.naming_sha256 } }),
    ...(row.client_reference !== null && { clientReference: row.client_reference }),
    ...(row.error !== null && { error: JSON.parse(row.error) as AppError }),
    ...(row.finished_at !== null && { finishedAt: row.finished_at })
  }
}
