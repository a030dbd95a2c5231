/** What ended, and is begun anew or taken out of the list. */
import type { Sliced } from '../lib/slices.ts'
import type { Db } from '../storage/connection.ts'
import { stateOfFile } from './checks.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable, Stopped } from './downloads-table.ts'
import type { Holds } from './holds.ts'
import { each, inPieces, whileThereAre } from './in-pieces.ts'
import type { Queue } from './queue.ts'
import type { Runs } from './runs.ts'

export interface EndedParts {
  db: Db
  table: DownloadsTable
  folders: DownloadFolders
  holds: Holds
  runs: Runs
  queue: Queue
  changed: () => void
  clock: () => number
  newId: () => string
}

export function openEnded({ db, table, folders, holds, runs, queue, changed, clock, newId }: EndedParts) {
  function* againOf(downloads: Iterable<Download>, intact: ReadonlySet<Download>): Sliced<void> {
    for (const download of downloads) {
      runs.adding(download.accountId)
      runs.again(download)
      // A file that is there stays known while it is fetched once more, and where that fails.
      if (intact.has(download)) table.add({ ...download, id: newId(), queuedAt: clock() })
      // Where its like is in line already, what failed has nothing more to say.
      else if (!table.again(download.id, clock())) table.erase(download.id)
      yield
    }
  }

  async function again(accountId: string, downloads: readonly Download[]): Promise<void> {
    const intact = new Set<Download>()
    for (const download of downloads) if (await isIntact(download)) intact.add(download)
    await inPieces(db, againOf(downloads, intact))
    holds.release(accountId)
    for (const lane of new Map(downloads.map((one) => [one.folderId, one])).values()) queue.added(lane)
    changed()
  }

  /** Does something with all that failed, or was cancelled, some at a time. */
  const withStopped = (accountId: string, state: Stopped, work: (ids: string[]) => Promise<void>): Promise<void> =>
    whileThereAre(() => table.stoppedOf(accountId, state), work)

  const isIntact = async (download: Download): Promise<boolean> =>
    download.state === 'done' && (await stateOfFile(folders, download)) === 'intact'

  return {
    /** Begins them anew, whatever came of them; what waits goes at once. */
    again,

    /** Begins anew all that failed. */
    againAll: (accountId: string): Promise<void> =>
      withStopped(accountId, 'failed', (ids) =>
        again(
          accountId,
          ids.flatMap((id) => table.find(id) ?? [])
        )
      ),

    /** Takes what failed or was cancelled out of the list. */
    async clear(accountId: string): Promise<void> {
      for (const state of ['failed', 'cancelled'] as const) {
        await withStopped(accountId, state, (ids) => inPieces(db, each(ids, table.erase)))
      }
      changed()
    }
  }
}
