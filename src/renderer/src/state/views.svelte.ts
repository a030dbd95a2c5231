/** The saved views of the chosen account, in the order in which a person put them. */
import type { DocumentQuery } from '../../../shared/contract/document-query.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { SavedView } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

/** What a view is saved with; without an id it is a new one. */
export interface ViewToSave {
  id?: string
  name: string
  query: DocumentQuery
  tell: boolean
}

export class Views extends Resource<SavedView[]> {
  readonly #api: Api

  constructor(api: Api) {
    super(() => api.views.list())
    this.#api = api
  }

  get list(): readonly SavedView[] {
    return this.value ?? []
  }

  find(id: string): SavedView | undefined {
    return this.list.find((view) => view.id === id)
  }

  async save({ id, name, query, tell }: ViewToSave): Promise<{ view: SavedView } | { error: AppError }> {
    const result = await settled(this.#api.views.save({ ...(id && { id }), name, query, tell }))
    if (!result.ok) return { error: result.error }
    const view = result.value
    this.put(this.find(view.id) ? this.list.map((one) => (one.id === view.id ? view : one)) : [...this.list, view])
    return { view }
  }

  /** Takes a view away; `restore` brings it back to its place, under another id. */
  async remove(id: string): Promise<{ restore: () => Promise<AppError | undefined> } | { error: AppError }> {
    const removed = this.find(id)
    const at = this.list.findIndex((view) => view.id === id)
    const result = await settled(this.#api.views.remove({ id }))
    if (!result.ok) return { error: result.error }
    this.put(this.list.filter((view) => view.id !== id))
    return { restore: () => this.#restore(removed, at) }
  }

  /** Puts a view so many places further down, or up where it is less than none. */
  async move(id: string, by: number): Promise<AppError | undefined> {
    const from = this.list.findIndex((view) => view.id === id)
    const view = this.list[from]
    const to = from + by
    if (!view || to < 0 || to >= this.list.length) return undefined
    return this.#order(this.list.filter((one) => one.id !== id).toSpliced(to, 0, view))
  }

  async #restore(removed: SavedView | undefined, at: number): Promise<AppError | undefined> {
    if (!removed) return undefined
    const { name, query, tell } = removed
    const saved = await this.save({ name, query, tell })
    if ('error' in saved) return saved.error
    return this.#order(this.list.filter((one) => one.id !== saved.view.id).toSpliced(at, 0, saved.view))
  }

  async #order(next: SavedView[]): Promise<AppError | undefined> {
    const before = this.list
    this.put(next)
    const result = await settled(this.#api.views.order({ ids: next.map(({ id }) => id) }))
    if (result.ok) return undefined
    this.put([...before])
    return result.error
  }
}
