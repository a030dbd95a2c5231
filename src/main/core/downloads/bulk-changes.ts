/**
 * Operations on many rows of the queue: queuing documents, retrying, clearing, cancelling, and saving into another
 * folder. Rows are written in chunks, with pauses for other work.
 */
import type { AddedDownloads, DecodedInput, DownloadChoice } from '../../../shared/contract/index.ts'
import type { AskDocuments, DocumentKey, DocumentSelection, IdentityCheck } from '../documents/questions.ts'
import { each, inSlices, type Sliced } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable, Stopped } from './downloads-table.ts'
import type { Runs } from './progress.ts'
import type { Queue } from './queue.ts'
import { stateOfFile } from './saved-files-check.ts'

export interface BulkChangesDeps {
  db: Db
  ask: AskDocuments
  table: DownloadsTable
  folders: DownloadFolders
  runs: Runs
  queue: Queue
  changed: () => void
  time: Pick<Time, 'now' | 'zone'>
  newId: () => string
}

/** How many documents are requested at a time. */
const PAGE = 5_000

export class BulkChanges {
  readonly #deps: BulkChangesDeps
  /** How often an account's whole queue was cancelled. */
  readonly #cancellations = new Map<string, number>()

  constructor(deps: BulkChangesDeps) {
    this.#deps = deps
  }

  /**
   * Queues many documents. Those that can't have any of the wanted files are only counted. @throws AppFailure `gone`
   * for the folder.
   */
  async add(
    accountId: string,
    selection: DecodedInput<'downloads.add'>['what'],
    { folderId, ...choice }: DownloadChoice & { folderId: string }
  ): Promise<AddedDownloads> {
    const { db, ask, folders, queue, changed, time } = this.#deps
    folders.pathOf(folderId)
    const cancellationsBefore = this.#cancellations.get(accountId)
    const isStopped = () => this.#cancellations.get(accountId) !== cancellationsBefore
    const some: DocumentSelection =
      'query' in selection
        ? selection
        : { documents: selection.references.map((reference) => ({ accountId, reference })) }
    const sum = { added: 0, alreadyQueued: 0, leftOut: 0 }
    let found = 0
    let after: DocumentKey | undefined
    queue.lanes.release(accountId)
    for (let isMore = true; isMore && !isStopped(); ) {
      const page = await ask('identityChecks', {
        accountId,
        some,
        after,
        limit: PAGE,
        now: time.now(),
        zone: time.zone()
      })
      isMore = page.length === PAGE
      after = page.at(-1)
      found += page.length
      const counts = await inTransactions(db, this.#addEach(page, folderId, choice, isStopped))
      for (const name of ['added', 'alreadyQueued', 'leftOut'] as const) sum[name] += counts[name]
      for (const laneAccountId of new Set(page.map((one) => one.accountId)))
        queue.added({ accountId: laneAccountId, folderId })
      changed()
    }
    // For unknown documents, neither a check nor completion is known, so they count as left out.
    if ('references' in selection && !isStopped()) sum.leftOut += new Set(selection.references).size - found
    return sum
  }

  /** Fetches downloads again, whatever their result; waiting ones are fetched now. */
  async retryEnded(accountId: string, downloads: readonly Download[]): Promise<void> {
    const { db, queue, changed } = this.#deps
    const intact = new Set<Download>()
    for (const download of downloads) if (await this.#isIntact(download)) intact.add(download)
    await inTransactions(db, this.#retry(downloads, intact))
    queue.lanes.release(accountId)
    for (const lane of new Map(downloads.map((one) => [one.folderId, one])).values()) queue.added(lane)
    changed()
  }

  retryFailed(accountId: string): Promise<void> {
    const { table } = this.#deps
    return this.#forEachStopped(accountId, 'failed', (ids) =>
      this.retryEnded(
        accountId,
        ids.flatMap((id) => table.find(id) ?? [])
      )
    )
  }

  /** Removes failed and cancelled downloads from the list. */
  async clear(accountId: string): Promise<void> {
    const { db, table, changed } = this.#deps
    for (const state of ['failed', 'cancelled'] as const) {
      await this.#forEachStopped(accountId, state, (ids) => inTransactions(db, each(ids, table.erase)))
    }
    changed()
  }

  /** Cancels everything waiting or in progress; anything still being queued is left out. */
  cancelAll(accountId: string): Promise<void> {
    const { db, table, queue, changed, time } = this.#deps
    this.#cancellations.set(accountId, (this.#cancellations.get(accountId) ?? 0) + 1)
    return queue.whileBlocked(accountId, async () => {
      await queue.stop((download) => download.accountId === accountId, 'cancel')
      const cancel = (id: string) => void table.stop(id, 'cancelled', undefined, time.now())
      await untilEmpty(
        () => table.waitingOf(accountId),
        (ids) => inTransactions(db, each(ids, cancel)).then(() => changed())
      )
      changed()
    })
  }

  /**
   * Saves what an account has queued for one folder into another, as a share may be away for days. Rules keep their
   * folders, and a file that is only fetched again stays in its folder, by which it is known. Anything already queued
   * for the other folder stays queued once.
   * @returns how many files are saved there instead.
   * @throws AppFailure `gone` for a folder.
   */
  relocate(accountId: string, from: string, to: string): Promise<number> {
    const { db, table, folders, queue, changed } = this.#deps
    return queue.whileBlocked(accountId, async () => {
      folders.pathOf(from)
      folders.pathOf(to)
      if (from === to) return 0
      const lane = { accountId, folderId: from }
      await queue.stop((download) => download.accountId === accountId && download.folderId === from, 'later')
      let moved = 0
      const move = (id: string) => {
        if (table.moveTo(id, to)) moved += 1
        else table.dequeue(id)
      }
      await untilEmpty(
        () => table.movable(lane),
        (ids) => inTransactions(db, each(ids, move))
      )
      queue.added({ accountId, folderId: to })
      changed()
      return moved
    })
  }

  *#addEach(
    checks: readonly IdentityCheck[],
    folderId: string,
    { types, pattern, writesIndex }: DownloadChoice,
    isStopped: () => boolean
  ): Sliced<AddedDownloads> {
    const { table, runs, newId, time } = this.#deps
    const counts = { added: 0, alreadyQueued: 0, leftOut: 0 }
    for (const { accountId, reference, name, isThere, completedAt } of checks) {
      if (isStopped()) return counts
      const requested = new Set(types.filter((type) => (type === 'signed' ? completedAt !== undefined : isThere)))
      if (requested.size === 0) counts.leftOut += 1
      for (const type of requested) {
        const what = { accountId, documentReference: reference, name, type, folderId, pattern, writesIndex }
        runs.beforeAdd(accountId)
        if (table.add({ id: newId(), ...what, queuedAt: time.now() })) counts.added += 1
        else counts.alreadyQueued += 1
      }
      yield
    }
    return counts
  }

  *#retry(downloads: Iterable<Download>, intact: ReadonlySet<Download>): Sliced<void> {
    const { table, runs, newId, time } = this.#deps
    for (const download of downloads) {
      runs.beforeAdd(download.accountId)
      runs.requeued(download)
      // An existing file stays known while it is fetched again, and if that fails.
      if (intact.has(download)) table.add({ ...download, id: newId(), queuedAt: time.now() })
      // If the same is queued already, the failed row isn't needed any more.
      else if (!table.requeue(download.id, time.now())) table.erase(download.id)
      yield
    }
  }

  /** Runs work for all failed or cancelled downloads, some at a time. */
  #forEachStopped(accountId: string, state: Stopped, work: (ids: string[]) => Promise<void>): Promise<void> {
    return untilEmpty(() => this.#deps.table.stoppedOf(accountId, state), work)
  }

  async #isIntact(download: Download): Promise<boolean> {
    return download.state === 'done' && (await stateOfFile(this.#deps.folders, download)) === 'intact'
  }
}

/** Writes each chunk of the work in one transaction. */
const inTransactions = <Answer>(db: Db, work: Sliced<Answer>): Promise<Answer> =>
  inSlices(work, (chunk) => db.transaction(chunk)())

/** Runs work for all items, some at a time; the work must remove items from what `next` returns. */
async function untilEmpty(next: () => string[], work: (ids: string[]) => Promise<void>): Promise<void> {
  for (let ids = next(); ids.length > 0; ids = next()) await work(ids)
}
