/** "Verify saved files": reads every file that was fetched for an account, and compares it with its record. */
import type { CheckedDownload, DownloadCheck } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { checkFile, type FileState } from './file-check.ts'

export interface SavedFilesCheckDeps {
  table: DownloadsTable
  folders: DownloadFolders
  time: Pick<Time, 'now'>
}

export function openSavedFilesCheck({ table, folders, time }: SavedFilesCheckDeps) {
  let currentCheck: { accountId: string; abort: AbortController; answer: Promise<DownloadCheck> } | undefined

  async function check(accountId: string, signal: AbortSignal): Promise<DownloadCheck> {
    const found: Omit<DownloadCheck, 'checkedAt'> = { intact: 0, missing: [], altered: [], unreadable: [] }
    let after = 0
    for (;;) {
      const files = table.filesOf(accountId, after)
      const last = files.at(-1)
      if (!last) return { checkedAt: time.now(), ...found }
      after = last.number
      for (const file of files) {
        const state = await stateOfFile(folders, file, signal)
        if (state === undefined) continue
        if (state === 'intact') found.intact += 1
        else found[state].push(checkedOf(file, folders.get(file.folderId).label))
      }
    }
  }

  function cancel(): void {
    currentCheck?.abort.abort()
    currentCheck = undefined
  }

  return {
    /** Joins a check in progress. @throws AppFailure `cancelled` if it was stopped. */
    check(accountId: string): Promise<DownloadCheck> {
      if (currentCheck?.accountId === accountId) return currentCheck.answer
      cancel()
      const abort = new AbortController()
      const answer = check(accountId, abort.signal)
        .catch((error: unknown) => {
          if (abort.signal.aborted) fail('cancelled', 'Stopped because you switched accounts.')
          throw error
        })
        .finally(() => {
          if (currentCheck?.abort === abort) currentCheck = undefined
        })
      currentCheck = { accountId, abort, answer }
      return answer
    },

    cancelExcept(accountIds: readonly string[]): void {
      if (currentCheck && !accountIds.includes(currentCheck.accountId)) cancel()
    }
  }
}

/**
 * Returns the current state of a finished download's file; undefined if there is no record to compare it with, as for
 * files fetched by an earlier version.
 * @throws the signal's reason once that is aborted; AppFailure `gone` for the folder.
 */
export async function stateOfFile(
  folders: DownloadFolders,
  { folderId, fileName, sha256, bytes }: Download,
  signal?: AbortSignal
): Promise<FileState | undefined> {
  if (fileName === undefined || sha256 === undefined) return undefined
  const folder = folders.pathOf(folderId)
  return await checkFile(folders.fileOf(folderId, fileName), { bytes, sha256 }, { folder, ...(signal && { signal }) })
}

function checkedOf({ id, documentReference, name, type, fileName = '' }: Download, folder: string): CheckedDownload {
  return { id, documentReference, documentName: name, type, folder, fileName }
}
