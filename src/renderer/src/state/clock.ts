/** Time as a parameter: tests hand in one that they move themselves. */
export interface Clock {
  now(): number
  /** Milliseconds from any moment on, that no change of the computer's clock makes jump. */
  monotonic(): number
  /** Runs once after so many milliseconds; answers what cancels it. */
  after(milliseconds: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  }
}
