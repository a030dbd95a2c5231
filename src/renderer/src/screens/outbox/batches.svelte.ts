/** The batches of the chosen account, newest first, and what can be done with each as a whole. */
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { BatchView, SavedFile } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import type { Clock } from '../../state/clock.ts'
import { Resource } from '../../state/resource.svelte.ts'

/** Milliseconds between two readings: a batch tells of each of its packages. */
const PAUSE = 250

export type BatchDeed = 'pause' | 'resume' | 'cancel' | 'retry' | 'exportFailed'

export class Batches extends Resource<BatchView[]> {
  #doing = $state.raw<{ id: string; deed: BatchDeed }>()
  #trouble = $state.raw<{ id: string; error: AppError }>()
  readonly #api: Api
  readonly #sorted = $derived.by(() => [...(this.value ?? [])].sort((one, two) => two.createdAt - one.createdAt))

  constructor(api: Api, clock: Clock) {
    super(() => api.batches.list(), { clock, milliseconds: PAUSE })
    this.#api = api
  }

  get list(): readonly BatchView[] {
    return this.#sorted
  }
  /** What is being done with which at this moment. */
  get doing() {
    return this.#doing
  }
  /** What could not be done with which, and why. */
  get trouble() {
    return this.#trouble
  }

  find(id: string): BatchView | undefined {
    return this.#sorted.find((batch) => batch.id === id)
  }

  async change(id: string, deed: 'pause' | 'resume' | 'cancel' | 'retry'): Promise<void> {
    const changed = await this.#do(id, deed, () => this.#api.batches[deed]({ id }))
    if (changed) this.put(this.#sorted.map((batch) => (batch.id === id ? changed : batch)))
  }

  /** Saves the rows to fix; answers the file's name, or null where the person thought better of it. */
  exportFailed(id: string): Promise<SavedFile | null | undefined> {
    return this.#do(id, 'exportFailed', () => this.#api.batches.exportFailed({ id }))
  }

  async #do<Value>(id: string, deed: BatchDeed, call: () => Promise<Result<Value>>): Promise<Value | undefined> {
    if (this.#doing) return undefined
    this.#doing = { id, deed }
    this.#trouble = undefined
    const result = await settled(call())
    this.#doing = undefined
    if (result.ok) return result.value
    this.#trouble = { id, error: result.error }
    return undefined
  }
}
