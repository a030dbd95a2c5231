/**
 * Remembers the scroll positions of each history entry and restores them on return, as soon as the content is long
 * enough. A user who scrolls, clicks or types meanwhile overrides that.
 */
import { tick } from 'svelte'
import type { NavigationListener } from '../state/router.svelte.ts'

/** How many frames a list has to be loaded from the main process and drawn. */
const MAX_FRAMES = 120

export class ScrollRestorer implements NavigationListener {
  readonly #kept = new Map<number, ReadonlyMap<string, number>>()
  /** Positions not restored yet, because their list isn't there. */
  #pending = new Map<string, number>()
  #stop = () => {}

  onLeave(entry: number): void {
    this.#stop()
    // If the user leaves before an entry is drawn, its earlier positions are kept.
    const kept = new Map(this.#pending)
    for (const [name, { scrollTop }] of scrollers()) if (scrollTop > 0 || !kept.has(name)) kept.set(name, scrollTop)
    this.#kept.set(entry, kept)
  }

  onArrive(entry: number, isBack: boolean): void {
    const positions = isBack ? this.#kept.get(entry) : undefined
    this.#pending = new Map(positions)
    if (positions && [...positions.values()].some((top) => top > 0)) void this.#restore(positions)
  }

  async #restore(positions: ReadonlyMap<string, number>): Promise<void> {
    let isActive = true
    const stop = () => {
      isActive = false
      for (const name of ['wheel', 'keydown', 'pointerdown']) removeEventListener(name, stop, true)
    }
    this.#stop = stop
    for (const name of ['wheel', 'keydown', 'pointerdown'])
      addEventListener(name, stop, { capture: true, passive: true })
    await tick()
    for (let frame = 0; frame < MAX_FRAMES && isActive; frame++) {
      for (const [name, element] of scrollers()) {
        const top = positions.get(name)
        const isLongEnough = top !== undefined && element.scrollHeight - element.clientHeight >= top
        if (!isLongEnough) continue
        if (Math.abs(element.scrollTop - top) > 1) element.scrollTop = top
        this.#pending.delete(name)
      }
      await new Promise(requestAnimationFrame)
    }
    stop()
  }
}

/** Returns the screen's scrolling elements, by a name that is the same when the screen is created again. */
function scrollers(): Map<string, HTMLElement> {
  const all = document.querySelectorAll<HTMLElement>('#main .scrolls')
  return new Map([...all].map((element, index) => [`${index} ${element.getAttribute('aria-label') ?? ''}`, element]))
}
