/** The drafts that match a search, or those in the trash, of any number; and actions on marked ones. */
import { tick, untrack } from 'svelte'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { DraftList as Answer, DraftSummary } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import type { Clock } from '../../state/clock.ts'
import { PagedList } from '../../state/paged-list.svelte.ts'
import type { MasterDetailState } from '../../ui/master-detail.svelte.ts'

/** Minimum time between two reads, in milliseconds: a draft changes every few keystrokes. */
const RELOAD_INTERVAL = 1000

/** The most drafts that can be marked, limited by the contract. */
export const MAX_MARKED = 500

/** The drafts that an action succeeded for, and the error that stopped it. */
export interface BatchResult {
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
      throttle: { clock, milliseconds: RELOAD_INTERVAL }
    })
  }

  /**
   * Shows the results of a component's search and keeps them current; a new search clears the marks. Call during
   * component initialisation.
   */
  bindTo(search: () => string, marks: Marks<DraftSummary>): void {
    $effect(() => {
      void this.rows.open(search())
      untrack(() => marks.clear())
    })
    $effect(() => this.#api.on('drafts.changed', () => this.rows.scheduleReload()))
  }

  /** Returns the rows of a range, including ones not loaded yet; at most `limit`. */
  async rowsBetween(first: number, last: number, limit: number): Promise<readonly DraftSummary[]> {
    const page = { offset: first, limit: Math.min(limit, last - first + 1) }
    const search = this.rows.query ?? ''
    const result = await settled(this.#api.drafts.list({ search, trashed: this.#trashed, ...page }))
    return result.ok ? result.value.rows : []
  }

  /** Returns the row at an index, or the last one if there are fewer: the neighbour of a removed row. */
  nearest(at: number): DraftSummary | undefined {
    return this.rows.row(Math.max(0, Math.min(at, this.rows.total - 1)))
  }

  /**
   * Runs an action on each draft in turn until one fails, then reloads the list.
   * @param whenGone done: a draft that no longer exists counts as removed. failed: it counts as an error.
   */
  async runEach(
    drafts: readonly DraftSummary[],
    whenGone: 'done' | 'failed',
    act: (draft: DraftSummary) => Promise<Result<unknown>>
  ): Promise<BatchResult> {
    const done: DraftSummary[] = []
    let error: AppError | undefined
    for (const draft of drafts) {
      const result = await settled(act(draft))
      if (!result.ok && !(whenGone === 'done' && result.error.code === 'gone')) {
        error = result.error
        break
      }
      done.push(draft)
    }
    await this.rows.reloadAfterChange()
    return { done, ...(error && { error }) }
  }

  remove(drafts: readonly DraftSummary[]): Promise<BatchResult> {
    return this.runEach(drafts, 'done', ({ id }) => this.#api.drafts.remove({ id }))
  }

  restore(drafts: readonly DraftSummary[]): Promise<BatchResult> {
    return this.runEach(drafts, 'failed', ({ id }) => this.#api.drafts.restore({ id }))
  }

  erase(drafts: readonly DraftSummary[]): Promise<BatchResult> {
    return this.runEach(drafts, 'done', ({ id }) => this.#api.drafts.erase({ id }))
  }
}

/** Rows marked for a common action; they stay marked while the list scrolls. */
export class Marks<Row extends { id: string }> {
  #marked = $state.raw<ReadonlyMap<string, Row>>(new Map())
  #rangeStart = 0

  get count() {
    return this.#marked.size
  }
  get rows(): Row[] {
    return [...this.#marked.values()]
  }

  has(id: string): boolean {
    return this.#marked.has(id)
  }

  /** Returns what a key or menu of a row applies to: all marked rows if it is one of them. */
  targetOf(row: Row): readonly Row[] {
    return this.has(row.id) ? this.rows : [row]
  }

  setRangeStart(index: number): void {
    this.#rangeStart = index
  }

  /** Marks or unmarks a row. */
  toggle(row: Row, index: number): void {
    this.#rangeStart = index
    const marked = new Map(this.#marked)
    if (!marked.delete(row.id) && marked.size < MAX_MARKED) marked.set(row.id, row)
    this.#marked = marked
  }

  /** Returns the first and last row of the range ending here. */
  rangeTo(index: number): readonly [number, number] {
    return [Math.min(this.#rangeStart, index), Math.max(this.#rangeStart, index)]
  }

  add(rows: readonly Row[]): void {
    const marked = new Map(this.#marked)
    for (const row of rows) if (marked.size < MAX_MARKED) marked.set(row.id, row)
    this.#marked = marked
  }

  clear(): void {
    this.#marked = new Map()
  }

  /** Clears the marks. The bar below the list disappears with them, including the focused button. */
  async unmark(pane: MasterDetailState): Promise<void> {
    if (this.count === 0) return
    this.clear()
    await tick()
    pane.focusList()
  }
}
