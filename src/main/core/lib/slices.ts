/**
 * Cooperative scheduling: splits long work into short slices, so that other tasks of the thread wait a few milliseconds
 * at most, and serialises work per key.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

export { nextTurn }

/** Work that yields wherever it can pause; its return value is the result. */
export type Sliced<Answer> = Generator<void, Answer>

/** How long a slice may hold its thread, in milliseconds; a single long step may exceed it. */
const SLICE = 4

/** Runs the work to its end without pauses. */
export function runToEnd<Answer>(work: Sliced<Answer>): Answer {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}

/**
 * Runs the work in slices, letting other tasks run in between.
 * @param around wraps each slice, such as `db.transaction(…)` to write its steps together.
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

/**
 * Makes work abortable between slices, for `inSlices`' `around`: once the signal is aborted, no slice starts and
 * `inSlices` throws the signal's reason.
 */
export const abortable =
  (signal: AbortSignal) =>
  <Answer>(piece: () => Answer): Answer => {
    signal.throwIfAborted()
    return piece()
  }

/** Runs `work` on each item, with pauses. Stops at the first error. */
export function forEachInSlices<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  return inSlices(each(items, work))
}

/** Runs `work` on each item, and yields after each. */
export function* each<Item>(items: Iterable<Item>, work: (item: Item) => void): Sliced<void> {
  for (const item of items) {
    work(item)
    yield
  }
}

const lastByKey = new Map<unknown, Promise<unknown>>()

/**
 * Runs work one at a time per key (a text or an object): calls for the same key wait for earlier ones.
 * @throws what the work throws; later calls still run.
 */
export async function inTurn<Answer>(key: unknown, work: () => Answer | Promise<Answer>): Promise<Answer> {
  const before = lastByKey.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  lastByKey.set(key, mine)
  try {
    return await mine
  } finally {
    if (lastByKey.get(key) === mine) lastByKey.delete(key)
  }
}
