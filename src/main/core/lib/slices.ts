/**
 * Work that takes turns: long work in small pieces, so that whatever else its thread has to do is held up by a few milliseconds
 * at most; and work on one thing at a time.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

export { nextTurn }

/** Work that yields wherever it can rest; what it returns is its answer. */
export type Sliced<Answer> = Generator<void, Answer>

/** How long a piece may hold its thread, in milliseconds; one step of the work may make it longer. */
const SLICE = 4

/** Runs the work through without a pause. */
export function wholly<Answer>(work: Sliced<Answer>): Answer {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

/**
 * Runs the work with pauses, in which others have their turn.
 * @param around what each piece happens within: `db.transaction(…)`, to write the steps of a piece together.
 * @throws what the work throws.
 */
export async function inSlices<Answer>(
  work: Sliced<Answer>,
  around: (piece: () => IteratorResult<void, Answer>) => IteratorResult<void, Answer> = (piece) => piece()
): Promise<Answer> {
  for (;;) {
    const last = around(() => {
      const until = performance.now() + SLICE
      let step = work.next()
      while (!step.done && performance.now() < until) step = work.next()
      return step
    })
    if (last.done) return last.value
    await nextTurn()
  }
}

/** For work that is given up at its next pause: once the signal is aborted no piece begins, and `inSlices` throws its reason. */
export const unless =
  (signal: AbortSignal) =>
  <Answer>(piece: () => Answer): Answer => {
    signal.throwIfAborted()
    return piece()
  }

/** Does something with each item, with pauses. Ends at what it throws. */
export function slowly<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  return inSlices(each(items, work))
}

function* each<Item>(items: Iterable<Item>, work: (item: Item) => void): Sliced<void> {
  for (const item of items) {
    work(item)
    yield
  }
}

const last = new Map<unknown, Promise<unknown>>()

/**
 * Works on one thing at a time: what comes for the same key, a text or an object, waits for what came before it.
 * @throws what the work throws; the next one has its turn all the same.
 */
export async function inTurn<Answer>(key: unknown, work: () => Answer | Promise<Answer>): Promise<Answer> {
  const before = last.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  last.set(key, mine)
  try {
    return await mine
  } finally {
    if (last.get(key) === mine) last.delete(key)
  }
}
