/** What the frame shows of the chosen account: whether its service answers, the numbers of the side bar, its newest drafts, its saved views. */

import type { AppError, Result } from '../../../shared/contract/errors.ts'
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
  /** When the account's folders were last read while this page was open. */
  lookedAt = $state<number>()

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
    this.lookedAt = undefined
    super.clear()
  }
}

/** The numbers beside the entries of the side bar. */
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

  /** Sends that need a person: refused, uncertain, not sent. */
  get outbox() {
    return this.#outbox.attention
  }
  /** Sends that have not left yet, or are leaving. */
  get waiting() {
    return this.#outbox.waiting
  }
  get folders(): Record<string, number> {
    return this.#documents.value?.folders ?? {}
  }
  /** By a saved view's id. */
  get views(): Record<string, number> {
    return this.#documents.value?.views ?? {}
  }
  /** Documents to which something happened since the person last looked at them. */
  get unread() {
    return this.#documents.value?.unread ?? 0
  }
  /** People who can sign at the counter, however many documents wait for them. */
  get people(): QueuedPerson[] {
    return peopleOf(this.#queue.value ?? []).filter(({ first }) => first)
  }
  get counter() {
    return this.people.length
  }
  /** Files that are on their way, or wait for their turn. */
  get downloads() {
    const counts = this.#downloads.value?.counts
    return counts ? counts.running + counts.waiting : 0
  }

  /** What is in the folders and views alone. */
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

/** As many drafts as are offered to go on with. */
const FEW = 5
/** Milliseconds between two readings: a draft changes with every few keys. */
const PAUSE = 1000

/** What every screen knows of the account's drafts: the newest few, and how many there are. */
export class Drafts extends Resource<DraftList> {
  constructor(api: Api, clock: Clock) {
    super(() => api.drafts.list({ search: '', trashed: false, offset: 0, limit: FEW }), { clock, milliseconds: PAUSE })
  }

  /** The newest few, newest first. */
  get list() {
    return this.value?.rows ?? []
  }
  /** How many there are, in and out of the trash. */
  get counts() {
    return this.value?.counts ?? { drafts: 0, trashed: 0 }
  }
}

/** What a view is saved with; without an id it is a new one. */
type ViewToSave = Pick<SavedView, 'name' | 'query' | 'tell'> & Partial<Pick<SavedView, 'id'>>

/** The saved views of the chosen account, in the order in which a person put them. */
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
    if (!saved.ok) return saved.error
    return this.#order(this.list.filter((one) => one.id !== saved.value.id).toSpliced(at, 0, saved.value))
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
