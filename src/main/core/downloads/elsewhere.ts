/** What waits for one folder is saved into another: a share may be away for days. */
import type { Db } from '../storage/connection.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { each, inPieces, whileThereAre } from './in-pieces.ts'
import type { Queue } from './queue.ts'

export interface ElsewhereParts {
  db: Db
  table: DownloadsTable
  folders: DownloadFolders
  queue: Queue
  changed: () => void
}

export function openElsewhere({ db, table, folders, queue, changed }: ElsewhereParts) {
  return {
    /**
     * Has what an account has in line for one folder saved into another. Rules keep their folders, and a file that is only
     * fetched anew stays with the one that it is in: it is known by it. What is in line for the other folder already is in
     * line once.
     * @returns how many files are saved there instead.
     * @throws AppFailure `gone` for a folder.
     */
    saveElsewhere: (accountId: string, from: string, to: string): Promise<number> =>
      queue.whileStill(accountId, async () => {
        folders.pathOf(from)
        folders.pathOf(to)
        if (from === to) return 0
        const lane = { accountId, folderId: from }
        await queue.stop((download) => download.accountId === accountId && download.folderId === from, 'later')
        let moved = 0
        const move = (id: string) => {
          if (table.moveTo(id, to)) moved += 1
          else table.leaveOut(id)
        }
        await whileThereAre(
          () => table.movable(lane),
          (ids) => inPieces(db, each(ids, move))
        )
        queue.added({ accountId, folderId: to })
        changed()
        return moved
      })
  }
}
