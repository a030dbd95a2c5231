/**
 * How far each place of the history was scrolled: as one comes back, what scrolls there is put where it was, as soon as it is as long
 * as it was then. Anyone who scrolls or types meanwhile has the last word.
 */
import { tick } from 'svelte'
import type { Moves } from '../state/router.svelte.ts'

/** Frames in which a list may come from the main process and be drawn. */
const MOST_FRAMES = 120

export class Scrolled implements Moves {
  readonly #kept = new Map<number, ReadonlyMap<string, number>>()
  /** What of the place that is shown was not put back yet, as its list isn't there. */
  #owed = new Map<string, number>()
  #stop = () => {}

  left(entry: number): void {
    this.#stop()
    // Who passes through a place before it is drawn finds it again as it was before.
    const kept = new Map(this.#owed)
    for (const [name, { scrollTop }] of scrollers()) if (scrollTop > 0 || !kept.has(name)) kept.set(name, scrollTop)
    this.#kept.set(entry, kept)
  }

  arrived(entry: number, isBack: boolean): void {
    const wanted = isBack ? this.#kept.get(entry) : undefined
    this.#owed = new Map(wanted)
    if (wanted && [...wanted.values()].some((top) => top > 0)) void this.#putBack(wanted)
  }

  async #putBack(wanted: ReadonlyMap<string, number>): Promise<void> {
    let isWanted = true
    const stop = () => {
      isWanted = false
      for (const name of ['wheel', 'keydown', 'pointerdown']) removeEventListener(name, stop, true)
    }
    this.#stop = stop
    for (const name of ['wheel', 'keydown', 'pointerdown'])
      addEventListener(name, stop, { capture: true, passive: true })
    await tick()
    for (let frame = 0; frame < MOST_FRAMES && isWanted; frame++) {
      for (const [name, element] of scrollers()) {
        const top = wanted.get(name)
        const isLongEnough = top !== undefined && element.scrollHeight - element.clientHeight >= top
        if (!isLongEnough) continue
        if (Math.abs(element.scrollTop - top) > 1) element.scrollTop = top
        this.#owed.delete(name)
      }
      await new Promise(requestAnimationFrame)
    }
    stop()
  }
}

/** What scrolls in the screen, each by a name that it has again when the screen is made again. */
function scrollers(): Map<string, HTMLElement> {
  const all = document.querySelectorAll<HTMLElement>('#main .scrolls')
  return new Map([...all].map((element, index) => [`${index} ${element.getAttribute('aria-label') ?? ''}`, element]))
}
