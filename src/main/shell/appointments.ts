/** Reads files of appointments with the worker that reads sheets, in a thread that ends after each file. */
import type { AppError } from '../../shared/contract/index.ts'
import type { AppointmentQuestions } from '../core/appointments/appointment-files.ts'
import type { Ask } from '../core/bulk/worker.ts'
import type { BulkWorkerDeps } from './bulk.ts'
import { openWorkerThread } from './worker-thread.ts'

/** Five megabytes of calendar take less than a tenth: the limit stops a defect of ours, or of the library. */
const MEMORY_MB = 512
/** How long a file may take, in milliseconds: a recurrence rule may never end. */
const TIMEOUT_MS = 30_000

export function openAppointmentWorker({ worker, log }: BulkWorkerDeps) {
  const thread = openWorkerThread({
    worker,
    log,
    errors,
    name: 'appointments',
    title: 'The worker of appointments',
    memoryMb: MEMORY_MB,
    timeoutMs: TIMEOUT_MS
  })
  const ask: Ask<AppointmentQuestions> = (name, ask) => thread.ask(name, ask) as Promise<never>
  return { ask, end: thread.end }
}

const failed = (message: string): AppError => ({
  code: 'bad-file',
  message,
  next: 'Export fewer days, and import that.'
})
const errors = {
  closed: { code: 'gone', message: 'This file is no longer open.', next: 'Import it again.' } as AppError,
  tooLarge: failed('This file is too large to be read.'),
  tooLong: failed('This file takes too long to read.'),
  failed: failed('This file couldn’t be read. Nothing was imported.')
}
