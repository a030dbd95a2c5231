/** How far the files are that were asked for since the queue was last empty: "212 of 300", not of all there ever were. */
import type { DownloadSummary } from '../../../shared/contract/index.ts'
import type { Download } from './download-rows.ts'
import type { DownloadsTable } from './downloads-table.ts'

interface Run {
  startedAt: number
  done: number
  failed: number
}

export interface RunParts {
  table: Pick<DownloadsTable, 'counts' | 'oldestWaiting' | 'endedSince'>
  clock: () => number
}

export type Runs = ReturnType<typeof openRuns>

export function openRuns({ table, clock }: RunParts) {
  const runs = new Map<string, Run>()

  /** One that an earlier run of the application left began, as far as can be told, when what still waits was asked for. */
  function runOf(accountId: string): Run {
    const known = runs.get(accountId)
    if (known) return known
    const startedAt = table.oldestWaiting(accountId) ?? clock()
    const run = { startedAt, ...table.endedSince(accountId, startedAt) }
    runs.set(accountId, run)
    return run
  }

  return {
    /** To be called before something is put in line. */
    adding(accountId: string): void {
      if (table.counts(accountId).waiting > 0) runOf(accountId)
      else runs.set(accountId, { startedAt: clock(), done: 0, failed: 0 })
    },

    ended(accountId: string, how: 'done' | 'failed'): void {
      runOf(accountId)[how] += 1
    },

    /** Goes into line once more: what came of it before counts no longer. */
    again({ accountId, state, finishedAt = 0 }: Download): void {
      const run = runOf(accountId)
      if (finishedAt < run.startedAt || (state !== 'done' && state !== 'failed')) return
      run[state] = Math.max(0, run[state] - 1)
    },

    /** Undefined where there was none yet. */
    summary(accountId: string): DownloadSummary['run'] {
      const { done, failed } = runOf(accountId)
      const of = done + failed + table.counts(accountId).waiting
      return of > 0 ? { done, failed, of } : undefined
    }
  }
}
