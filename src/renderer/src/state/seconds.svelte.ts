/** The time, told anew each second to whatever shows it; nothing ticks while nobody looks. */
import { createSubscriber } from 'svelte/reactivity'
import type { Clock } from './clock.ts'

export class Seconds {
  readonly #clock: Clock
  readonly #follow: () => void

  constructor(clock: Clock) {
    this.#clock = clock
    this.#follow = createSubscriber((update) => {
      let stop = () => {}
      const tick = () => {
        stop = clock.after(1000, () => {
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
