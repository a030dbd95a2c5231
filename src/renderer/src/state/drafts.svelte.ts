/** The drafts of the chosen account, newest first. */

import type { AppError } from '../../../shared/contract/errors.ts'
import type { DraftSummary, DraftView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

export class Drafts {
  readonly #api: Api
  readonly #list: Resource<DraftSummary[]>
  readonly #sorted = $derived.by(() => [...(this.#list.value ?? [])].sort((one, two) => two.updatedAt - one.updatedAt))

  constructor(api: Api) {
    this.#api = api
    this.#list = new Resource(() => api.drafts.list())
  }

  get list() {
    return this.#sorted
  }
  get known() {
    return this.#list.value !== undefined
  }
  get error() {
    return this.#list.error
  }

  load(): Promise<void> {
    return this.#list.load()
  }

  clear(): void {
    this.#list.clear()
  }

  /** Removes a draft; answers what is needed to save it again, or why it could not be removed. */
  async remove(id: string): Promise<{ removed: DraftView } | { error: AppError }> {
    const read = await settled(this.#api.drafts.get({ id }))
    if (!read.ok) return { error: read.error }
    const result = await settled(this.#api.drafts.remove({ id }))
    await this.load()
    return result.ok ? { removed: read.value } : { error: result.error }
  }

  /** Saves a removed draft again, as a new one. */
  async restore(draft: DraftView): Promise<AppError | undefined> {
    const result = await settled(this.#api.drafts.save({ composition: draft.composition }))
    await this.load()
    return result.ok ? undefined : result.error
  }
}
