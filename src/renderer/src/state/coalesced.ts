/** Lets something run at once and then no more often than every so many milliseconds, however often it is asked for. */
import type { Clock } from './clock.ts'

/**
 * @param pause milliseconds between two runs at least. What is asked for meanwhile runs once, when they have passed.
 * @returns what asks for a run.
 */
export function coalesced(clock: Clock, pause: number, run: () => void): () => void {
  let waiting = false
  let asked = false

  function rest() {
    waiting = true
    clock.after(pause, () => {
      waiting = false
      if (!asked) return
      asked = false
      run()
      rest()
    })
  }

  return () => {
    if (waiting) {
      asked = true
      return
    }
    run()
    rest()
  }
}
