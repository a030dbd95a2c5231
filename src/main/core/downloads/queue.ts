/**
 * Fetches what waits in line, some at a time, and writes down what came of each. On the disk a file waits until it is done,
 * so an end at any moment loses nothing: what was under way begins anew. What one file met that all would meet holds all.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { backoff, within } from '../outbox/patience.ts'
import type { Db } from '../storage/connection.ts'
import type { Download, DownloadsTable, KeptDownload, Lane } from './downloads-table.ts'
import type { Holds } from './holds.ts'
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

export interface Running {
  download: Download
  bytes: number
  total?: number
  abort: AbortController
  /** Nothing more is to come of it from the service: the next may be asked for while the disk is at work. */
  hasArrived: boolean
  /** It is in its place, and has only to be written down. */
  isKept: boolean
  /** Why it was broken off: a cancelled one is taken out of line, any other stays in it. */
  stoppedFor?: 'cancel' | 'later'
  ended: Promise<void>
}

/** What breaks again and again is given up after so many times. */
const MOST_ATTEMPTS = 8
/** How long a file that broke waits at first, in milliseconds. */
const FIRST_WAIT = 5_000
/** The wall clock may jump: nothing is slept longer, in milliseconds. */
const LONGEST_SLEEP = 60_000

/** So many at most are under way and not written down yet. */
const MOST_UNNOTED = 64

const keyOf = ({ accountId, folderId }: Lane) => `${accountId}\n${folderId}`

export type Queue = ReturnType<typeof openQueue>

export function openQueue(parts: QueueParts) {
  const { table, holds, speed, clock, changed } = parts
  const running = new Map<string, Running>()
  /** Where something waits, or may. */
  const lanes = new Map<string, Lane>()
  /** Accounts that nothing is begun of while much is changed of them. */
  const still = new Map<string, number>()
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
    while (hasRoom()) {
      const { next, wait } = first()
      if (next) begin(next)
      else {
        if (wait < Number.POSITIVE_INFINITY) sleep(wait)
        if (running.size === 0) parts.rested()
        return
      }
    }
  }

  /** Whether the service may be asked for another, and the disk isn't far behind. */
  function hasRoom(): boolean {
    let coming = 0
    let written = 0
    for (const { hasArrived, isKept } of running.values()) {
      if (!hasArrived) coming += 1
      else if (!isKept) written += 1
    }
    const most = parts.concurrency()
    return coming < most && written < most && running.size < MOST_UNNOTED
  }

  function sleep(milliseconds: number): void {
    cancelSleep()
    cancelSleep = parts.schedule(wake, Math.min(LONGEST_SLEEP, Math.max(1, milliseconds)))
  }

  /** What goes next, or how long until something may, in milliseconds. */
  function first(): { next?: Download; wait: number } {
    let next: Download | undefined
    let wait = Number.POSITIVE_INFINITY
    for (const [key, lane] of lanes) {
      if (still.has(lane.accountId)) continue
      const held = holds.left(lane)
      if (held > 0) wait = Math.min(wait, held)
      if (held > 0 || (holds.isTrying(lane) && isMoving(lane))) continue
      const head = table.heads(lane, running.size + 1).find(({ id }) => !running.has(id))
      if (!head) {
        if (!isMoving(lane)) lanes.delete(key)
      } else if (head.retryAt > clock()) wait = Math.min(wait, head.retryAt - clock())
      else if (!next || head.number < next.number) next = head
    }
    return next ? { next, wait } : { wait }
  }

  function isMoving(lane: Lane): boolean {
    return [...running.values()].some(
      ({ download }) => download.accountId === lane.accountId || download.folderId === lane.folderId
    )
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
    const counts = trouble === 'attempt' || (trouble === 'folder' && !holds.isHeld(folderId))
    const tries = download.attempts + 1
    if (trouble === 'account') holds.account(accountId, error)
    else if (trouble === 'folder') holds.folder(folderId, error)
    else if (trouble === 'final') holds.reached(accountId)
    else holds.line(accountId, error)
    if (trouble === 'final' || (counts && tries >= MOST_ATTEMPTS)) giveUp(download, error)
    else {
      // Another goes first then, and shows whether all would meet the same.
      const waits = counts || trouble === 'folder'
      const retryAt = waits ? clock() + backoff(FIRST_WAIT, tries, parts.random) : 0
      table.delay(id, error, counts, retryAt)
    }
  }

  function giveUp(download: Download, error: AppError): void {
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
      for (const lane of table.lanes()) lanes.set(keyOf(lane), lane)
      wake()
    },

    /** Something of this lane waits now. */
    added(lane: Lane): void {
      lanes.set(keyOf(lane), lane)
      wake()
    },

    lanesOf: (accountId: string): Lane[] => [...lanes.values()].filter((lane) => lane.accountId === accountId),

    wake,

    /** What waited for the line, for a person or for a folder is tried now. */
    lineChanged(): void {
      holds.release()
      try {
        for (const lane of lanes.values()) table.hurry(lane)
      } catch {
        // It goes when its own time comes.
      }
      wake()
    },

    /** Breaks off what is meant. Resolves once nothing of it is under way any more. */
    stop,

    /** Does something with all of an account, while nothing of it is begun. */
    async whileStill<Answer>(accountId: string, work: () => Promise<Answer>): Promise<Answer> {
      still.set(accountId, (still.get(accountId) ?? 0) + 1)
      try {
        return await work()
      } finally {
        const others = (still.get(accountId) ?? 1) - 1
        if (others > 0) still.set(accountId, others)
        else still.delete(accountId)
        wake()
      }
    },

    /** Begins nothing more, and breaks off what is under way: it goes on in the next run. */
    close(limit: number): Promise<void> {
      state = 'over'
      cancelSleep()
      return within(
        limit,
        stop(() => true, 'later'),
        parts.schedule
      )
    }
  }
}
