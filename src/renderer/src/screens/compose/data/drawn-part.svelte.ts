/** The rendered part of a long list: a hundred rows around the one needed, until all are requested. */
import { drawing } from '../composing.svelte.ts'

const FEW = 100

export class DrawnPart<Row extends { key: string }> {
  #from = $state(0)
  #all = $state(false)
  readonly #rows: () => readonly Row[]

  /** @param at returns the path of the list, which prefixes the paths of its rows. */
  constructor(rows: () => readonly Row[], at: () => string) {
    this.#rows = rows
    $effect(() => {
      const draw = (place: string) => {
        const prefix = `${at()}.`
        if (!place.startsWith(prefix)) return
        const key = place.slice(prefix.length).split('.')[0]
        this.#draw(rows().findIndex((row) => row.key === key))
      }
      drawing.add(draw)
      return () => drawing.delete(draw)
    })
  }

  /** The index of the first rendered row. */
  get first(): number {
    return this.#all ? 0 : Math.max(0, Math.min(this.#from, this.#rows().length - FEW))
  }
  get rows(): readonly Row[] {
    return this.#all ? this.#rows() : this.#rows().slice(this.first, this.first + FEW)
  }
  get isWhole(): boolean {
    return this.#all || this.#rows().length <= FEW
  }

  showAll(): void {
    this.#all = true
  }

  #draw(index: number): void {
    if (index < 0 || (index >= this.first && index < this.first + FEW)) return
    this.#from = Math.max(0, index - FEW / 2)
  }
}
