/** What every screen knows of the chosen account's drafts: the newest few, and how many there are. */
import type { DraftList } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import type { Clock } from './clock.ts'
import { coalesced } from './coalesced.ts'
import { Resource } from './resource.svelte.ts'

/** As many as are offered to go on with. */
const FEW = 5
/** Milliseconds between two readings: a draft changes with every few keys. */
const PAUSE = 1000

export class Drafts {
  readonly #newest: Resource<DraftList>
  /** Follows a change of any draft; many in a short time are followed together. */
  readonly follow: () => void

  constructor(api: Api, clock: Clock) {
    this.#newest = new Resource(() => api.drafts.list({ search: '', trashed: false, offset: 0, limit: FEW }))
    this.follow = coalesced(clock, PAUSE, () => void this.load())
  }

  /** The newest few, newest first. */
  get list() {
    return this.#newest.value?.rows ?? []
  }
  /** How many there are, in and out of the trash. */
  get counts() {
    return this.#newest.value?.counts ?? { drafts: 0, trashed: 0 }
  }
  get known() {
    return this.#newest.value !== undefined
  }
  get error() {
    return this.#newest.error
  }

  load(): Promise<void> {
    return this.#newest.load()
  }

  clear(): void {
    this.#newest.clear()
  }
}
