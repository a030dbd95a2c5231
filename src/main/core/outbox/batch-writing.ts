/** How a batch is written down: a little at a time, and no row of it lost. */
import type { Composition } from '../../../shared/composition/index.ts'
import { AppFailure } from '../lib/failure.ts'
import { requestOf } from './requests.ts'
import type { SentRequest } from './send-record.ts'
import type { NewSend } from './sends.ts'

/** How much is written in one go, and how long the main thread is held by it in milliseconds. */
export const CHUNK = 50
const SLICE = 4

/** A row that can't be sent any more (its due date has passed since it was checked) is refused, and so not lost. */
export function contentOf(
  composition: Composition,
  id: string,
  leavesAt: number
): SentRequest & Pick<NewSend, 'state' | 'error'> {
  try {
    return { ...requestOf(composition, id, leavesAt), state: 'ready' }
  } catch (error) {
    if (!(error instanceof AppFailure)) throw error
    const empty = composition.kind === 'form-direct' ? { Forms: [] } : { Templates: [] }
    return { kind: composition.kind, request: empty, state: 'refused', error: error.appError } as SentRequest &
      Pick<NewSend, 'state' | 'error'>
  }
}

/** Cuts rows into pieces that are read while they are written, each up to `CHUNK` rows and about `SLICE` milliseconds. */
export function* slices<Row>(rows: Iterable<Row>): Generator<() => Iterable<Row>, void, void> {
  const iterator = rows[Symbol.iterator]()
  let isDone = false
  while (!isDone) {
    yield function* piece() {
      const began = performance.now()
      for (let count = 0; count < CHUNK && performance.now() - began < SLICE; count++) {
        const next = iterator.next()
        if (next.done) {
          isDone = true
          return
        }
        yield next.value
      }
    }
  }
}

export function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[], void, void> {
  for (let from = 0; from < items.length; from += CHUNK) yield items.slice(from, from + CHUNK)
}
