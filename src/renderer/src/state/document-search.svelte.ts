/** Quick searches for documents, from anywhere in the application. */
import type { DocumentPage, DocumentRow } from '../../../shared/contract/views.ts'
import { type Api, ofAccount, settled } from '../api.ts'
import type { Clock } from './clock.ts'

const RESULT_LIMIT = 5
/** Milliseconds without a keystroke before searching. */
const SEARCH_DELAY = 250

/** The first few documents that match. */
export class DocumentSearch {
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
    const result = await settled(this.#api.documents.list({ query, offset: 0, limit: RESULT_LIMIT }))
    if (mine !== this.#newest) return
    this.#rows = result.ok ? result.value.rows.filter((row) => row.kind === 'document') : []
  }
}

/**
 * Someone searched for at the counter who isn't in the queue: searched for in all documents, to show why they aren't in
 * it.
 */
export class AllDocumentsSearch {
  #pages = $state.raw<readonly DocumentPage[]>([])
  #query = $state('')
  #newest = 0
  #stop = () => {}
  readonly #api: Api
  readonly #clock: Clock
  readonly #documents: DocumentSearch

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#clock = clock
    this.#documents = new DocumentSearch(api)
  }

  /** The few documents found, in full. */
  get pages() {
    return this.#pages
  }
  /** The words the results belong to; '' if there were none, or the results aren't known yet. */
  get query() {
    return this.#query
  }

  /** Searches after a pause in typing; '' clears the results. */
  find(words: string): void {
    this.#stop()
    const mine = ++this.#newest
    if (words === '') {
      this.#pages = []
      this.#query = ''
      return
    }
    this.#stop = this.#clock.after(SEARCH_DELAY, () => void this.#run(words, mine))
  }

  async #run(words: string, mine: number): Promise<void> {
    await this.#documents.find(words)
    const results = await Promise.all(
      this.#documents.rows.map(({ accountId, reference }) =>
        settled(ofAccount(this.#api, accountId).documents.get({ reference }))
      )
    )
    if (mine !== this.#newest) return
    this.#pages = results.flatMap((result) => (result.ok ? [result.value] : []))
    this.#query = words
  }
}
