/**
 * Fetches what waits, some at a time, and writes down what came of each. On the disk a file waits until it is done, so an end
 * at any moment loses nothing: what was under way begins again. What one file met that all would meet pauses all.
 */
import type { AppError, ErrorCode } from '../../../shared/contract/index.ts'
import { Turns } from '../jobs/lanes.ts'
import { Attempts, troubleOf } from '../jobs/retry-policy.ts'
import type { Time } from '../lib/time.ts'
import { backoff, within } from '../lib/time.ts'
import { BatchCommit } from '../storage/batch-commit.ts'
import type { Db } from '../storage/connection.ts'
import type { Download, KeptDownload, Lane } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import { Lanes, type Running } from './lanes.ts'
import type { Speed } from './progress.ts'

export interface UnderWay {
  signal: AbortSignal
  /** Bytes in all, if the service says it. */
  expect: (total: number) => void
  came: (bytes: number) => void
  /** All has come; what is left is the disk's. */
  arrived: () => void
}

export interface QueueDeps {
  db: Db
  table: DownloadsTable
  speed: Speed
  time: Time
  /** Fetches one file and puts it in its place, whole or not at all; or says why it waits, or nothing where it isn't in line any more. */
  fetchFile: (download: Download, underWay: UnderWay) => Promise<KeptDownload | Waits | undefined>
  /** Makes the names of files last that are there. Never rejects. */
  settle: (ended: readonly Ended[]) => Promise<void>
  /** A file is there, and is written down as such in the transaction that this is called in. */
  kept: (download: Download, kept: KeptDownload) => void
  /** It is given up. */
  gaveUp: (download: Download, error: AppError) => void
  describe: (error: unknown) => AppError
  /** How many at once. */
  concurrency: () => number
  isPaused: () => boolean
  changed: (id?: string) => void
  /** Called when nothing moves and nothing could. */
  rested: () => void
}

/** Nothing is wrong with it, but others come first. */
export interface Waits {
  why: AppError
  /** Until it is looked at again, in milliseconds. */
  ms: number
}

/** A file that is in its place. */
interface Ended {
  download: Download
  kept: KeptDownload
}

/** How long a file that broke waits at first, in milliseconds. */
const FIRST_WAIT = 5_000
/** How long an account or a folder pauses at first, in milliseconds. */
const FIRST_PAUSE = { account: 1_000, folder: 5_000 }

export class Queue {
  readonly lanes: Lanes
  readonly #deps: QueueDeps
  readonly #running = new Map<string, Running>()
  readonly #attempts: Attempts
  readonly #commits: BatchCommit<Ended>
  readonly #turns: Turns
  #state: 'closed' | 'open' | 'over' = 'closed'

  constructor(deps: QueueDeps) {
    const { db, table, time, concurrency, kept } = deps
    this.#deps = deps
    this.lanes = new Lanes({ table, time, concurrency, running: this.#running })
    this.#turns = new Turns(time, () => this.#turn())
    this.#attempts = new Attempts(time)
    this.#commits = new BatchCommit({
      settle: (ended) => deps.settle(ended),
      write: db.transaction((ended: readonly Ended[]) => {
        for (const one of ended) if (table.done(one.download, one.kept, time.now())) kept(one.download, one.kept)
      }),
      areOthersComing: () => [...this.#running.values()].some(({ isKept }) => !isKept),
      time
    })
  }

  running(id: string): Running | undefined {
    return this.#running.get(id)
  }

  /** Whether any is under way, of whichever account. */
  isRunning(): boolean {
    return this.#running.size > 0
  }

  runningOf(accountId: string): Running[] {
    return [...this.#running.values()].filter(({ download }) => download.accountId === accountId)
  }

  /** Begins to fetch. */
  open(): void {
    this.#state = 'open'
    for (const lane of this.#deps.table.lanes()) this.lanes.add(lane)
    this.wake()
  }

  /** Something of this lane waits now. */
  added(lane: Lane): void {
    this.lanes.add(lane)
    this.wake()
  }

  /** Begins what can be begun, once all that is happening just now has happened. */
  wake(): void {
    if (this.#state === 'open') this.#turns.wake()
  }

  /** What waits, of an account, is looked at now: all of it, or what waits because of such an error. */
  hurry(accountId: string, code?: ErrorCode): void {
    for (const lane of this.lanes.all()) if (lane.accountId === accountId) this.#deps.table.hurry(lane, code)
    this.wake()
  }

  /** What waited to be online, for a person or for a folder is tried now. */
  connectionChanged(): void {
    this.lanes.release()
    try {
      for (const lane of this.lanes.all()) this.#deps.table.hurry(lane)
    } catch {
      // It goes when its own time comes.
    }
    this.wake()
  }

  /** Breaks off what is meant. Resolves once nothing of it is under way any more. */
  async stop(meant: (download: Download) => boolean, stoppedFor: 'cancel' | 'later'): Promise<void> {
    const ends = [...this.#running.values()]
      .filter(({ download }) => meant(download))
      .map((current) => {
        current.stoppedFor ??= stoppedFor
        current.abort.abort()
        return current.ended
      })
    this.#commits.flush()
    await Promise.all(ends)
  }

  /** Does something with all of an account, while nothing of it is begun. */
  whileStill<Answer>(accountId: string, work: () => Promise<Answer>): Promise<Answer> {
    return this.lanes.whileStill(accountId, work).finally(() => this.wake())
  }

  /** Begins nothing more, and breaks off what is under way: it goes on in the next run. */
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
    if (this.#state !== 'open') return
    try {
      this.#fill()
    } catch {
      // The database can't be read just now.
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
        if (this.#running.size === 0) this.#deps.rested()
        return
      }
    }
  }

  #begin(download: Download): void {
    const { changed } = this.#deps
    const abort = new AbortController()
    const current: Running = { download, bytes: 0, abort, hasArrived: false, isKept: false, ended: Promise.resolve() }
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
    const { speed, fetchFile, describe, changed, table, time } = this.#deps
    try {
      const kept = await fetchFile(download, {
        signal: abort.signal,
        expect: (total) => {
          current.total = total
        },
        came: (bytes) => {
          current.bytes += bytes
          speed.came(bytes)
          changed(download.id)
        },
        arrived: () => {
          current.hasArrived = true
          this.wake()
        }
      })
      if (!kept) return
      if ('why' in kept) return table.delay(download.id, kept.why, false, time.now() + kept.ms)
      current.hasArrived = true
      current.isKept = true
      this.wake()
      await this.#commits.add({ download, kept })
      // What another workstation has saved says nothing of the service.
      if (kept.desk !== undefined) return
      this.#attempts.wentWell(download)
      this.lanes.accounts.clear(download.accountId)
      this.lanes.folders.clear(download.folderId)
      speed.whole(kept.bytes)
    } catch (error) {
      try {
        this.#failed(current, error)
      } catch {
        // The disk that could not take the file can't take this either: it stays queued.
        this.#pause('folder', download, describe(error))
      }
    }
  }

  #pause(what: 'account' | 'folder', { accountId, folderId }: Download, error: AppError): void {
    const how = { error, first: FIRST_PAUSE[what], atLeast: error.retryAfterMs ?? 0 }
    if (what === 'account') this.lanes.accounts.failed(accountId, how)
    else this.lanes.folders.failed(folderId, how)
  }

  #failed({ download, abort, stoppedFor }: Running, thrown: unknown): void {
    const { id, accountId, folderId } = download
    const { table, time, describe } = this.#deps
    if (abort.signal.aborted) {
      if (stoppedFor === 'cancel') table.stop(id, 'cancelled', undefined, time.now())
      return
    }
    const error = describe(thrown)
    const trouble = troubleOf(thrown, error)
    // If the folder takes others, something is wrong with this one's own place in it.
    const counts =
      trouble === 'attempt'
        ? this.#attempts.isItsOwnFault(download)
        : trouble === 'folder' && this.lanes.folders.of(folderId) === undefined
    const tries = download.attempts + (counts ? 1 : 0)
    if (trouble === 'account') this.lanes.accounts.block(accountId, error)
    else if (trouble === 'final') this.lanes.accounts.clear(accountId)
    else this.#pause(trouble === 'folder' ? 'folder' : 'account', download, error)
    const mayEnd = counts || trouble === 'attempt'
    if (trouble === 'final' || (mayEnd && this.#attempts.isEnough(download, tries))) this.#giveUp(download, error)
    else {
      // Another goes first then, and shows whether all would meet the same.
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
