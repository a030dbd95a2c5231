/**
 * A worker thread beside the application, and what its two sides say to each other: the main thread asks, and the thread is
 * started when it is asked something, and again after it died.
 */
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'
import type { AppError } from '../../shared/contract/index.ts'
import { AppFailure } from '../core/lib/failure.ts'
import type { Log } from './log.ts'

/** What the main thread asks. */
interface Order {
  number: number
  name: string
  ask: unknown
}

/** What the thread says to the order of that number. */
export type Word = { number: number; answer: unknown } | { number: number; error: AppError }

/** What the thread says by itself. */
export interface News {
  news: unknown
}

export interface AskedThread {
  /** The built worker, or its source where sources are run. */
  worker: string | URL
  /** What the thread begins with. */
  begin?: Pick<WorkerOptions, 'workerData'>
  /** For the system and the log. */
  name: string
  title: string
  memoryMb: number
  /** What is newly made may take so much until it is looked through; V8's own choice if absent. */
  youngMemoryMb?: number
  /** How long an answer may take, in milliseconds. */
  timeoutMs: number
  log: Pick<Log, 'error'>
  /** Told what the thread says by itself. */
  heard?: (news: unknown) => void
  /** Why a question has no answer. */
  words: Record<'closed' | 'tooLarge' | 'tooLong' | 'failed', AppError>
}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: Error): void
  late: NodeJS.Timeout
}

/** `ask` rejects with AppFailure, also where the thread ended over a question; the next question starts it again. */
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
      // A thread that has nothing to do must not keep the application from ending.
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

    /** Ends the thread, and with it all that is open there. Never rejects. */
    async end(): Promise<void> {
      const leaving = worker
      worker = undefined
      await leaving?.terminate()
    }
  }
}

/**
 * In the thread: answers what the main thread asks, one word to each order.
 * @param ask answers a question by its name.
 * @param describe says in the user's words what was thrown.
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

/** Says what nobody asked for; see `heard`. */
export function tell(news: unknown): void {
  parentPort?.postMessage({ news } satisfies News)
}

/** Bytes that are an answer's own are handed over, not copied. */
function buffersOf(answer: unknown): ArrayBuffer[] {
  if (typeof answer !== 'object' || answer === null || !('bytes' in answer)) return []
  const { bytes } = answer
  const isOwn = bytes instanceof Uint8Array && bytes.byteLength === bytes.buffer.byteLength
  return isOwn && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}
