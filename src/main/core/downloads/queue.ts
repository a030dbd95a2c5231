/**
 * Fetches what waits in line, some at a time, and writes down what came of each. On the disk a file waits until it is done,
 * so an end at any moment loses nothing: what was under way begins anew. What one file met that all would meet holds all.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { backoff, within } from '../lib/retry.ts'
import type { Db } from '../storage/connection.ts'
import { openAttempts } from './attempts.ts'
import type { Download, KeptDownload, Lane } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import type { Holds } from './holds.ts'
import { openLine, type Running } from './line.ts'
import { openNoting } from './noting.ts'
import type { Speed } from './speed.ts'
import { troubleOf } from './trouble.ts'

export interface UnderWay {
  signal: AbortSignal
  /** Bytes in all, where the service says it. */
  expect: (total: number) => void
  came: (bytes: number) => void
  /** All has come; what is left is the disk's. */
  arrived: () => void
}

export interface QueueParts {
  db: Db
  table: DownloadsTable
  holds: Holds
  speed: Speed
  /** Fetches one file and puts it in its place, whole or not at all. */
  fetchFile: (download: Download, underWay: UnderWay) => Promise<KeptDownload>
  /** Makes the names of files last that are there. Never rejects. */
  settle: (ended: readonly { download: Download; kept: KeptDownload }[]) => Promise<void>
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
  clock: () => number
  /** From 0 to 1. */
  random: () => number
  schedule: (task: () => void, delay: number) => () => void
}

/** How long a file that broke waits at first, in milliseconds. */
const FIRST_WAIT = 5_000
/** The wall clock may jump: nothing is slept longer, in milliseconds. */
const LONGEST_SLEEP = 60_000

export type Queue = ReturnType<typeof openQueue>

export function openQueue(parts: QueueParts) {
  const { table, holds, speed, clock, changed } = parts
  const running = new Map<string, Running>()
  const line = openLine({ table, holds, running, clock, concurrency: parts.concurrency })
  const attempts = openAttempts(clock)
  let state: 'closed' | 'open' | 'over' = 'closed'
  let isPlanned = false
  let cancelSleep = () => {}
  const noting = openNoting({
    settle: (ended: readonly { download: Download; kept: KeptDownload }[]) => parts.settle(ended),
    write: parts.db.transaction((ended: readonly { download: Download; kept: KeptDownload }[]) => {
      for (const { download, kept } of ended) if (table.done(download, kept, clock())) parts.kept(download, kept)
    }),
    areOthersComing: () => [...running.values()].some(({ isKept }) => !isKept),
    schedule: parts.schedule
  })

  /** Begins what can be begun, once all that is happening just now has happened. */
  function wake(): void {
    if (isPlanned || state !== 'open') return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      if (state !== 'open') return
      try {
        fill()
      } catch {
        // The database can't be read just now.
        sleep(FIRST_WAIT)
      }
    })
  }

  function fill(): void {
    cancelSleep()
    if (parts.isPaused()) return
    while (line.hasRoom()) {
      const { next, wait } = line.first()
      if (next) begin(next)
      else {
        if (wait < Number.POSITIVE_INFINITY) sleep(wait)
        if (running.size === 0) parts.rested()
        return
      }
    }
  }

  function sleep(milliseconds: number): void {
    cancelSleep()
    cancelSleep = parts.schedule(wake, Math.min(LONGEST_SLEEP, Math.max(1, milliseconds)))
  }

  function begin(download: Download): void {
    const abort = new AbortController()
    const current: Running = { download, bytes: 0, abort, hasArrived: false, isKept: false, ended: Promise.resolve() }
    running.set(download.id, current)
    changed(download.id)
    current.ended = run(current).finally(() => {
      running.delete(download.id)
      changed(download.id)
      wake()
    })
  }

  async function run(current: Running): Promise<void> {
    const { download, abort } = current
    try {
      const kept = await parts.fetchFile(download, {
        signal: abort.signal,
        expect: (total) => {
          current.total = total
        },
        came: (bytes) => {
          current.bytes += bytes
          speed.came(bytes)
          changed(download.id)
        },
        arrived() {
          current.hasArrived = true
          wake()
        }
      })
      current.hasArrived = true
      current.isKept = true
      wake()
      await noting.note({ download, kept })
      attempts.wentWell(download)
      holds.reached(download.accountId)
      holds.took(download.folderId)
      speed.whole(kept.bytes)
    } catch (error) {
      try {
        failed(current, error)
      } catch {
        // The disk that could not take the file can't take this either: it stays in line.
        holds.folder(download.folderId, parts.describe(error))
      }
    }
  }

  function failed({ download, abort, stoppedFor }: Running, thrown: unknown): void {
    const { id, accountId, folderId } = download
    if (abort.signal.aborted) {
      if (stoppedFor === 'cancel') table.stop(id, 'cancelled', undefined, clock())
      return
    }
    const error = parts.describe(thrown)
    const trouble = troubleOf(thrown, error)
    // Where the folder takes others, something is wrong with this one's own place in it.
    const counts = trouble === 'attempt' ? attempts.isItsOwn(download) : trouble === 'folder' && !holds.isHeld(folderId)
    const tries = download.attempts + (counts ? 1 : 0)
    if (trouble === 'account') holds.account(accountId, error)
    else if (trouble === 'folder') holds.folder(folderId, error)
    else if (trouble === 'final') holds.reached(accountId)
    else holds.line(accountId, error)
    const mayEnd = counts || trouble === 'attempt'
    if (trouble === 'final' || (mayEnd && attempts.isEnough(download, tries))) giveUp(download, error)
    else {
      // Another goes first then, and shows whether all would meet the same.
      const waits = trouble === 'attempt' || trouble === 'folder'
      const retryAt = waits ? clock() + backoff(FIRST_WAIT, Math.max(1, tries), parts.random) : 0
      table.delay(id, error, counts, retryAt)
    }
  }

  function giveUp(download: Download, error: AppError): void {
    attempts.forget(download.id)
    if (table.stop(download.id, 'failed', error, clock())) parts.gaveUp(download, error)
  }

  function stop(meant: (download: Download) => boolean, stoppedFor: 'cancel' | 'later'): Promise<void> {
    const ends = [...running.values()]
      .filter(({ download }) => meant(download))
      .map((current) => {
        current.stoppedFor ??= stoppedFor
        current.abort.abort()
        return current.ended
      })
    noting.flush()
    return Promise.all(ends).then(() => undefined)
  }

  return {
    running: (id: string): Running | undefined => running.get(id),
    runningOf: (accountId: string): Running[] =>
      [...running.values()].filter(({ download }) => download.accountId === accountId),

    /** Begins to fetch. */
    open(): void {
      state = 'open'
      for (const lane of table.lanes()) line.add(lane)
      wake()
    },

    /** Something of this lane waits now. */
    added(lane: Lane): void {
      line.add(lane)
      wake()
    },

    lanesOf: (accountId: string): Lane[] => line.all().filter((lane) => lane.accountId === accountId),

    wake,

    /** What waited for the line, for a person or for a folder is tried now. */
    lineChanged(): void {
      holds.release()
      try {
        for (const lane of line.all()) table.hurry(lane)
      } catch {
        // It goes when its own time comes.
      }
      wake()
    },

    /** Breaks off what is meant. Resolves once nothing of it is under way any more. */
    stop,

    /** Does something with all of an account, while nothing of it is begun. */
    whileStill: <Answer>(accountId: string, work: () => Promise<Answer>): Promise<Answer> =>
      line.whileStill(accountId, work).finally(wake),

    /** Begins nothing more, and breaks off what is under way: it goes on in the next run. */
    close(limit: number): Promise<void> {
      state = 'over'
      cancelSleep()
      return within(
        limit,
        stop(() => true, 'later'),
        { after: (delay, task) => parts.schedule(task, delay) }
      )
    }
  }
}
