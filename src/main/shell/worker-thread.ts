/**
 * A worker thread, and the protocol between its two sides. The main thread asks; the worker is started by a question,
 * and again by the next one after it died.
 */
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import type { AppError } from '../../shared/contract/index.ts'
import { AppFailure } from '../core/lib/failure.ts'
import type { Log } from './log.ts'

/** A question from the main thread. */
interface Order {
  number: number
  name: string
  ask: unknown
}

/** The worker's answer to the order with that number. */
export type Word = { number: number; answer: unknown } | { number: number; error: AppError }

/** A message from the worker that isn't an answer. */
export interface News {
  news: unknown
}

export interface AskedThread {
  /** The built worker, or its source when running from source. */
  worker: string | URL
  /** The worker's initial data. */
  begin?: Pick<WorkerOptions, 'workerData'>
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
  heard?: (news: unknown) => void
  /** The errors for a question without an answer. */
  words: Record<'closed' | 'tooLarge' | 'tooLong' | 'failed', AppError>
}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
  late: NodeJS.Timeout
}

/**
 * Runs a worker thread. `ask` rejects with AppFailure, also if the thread ended during a question; the next question
 * starts it again.
 */
export function askThread({ title, log, heard, words, ...thread }: AskedThread) {
  let worker: Worker | undefined
  let number = 0
  let waiting = new Map<number, Waiting>()

  function running(): Worker {
    if (worker) return worker
    const started = new Worker(thread.worker, {
      ...{ ...thread.begin, env: {}, argv: [], name: thread.name },
      resourceLimits: {
        maxOldGenerationSizeMb: thread.memoryMb,
        ...(thread.youngMemoryMb && { maxYoungGenerationSizeMb: thread.youngMemoryMb })
      }
    })
    worker = started
    const asked = new Map<number, Waiting>()
    waiting = asked
    let wentBeyond = false
    started.on('message', (word: Word | News) => {
      if ('news' in word) return heard?.(word.news)
      const asker = asked.get(word.number)
      asked.delete(word.number)
      clearTimeout(asker?.late)
      if ('error' in word) asker?.reject(new AppFailure(word.error))
      else asker?.resolve(word.answer)
      // An idle thread must not keep the application from ending.
      if (asked.size === 0) started.unref()
    })
    started.on('error', (error) => {
      wentBeyond = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      log.error(`${title} failed.`, { kind: error.constructor.name })
    })
    started.once('exit', () => {
      const why = worker !== started ? words.closed : wentBeyond ? words.tooLarge : words.failed
      if (worker === started) worker = undefined
      for (const asker of asked.values()) {
        clearTimeout(asker.late)
        asker.reject(new AppFailure(why))
      }
      asked.clear()
    })
    return started
  }

  function ask(question: string, what: unknown, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const to = running()
      const mine = ++number
      const late = setTimeout(() => {
        reject(new AppFailure(words.tooLong))
        log.error(`${title} did not answer in time.`, { question })
        void to.terminate()
      }, thread.timeoutMs)
      to.ref()
      waiting.set(mine, { resolve, reject, late })
      try {
        to.postMessage({ number: mine, name: question, ask: what } satisfies Order, transfer)
      } catch (error) {
        clearTimeout(late)
        waiting.delete(mine)
        reject(error)
      }
    })
  }

  return {
    ask,
    isRunning: (): boolean => worker !== undefined,

    /** Ends the thread, and everything open in it. Never rejects. */
    async end(): Promise<void> {
      const leaving = worker
      worker = undefined
      await leaving?.terminate()
    }
  }
}

/**
 * In the worker: answers the main thread's orders, one message each.
 * @param ask answers a question by its name.
 * @param describe turns a thrown error into one for the user.
 */
export function answerOrders(
  ask: (name: string, ask: unknown) => Promise<unknown>,
  describe: (error: unknown) => AppError
): void {
  parentPort?.on('message', async ({ number, name, ask: what }: Order) => {
    const word = await wordOf(number, () => ask(name, what))
    parentPort?.postMessage(word, 'answer' in word ? buffersOf(word.answer) : [])
  })

  async function wordOf(number: number, answer: () => Promise<unknown>): Promise<Word> {
    try {
      return { number, answer: await answer() }
    } catch (error) {
      return { number, error: error instanceof AppFailure ? error.appError : describe(error) }
    }
  }
}

/** Sends a message that isn't an answer; see `heard`. */
export function tell(news: unknown): void {
  parentPort?.postMessage({ news } satisfies News)
}

/** Buffers that belong to an answer alone are transferred, not copied. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  if (typeof answer !== 'object' || answer === null || !('bytes' in answer)) return []
  const { bytes } = answer
  const isOwn = bytes instanceof Uint8Array && bytes.byteLength === bytes.buffer.byteLength
  return isOwn && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}
