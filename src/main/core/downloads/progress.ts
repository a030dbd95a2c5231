/**
 * How far the downloads are: how many of those that were asked for since the queue was last empty ("212 of 300", not of all
 * there ever were), how quickly bytes come, and how long the rest takes at that.
 */
import type { DownloadSummary } from '../../../shared/contract/index.ts'
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

/** Of each account, the files that were asked for since its queue was last empty. */
export class Runs {
  readonly #deps: RunsDeps
  readonly #runs = new Map<string, Run>()

  constructor(deps: RunsDeps) {
    this.#deps = deps
  }

  /** To be called before something is queued. */
  adding(accountId: string): void {
    const { table, time } = this.#deps
    if (table.counts(accountId).waiting > 0) this.#of(accountId)
    else this.#runs.set(accountId, { startedAt: time.now(), done: 0, failed: 0 })
  }

  ended(accountId: string, how: 'done' | 'failed'): void {
    this.#of(accountId)[how] += 1
  }

  /** It is queued once more: what came of it before counts no longer. */
  again({ accountId, state, finishedAt = 0 }: Download): void {
    const run = this.#of(accountId)
    if (finishedAt < run.startedAt || (state !== 'done' && state !== 'failed')) return
    run[state] = Math.max(0, run[state] - 1)
  }

  /** Undefined if there was none yet. */
  summary(accountId: string): DownloadSummary['run'] {
    const { done, failed } = this.#of(accountId)
    const of = done + failed + this.#deps.table.counts(accountId).waiting
    return of > 0 ? { done, failed, of } : undefined
  }

  /** One that an earlier run of the application left began, as far as can be told, when what still waits was asked for. */
  #of(accountId: string): Run {
    const known = this.#runs.get(accountId)
    if (known) return known
    const { table, time } = this.#deps
    const startedAt = table.oldestWaiting(accountId) ?? time.now()
    const run = { startedAt, ...table.endedSince(accountId, startedAt) }
    this.#runs.set(accountId, run)
    return run
  }
}

/** Over so many milliseconds. */
const WINDOW = 5_000
const STEP = 250

/** How quickly bytes came over the last seconds. */
export class Speed {
  readonly #time: Pick<Time, 'elapsed'>
  /** Bytes by steps of time, oldest first. */
  #steps: { at: number; bytes: number }[] = []
  /** Of whole files lately, each the less the longer ago. */
  #usualSize: number | undefined

  constructor(time: Pick<Time, 'elapsed'>) {
    this.#time = time
  }

  came(bytes: number): void {
    const now = this.#time.elapsed()
    const newest = this.#steps.at(-1)
    if (newest && now - newest.at < STEP) newest.bytes += bytes
    else {
      // Nobody may ask for hours.
      if (this.#steps.length > (2 * WINDOW) / STEP) this.#steps = this.#steps.filter(({ at }) => now - at < WINDOW)
      this.#steps.push({ at: now, bytes })
    }
  }

  /** A file of this size is whole. */
  whole(bytes: number): void {
    this.#usualSize = this.#usualSize === undefined ? bytes : this.#usualSize * 0.9 + bytes * 0.1
  }

  /** Bytes a second; undefined while nothing comes. */
  perSecond(): number | undefined {
    const now = this.#time.elapsed()
    this.#steps = this.#steps.filter(({ at }) => now - at < WINDOW)
    const [first] = this.#steps
    if (!first) return undefined
    const sum = this.#steps.reduce((total, { bytes }) => total + bytes, 0)
    return (sum * 1000) / Math.max(1000, now - first.at)
  }

  /**
   * Undefined if it can't be told.
   * @param left bytes that are known to be still to come, and files of which nothing is known yet.
   */
  secondsLeft(left: { bytes: number; files: number }): number | undefined {
    const rate = this.perSecond()
    if (!rate || (left.files > 0 && this.#usualSize === undefined)) return undefined
    return Math.ceil((left.bytes + left.files * (this.#usualSize ?? 0)) / rate)
  }
}
