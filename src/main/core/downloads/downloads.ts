/**
 * ID-verification data and signed documents on their way to disk: a queue that outlives the application, rules that fill it, and what is known of
 * the files that came of it. Files are whole or not there at all, and never take another's place.
 */
import type {
  AddedDownloads,
  AppError,
  DecodedInput,
  DownloadRule,
  DownloadSettings,
  DownloadSummary,
  DownloadType,
  DownloadView,
  RuleTask
} from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import type { AskDocuments } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import { within } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { BulkChanges } from './bulk-changes.ts'
import { openDownloadFolders } from './download-folders.ts'
import type { Download, KeptDownload } from './download-rows.ts'
import { openDownloadsTable } from './downloads-table.ts'
import { type FetchingDeps, openFetching } from './fetching.ts'
import { openFolderIndexes } from './folder-index.ts'
import { openListing } from './listing.ts'
import { insistOnPattern, openPreview } from './name-pattern.ts'
import { Runs, Speed } from './progress.ts'
import { Queue } from './queue.ts'
import { openRules, type RulesDeps } from './rules.ts'
import { openSavedFilesCheck } from './saved-files-check.ts'
import { openDownloadSettings, type SettingsDeps } from './settings.ts'
import { SharedFiles, type SharedFilesDeps } from './shared-files.ts'

export interface DownloadsDeps
  extends Pick<FetchingDeps, 'clientOf' | 'accountName' | 'isUsualFolder' | 'rightsOf'>,
    Pick<SettingsDeps, 'folder' | 'setFolder' | 'isFolderChosen' | 'organisation'>,
    Pick<SharedFilesDeps, 'once' | 'sign'>,
    Pick<RulesDeps, 'views' | 'viewSavedBy' | 'folderNames' | 'failed' | 'verifications'> {
  db: Db
  ask: AskDocuments
  describe: (error: unknown) => AppError
  note: NoteInAudit
  /** Told the id of the one that changed, or null for more than one, the queue, or a rule; some five times a second. */
  changed: (id: string | null) => void
  newId: () => string
  time: Time
}

/** In milliseconds. */
const LEAVING = 5_000

export type Downloads = ReturnType<typeof openDownloads>

export function openDownloads(deps: DownloadsDeps) {
  const { db, newId, time } = deps
  const table = openDownloadsTable(db)
  const folders = openDownloadFolders({ db, newId })
  const settings = openDownloadSettings({ ...deps, folders })
  const speed = new Speed(time)
  const runs = new Runs({ table, time })
  const changed = throttled(deps.changed, time)
  const indexes = openFolderIndexes({ ...deps, table, folders })
  const check = openSavedFilesCheck({ table, folders, time })
  const shared = new SharedFiles({ ...deps, table, hurry: (...which) => queue.hurry(...which) })
  const fetching = openFetching({ ...deps, table, folders, shared })
  const { concurrency, isPaused } = settings
  const queue = new Queue({
    ...deps,
    ...{ table, speed, concurrency, isPaused, changed, kept, gaveUp },
    fetchFile(download, underWay) {
      insistOnRight(download.accountId, [download.type])
      return fetching.fetchFile(download, underWay)
    },
    settle: fetching.settle,
    rested: indexes.rested
  })
  const savesSigned = (accountId: string) => deps.rightsOf(accountId).signedDocuments === 'yes'
  const rules = openRules({
    ...deps,
    ...{ folders, changed, savesSigned },
    added(lane) {
      queue.added(lane)
      deps.verifications.wake()
    },
    enqueue({ id: ruleId, folderId, pattern, writesIndex }, { accountId, reference, name }, type) {
      if (type === 'verification') return deps.verifications.add({ accountId, reference, name }, ruleId)
      // A rule that is older than the organisation's word goes by it, too.
      const set = settings.organised()
      const where = { folderId: set.folder?.id ?? folderId, pattern: set.pattern ?? pattern }
      const what = { accountId, documentReference: reference, name, type, ...where, writesIndex }
      runs.adding(accountId)
      table.add({ id: newId(), ...what, ruleId, queuedAt: time.now() })
    }
  })
  const listing = openListing({ table, folders, queue, runs, speed, isPaused, time })
  const bulk = new BulkChanges({ ...deps, table, folders, runs, queue, changed })

  function kept(download: Download, { fileName, sha256, desk, sharedFolder }: KeptDownload): void {
    fetching.committed(download, fileName)
    runs.ended(download.accountId, 'done')
    const { documentReference, name: documentName, type, ruleId, folderId, writesIndex } = download
    const detail = { type, file: fileName, sha256, by: ruleId === undefined ? 'person' : 'rule' }
    const what = type === 'signed' ? 'signed-document-fetched' : 'identity-data-fetched'
    // What another workstation has saved is in that one's audit trail.
    if (desk === undefined) deps.note({ what, documentReference, documentName, detail })
    if (desk === undefined && sharedFolder !== undefined) setImmediate(() => shared.soon(download.accountId))
    if (ruleId !== undefined) rules.brought(ruleId)
    if (writesIndex) indexes.came(folderId)
  }

  function gaveUp({ accountId, ruleId }: Download, error: AppError): void {
    runs.ended(accountId, 'failed')
    if (ruleId !== undefined) rules.trouble(ruleId, error)
  }

  function own(accountId: string, id: string): Download {
    const download = table.find(id)
    return download?.accountId === accountId ? download : fail('gone', 'This download is no longer in the list.')
  }

  /** @throws AppFailure `not-allowed` for signed documents where nobody has said that what was looked at is one. */
  function insistOnRight(accountId: string, types: readonly RuleTask[]): void {
    if (!types.includes('signed') || savesSigned(accountId)) return
    fail('not-allowed', 'Downloading signed documents isn’t allowed for this account yet.', {
      next: 'Open one, check that it is the signed document, and allow downloads there.'
    })
  }

  return {
    folders,
    rules: {
      ...rules,
      /** @throws AppFailure `not-allowed`, and `gone` where the view or the folder isn't known. */
      async add(accountId: string, input: DecodedInput<'downloads.addRule'>): Promise<DownloadRule> {
        insistOnRight(accountId, input.types)
        return rules.add(accountId, input)
      },
      /** @throws AppFailure `not-allowed` and `gone`. */
      change(accountId: string, id: string, changes: Omit<DecodedInput<'downloads.changeRule'>, 'id'>): DownloadRule {
        insistOnRight(accountId, changes.types ?? [])
        return rules.change(accountId, id, changes)
      }
    },

    /** One document, as it is set. If the same is queued already, that is answered. @throws AppFailure `not-allowed`. */
    start(accountId: string, reference: string, name: string, type: DownloadType): DownloadView {
      insistOnRight(accountId, [type])
      const { folder, pattern, writesIndex } = settings.read()
      const id = newId()
      const what = { accountId, documentReference: reference, type, folderId: folder.id }
      runs.adding(accountId)
      const isNew = table.add({ id, ...what, name, pattern, writesIndex, queuedAt: time.now() })
      const download = isNew ? table.find(id) : table.same(what)
      // A person asks for this one now.
      queue.lanes.release(accountId)
      queue.added(what)
      changed(download?.id)
      return listing.viewOf(download ?? fail('gone', 'This download is no longer in the list.'))
    },

    /** Many documents. @throws AppFailure `not-allowed`, and `gone` for the folder. */
    async add(...[accountId, what, choice]: Parameters<BulkChanges['add']>): Promise<AddedDownloads> {
      insistOnRight(accountId, choice.types)
      return bulk.add(accountId, what, choice)
    },
    list: listing.list,
    /** Which account it belongs to. @throws AppFailure `gone`. */
    accountOf: (id: string): string =>
      table.find(id)?.accountId ?? fail('gone', 'This download is no longer in the list.'),
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
      queue.connectionChanged()
      changed()
      return listing.summary(accountId)
    },

    /** Takes it out of the queue; nothing happens to one that has ended. */
    async cancel(accountId: string, id: string): Promise<void> {
      own(accountId, id)
      // One that came to its end just then is done.
      await queue.stop((download) => download.id === id, 'cancel')
      table.stop(id, 'cancelled', undefined, time.now())
      changed(id)
    },

    /** Also of what is still being queued. */
    cancelAll: (accountId: string): Promise<void> => bulk.cancelAll(accountId),

    relocate: (accountId: string, from: string, to: string): Promise<number> => bulk.relocate(accountId, from, to),

    /** Fetches again what has ended, whatever came of it; what waits goes at once. @throws AppFailure `gone`. */
    again: (accountId: string, ids: readonly string[]): Promise<void> =>
      bulk.retryEnded(
        accountId,
        ids.map((id) => own(accountId, id))
      ),
    /** Fetches again all that failed. */
    againAll: (accountId: string): Promise<void> => bulk.retryFailed(accountId),
    /** Takes what failed or was cancelled out of the list. */
    clear: (accountId: string): Promise<void> => bulk.clear(accountId),

    /** Where the file of a finished one is: for the main process only. @throws AppFailure `gone`. */
    pathOf(accountId: string, id: string): string {
      const { state, folderId, fileName } = own(accountId, id)
      if (state !== 'done' || fileName === undefined) fail('gone', 'This download has no file.')
      return folders.fileOf(folderId, fileName)
    },

    settings: settings.read,

    /** @throws AppFailure `gone` for the folder, `invalid` for a pattern that can't be used. */
    configure(changes: DecodedInput<'downloads.configure'>): DownloadSettings {
      if (changes.pattern !== undefined) insistOnPattern(changes.pattern)
      const after = settings.change(changes)
      queue.wake()
      changed()
      return after
    },

    preview: openPreview(deps),
    check: check.check,
    writeIndex: indexes.write,

    /** Files are gone from these folders: their indexes are written again. */
    filesErased(folderIds: readonly string[]): void {
      for (const id of folderIds) folders.indexIsDue(id)
      indexes.rested()
    },

    /** Whether a file is under way, of whichever account. */
    isFetching: (): boolean => queue.isRunning(),

    /** Begins to fetch, and to look for what rules want. */
    open(): void {
      queue.open()
      rules.start()
    },

    /** The computer may be online again, or an account was changed. */
    connectionChanged: (): void => queue.connectionChanged(),

    /** Other accounts may be shown, or may do more than before. */
    shown(accountIds: readonly string[]): void {
      check.leaveAllBut(accountIds)
      rules.viewsChanged()
    },

    /**
     * Removes an account while nothing of it is under way: a file that has its name by then is written down first. Where it
     * can't be removed its files go on. A disk that doesn't answer is waited for no longer than `LEAVING`.
     */
    whileEnded: <Answer>(accountId: string, remove: () => Promise<Answer>): Promise<Answer> =>
      queue.whileStill(accountId, async () => {
        const ended = queue.stop((download) => download.accountId === accountId, 'later')
        await within(LEAVING, ended, time)
        return await remove()
      }),

    /** Begins nothing more, and breaks off what is under way, `limit` milliseconds at most. */
    async close(limit: number): Promise<void> {
      check.leaveAllBut([])
      const ended = Promise.all([queue.close(limit), rules.stop()]).then(async () => {
        await Promise.all([indexes.settled(), shared.close()])
      })
      // A folder on a share that doesn’t answer any more must not keep the application from ending.
      await within(limit, ended, time)
    }
  }
}

/** Changes reach the screens at most this often, in milliseconds. */
const TELL_EVERY = 200

/**
 * Gathers what changed, so that the screens are told at most some five times a second however much happens.
 * @param send is given the id if one download changed, else null.
 * @returns `changed`; without an id more than one has, or the queue itself.
 */
function throttled(send: (id: string | null) => void, time: Pick<Time, 'after'>): (id?: string) => void {
  let isPlanned = false
  let gathered: string | null | undefined

  return (id) => {
    gathered = id === undefined || (gathered !== undefined && gathered !== id) ? null : id
    if (isPlanned) return
    isPlanned = true
    time.after(TELL_EVERY, () => {
      isPlanned = false
      const changed = gathered ?? null
      gathered = undefined
      send(changed)
    })
  }
}
