/** A thread of its own for the sheets that are sent in bulk, so that reading and checking them can't hold up the windows. */
import { parentPort } from 'node:worker_threads'
import type { AppError } from '../../shared/contract/index.ts'
import { type AskDesk, type DeskQuestion, type DeskQuestions, openDesk } from '../core/bulk/desk.ts'
import { AppFailure } from '../core/failure.ts'

/** What the main thread asks. */
export interface BulkOrder<Name extends DeskQuestion = DeskQuestion> {
  number: number
  name: Name
  ask: DeskQuestions[Name]['ask']
}

/** What the worker says to the order of that number. */
export type BulkWord = { number: number; answer: unknown } | { number: number; error: AppError }

const desk: AskDesk = openDesk()

parentPort?.on('message', async ({ number, name, ask }: BulkOrder) => {
  parentPort?.postMessage(await wordOf(number, () => desk(name, ask)))
})

async function wordOf(number: number, answer: () => Promise<unknown>): Promise<BulkWord> {
  try {
    return { number, answer: await answer() }
  } catch (error) {
    return {
      number,
      error:
        error instanceof AppFailure
          ? error.appError
          : { code: 'internal', message: 'Something went wrong while this file was worked on. Nothing was sent.' }
    }
  }
}
