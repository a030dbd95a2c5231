/** The other side of asking.ts: answers what the main thread asks, one word to each order. */
import { parentPort } from 'node:worker_threads'
import type { AppError } from '../../shared/contract/index.ts'
import { AppFailure } from '../core/lib/failure.ts'
import type { News, Order, Word } from './asking.ts'

/**
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

/** Says what nobody asked for; see `heard` of asking.ts. */
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
