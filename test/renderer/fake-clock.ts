/** A clock that stands still until it is advanced. */
import type { Clock } from '../../src/renderer/src/state/clock.ts'

export class FakeClock implements Clock {
  #now: number
  /** How far the computer's clock was set since the start; timers ignore it. */
  #set = 0
  #due: { at: number; run: () => void }[] = []

  constructor(now: number) {
    this.#now = now
  }

  now(): number {
    return this.#now + this.#set
  }

  monotonic(): number {
    return this.#now
  }

  /** Sets the computer's clock forward or back. */
  set(milliseconds: number): void {
    this.#set += milliseconds
  }

  after(milliseconds: number, run: () => void): () => void {
    const one = { at: this.#now + milliseconds, run }
    this.#due.push(one)
    return () => {
      this.#due = this.#due.filter((other) => other !== one)
    }
  }

  /** Advances time, running timers that fall due on the way, and lets pending work settle. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds
    for (;;) {
      const next = this.#due.filter((one) => one.at <= until).sort((one, two) => one.at - two.at)[0]
      if (!next) break
      this.#due = this.#due.filter((one) => one !== next)
      this.#now = Math.max(this.#now, next.at)
      next.run()
      await settle()
    }
    this.#now = until
    await settle()
  }
}

/** Lets pending promises and frames finish: closing things takes two frames. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => setTimeout(resolve))
}
