/** A reading of the clock that is told again now and then to whatever depends on it; nothing ticks while nobody looks. */
import { createSubscriber } from 'svelte/reactivity'
import type { Clock } from './clock.ts'

export class Ticking {
  readonly #clock: Clock
  readonly #follow: () => void

  /** @param untilNext how long after a moment the next one is told, in milliseconds. */
  constructor(clock: Clock, untilNext: (now: number) => number) {
    this.#clock = clock
    this.#follow = createSubscriber((update) => {
      let stop = () => {}
      const tick = () => {
        stop = clock.after(untilNext(clock.now()), () => {
          update()
          tick()
        })
      }
      tick()
      return () => stop()
    })
  }

  /** Milliseconds since 1970 UTC. */
  get now(): number {
    this.#follow()
    return this.#clock.now()
  }
}
