/** The batches of the chosen account, newest first, and actions on each as a whole. */
import type { Result } from '../../../../shared/contract/errors.ts'
import type { BatchView, LeftOutRows, SavedFile } from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import type { Clock } from '../../state/clock.ts'
import { Resource } from '../../state/resource.svelte.ts'

/** Minimum time between two reads, in milliseconds: a batch reports each of its packages. */
const READ_INTERVAL = 250

/** How many rows that were left out are shown; all of them can be exported. */
const SHOWN_ROWS = 100

export type BatchAction = 'pause' | 'release' | 'resume' | 'cancel' | 'retry' | 'exportFailed'

export class Batches extends Resource<BatchView[]> {
  readonly #acting = new Action<unknown>()
  #last = $state.raw<{ id: string; action: BatchAction }>()
  readonly #api: Api
  readonly #sorted = $derived.by(() => [...(this.value ?? [])].sort((one, two) => two.createdAt - one.createdAt))

  constructor(api: Api, clock: Clock) {
    super(() => api.batches.list(), { clock, milliseconds: READ_INTERVAL })
    this.#api = api
  }

  get list(): readonly BatchView[] {
    return this.#sorted
  }
  /** The action in progress, with its batch. */
  get running() {
    return this.#acting.busy ? this.#last : undefined
  }
  /** The error of the last action, with its batch. */
  get lastFailure() {
    const { error } = this.#acting
    return error && { id: this.#last?.id, error }
  }

  find(id: string): BatchView | undefined {
    return this.#sorted.find((batch) => batch.id === id)
  }

  async change(id: string, action: Exclude<BatchAction, 'exportFailed'>): Promise<void> {
    const changed = await this.#do(id, action, () => this.#api.batches[action]({ id }))
    if (!changed) return
    this.put(this.#sorted.map((batch) => (batch.id === id ? changed : batch)))
    // A load that this replaced may have been for a change of another batch.
    await this.load()
  }

  /** Saves the rows to fix. Resolves to the saved file, or null if the user cancels. */
  exportFailed(id: string): Promise<SavedFile | null | undefined> {
    return this.#do(id, 'exportFailed', () => this.#api.batches.exportFailed({ id }))
  }

  /** Returns the first rows that were left out of a batch, with the reasons. */
  leftOut(id: string): Promise<Result<LeftOutRows>> {
    return this.#api.batches.leftOut({ id, offset: 0, limit: SHOWN_ROWS })
  }

  async #do<Value>(id: string, action: BatchAction, call: () => Promise<Result<Value>>): Promise<Value | undefined> {
    if (this.#acting.busy) return undefined
    this.#last = { id, action }
    return this.#acting.run(call)
  }
}
