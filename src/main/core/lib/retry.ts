/** How long to wait: before something that failed is tried again, and for something to end. */
import type { Time } from './time.ts'

/** No wait is longer than this, in milliseconds. */
const LONGEST = 60_000

/**
 * A wait that doubles with every failure, and of which up to a fifth is left to chance, so that the workstations of an
 * office don't all come back at once.
 * @param first in milliseconds.
 * @param failures 1 for the first.
 * @param random from 0 to 1.
 */
export function backoff(first: number, failures: number, random: () => number): number {
  return Math.min(LONGEST, first * 2 ** Math.min(failures - 1, 10)) * (1 - random() / 5)
}

/** Resolves as `work` does, or after `limit` milliseconds. */
export function within(limit: number, work: Promise<unknown>, time: Pick<Time, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = time.after(limit, resolve)
    void work.then(() => {
      cancel()
      resolve()
    })
  })
}
