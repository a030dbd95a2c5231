/** Runs the documents' worker in a thread of its own. */
import type { AppError } from '../../shared/contract/index.ts'
import type { DocumentsKey } from '../core/documents/mirror/database.ts'
import type { AskDocuments } from '../core/documents/questions.ts'
import type { DocumentsOpened } from '../core/documents/recovering-worker.ts'
import { AppFailure } from '../core/lib/failure.ts'
import type { StoreTroubles } from '../core/storage/store-troubles.ts'
import type { DocumentsWorkerData } from './documents-worker.ts'
import type { Log } from './log.ts'
import { openWorkerThread } from './worker-thread.ts'

export interface DocumentsThreadDeps {
  /** The built worker, or its source when running from source. */
  worker: string | URL
  /** The data folder. */
  folder: string
  /** Undefined if nothing is stored on this computer: the documents are then in memory only. */
  key: DocumentsKey | undefined
  log: Pick<Log, 'warn' | 'error'>
  /** Told if the file was set aside, or is in memory although it shouldn't be. */
  troubles?: Pick<StoreTroubles, 'setAside' | 'reportForThisRun'>
}

/**
 * Enough for a folder's answer of up to 256 MB of JSON, and a hundred thousand documents in memory. No more: Electron's
 * whole main process shares 4 GB (V8's pointer compression), and a thread that used them up would end the application.
 */
const MEMORY_MB = 2048

/**
 * Nearly everything the thread creates is garbage a moment later. If that may pile up, V8 holds seventy megabytes more
 * for as long as the thread lives, and reads an answer no faster.
 */
const YOUNG_MEMORY_MB = 12

/** How long an answer may take, in milliseconds: enough for a first look at a very large folder on a slow disk. */
const TIMEOUT_MS = 600_000

/**
 * Opens the thread. `ask` rejects with AppFailure, also if the thread ended during a question; the next question starts
 * it again, until `end`.
 */
export function openDocumentsThread({ worker, folder, key, log, troubles }: DocumentsThreadDeps) {
  const workerData: DocumentsWorkerData = { folder, key }
  const thread = openWorkerThread({
    worker,
    log,
    errors,
    name: 'documents',
    title: 'The worker of documents',
    workerOptions: { workerData },
    memoryMb: MEMORY_MB,
    youngMemoryMb: YOUNG_MEMORY_MB,
    timeoutMs: TIMEOUT_MS,
    onEvent: (news) => handleOpened(news as DocumentsOpened)
  })
  let isEnded = false

  function handleOpened({ setAside, because }: DocumentsOpened): void {
    if (setAside) {
      log.warn('The file of documents was set aside, and a new one begun.', { folder: setAside })
      troubles?.setAside('documents', { name: setAside, reason: 'damaged' })
    }
    if (because) {
      log.warn('Documents are kept in memory alone.', { because })
      troubles?.reportForThisRun({ kind: 'in-memory', store: 'documents', reason: because })
    }
    // Once it has opened, the key fits. A restarted thread must not think that the file has another key.
    if (key) workerData.key = { ...key, isNew: false }
  }

  const ask: AskDocuments = async (name, ask) => {
    if (isEnded) throw new AppFailure(errors.closed)
    return thread.ask(name, ask, transferableBuffers(ask)) as Promise<never>
  }

  return {
    ask,

    /** Lets the current write finish, then ends the thread. Never rejects. */
    async end(): Promise<void> {
      isEnded = true
      if (thread.isRunning()) await thread.ask('close', null).catch(() => undefined)
      await thread.end()
    }
  }
}

/** A folder's answer is transferred, not copied: it may be hundreds of megabytes. */
function transferableBuffers(ask: unknown): ArrayBuffer[] {
  if (typeof ask !== 'object' || ask === null || !('bytes' in ask)) return []
  return ask.bytes instanceof Uint8Array && ask.bytes.buffer instanceof ArrayBuffer ? [ask.bytes.buffer] : []
}

const failed: AppError = {
  code: 'storage',
  message: 'The document list stopped working and is restarting.'
}
const errors = {
  closed: { code: 'storage', message: 'The document list is already closed.' },
  tooLarge: {
    code: 'storage',
    message: 'This folder is too large to load. The documents loaded before are kept.'
  },
  tooLong: failed,
  failed
} satisfies Record<string, AppError>
