/** Runs the worker of backups in a thread of its own. */
import type { AppError } from '../../shared/contract/index.ts'
import type { BackupQuestions } from '../core/backup/backups.ts'
import type { Log } from './log.ts'
import { openWorkerThread } from './worker-thread.ts'

/** Everything is streamed. Deriving a passphrase's key takes 128 MB, outside this limit. */
const MEMORY_MB = 256
/** How long it may take, in milliseconds: enough for a slow network disk. */
const TIMEOUT_MS = 2 * 3_600_000

/** Returns the worker. @param worker the built worker. `ask` rejects with AppFailure. */
export function openBackupWorker({ worker, log }: { worker: URL; log: Pick<Log, 'error'> }) {
  const thread = openWorkerThread({
    worker,
    log,
    errors,
    name: 'backups',
    title: 'The worker of backups',
    memoryMb: MEMORY_MB,
    timeoutMs: TIMEOUT_MS
  })
  const ask = <Name extends keyof BackupQuestions>(name: Name, ask: BackupQuestions[Name]['ask']) =>
    thread.ask(name, ask) as Promise<BackupQuestions[Name]['answer']>
  return { ask, end: thread.end }
}

const failed: AppError = {
  code: 'storage',
  message: 'The backup stopped before it was done. Nothing was changed.',
  next: 'Try again.'
}
const errors = { closed: failed, tooLarge: failed, tooLong: failed, failed }
