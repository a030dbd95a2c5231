/**
 * The documents' worker, in a thread of its own so that decoding, comparing, searching and sorting never hold up the
 * windows.
 */

import { workerData } from 'node:worker_threads'
import type { DocumentsKey } from '../core/documents/mirror/database.ts'
import { openRecoveringWorker } from '../core/documents/recovering-worker.ts'
import { asAppError } from '../core/errors/app-error.ts'
import { systemTime } from '../core/lib/time.ts'
import { emitEvent, serveRequests } from './worker-thread.ts'

/** The thread's initial data. */
export interface DocumentsWorkerData {
  /** The data folder. */
  folder: string
  /** Undefined if nothing is stored on this computer. */
  key: DocumentsKey | undefined
}

const { folder, key } = workerData as DocumentsWorkerData
const { ask, close } = openRecoveringWorker({ folder, key, time: systemTime }, emitEvent)

serveRequests((name, what) => (name === 'close' ? close() : ask(name as 'take', what as never)), asAppError)
