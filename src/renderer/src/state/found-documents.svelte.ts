/** Quick searches for documents, from anywhere in the application. */
import type { DocumentPage, DocumentRow } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'

const FEW = 5
/** Milliseconds without a keystroke before searching. */
const TYPING = 250

/** The first few documents that match. */
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

  /** Searches. The newest words win, and earlier results stay until their results arrive. */
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

/**
 * Someone searched for at the counter who isn't in the queue: searched for in all documents, to show why they aren't in
 * it.
 */
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

  /** The few documents found, in full. */
  get pages() {
    return this.#pages
  }
  /** The words the results belong to; '' if there were none, or the results aren't known yet. */
  get words() {
    return this.#words
  }

  /** Searches after a pause in typing; '' clears the results. */
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
