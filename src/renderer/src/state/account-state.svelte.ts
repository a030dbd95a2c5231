/** What the frame shows for the chosen account: connection state, side bar counts, newest drafts and saved views. */

import type { Result } from '../../../shared/contract/errors.ts'
import type {
  ConnectionView,
  CounterEntry,
  DocumentCounts,
  DownloadSummary,
  DraftList,
  SavedView
} from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'
import type { Outbox } from './outbox.svelte.ts'
import { peopleOf, type QueuedPerson } from './queued-people.ts'
import { Resource } from './resource.svelte.ts'

/** Whether the service answers, since when, and why not. */
export class Connection extends Resource<ConnectionView> {
  /** When the account's folders were last checked while this page was open. */
  checkedAt = $state<number>()

  constructor(api: Api) {
    super(() => api.accounts.connection())
  }

  get view(): ConnectionView {
    return this.value ?? { state: 'unknown', since: 0 }
  }
  get isDown() {
    return this.view.state === 'offline' || this.view.state === 'refused'
  }

  override clear(): void {
    this.checkedAt = undefined
    super.clear()
  }
}

/** The counts next to the side bar's entries. */
export class Counts {
  readonly #outbox: Outbox
  readonly #documents: Resource<DocumentCounts>
  readonly #queue: Resource<CounterEntry[]>
  readonly #downloads: Resource<DownloadSummary>

  constructor(api: Api, outbox: Outbox) {
    this.#outbox = outbox
    this.#documents = new Resource(() => api.documents.counts())
    this.#queue = new Resource(() => api.counter.queue())
    this.#downloads = new Resource(() => api.downloads.summary())
  }

  /** Sends that need attention. */
  get outbox() {
    return this.#outbox.attention
  }
  /** Sends that are queued or being sent. */
  get waiting() {
    return this.#outbox.waiting
  }
  get folders(): Record<string, number> {
    return this.#documents.value?.folders ?? {}
  }
  /** Document counts by saved view id. */
  get views(): Record<string, number> {
    return this.#documents.value?.views ?? {}
  }
  /** Documents with changes the user hasn't looked at yet. */
  get unread() {
    return this.#documents.value?.unread ?? 0
  }
  /** People who can sign at the counter. Someone with several documents counts once. */
  get people(): QueuedPerson[] {
    return peopleOf(this.#queue.value ?? []).filter(({ first }) => first)
  }
  get counter() {
    return this.people.length
  }
  /** Files being downloaded or queued. */
  get downloads() {
    const counts = this.#downloads.value?.counts
    return counts ? counts.running + counts.waiting : 0
  }

  /** Reloads only the counts of the folders and views. */
  loadFolders(): Promise<void> {
    return this.#documents.load()
  }
  async loadDocuments(): Promise<void> {
    await Promise.all([this.#documents.load(), this.#queue.load()])
  }
  loadDownloads(): Promise<void> {
    return this.#downloads.load()
  }
  async load(): Promise<void> {
    await Promise.all([this.loadDocuments(), this.loadDownloads()])
  }

  clear(): void {
    this.#documents.clear()
    this.#queue.clear()
    this.#downloads.clear()
  }
}

/** How many drafts are offered to continue with. */
const NEWEST_COUNT = 5
/** Milliseconds between reloads: a draft changes every few keystrokes. */
const RELOAD_INTERVAL = 1000

/** The drafts every screen knows about: the newest few, and the totals. */
export class Drafts extends Resource<DraftList> {
  constructor(api: Api, clock: Clock) {
    super(() => api.drafts.list({ search: '', trashed: false, offset: 0, limit: NEWEST_COUNT }), {
      clock,
      milliseconds: RELOAD_INTERVAL
    })
  }

  /** The newest few, newest first. */
  get list() {
    return this.value?.rows ?? []
  }
  /** The number of drafts, and of drafts in the trash. */
  get counts() {
    return this.value?.counts ?? { drafts: 0, trashed: 0 }
  }
}

/** The parts of a view that are saved. A view without an id is new. */
type ViewToSave = Pick<SavedView, 'name' | 'query' | 'tell'> & Partial<Pick<SavedView, 'id'>>

/** The chosen account's saved views, in the user's own order. */
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

  async save({ id, name, query, tell }: ViewToSave): Promise<Result<SavedView>> {
    const result = await settled(this.#api.views.save({ ...(id && { id }), name, query, tell }))
    if (!result.ok) return result
    const view = result.value
    this.put(this.find(view.id) ? this.list.map((one) => (one.id === view.id ? view : one)) : [...this.list, view])
    return result
  }

  /** Removes a view. `restore` puts it back in the same position, under a new id. */
  async remove(id: string): Promise<Result<{ restore: () => Promise<Result<null>> }>> {
    const removed = this.find(id)
    const at = this.list.findIndex((view) => view.id === id)
    const result = await settled(this.#api.views.remove({ id }))
    if (!result.ok) return result
    this.put(this.list.filter((view) => view.id !== id))
    return { ok: true, value: { restore: () => this.#restore(removed, at) } }
  }

  /** Moves a view down by `by` positions, or up if negative. */
  async move(id: string, by: number): Promise<Result<null>> {
    const from = this.list.findIndex((view) => view.id === id)
    const view = this.list[from]
    const to = from + by
    if (!view || to < 0 || to >= this.list.length) return { ok: true, value: null }
    return this.#order(this.list.filter((one) => one.id !== id).toSpliced(to, 0, view))
  }

  async #restore(removed: SavedView | undefined, at: number): Promise<Result<null>> {
    if (!removed) return { ok: true, value: null }
    const { name, query, tell } = removed
    const saved = await this.save({ name, query, tell })
    if (!saved.ok) return saved
    return this.#order(this.list.filter((one) => one.id !== saved.value.id).toSpliced(at, 0, saved.value))
  }

  async #order(next: SavedView[]): Promise<Result<null>> {
    const before = this.list
    this.put(next)
    const result = await settled(this.#api.views.order({ ids: next.map(({ id }) => id) }))
    if (!result.ok) this.put([...before])
    return result
  }
}
