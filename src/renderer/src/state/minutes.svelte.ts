/** The time, told anew as each minute begins to whatever depends on it; nothing ticks while nobody looks. */
import { createSubscriber } from 'svelte/reactivity'
import type { Clock } from './clock.ts'

const MINUTE = 60_000

export class Minutes {
  readonly #clock: Clock
  readonly #follow: () => void

  constructor(clock: Clock) {
    this.#clock = clock
    this.#follow = createSubscriber((update) => {
      let stop = () => {}
      const tick = () => {
        stop = clock.after(MINUTE - (clock.now() % MINUTE), () => {
          update()
          tick()
        })
      }
      tick()
      return () => stop()
    })
  }

  get now(): number {
    this.#follow()
    return this.#clock.now()
  }
}
