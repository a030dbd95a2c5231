/**
 * Fetches waiting downloads, some at a time, and records the result of each. A file stays `waiting` on disk until it is
 * done, so nothing is lost if the application ends: downloads in progress start again. An error that all files would
 * meet pauses all of them.
 */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { DispatchLoop } from '../jobs/lanes.ts'
import { Attempts, troubleOf } from '../jobs/retry-policy.ts'
import type { Time } from '../lib/time.ts'
import { backoff, within } from '../lib/time.ts'
import { BatchCommit } from '../storage/batch-commit.ts'
import type { Db } from '../storage/connection.ts'
import type { Download, Lane, SavedDownload } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { Lanes, type Running } from './lanes.ts'
import type { Speed } from './progress.ts'

export interface FetchContext {
  signal: AbortSignal
  /** Total bytes, if the service says. */
  expect: (total: number) => void
  received: (bytes: number) => void
  /** All bytes have arrived; only the disk has work left. */
  arrived: () => void
}

export interface QueueDeps {
  db: Db
  table: DownloadsTable
  speed: Speed
  time: Time
  /**
   * Fetches one file and puts it in its place, complete or not at all. Returns why it must wait, or undefined if it is
   * no longer queued.
   */
  fetchFile: (download: Download, underWay: FetchContext) => Promise<SavedDownload | Deferral | undefined>
  /** Makes the names of saved files durable. Never rejects. */
  flushNames: (ended: readonly FinishedDownload[]) => Promise<void>
  /** Called when a file is saved, in the transaction that records it. */
  saved: (download: Download, kept: SavedDownload) => void
  gaveUp: (download: Download, error: AppError) => void
  /** Returns how many may run at once. */
  concurrency: () => number
  isPaused: () => boolean
  changed: (id?: string) => void
  /** Called when nothing is in progress and nothing can start. */
  idle: () => void
}

/** A download that must wait although nothing is wrong with it. */
export interface Deferral {
  why: AppError
  /** How long until it is tried again, in milliseconds. */
  ms: number
}

/** A file that is in its place. */
interface FinishedDownload {
  download: Download
  saved: SavedDownload
}

/** How long a file waits after its first failure, in milliseconds. */
const FIRST_WAIT = 5_000
/** How long an account or a folder pauses after a first failure, in milliseconds. */
const FIRST_PAUSE = { account: 1_000, folder: 5_000 }

export class Queue {
  readonly lanes: Lanes
  readonly #deps: QueueDeps
  readonly #running = new Map<string, Running>()
  readonly #attempts: Attempts
  readonly #commits: BatchCommit<FinishedDownload>
  readonly #turns: DispatchLoop
  #state: 'unstarted' | 'started' | 'over' = 'unstarted'

  constructor(deps: QueueDeps) {
    const { db, table, time, concurrency, saved } = deps
    this.#deps = deps
    this.lanes = new Lanes({ table, time, concurrency, running: this.#running })
    this.#turns = new DispatchLoop(time, () => this.#turn())
    this.#attempts = new Attempts(time)
    this.#commits = new BatchCommit({
      finish: (ended) => deps.flushNames(ended),
      write: db.transaction((ended: readonly FinishedDownload[]) => {
        for (const one of ended) if (table.markDone(one.download, one.saved, time.now())) saved(one.download, one.saved)
      }),
      expectsMore: () => [...this.#running.values()].some(({ isSaved }) => !isSaved),
      time
    })
  }

  running(id: string): Running | undefined {
    return this.#running.get(id)
  }

  /** Returns whether a download of any account is in progress. */
  isRunning(): boolean {
    return this.#running.size > 0
  }

  runningOf(accountId: string): Running[] {
    return [...this.#running.values()].filter(({ download }) => download.accountId === accountId)
  }

  start(): void {
    this.#state = 'started'
    for (const lane of this.#deps.table.lanes()) this.lanes.add(lane)
    this.wake()
  }

  added(lane: Lane): void {
    this.lanes.add(lane)
    this.wake()
  }

  /** Starts what can be started, once the current events are handled. */
  wake(): void {
    if (this.#state === 'started') this.#turns.wake()
  }

  /** Retries an account's waiting downloads now: all of them, or those that wait because of such an error. */
  retryNow(accountId: string, code?: ErrorCode): void {
    for (const lane of this.lanes.all()) if (lane.accountId === accountId) this.#deps.table.retryNow(lane, code)
    this.wake()
  }

  /** Retries what waited for the network, a person or a folder. */
  connectionChanged(): void {
    this.lanes.release()
    try {
      for (const lane of this.lanes.all()) this.#deps.table.retryNow(lane)
    } catch {
      // They go when their own time comes.
    }
    this.wake()
  }

  /** Stops the given downloads. Resolves once none of them is in progress. */
  async stop(matches: (download: Download) => boolean, stoppedFor: 'cancel' | 'later'): Promise<void> {
    const ends = [...this.#running.values()]
      .filter(({ download }) => matches(download))
      .map((current) => {
        current.stoppedFor ??= stoppedFor
        current.abort.abort()
        return current.ended
      })
    this.#commits.flush()
    await Promise.all(ends)
  }

  /** Runs work on all of an account's downloads while none is started. */
  whileBlocked<Answer>(accountId: string, work: () => Promise<Answer>): Promise<Answer> {
    return this.lanes.whileBlocked(accountId, work).finally(() => this.wake())
  }

  /** Starts nothing more, and stops downloads in progress; they continue in the next run. */
  close(limit: number): Promise<void> {
    this.#state = 'over'
    this.#turns.stopSleeping()
    return within(
      limit,
      this.stop(() => true, 'later'),
      this.#deps.time
    )
  }

  #turn(): void {
    if (this.#state !== 'started') return
    try {
      this.#fill()
    } catch {
      // The database can't be read at the moment.
      this.#turns.sleep(FIRST_WAIT)
    }
  }

  #fill(): void {
    this.#turns.stopSleeping()
    if (this.#deps.isPaused()) return
    while (this.lanes.hasRoom()) {
      const { next, wait } = this.lanes.first()
      if (next) this.#begin(next)
      else {
        if (wait < Number.POSITIVE_INFINITY) this.#turns.sleep(wait)
        if (this.#running.size === 0) this.#deps.idle()
        return
      }
    }
  }

  #begin(download: Download): void {
    const { changed } = this.#deps
    const abort = new AbortController()
    const current: Running = { download, bytes: 0, abort, hasArrived: false, isSaved: false, ended: Promise.resolve() }
    this.#running.set(download.id, current)
    changed(download.id)
    current.ended = this.#run(current).finally(() => {
      this.#running.delete(download.id)
      changed(download.id)
      this.wake()
    })
  }

  async #run(current: Running): Promise<void> {
    const { download, abort } = current
    const { speed, fetchFile, changed, table, time } = this.#deps
    try {
      const result = await fetchFile(download, {
        signal: abort.signal,
        expect: (total) => {
          current.total = total
        },
        received: (bytes) => {
          current.bytes += bytes
          speed.addBytes(bytes)
          changed(download.id)
        },
        arrived: () => {
          current.hasArrived = true
          this.wake()
        }
      })
      if (!result) return
      if ('why' in result) return table.delay(download.id, result.why, false, time.now() + result.ms)
      current.hasArrived = true
      current.isSaved = true
      this.wake()
      await this.#commits.add({ download, saved: result })
      // A file saved by another workstation says nothing about the service.
      if (result.workstation !== undefined) return
      this.#attempts.recordSuccess(download)
      this.lanes.accounts.clear(download.accountId)
      this.lanes.folders.clear(download.folderId)
      speed.addFile(result.bytes)
    } catch (error) {
      try {
        this.#failed(current, error)
      } catch {
        // The disk that couldn't take the file can't take this either: it stays queued.
        this.#pause('folder', download, asAppError(error))
      }
    }
  }

  #pause(what: 'account' | 'folder', { accountId, folderId }: Download, error: AppError): void {
    const how = { error, first: FIRST_PAUSE[what], atLeast: error.retryAfterMs ?? 0 }
    if (what === 'account') this.lanes.accounts.recordFailure(accountId, how)
    else this.lanes.folders.recordFailure(folderId, how)
  }

  #failed({ download, abort, stoppedFor }: Running, thrown: unknown): void {
    const { id, accountId, folderId } = download
    const { table, time } = this.#deps
    if (abort.signal.aborted) {
      if (stoppedFor === 'cancel') table.stop(id, 'cancelled', undefined, time.now())
      return
    }
    const error = asAppError(thrown)
    const trouble = troubleOf(thrown, error)
    // If the folder accepts other files, something is wrong with this one's own path in it.
    const counts =
      trouble === 'attempt'
        ? this.#attempts.recordFailure(download)
        : trouble === 'folder' && this.lanes.folders.of(folderId) === undefined
    const tries = download.attempts + (counts ? 1 : 0)
    if (trouble === 'account') this.lanes.accounts.block(accountId, error)
    else if (trouble === 'final') this.lanes.accounts.clear(accountId)
    else this.#pause(trouble === 'folder' ? 'folder' : 'account', download, error)
    const mayEnd = counts || trouble === 'attempt'
    if (trouble === 'final' || (mayEnd && this.#attempts.isExhausted(download, tries))) this.#giveUp(download, error)
    else {
      // Another one is tried first then, which shows whether all would fail.
      const waits = trouble === 'attempt' || trouble === 'folder'
      const retryAt = waits ? time.now() + backoff(FIRST_WAIT, Math.max(1, tries), time.random) : 0
      table.delay(id, error, counts, retryAt)
    }
  }

  #giveUp(download: Download, error: AppError): void {
    this.#attempts.forget(download.id)
    const { table, time, gaveUp } = this.#deps
    if (table.stop(download.id, 'failed', error, time.now())) gaveUp(download, error)
  }
}
