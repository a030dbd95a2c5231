/** What a screen reads of a list of any length, for the lists that say for themselves what they ask for. */
import type { Result } from '../../../shared/contract/errors.ts'
import { type Asked, type Listed, WindowedList } from './windowed-list.svelte.ts'

export abstract class ShownRows<Row, Answer extends Listed<Row> = Listed<Row>> {
  protected readonly rows: WindowedList<Row, Answer>

  constructor() {
    this.rows = new WindowedList((page) => this.ask(page))
  }

  protected abstract ask(page: Asked): Promise<Result<Answer>>

  get known() {
    return this.rows.known
  }
  get total() {
    return this.rows.total
  }
  get error() {
    return this.rows.error
  }
  get reading() {
    return this.rows.reading
  }
  /** The name of what is shown: changes when another list is there, not when it is asked for. */
  get shown() {
    return this.rows.shown
  }
  get version() {
    return this.rows.version
  }

  row(index: number): Row | undefined {
    return this.rows.row(index)
  }
  need(first: number, last: number): void {
    this.rows.need(first, last)
  }
  reload(): Promise<void> {
    return this.rows.reload()
  }
}
