/** Documents that some words find, for wherever one is looked for in passing. */
import type { DocumentPage, DocumentRow } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'

const FEW = 5
/** Milliseconds without a key until someone is looked for. */
const TYPING = 250

/** The first few of them. */
export class FoundDocuments {
  #rows = $state.raw<readonly DocumentRow[]>([])
  #newest = 0
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get rows() {
    return this.#rows
  }

  /** Looks for them; the newest words count, and what was found before stays until their answer is here. */
  async find(words: string): Promise<void> {
    const mine = ++this.#newest
    if (words === '') {
      this.#rows = []
      return
    }
    const sort = { by: 'changed', descending: true } as const
    const query = { search: words.slice(0, 200), sort, grouped: false }
    const result = await settled(this.#api.documents.list({ query, offset: 0, limit: FEW }))
    if (mine !== this.#newest) return
    this.#rows = result.ok ? result.value.rows.filter((row) => row.kind === 'document') : []
  }
}

/** Someone who was looked for at the counter and isn't in the queue: looked for in all documents, with what keeps them away. */
export class FoundElsewhere {
  #pages = $state.raw<readonly DocumentPage[]>([])
  #words = $state('')
  #newest = 0
  #stop = () => {}
  readonly #api: Api
  readonly #clock: Clock
  readonly #found: FoundDocuments

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#clock = clock
    this.#found = new FoundDocuments(api)
  }

  /** The few documents that were found, in full. */
  get pages() {
    return this.#pages
  }
  /** What was looked for; '' while nothing was, or it isn't known yet. */
  get words() {
    return this.#words
  }

  /** Looks for them once nothing was typed for a moment; '' forgets what was found. */
  find(words: string): void {
    this.#stop()
    const mine = ++this.#newest
    if (words === '') {
      this.#pages = []
      this.#words = ''
      return
    }
    this.#stop = this.#clock.after(TYPING, () => void this.#look(words, mine))
  }

  async #look(words: string, mine: number): Promise<void> {
    await this.#found.find(words)
    const results = await Promise.all(
      this.#found.rows.map(({ reference }) => settled(this.#api.documents.get({ reference })))
    )
    if (mine !== this.#newest) return
    this.#pages = results.flatMap((result) => (result.ok ? [result.value] : []))
    this.#words = words
  }
}
