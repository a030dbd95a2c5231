/**
 * A worker thread, and the protocol between its two sides. The main thread asks; the worker is started by a question,
 * and again by the next one after it died.
 */
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import type { AppError } from '../../shared/contract/index.ts'
import { AppFailure } from '../core/lib/failure.ts'
import type { Log } from './log.ts'

/** A question from the main thread. */
interface WorkerRequest {
  number: number
  name: string
  ask: unknown
}

/** The worker's answer to the request with that number. */
export type WorkerReply = { number: number; answer: unknown } | { number: number; error: AppError }

/** A message from the worker that isn't an answer. */
export interface WorkerEvent {
  news: unknown
}

export interface WorkerThreadOptions {
  /** The built worker, or its source when running from source. */
  worker: string | URL
  workerOptions?: Pick<WorkerOptions, 'workerData'>
  /** For the system and the log. */
  name: string
  title: string
  memoryMb: number
  /** Memory for new objects until they are garbage-collected; V8's own choice if absent. */
  youngMemoryMb?: number
  /** How long an answer may take, in milliseconds. */
  timeoutMs: number
  log: Pick<Log, 'error'>
  /** Called with the worker's messages that aren't answers. */
  onEvent?: (news: unknown) => void
  /** The errors for a question without an answer. */
  errors: Record<'closed' | 'tooLarge' | 'tooLong' | 'failed', AppError>
}

interface PendingRequest {
  resolve(answer: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

/**
 * Runs a worker thread. `ask` rejects with AppFailure, also if the thread ended during a question; the next question
 * starts it again.
 */
export function openWorkerThread({ title, log, onEvent, errors, ...thread }: WorkerThreadOptions) {
  let worker: Worker | undefined
  let number = 0
  let pending = new Map<number, PendingRequest>()

  function ensureRunning(): Worker {
    if (worker) return worker
    const started = new Worker(thread.worker, {
      ...thread.workerOptions,
      env: {},
      argv: [],
      name: thread.name,
      resourceLimits: {
        maxOldGenerationSizeMb: thread.memoryMb,
        ...(thread.youngMemoryMb && { maxYoungGenerationSizeMb: thread.youngMemoryMb })
      }
    })
    worker = started
    const ownPending = new Map<number, PendingRequest>()
    pending = ownPending
    let ranOutOfMemory = false
    started.on('message', (message: WorkerReply | WorkerEvent) => {
      if ('news' in message) return onEvent?.(message.news)
      const request = ownPending.get(message.number)
      ownPending.delete(message.number)
      clearTimeout(request?.timer)
      if ('error' in message) request?.reject(new AppFailure(message.error))
      else request?.resolve(message.answer)
      // An idle thread must not keep the application from ending.
      if (ownPending.size === 0) started.unref()
    })
    started.on('error', (error) => {
      ranOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      log.error(`${title} failed.`, { kind: error.constructor.name })
    })
    started.once('exit', () => {
      const why = worker !== started ? errors.closed : ranOutOfMemory ? errors.tooLarge : errors.failed
      if (worker === started) worker = undefined
      for (const request of ownPending.values()) {
        clearTimeout(request.timer)
        request.reject(new AppFailure(why))
      }
      ownPending.clear()
    })
    return started
  }

  function ask(question: string, input: unknown, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const target = ensureRunning()
      const requestNumber = ++number
      const timer = setTimeout(() => {
        reject(new AppFailure(errors.tooLong))
        log.error(`${title} did not answer in time.`, { question })
        void target.terminate()
      }, thread.timeoutMs)
      target.ref()
      pending.set(requestNumber, { resolve, reject, timer })
      try {
        target.postMessage({ number: requestNumber, name: question, ask: input } satisfies WorkerRequest, transfer)
      } catch (error) {
        clearTimeout(timer)
        pending.delete(requestNumber)
        reject(error)
      }
    })
  }

  return {
    ask,
    isRunning: (): boolean => worker !== undefined,

    /** Ends the thread, and everything open in it. Never rejects. */
    async end(): Promise<void> {
      const ending = worker
      worker = undefined
      await ending?.terminate()
    }
  }
}

/**
 * In the worker: answers the main thread's requests, one message each.
 * @param ask answers a question by its name.
 * @param describe turns a thrown error into one for the user.
 */
export function serveRequests(
  ask: (name: string, ask: unknown) => Promise<unknown>,
  describe: (error: unknown) => AppError
): void {
  parentPort?.on('message', async ({ number, name, ask: input }: WorkerRequest) => {
    const reply = await replyTo(number, () => ask(name, input))
    parentPort?.postMessage(reply, 'answer' in reply ? buffersOf(reply.answer) : [])
  })

  async function replyTo(number: number, answer: () => Promise<unknown>): Promise<WorkerReply> {
    try {
      return { number, answer: await answer() }
    } catch (error) {
      return { number, error: error instanceof AppFailure ? error.appError : describe(error) }
    }
  }
}

/** Sends a message that isn't an answer; see `onEvent`. */
export function emitEvent(news: unknown): void {
  parentPort?.postMessage({ news } satisfies WorkerEvent)
}

/** Buffers that belong to an answer alone are transferred, not copied. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  if (typeof answer !== 'object' || answer === null || !('bytes' in answer)) return []
  const { bytes } = answer
  const isOwn = bytes instanceof Uint8Array && bytes.byteLength === bytes.buffer.byteLength
  return isOwn && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}
