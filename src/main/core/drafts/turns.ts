/** Long work on the main thread, a few milliseconds a turn, so that nothing else is held up meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long a turn takes, in milliseconds; one step of the work may make it longer. */
const TURN = 4

/**
 * Runs work that can rest wherever it yields.
 * @param around what each turn happens within: `db.transaction(…)`, to write the steps of a turn together.
 * @throws what the work throws.
 */
export async function inTurns<Answer>(
  work: Generator<void, Answer>,
  around: (turn: () => IteratorResult<void, Answer>) => IteratorResult<void, Answer> = (turn) => turn()
): Promise<Answer> {
  for (;;) {
    const last = around(() => {
      const until = performance.now() + TURN
      let step = work.next()
      while (!step.done && performance.now() < until) step = work.next()
      return step
    })
    if (last.done) return last.value
    await nextTurn()
  }
}
