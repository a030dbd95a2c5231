/**
 * ID-verification data on its way to disk: a queue that outlives the application, rules that fill it, and what is known of
 * the files that came of it. Files are whole or not there at all, and never take another's place.
 */
import { join } from 'node:path'
import {
  type AddedDownloads,
  type AppError,
  DocumentQuery,
  type DownloadChoice,
  type DownloadSettings,
  type DownloadSummary,
  type DownloadView,
  type PatternPreview
} from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit-record.ts'
import type { AskDesk, DocumentKey, IdentityCheck, Some } from '../documents/desk-questions.ts'
import { fail } from '../failure.ts'
import { within } from '../outbox/patience.ts'
import { inSlices, type Sliced } from '../slices.ts'
import type { Db } from '../storage/connection.ts'
import { openChecks } from './checks.ts'
import { openDownloadFolders } from './download-folders.ts'
import { type Download, type KeptDownload, openDownloadsTable, type Stopped } from './downloads-table.ts'
import { type FetchingParts, openFetching } from './fetching.ts'
import { openHolds } from './holds.ts'
import { openIndexes } from './indexes.ts'
import { openListing } from './listing.ts'
import { namePartsOf } from './name-facts.ts'
import { parsePattern, relativePath } from './name-pattern.ts'
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
  ask: AskDesk
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

/** Documents of the account by their references, or all that a query finds. */
export type ManyDocuments = { references: string[] } | { query: DocumentQuery }

const PAGE = 5_000
/** In milliseconds. */
const LEAVING = 5_000
/** As many documents show what a pattern makes of them. */
const EXAMPLES = 5

export type Downloads = ReturnType<typeof openDownloads>

export function openDownloads(effects: DownloadEffects) {
  const { db, ask, clock, zone, newId } = effects
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
  /** How often all of an account was stopped. */
  const stops = new Map<string, number>()
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

  function own(accountId: string, id: string): Download {
    const download = table.find(id)
    return download?.accountId === accountId ? download : fail('gone', 'This download is no longer in the list.')
  }

  /** Writes many with pauses, each piece of them whole. */
  const inPieces = <Answer>(work: Sliced<Answer>) => inSlices(work, (piece) => db.transaction(piece)())

  function* addAll(
    checks: readonly IdentityCheck[],
    folderId: string,
    choice: DownloadChoice,
    isStopped: () => boolean
  ): Sliced<AddedDownloads> {
    const counts = { added: 0, alreadyQueued: 0, withoutIdentity: 0 }
    for (const { accountId, reference, name, isThere } of checks) {
      if (isStopped()) return counts
      if (!isThere) counts.withoutIdentity += 1
      for (const type of isThere ? new Set(choice.types) : []) {
        const { pattern, writesIndex } = choice
        const what = { accountId, documentReference: reference, name, type, folderId, pattern, writesIndex }
        runs.adding(accountId)
        if (table.add({ id: newId(), ...what, queuedAt: clock() })) counts.added += 1
        else counts.alreadyQueued += 1
      }
      yield
    }
    return counts
  }

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
    await inPieces(againOf(downloads))
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

  function* each(ids: readonly string[], work: (id: string) => void): Sliced<void> {
    for (const id of ids) {
      work(id)
      yield
    }
  }

  async function exampleDocuments(accountId: string, references?: readonly string[]): Promise<string[]> {
    if (references && references.length > 0) return references.slice(0, EXAMPLES)
    const query = DocumentQuery.parse({ sort: { by: 'lastSigned', descending: true } })
    const page = { accountId, query, expanded: [], offset: 0, limit: 500, now: clock(), zone: zone() }
    const { rows } = await ask('list', page)
    const documents = rows.filter((row) => row.kind === 'document')
    const withIdentity = documents.filter((row) => row.idVerificationRequested || row.identity !== 'none')
    return (withIdentity.length > 0 ? withIdentity : documents).slice(0, EXAMPLES).map(({ reference }) => reference)
  }

  return {
    rules,
    folders,

    /** One document, as it is set. Where the same is in line already, that is answered. */
    start(accountId: string, reference: string, name: string, type: DownloadView['type']): DownloadView {
      const { folder, pattern, writesIndex } = settings.read()
      const id = newId()
      const what = { accountId, documentReference: reference, type, folderId: folder.id }
      runs.adding(accountId)
      const isNew = table.add({ id, ...what, name, pattern, writesIndex, queuedAt: clock() })
      const download = isNew ? table.find(id) : table.same(what)
      // A person asks for this one now.
      holds.release(accountId)
      queue.added(what)
      changed(download?.id)
      return listing.viewOf(download ?? own(accountId, id))
    },

    /** Many documents; those without an identity check are only counted. @throws AppFailure `gone` for the folder. */
    async add(
      accountId: string,
      what: ManyDocuments,
      { folderId, ...choice }: DownloadChoice & { folderId: string }
    ): Promise<AddedDownloads> {
      folders.pathOf(folderId)
      const begun = stops.get(accountId)
      const isStopped = () => stops.get(accountId) !== begun
      const some: Some =
        'query' in what ? what : { documents: what.references.map((reference) => ({ accountId, reference })) }
      const sum = { added: 0, alreadyQueued: 0, withoutIdentity: 0 }
      let found = 0
      let after: DocumentKey | undefined
      holds.release(accountId)
      for (let isMore = true; isMore && !isStopped(); ) {
        const asked = { accountId, some, after, limit: PAGE, now: clock(), zone: zone() }
        const page = await ask('identityChecks', asked)
        isMore = page.length === PAGE
        after = page.at(-1)
        found += page.length
        const counts = await inPieces(addAll(page, folderId, choice, isStopped))
        for (const name of ['added', 'alreadyQueued', 'withoutIdentity'] as const) sum[name] += counts[name]
        for (const lane of new Set(page.map((one) => one.accountId))) queue.added({ accountId: lane, folderId })
        changed()
      }
      // Of what isn't known here no check is known either.
      if ('references' in what && !isStopped()) sum.withoutIdentity += new Set(what.references).size - found
      return sum
    },

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
        stops.set(accountId, (stops.get(accountId) ?? 0) + 1)
        await queue.stop((download) => download.accountId === accountId, 'cancel')
        let ids = table.waitingOf(accountId)
        while (ids.length > 0) {
          await inPieces(each(ids, (id) => table.stop(id, 'cancelled', undefined, clock())))
          ids = table.waitingOf(accountId)
          changed()
        }
        changed()
      }),

    /** Begins anew what has ended, whatever came of it; what waits goes at once. */
    again: (accountId: string, ids: readonly string[]): Promise<void> =>
      again(
        accountId,
        ids.map((id) => own(accountId, id))
      ),

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
        await withStopped(accountId, state, (ids) => inPieces(each(ids, table.erase)))
      }
      changed()
    },

    /** Where the file of a finished one is: for the main process only. @throws AppFailure `gone`. */
    pathOf(accountId: string, id: string): string {
      const { state, folderId, fileName } = own(accountId, id)
      if (state !== 'done' || fileName === undefined) fail('gone', 'There is no file of this download.')
      return join(folders.pathOf(folderId), ...fileName.split('/'))
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

    async preview(
      accountId: string,
      { pattern, type, references }: { pattern: string; type: DownloadView['type']; references?: string[] | undefined }
    ): Promise<PatternPreview> {
      const parsed = parsePattern(pattern)
      if (!parsed.ok) return { examples: [], problem: parsed.problem }
      const named = { account: effects.accountName(accountId), type, otherwise: clock(), zone: zone() }
      const examples: PatternPreview['examples'] = []
      for (const reference of await exampleDocuments(accountId, references)) {
        const mirrored = await ask('get', { accountId, reference })
        if (!mirrored) continue
        const facts = namePartsOf({ ...named, reference, name: reference }, mirrored)
        examples.push({ documentName: facts.document, fileName: relativePath(parsed.pattern, facts).join('/') })
      }
      return { examples }
    },

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
        await within(LEAVING, ended, effects.schedule)
        return await remove()
      }),

    /** Begins nothing more, and breaks off what is under way, `limit` milliseconds at most. */
    async close(limit: number): Promise<void> {
      checks.leaveAllBut(undefined)
      await Promise.all([queue.close(limit), rules.stop()])
      await indexes.settled()
    }
  }
}

/** @throws AppFailure `invalid`. */
export function insistOnPattern(pattern: string): void {
  const parsed = parsePattern(pattern)
  if (!parsed.ok) fail('invalid', parsed.problem)
}
