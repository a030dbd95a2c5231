/** The drafts that fit a search, or those in the trash, as many as there may be; and what is done with those that are marked. */
import { tick, untrack } from 'svelte'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { DraftList as Answer, DraftSummary } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import type { Clock } from '../../state/clock.ts'
import { PagedList } from '../../state/paged-list.svelte.ts'
import type { MasterDetailState } from '../../ui/master-detail.svelte.ts'

/** Milliseconds between two readings: a draft changes with every few keys. */
const PAUSE = 1000

/** As many drafts are marked as the contract takes at a time. */
export const MOST_MARKED = 500

/** How many of several drafts something was done with, and why not with the rest. */
export interface DoneWith {
  done: DraftSummary[]
  error?: AppError
}

export class DraftList {
  readonly #api: Api
  readonly #trashed: boolean
  readonly rows: PagedList<string, DraftSummary, Answer>

  constructor(api: Api, clock: Clock, from: 'drafts' | 'trash') {
    this.#api = api
    this.#trashed = from === 'trash'
    this.rows = new PagedList((page, search) => api.drafts.list({ search, trashed: this.#trashed, ...page }), {
      pause: { clock, milliseconds: PAUSE }
    })
  }

  /** Shows what fits a component's search, and keeps it current; another search unmarks all. To be called as it is made. */
  shownIn(search: () => string, marks: Marks<DraftSummary>): void {
    $effect(() => {
      void this.rows.open(search())
      untrack(() => marks.clear())
    })
    $effect(() => this.#api.on('drafts.changed', () => this.rows.followSoon()))
  }

  /** The rows from one place to another, also those that have not come into sight; at most `most`. */
  async between(first: number, last: number, most: number): Promise<readonly DraftSummary[]> {
    const page = { offset: first, limit: Math.min(most, last - first + 1) }
    const search = this.rows.query ?? ''
    const result = await settled(this.#api.drafts.list({ search, trashed: this.#trashed, ...page }))
    return result.ok ? result.value.rows : []
  }

  /** The row at a place, or the last one where that is beyond it: the neighbour of what is gone. */
  nearest(at: number): DraftSummary | undefined {
    return this.rows.row(Math.max(0, Math.min(at, this.rows.total - 1)))
  }

  /**
   * Does the same with each, one after the other, until one fails; then shows how the list is.
   * @param gone done: a draft that isn't there any more is as good as removed. failed: nothing can be done with it.
   */
  async each(
    drafts: readonly DraftSummary[],
    gone: 'done' | 'failed',
    act: (draft: DraftSummary) => Promise<Result<unknown>>
  ): Promise<DoneWith> {
    const done: DraftSummary[] = []
    let error: AppError | undefined
    for (const draft of drafts) {
      const result = await settled(act(draft))
      if (!result.ok && !(gone === 'done' && result.error.code === 'gone')) {
        error = result.error
        break
      }
      done.push(draft)
    }
    await this.rows.follow()
    return { done, ...(error && { error }) }
  }

  remove(drafts: readonly DraftSummary[]): Promise<DoneWith> {
    return this.each(drafts, 'done', ({ id }) => this.#api.drafts.remove({ id }))
  }

  restore(drafts: readonly DraftSummary[]): Promise<DoneWith> {
    return this.each(drafts, 'failed', ({ id }) => this.#api.drafts.restore({ id }))
  }

  erase(drafts: readonly DraftSummary[]): Promise<DoneWith> {
    return this.each(drafts, 'done', ({ id }) => this.#api.drafts.erase({ id }))
  }
}

/** Rows that a person has marked, to do something with all of them; they stay marked while the list scrolls. */
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

  /** What a key or a menu of a row means: all that is marked, where the row is one of them. */
  meant(row: Row): readonly Row[] {
    return this.has(row.id) ? this.rows : [row]
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

  /** Unmarks all. What is under the list goes with the marks, and with it the button that had the focus. */
  async unmark(pane: MasterDetailState): Promise<void> {
    if (this.count === 0) return
    this.clear()
    await tick()
    pane.focusList()
  }
}
