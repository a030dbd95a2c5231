/** The queue as the screens show it: first what is in progress, then what waits, then what has ended, newest first. */
import type { DownloadPage, DownloadState, DownloadSummary, DownloadView } from '../../../shared/contract/index.ts'
import { defined } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import type { DownloadFolders } from './download-folders.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'
import type { Running } from './lanes.ts'
import type { Runs, Speed } from './progress.ts'
import type { Queue } from './queue.ts'

export interface ListingDeps {
  table: DownloadsTable
  folders: DownloadFolders
  queue: Queue
  runs: Runs
  speed: Speed
  isPaused: () => boolean
  time: Pick<Time, 'now'>
}

export interface ListRequest {
  states?: readonly DownloadState[] | undefined
  reference?: string | undefined
  offset: number
  limit: number
}

const ALL: readonly DownloadState[] = ['waiting', 'running', 'done', 'failed', 'cancelled']

export function openListing({ table, folders, queue, runs, speed, isPaused, time }: ListingDeps) {
  const stateOf = ({ id, state }: Download): DownloadState => (queue.running(id) ? 'running' : state)

  function viewOf(download: Download): DownloadView {
    const { id, accountId, documentReference, name, type, ruleId, sha256, error, queuedAt, finishedAt } = download
    const inProgress = queue.running(id)
    const isDone = download.state === 'done'
    const retryAt = download.state === 'waiting' && !inProgress ? retryOf(download) : undefined
    return {
      id,
      accountId,
      documentReference,
      type,
      queuedAt,
      documentName: name,
      state: stateOf(download),
      folder: folders.get(download.folderId).label,
      bytes: inProgress?.bytes ?? (isDone ? download.bytes : 0),
      ...(isDone && { fileName: download.fileName ?? '', ...defined({ sha256, workstation: download.workstation }) }),
      ...(isDone && download.wasThere && { wasThere: true as const }),
      ...defined({ ruleId, total: inProgress?.total, error: inProgress ? undefined : error, retryAt, finishedAt })
    }
  }

  function retryOf(download: Download): number | undefined {
    const pauseLeft = queue.lanes.pauseLeft(download)
    const at = Math.max(download.retryAt, pauseLeft > 0 && Number.isFinite(pauseLeft) ? time.now() + pauseLeft : 0)
    return at > time.now() ? at : undefined
  }

  function pageOfAll(accountIds: readonly string[], { states = ALL, offset, limit }: ListRequest): DownloadPage {
    const running = accountIds.flatMap((id) => queue.runningOf(id))
    const moving = states.includes('running') ? running.map(({ download }) => download) : []
    const counts = countsOf(accountIds)
    const waiting = states.includes('waiting') ? counts.waiting - running.length : 0
    const endedStates = (['done', 'failed', 'cancelled'] as const).filter((state) => states.includes(state))
    const ended = endedStates.reduce((sum, state) => sum + counts[state], 0)
    const found = moving.slice(offset, offset + limit)
    const pageFrom = (before: number) => ({ skip: Math.max(0, offset - before), left: limit - found.length })
    if (waiting > 0) {
      const { skip, left } = pageFrom(moving.length)
      const numbers = running.map(({ download }) => download.number)
      if (left > 0) found.push(...table.waitingInOrder(accountIds, numbers, left, skip))
    }
    const { skip, left } = pageFrom(moving.length + waiting)
    if (left > 0) found.push(...table.ended(accountIds, endedStates, left, skip))
    return { items: found.map(viewOf), total: moving.length + waiting + ended }
  }

  function countsOf(accountIds: readonly string[]) {
    const all = accountIds.map((id) => table.counts(id))
    const of = (state: 'waiting' | 'done' | 'failed' | 'cancelled') =>
      all.reduce((sum, counts) => sum + counts[state], 0)
    return { waiting: of('waiting'), done: of('done'), failed: of('failed'), cancelled: of('cancelled') }
  }

  function pageOfDocument(accountId: string, reference: string, { states = ALL, offset, limit }: ListRequest) {
    const found = table
      .ofDocument(accountId, reference)
      .filter((download) => states.includes(stateOf(download)))
      .sort((one, two) => rankOf(one) - rankOf(two) || newestFirst(one, two))
    return { items: found.slice(offset, offset + limit).map(viewOf), total: found.length }
  }

  function rankOf(download: Download): number {
    const state = stateOf(download)
    return state === 'running' ? 0 : state === 'waiting' ? 1 : 2
  }

  /** Returns why nothing of the account moves, if so. */
  function problemOf(
    accountId: string,
    running: readonly Running[]
  ): Pick<DownloadSummary, 'problem' | 'retryAt' | 'folder'> {
    // If only one lane is paused, files of the others still move. A file that probes whether a pause is over doesn't
    // count as moving.
    if (running.some(({ download }) => !queue.lanes.pauseOf(download))) return {}
    const { lanes } = queue
    const waiting = lanes.all().filter((lane) => lane.accountId === accountId)
    const [soonest] = waiting
      .filter((one) => lanes.pauseOf(one))
      .sort((one, two) => lanes.pauseLeft(one) - lanes.pauseLeft(two))
    const pause = soonest && lanes.pauseOf(soonest)
    if (pause) {
      const left = lanes.pauseLeft(soonest)
      const folder = folders.get(soonest.folderId)
      return { problem: pause.error, folder, ...(left > 0 && Number.isFinite(left) && { retryAt: time.now() + left }) }
    }
    const next = waiting.flatMap((lane) => table.heads(lane, 1)).sort((one, two) => one.retryAt - two.retryAt)[0]
    // A file that another workstation is saving is no problem.
    if (!next?.error || next.error.code === 'busy' || next.retryAt <= time.now()) return {}
    return { problem: next.error, retryAt: next.retryAt, folder: folders.get(next.folderId) }
  }

  return {
    viewOf,

    /** Lists these accounts' downloads combined; those of one document for the first account only. */
    list: ([accountId, ...others]: readonly [string, ...string[]], request: ListRequest): DownloadPage =>
      request.reference === undefined
        ? pageOfAll([accountId, ...others], request)
        : pageOfDocument(accountId, request.reference, request),

    summary(accountId: string): DownloadSummary {
      const running = queue.runningOf(accountId)
      const counts = table.counts(accountId)
      const waiting = counts.waiting - running.length
      const known = running.filter(({ total }) => total !== undefined)
      const leftOfKnown = known.reduce((sum, { bytes, total = 0 }) => sum + Math.max(0, total - bytes), 0)
      const run = runs.summary(accountId)
      const isPausedNow = isPaused()
      const perSecond = running.length > 0 ? speed.perSecond() : undefined
      const isMoving = perSecond !== undefined && !isPausedNow
      const secondsLeft = isMoving
        ? speed.secondsLeft({ bytes: leftOfKnown, files: waiting + running.length - known.length })
        : undefined
      return {
        counts: { ...counts, waiting, running: running.length },
        ...(run && { run }),
        isPaused: isPausedNow,
        bytes: running.reduce((sum, { bytes }) => sum + bytes, 0),
        ...(known.length > 0 && { total: known.reduce((sum, { total = 0 }) => sum + total, 0) }),
        ...(waiting + running.length > 0 && problemOf(accountId, running)),
        ...(isMoving && { bytesPerSecond: Math.round(perSecond) }),
        ...(secondsLeft !== undefined && { secondsLeft })
      }
    }
  }
}

const newestFirst = (one: Download, two: Download) =>
  (two.finishedAt ?? two.queuedAt) - (one.finishedAt ?? one.queuedAt) || two.number - one.number
