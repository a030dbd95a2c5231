/** Time as a parameter: tests hand in one that they move themselves. */
export interface Clock {
  now(): number
  /** Runs once after so many milliseconds; answers what cancels it. */
  after(milliseconds: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    return () => clearTimeout(timer)
  }
}
