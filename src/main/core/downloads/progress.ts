/**
 * Download progress: how many files were fetched of those requested since the queue was last empty ("212 of 300", not
 * of all there ever were), the transfer rate, and the time left.
 */
import type { DownloadSummary } from '../../../shared/contract/index.ts'
import { getOrMake } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'

interface Run {
  startedAt: number
  done: number
  failed: number
}

export interface RunsDeps {
  table: Pick<DownloadsTable, 'counts' | 'oldestWaiting' | 'endedSince'>
  time: Pick<Time, 'now'>
}

/** For each account, the files requested since its queue was last empty. */
export class Runs {
  readonly #deps: RunsDeps
  readonly #runs = new Map<string, Run>()

  constructor(deps: RunsDeps) {
    this.#deps = deps
  }

  /** Call it before something is queued. */
  beforeAdd(accountId: string): void {
    const { table, time } = this.#deps
    if (table.counts(accountId).waiting > 0) this.#runOf(accountId)
    else this.#runs.set(accountId, { startedAt: time.now(), done: 0, failed: 0 })
  }

  ended(accountId: string, how: 'done' | 'failed'): void {
    this.#runOf(accountId)[how] += 1
  }

  /** Call it when a download is queued again: its earlier result no longer counts. */
  requeued({ accountId, state, finishedAt = 0 }: Download): void {
    const run = this.#runOf(accountId)
    if (finishedAt < run.startedAt || (state !== 'done' && state !== 'failed')) return
    run[state] = Math.max(0, run[state] - 1)
  }

  /** Returns undefined if there was none yet. */
  summary(accountId: string): DownloadSummary['run'] {
    const { done, failed } = this.#runOf(accountId)
    const of = done + failed + this.#deps.table.counts(accountId).waiting
    return of > 0 ? { done, failed, of } : undefined
  }

  /**
   * Returns the account's run. One left by an earlier run of the application is assumed to have started when the oldest
   * waiting file was requested.
   */
  #runOf(accountId: string): Run {
    const { table, time } = this.#deps
    return getOrMake(this.#runs, accountId, () => {
      const startedAt = table.oldestWaiting(accountId) ?? time.now()
      return { startedAt, ...table.endedSince(accountId, startedAt) }
    })
  }
}

/** The period over which the rate is measured, in milliseconds. */
const WINDOW = 5_000
const STEP = 250

/** The transfer rate over the last seconds. */
export class Speed {
  readonly #time: Pick<Time, 'elapsed'>
  /** Bytes per time step, oldest first. */
  #steps: { at: number; bytes: number }[] = []
  /** The average size of recent files, weighted towards the newest. */
  #usualSize: number | undefined

  constructor(time: Pick<Time, 'elapsed'>) {
    this.#time = time
  }

  addBytes(bytes: number): void {
    const now = this.#time.elapsed()
    const newest = this.#steps.at(-1)
    if (newest && now - newest.at < STEP) newest.bytes += bytes
    else {
      // Limits the list, as the rate may not be read for hours.
      if (this.#steps.length > (2 * WINDOW) / STEP) this.#steps = this.#steps.filter(({ at }) => now - at < WINDOW)
      this.#steps.push({ at: now, bytes })
    }
  }

  addFile(bytes: number): void {
    this.#usualSize = this.#usualSize === undefined ? bytes : this.#usualSize * 0.9 + bytes * 0.1
  }

  /** Returns bytes per second; undefined while nothing arrives. */
  perSecond(): number | undefined {
    const now = this.#time.elapsed()
    this.#steps = this.#steps.filter(({ at }) => now - at < WINDOW)
    const [first] = this.#steps
    if (!first) return undefined
    const sum = this.#steps.reduce((total, { bytes }) => total + bytes, 0)
    return (sum * 1000) / Math.max(1000, now - first.at)
  }

  /** Returns undefined if it can't be estimated. @param left bytes known to be left, and files of unknown size. */
  secondsLeft(left: { bytes: number; files: number }): number | undefined {
    const rate = this.perSecond()
    if (!rate || (left.files > 0 && this.#usualSize === undefined)) return undefined
    return Math.ceil((left.bytes + left.files * (this.#usualSize ?? 0)) / rate)
  }
}
