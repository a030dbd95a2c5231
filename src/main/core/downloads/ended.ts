/** What ended, and is begun anew or taken out of the list. */
import type { Sliced } from '../slices.ts'
import type { Db } from '../storage/connection.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable, Stopped } from './downloads-table.ts'
import type { Holds } from './holds.ts'
import { each, inPieces } from './in-pieces.ts'
import type { Queue } from './queue.ts'
import type { Runs } from './runs.ts'

export interface EndedParts {
  db: Db
  table: DownloadsTable
  holds: Holds
  runs: Runs
  queue: Queue
  changed: () => void
  clock: () => number
}

export function openEnded({ db, table, holds, runs, queue, changed, clock }: EndedParts) {
  function* againOf(downloads: Iterable<Download>): Sliced<void> {
    for (const download of downloads) {
      runs.adding(download.accountId)
      runs.again(download)
      // Where its like is in line already, what failed has nothing more to say.
      if (!table.again(download.id, clock())) table.erase(download.id)
      yield
    }
  }

  async function again(accountId: string, downloads: readonly Download[]): Promise<void> {
    await inPieces(db, againOf(downloads))
    holds.release(accountId)
    for (const lane of new Map(downloads.map((one) => [one.folderId, one])).values()) queue.added(lane)
    changed()
  }

  /** Does something with all that failed, or was cancelled, some at a time. What is done takes them out of there. */
  async function withStopped(accountId: string, state: Stopped, work: (ids: string[]) => Promise<void>): Promise<void> {
    for (let ids = table.stoppedOf(accountId, state); ids.length > 0; ids = table.stoppedOf(accountId, state)) {
      await work(ids)
    }
  }

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
