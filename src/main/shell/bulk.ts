/**
 * Runs the worker of bulk sending in a thread of its own: started by the first question, ended when nothing is open.
 */
import type { AppError } from '../../shared/contract/index.ts'
import type { AskFiles } from '../core/drop-folders/package-files.ts'
import type { Log } from './log.ts'
import { openWorkerThread } from './worker-thread.ts'

export interface BulkWorkerDeps {
  /** The built worker, or its source when running from source. */
  worker: string | URL
  log: Pick<Log, 'error'>
}

/** Enough for a sheet at all its limits. The limits stop a file from taking more; this stops a defect of ours. */
const MEMORY_MB = 1024

/**
 * How long an answer may take, in milliseconds. The largest workbook takes a tenth of it, or a third on a slow
 * computer.
 */
const TIMEOUT_MS = 180_000

export type BulkWorker = ReturnType<typeof openBulkWorker>

/**
 * Returns the worker. `ask` rejects with AppFailure, also if the thread ended during a question; the next question
 * starts it again.
 */
export function openBulkWorker({ worker, log }: BulkWorkerDeps) {
  const thread = openWorkerThread({
    worker,
    log,
    errors,
    name: 'bulk',
    title: 'The worker of bulk sending',
    memoryMb: MEMORY_MB,
    timeoutMs: TIMEOUT_MS
  })
  const ask: AskFiles = (name, ask) => thread.ask(name, ask) as Promise<never>
  return { ask, end: thread.end }
}

const closed: AppError = { code: 'gone', message: 'This file is no longer open.', next: 'Choose it again.' }
const tooLarge: AppError = {
  code: 'bad-file',
  message: 'This file is too large. Remove columns you don’t need, or split it.'
}
const tooLong: AppError = {
  code: 'bad-file',
  message: 'This file takes too long to read. Remove columns you don’t need, or split it.'
}
const failed: AppError = {
  code: 'bad-file',
  message: 'Countersign couldn’t continue with this file. Nothing was sent. Choose it again.'
}
const errors = { closed, tooLarge, tooLong, failed }
