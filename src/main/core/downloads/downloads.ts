/**
 * ID-verification data on its way to disk: a queue that outlives the application, rules that fill it, and what is known of
 * the files that came of it. Files are whole or not there at all, and never take another's place.
 */
import type { AppError, DownloadSettings, DownloadSummary } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { AskDocuments } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import { within } from '../lib/retry.ts'
import type { Db } from '../storage/connection.ts'
import { openAdding } from './adding.ts'
import { openChecks } from './checks.ts'
import { openDownloadFolders } from './download-folders.ts'
import type { Download, KeptDownload } from './download-rows.ts'
import { openDownloadsTable } from './downloads-table.ts'
import { openElsewhere } from './elsewhere.ts'
import { openEnded } from './ended.ts'
import { type FetchingParts, openFetching } from './fetching.ts'
import { openHolds } from './holds.ts'
import { each, inPieces, whileThereAre } from './in-pieces.ts'
import { openIndexes } from './indexes.ts'
import { openListing } from './listing.ts'
import { insistOnPattern, openPreview } from './preview.ts'
import { openQueue } from './queue.ts'
import { openRules, type RuleParts } from './rules.ts'
import { openRuns } from './runs.ts'
import { openDownloadSettings, type SettingsChange, type SettingsPlace } from './settings.ts'
import { openSpeed } from './speed.ts'
import { gatheredChanges } from './told.ts'

export interface DownloadEffects
  extends Pick<FetchingParts, 'clientOf' | 'accountName' | 'isUsualFolder' | 'zone'>,
    Pick<SettingsPlace, 'folder' | 'setFolder'>,
    Pick<RuleParts, 'views' | 'folderNames' | 'failed'> {
  db: Db
  ask: AskDocuments
  describe: (error: unknown) => AppError
  note: NoteInAudit
  /** Told the id of the one that changed, or null for more than one, the queue, or a rule; some five times a second. */
  changed: (id: string | null) => void
  newId: () => string
  /** The wall clock, in milliseconds since 1970 UTC. */
  clock: () => number
  /** Milliseconds since some moment of this run: never goes back. */
  elapsed: () => number
  /** From 0 to 1. */
  random: () => number
  /** Runs `task` after `delay` milliseconds; answers how to prevent it. */
  schedule: (task: () => void, delay: number) => () => void
}

/** In milliseconds. */
const LEAVING = 5_000

export type Downloads = ReturnType<typeof openDownloads>

export function openDownloads(effects: DownloadEffects) {
  const { db, clock, newId } = effects
  const table = openDownloadsTable(db)
  const folders = openDownloadFolders({ db, newId })
  const settings = openDownloadSettings({ ...effects, folders })
  const holds = openHolds(effects)
  const speed = openSpeed(effects.elapsed)
  const runs = openRuns({ table, clock })
  const changed = gatheredChanges(effects.changed, effects.schedule)
  const indexes = openIndexes({ ...effects, table, folders })
  const checks = openChecks({ table, folders, clock })
  const fetching = openFetching({ ...effects, table, folders })
  const { concurrency, isPaused } = settings
  const queue = openQueue({
    ...effects,
    ...{ table, holds, speed, concurrency, isPaused, changed, kept, gaveUp },
    fetchFile: fetching.fetchFile,
    settle: fetching.settle,
    rested: indexes.rested
  })
  const rules = openRules({
    ...effects,
    ...{ folders, changed },
    added: queue.added,
    enqueue({ id: ruleId, folderId, pattern, writesIndex }, { accountId, reference, name }, type) {
      const what = { accountId, documentReference: reference, name, type, folderId, pattern, writesIndex }
      runs.adding(accountId)
      table.add({ id: newId(), ...what, ruleId, queuedAt: clock() })
    }
  })
  const listing = openListing({ table, folders, holds, queue, runs, speed, isPaused, clock })

  function kept(download: Download, { fileName, sha256 }: KeptDownload): void {
    fetching.noted(download, fileName)
    runs.ended(download.accountId, 'done')
    const { documentReference, name: documentName, type, ruleId, folderId, writesIndex } = download
    const detail = { type, file: fileName, sha256, by: ruleId === undefined ? 'person' : 'rule' }
    effects.note({ what: 'identity-data-fetched', documentReference, documentName, detail })
    if (ruleId !== undefined) rules.brought(ruleId)
    if (writesIndex) indexes.came(folderId)
  }

  function gaveUp({ accountId, ruleId }: Download, error: AppError): void {
    runs.ended(accountId, 'failed')
    if (ruleId !== undefined) rules.trouble(ruleId, error)
  }

  const adding = openAdding({ ...effects, table, folders, settings, holds, runs, queue, listing, changed })
  const elsewhere = openElsewhere({ db, table, folders, queue, changed })
  const ended = openEnded({ db, table, folders, holds, runs, queue, changed, clock, newId })

  function own(accountId: string, id: string): Download {
    const download = table.find(id)
    return download?.accountId === accountId ? download : fail('gone', 'This download is no longer in the list.')
  }

  return {
    rules,
    folders,

    start: adding.start,
    add: adding.add,
    list: listing.list,
    summary: listing.summary,

    /** Holds the queue, over restarts too. What is under way is put back. */
    async pause(accountId: string): Promise<DownloadSummary> {
      settings.setPaused(true)
      await queue.stop(() => true, 'later')
      changed()
      return listing.summary(accountId)
    },

    /** Goes on, and tries at once whatever waits for its time. */
    resume(accountId: string): DownloadSummary {
      settings.setPaused(false)
      queue.lineChanged()
      changed()
      return listing.summary(accountId)
    },

    /** Takes it out of line; nothing happens to one that has ended. */
    async cancel(accountId: string, id: string): Promise<void> {
      own(accountId, id)
      // One that came to its end just then is done.
      await queue.stop((download) => download.id === id, 'cancel')
      table.stop(id, 'cancelled', undefined, clock())
      changed(id)
    },

    /** Also of what is still being put in line. */
    cancelAll: (accountId: string): Promise<void> =>
      queue.whileStill(accountId, async () => {
        adding.stop(accountId)
        await queue.stop((download) => download.accountId === accountId, 'cancel')
        const cancel = (id: string) => void table.stop(id, 'cancelled', undefined, clock())
        await whileThereAre(
          () => table.waitingOf(accountId),
          (ids) => inPieces(db, each(ids, cancel)).then(() => changed())
        )
        changed()
      }),

    saveElsewhere: elsewhere.saveElsewhere,

    /** Begins anew what has ended, whatever came of it; what waits goes at once. @throws AppFailure `gone`. */
    again: (accountId: string, ids: readonly string[]): Promise<void> =>
      ended.again(
        accountId,
        ids.map((id) => own(accountId, id))
      ),
    againAll: ended.againAll,
    clear: ended.clear,

    /** Where the file of a finished one is: for the main process only. @throws AppFailure `gone`. */
    pathOf(accountId: string, id: string): string {
      const { state, folderId, fileName } = own(accountId, id)
      if (state !== 'done' || fileName === undefined) fail('gone', 'There is no file of this download.')
      return folders.fileOf(folderId, fileName)
    },

    settings: settings.read,

    /** @throws AppFailure `gone` for the folder, `invalid` for a pattern that can't be used. */
    configure(changes: SettingsChange): DownloadSettings {
      if (changes.pattern !== undefined) insistOnPattern(changes.pattern)
      const after = settings.change(changes)
      queue.wake()
      changed()
      return after
    },

    preview: openPreview(effects).preview,
    check: checks.check,
    writeIndex: indexes.write,

    /** Begins to fetch, and to look for what rules want. */
    open(): void {
      queue.open()
      rules.start()
    },

    /** The line may be back, or an account is set otherwise. */
    lineChanged: queue.lineChanged,

    /** Another account may be chosen. */
    chosen: checks.leaveAllBut,

    /**
     * Removes an account while nothing of it is under way: a file that has its name by then is written down first. Where it
     * can't be removed its files go on. A disk that doesn't answer is waited for no longer than `LEAVING`.
     */
    whileEnded: <Answer>(accountId: string, remove: () => Promise<Answer>): Promise<Answer> =>
      queue.whileStill(accountId, async () => {
        const ended = queue.stop((download) => download.accountId === accountId, 'later')
        await within(LEAVING, ended, { after: (delay, task) => effects.schedule(task, delay) })
        return await remove()
      }),

    /** Begins nothing more, and breaks off what is under way, `limit` milliseconds at most. */
    async close(limit: number): Promise<void> {
      checks.leaveAllBut(undefined)
      const ended = Promise.all([queue.close(limit), rules.stop()]).then(async () => {
        await indexes.settled()
      })
      // A folder on a share that doesn’t answer any more must not keep the application from ending.
      await within(limit, ended, { after: (delay, task) => effects.schedule(task, delay) })
    }
  }
}
