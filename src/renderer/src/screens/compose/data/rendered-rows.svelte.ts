/** The rendered part of a long list: a hundred rows around the one needed, until all are requested. */
import { renderCallbacks } from '../composing.svelte.ts'

const WINDOW_SIZE = 100

export class RenderedRows<Row extends { key: string }> {
  #from = $state(0)
  #all = $state(false)
  readonly #rows: () => readonly Row[]

  /** @param at returns the path of the list, which prefixes the paths of its rows. */
  constructor(rows: () => readonly Row[], at: () => string) {
    this.#rows = rows
    $effect(() => {
      const render = (place: string) => {
        const prefix = `${at()}.`
        if (!place.startsWith(prefix)) return
        const key = place.slice(prefix.length).split('.')[0]
        this.#renderAround(rows().findIndex((row) => row.key === key))
      }
      renderCallbacks.add(render)
      return () => renderCallbacks.delete(render)
    })
  }

  /** The index of the first rendered row. */
  get first(): number {
    return this.#all ? 0 : Math.max(0, Math.min(this.#from, this.#rows().length - WINDOW_SIZE))
  }
  get rows(): readonly Row[] {
    return this.#all ? this.#rows() : this.#rows().slice(this.first, this.first + WINDOW_SIZE)
  }
  get isComplete(): boolean {
    return this.#all || this.#rows().length <= WINDOW_SIZE
  }

  showAll(): void {
    this.#all = true
  }

  #renderAround(index: number): void {
    if (index < 0 || (index >= this.first && index < this.first + WINDOW_SIZE)) return
    this.#from = Math.max(0, index - WINDOW_SIZE / 2)
  }
}
