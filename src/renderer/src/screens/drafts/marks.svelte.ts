/** Rows that a person has marked, to do something with all of them; they stay marked while the list scrolls. */

/** As many as the contract takes at a time. */
export const MOST_MARKED = 500

export class Marks<Row extends { id: string }> {
  #marked = $state.raw<ReadonlyMap<string, Row>>(new Map())
  /** Where a range begins. */
  #from = 0

  get count() {
    return this.#marked.size
  }
  get rows(): Row[] {
    return [...this.#marked.values()]
  }

  has(id: string): boolean {
    return this.#marked.has(id)
  }

  /** Where a range that is marked next begins. */
  stand(index: number): void {
    this.#from = index
  }

  /** Marks a row, or unmarks it. */
  toggle(row: Row, index: number): void {
    this.#from = index
    const marked = new Map(this.#marked)
    if (!marked.delete(row.id) && marked.size < MOST_MARKED) marked.set(row.id, row)
    this.#marked = marked
  }

  /** First and last row of the range that ends here. */
  rangeTo(index: number): readonly [number, number] {
    return [Math.min(this.#from, index), Math.max(this.#from, index)]
  }

  add(rows: readonly Row[]): void {
    const marked = new Map(this.#marked)
    for (const row of rows) if (marked.size < MOST_MARKED) marked.set(row.id, row)
    this.#marked = marked
  }

  clear(): void {
    this.#marked = new Map()
  }
}
