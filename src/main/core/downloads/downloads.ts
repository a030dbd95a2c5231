/**
 * Downloads ID-verification data and signed documents to disk: a persistent queue, rules that fill it, and records of
 * the saved files. Files are complete or not there at all, and never overwrite another file.
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
import type { Download, SavedDownload } from './download-rows.ts'
import { openDownloadsTable } from './downloads-table.ts'
import { type FetchingDeps, openFetching } from './fetching.ts'
import { openFolderIndexes } from './folder-index.ts'
import { openListing } from './listing.ts'
import { assertValidPattern, openPreview } from './name-pattern.ts'
import { Runs, Speed } from './progress.ts'
import { Queue } from './queue.ts'
import { openRules, type RulesDeps } from './rules.ts'
import { openSavedFilesCheck } from './saved-files-check.ts'
import { openDownloadSettings, type SettingsDeps } from './settings.ts'
import { SharedFiles, type SharedFilesDeps } from './shared-files.ts'

export interface DownloadsDeps
  extends Pick<FetchingDeps, 'clientOf' | 'accountName' | 'isDefaultFolder' | 'rightsOf'>,
    Pick<SettingsDeps, 'folder' | 'setFolder' | 'isFolderChosen' | 'organisation'>,
    Pick<SharedFilesDeps, 'exclusiveTasks' | 'sign'>,
    Pick<RulesDeps, 'views' | 'viewSavedBy' | 'folderNames' | 'onError' | 'verifications'> {
  db: Db
  ask: AskDocuments
  note: NoteInAudit
  /** Called with the changed download's id; null for several, the queue or a rule. About five times a second. */
  changed: (id: string | null) => void
  newId: () => string
  time: Time
}

/** How long removing an account waits for its downloads to end, in milliseconds. */
const REMOVAL_TIMEOUT = 5_000

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
  const shared = new SharedFiles({ ...deps, table, retryNow: (...which) => queue.retryNow(...which) })
  const fetching = openFetching({ ...deps, table, folders, shared })
  const { concurrency, isPaused } = settings
  const queue = new Queue({
    ...deps,
    table,
    speed,
    concurrency,
    isPaused,
    changed,
    saved,
    gaveUp,
    fetchFile(download, underWay) {
      assertMayDownload(download.accountId, [download.type])
      return fetching.fetchFile(download, underWay)
    },
    flushNames: fetching.flushNames,
    idle: indexes.writeDueIndexes
  })
  const savesSigned = (accountId: string) => deps.rightsOf(accountId).signedDocuments === 'yes'
  const rules = openRules({
    ...deps,
    folders,
    changed,
    savesSigned,
    added(lane) {
      queue.added(lane)
      deps.verifications.wake()
    },
    enqueue({ id: ruleId, folderId, pattern, writesIndex }, { accountId, reference, name }, type) {
      if (type === 'verification') return deps.verifications.add({ accountId, reference, name }, ruleId)
      // The organisation's settings override those of an older rule.
      const organisationSettings = settings.organised()
      const where = {
        folderId: organisationSettings.folder?.id ?? folderId,
        pattern: organisationSettings.pattern ?? pattern
      }
      const what = { accountId, documentReference: reference, name, type, ...where, writesIndex }
      runs.beforeAdd(accountId)
      table.add({ id: newId(), ...what, ruleId, queuedAt: time.now() })
    }
  })
  const listing = openListing({ table, folders, queue, runs, speed, isPaused, time })
  const bulk = new BulkChanges({ ...deps, table, folders, runs, queue, changed })

  function saved(download: Download, { fileName, sha256, workstation, sharedFolder }: SavedDownload): void {
    fetching.committed(download, fileName)
    runs.ended(download.accountId, 'done')
    const { documentReference, name: documentName, type, ruleId, folderId, writesIndex } = download
    const detail = { type, file: fileName, sha256, by: ruleId === undefined ? 'person' : 'rule' }
    const what = type === 'signed' ? 'signed-document-fetched' : 'identity-data-fetched'
    // A file saved by another workstation is in that one's audit trail.
    if (workstation === undefined) deps.note({ what, documentReference, documentName, detail })
    if (workstation === undefined && sharedFolder !== undefined)
      setImmediate(() => shared.reportSoon(download.accountId))
    if (ruleId !== undefined) rules.countFetched(ruleId)
    if (writesIndex) indexes.fileAdded(folderId)
  }

  function gaveUp({ accountId, ruleId }: Download, error: AppError): void {
    runs.ended(accountId, 'failed')
    if (ruleId !== undefined) rules.setProblem(ruleId, error)
  }

  function requireOwn(accountId: string, id: string): Download {
    const download = table.find(id)
    return download?.accountId === accountId ? download : fail('gone', 'This download is no longer in the list.')
  }

  /** @throws AppFailure `not-allowed` for signed documents, until someone has confirmed that one opened is signed. */
  function assertMayDownload(accountId: string, types: readonly RuleTask[]): void {
    if (!types.includes('signed') || savesSigned(accountId)) return
    fail('not-allowed', 'Downloading signed documents isn’t allowed for this account yet.', {
      next: 'Open one, check that it is the signed document, and allow downloads there.'
    })
  }

  return {
    folders,
    rules: {
      ...rules,
      /** @throws AppFailure `not-allowed`, and `gone` if the view or the folder doesn't exist. */
      async add(accountId: string, input: DecodedInput<'downloads.addRule'>): Promise<DownloadRule> {
        assertMayDownload(accountId, input.types)
        return rules.add(accountId, input)
      },
      /** @throws AppFailure `not-allowed` and `gone`. */
      change(accountId: string, id: string, changes: Omit<DecodedInput<'downloads.changeRule'>, 'id'>): DownloadRule {
        assertMayDownload(accountId, changes.types ?? [])
        return rules.change(accountId, id, changes)
      }
    },

    /**
     * Queues one document with the current settings. Returns the existing download if the same is queued already.
     * @throws AppFailure `not-allowed`.
     */
    start(accountId: string, reference: string, name: string, type: DownloadType): DownloadView {
      assertMayDownload(accountId, [type])
      const { folder, pattern, writesIndex } = settings.read()
      const id = newId()
      const what = { accountId, documentReference: reference, type, folderId: folder.id, pattern }
      runs.beforeAdd(accountId)
      const isNew = table.add({ id, ...what, name, writesIndex, queuedAt: time.now() })
      const download = isNew ? table.find(id) : table.findQueued(what)
      // The user wants this one now.
      queue.lanes.release(accountId)
      queue.added(what)
      changed(download?.id)
      return listing.viewOf(download ?? fail('gone', 'This download is no longer in the list.'))
    },

    /** Queues many documents. @throws AppFailure `not-allowed`, and `gone` for the folder. */
    async add(...[accountId, what, choice]: Parameters<BulkChanges['add']>): Promise<AddedDownloads> {
      assertMayDownload(accountId, choice.types)
      return bulk.add(accountId, what, choice)
    },
    list: listing.list,
    /** Returns the account that it belongs to. @throws AppFailure `gone`. */
    accountOf: (id: string): string =>
      table.find(id)?.accountId ?? fail('gone', 'This download is no longer in the list.'),
    summary: listing.summary,

    /** Pauses the queue, across restarts too. Downloads in progress are put back. */
    async pause(accountId: string): Promise<DownloadSummary> {
      settings.setPaused(true)
      await queue.stop(() => true, 'later')
      changed()
      return listing.summary(accountId)
    },

    /** Resumes the queue, and retries at once whatever waits for its time. */
    resume(accountId: string): DownloadSummary {
      settings.setPaused(false)
      queue.connectionChanged()
      changed()
      return listing.summary(accountId)
    },

    /** Removes it from the queue; does nothing if it has ended. */
    async cancel(accountId: string, id: string): Promise<void> {
      requireOwn(accountId, id)
      // If it finished just before, it is done.
      await queue.stop((download) => download.id === id, 'cancel')
      table.stop(id, 'cancelled', undefined, time.now())
      changed(id)
    },

    /** Also cancels anything still being queued. */
    cancelAll: (accountId: string): Promise<void> => bulk.cancelAll(accountId),

    relocate: (accountId: string, from: string, to: string): Promise<number> => bulk.relocate(accountId, from, to),

    /** Fetches ended downloads again, whatever their result; waiting ones now. @throws AppFailure `gone`. */
    retry: (accountId: string, ids: readonly string[]): Promise<void> =>
      bulk.retryEnded(
        accountId,
        ids.map((id) => requireOwn(accountId, id))
      ),
    retryFailed: (accountId: string): Promise<void> => bulk.retryFailed(accountId),
    /** Removes failed and cancelled downloads from the list. */
    clear: (accountId: string): Promise<void> => bulk.clear(accountId),

    /** Returns the path of a finished download's file, for the main process only. @throws AppFailure `gone`. */
    pathOf(accountId: string, id: string): string {
      const { state, folderId, fileName } = requireOwn(accountId, id)
      if (state !== 'done' || fileName === undefined) fail('gone', 'This download has no file.')
      return folders.fileOf(folderId, fileName)
    },

    settings: settings.read,

    /** @throws AppFailure `gone` for the folder, `invalid` for an unusable pattern. */
    configure(changes: DecodedInput<'downloads.configure'>): DownloadSettings {
      if (changes.pattern !== undefined) assertValidPattern(changes.pattern)
      const after = settings.change(changes)
      queue.wake()
      changed()
      return after
    },

    preview: openPreview(deps),
    check: check.check,
    writeIndex: indexes.write,

    /** Rewrites the indexes that files are gone from. */
    filesErased: (): void => indexes.writeDueIndexes(),

    /** Returns whether a file of any account is in progress. */
    isFetching: (): boolean => queue.isRunning(),

    /** Starts fetching, and looking for documents that rules want. */
    startFetching(): void {
      queue.start()
      rules.start()
    },

    /** Call it when the computer may be online again, or an account was changed. */
    connectionChanged: (): void => queue.connectionChanged(),

    /** Call it when other accounts may be shown, or may have more rights. */
    shown(accountIds: readonly string[]): void {
      check.cancelExcept(accountIds)
      rules.viewsChanged()
    },

    /**
     * Removes an account while none of its downloads is in progress; a file that has its name by then is stored first.
     * If it can't be removed, its downloads continue. An unresponsive disk is waited for no longer than `REMOVAL_TIMEOUT`.
     */
    whileStopped: <Answer>(accountId: string, remove: () => Promise<Answer>): Promise<Answer> =>
      queue.whileBlocked(accountId, async () => {
        const ended = queue.stop((download) => download.accountId === accountId, 'later')
        await within(REMOVAL_TIMEOUT, ended, time)
        return await remove()
      }),

    /** Starts nothing more, and stops downloads in progress, within `limit` milliseconds. */
    async close(limit: number): Promise<void> {
      check.cancelExcept([])
      const ended = Promise.all([queue.close(limit), rules.stop()]).then(async () => {
        await Promise.all([indexes.whenIdle(), shared.close()])
      })
      // A folder on an unresponsive share must not keep the application from ending.
      await within(limit, ended, time)
    }
  }
}

/** The shortest time between updates of the screens, in milliseconds. */
const NOTIFY_INTERVAL = 200

/**
 * Collects changes, so that the screens are notified at most about five times a second however much happens.
 * @param send is given the id if one download changed, else null.
 * @returns `changed`; called without an id if several have changed, or the queue itself.
 */
function throttled(send: (id: string | null) => void, time: Pick<Time, 'after'>): (id?: string) => void {
  let isScheduled = false
  let pendingId: string | null | undefined

  return (id) => {
    pendingId = id === undefined || (pendingId !== undefined && pendingId !== id) ? null : id
    if (isScheduled) return
    isScheduled = true
    time.after(NOTIFY_INTERVAL, () => {
      isScheduled = false
      const changed = pendingId ?? null
      pendingId = undefined
      send(changed)
    })
  }
}
