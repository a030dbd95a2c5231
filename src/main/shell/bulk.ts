/** Runs the desk of bulk sending in a thread beside the application: started when it is asked something, ended when nothing is open. */
import { Worker } from 'node:worker_threads'
import type { AppError } from '../../shared/contract/index.ts'
import type { AskDesk } from '../core/bulk/desk.ts'
import { AppFailure } from '../core/failure.ts'
import type { BulkOrder, BulkWord } from './bulk-worker.ts'

export interface BulkDeskParts {
  /** The built worker, or its source where sources are run. */
  worker: string | URL
  log: { error(message: string, detail?: Record<string, unknown>): void }
}

/** Enough for a sheet at all its limits: the limits keep a file from taking more, and this a defect of ours. */
const MEMORY_MB = 1024

/** How long an answer may take, in milliseconds. The largest workbook takes a tenth of it, on a slow machine a third. */
const PATIENCE_MS = 180_000

export interface BulkDesk {
  ask: AskDesk
  /** Ends the thread, and with it all that is open there. Never rejects. */
  end(): Promise<void>
}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
  late: NodeJS.Timeout
}

/** `ask` rejects with AppFailure, also where the thread ended over a question; the next question starts it anew. */
export function bulkDeskOf({ worker: source, log }: BulkDeskParts): BulkDesk {
  let worker: Worker | undefined
  let number = 0
  let waiting = new Map<number, Waiting>()

  function running(): Worker {
    if (worker) return worker
    const started = new Worker(source, {
      env: {},
      argv: [],
      name: 'bulk',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB }
    })
    worker = started
    const asked = new Map<number, Waiting>()
    waiting = asked
    let wentBeyond = false
    started.on('message', (word: BulkWord) => {
      const asker = asked.get(word.number)
      asked.delete(word.number)
      clearTimeout(asker?.late)
      if ('error' in word) asker?.reject(new AppFailure(word.error))
      else asker?.resolve(word.answer)
      // A thread that has nothing to do must not keep the application from ending.
      if (asked.size === 0) started.unref()
    })
    started.on('error', (error) => {
      wentBeyond = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      log.error('The desk of bulk sending failed.', { kind: error.constructor.name })
    })
    started.once('exit', () => {
      const why = worker !== started ? closed : wentBeyond ? tooLarge : failed
      if (worker === started) worker = undefined
      for (const asker of asked.values()) {
        clearTimeout(asker.late)
        asker.reject(new AppFailure(why))
      }
      asked.clear()
    })
    return started
  }

  return {
    ask: (name, ask) =>
      new Promise<never>((resolve, reject) => {
        const to = running()
        const mine = ++number
        const late = setTimeout(() => {
          reject(new AppFailure(tooLong))
          log.error('The desk of bulk sending did not answer in time.', { question: name })
          void to.terminate()
        }, PATIENCE_MS)
        to.ref()
        waiting.set(mine, { resolve: resolve as (answer: unknown) => void, reject, late })
        to.postMessage({ number: mine, name, ask } satisfies BulkOrder)
      }),

    async end() {
      const leaving = worker
      worker = undefined
      await leaving?.terminate()
    }
  }
}

const closed: AppError = { code: 'gone', message: 'This file is no longer open. Choose it again.' }
const tooLarge: AppError = {
  code: 'bad-file',
  message: 'This file takes more memory than Countersign gives it. Keep the columns that you need, or split it.'
}
const tooLong: AppError = {
  code: 'bad-file',
  message: 'This file takes longer than Countersign gives it. Keep the columns that you need, or split it.'
}
const failed: AppError = {
  code: 'bad-file',
  message: 'Countersign could not go on with this file. Nothing was sent; choose it again.'
}
