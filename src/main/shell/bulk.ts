/** Runs the desk of bulk sending in a thread beside the application: started when it is asked something, ended when nothing is open. */
import type { AppError } from '../../shared/contract/index.ts'
import type { AskDesk } from '../core/bulk/desk.ts'
import { askThread } from './asking.ts'

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

/** `ask` rejects with AppFailure, also where the thread ended over a question; the next question starts it anew. */
export function bulkDeskOf({ worker, log }: BulkDeskParts): BulkDesk {
  const thread = askThread({
    ...{ worker, log, words, name: 'bulk', title: 'The desk of bulk sending' },
    memoryMb: MEMORY_MB,
    patienceMs: PATIENCE_MS
  })
  return { ask: (name, ask) => thread.ask(name, ask) as Promise<never>, end: thread.end }
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
const words = { closed, tooLarge, tooLong, failed }
