/** The first few documents that some words find, for wherever one is looked for in passing. */
import type { DocumentRow } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'

const FEW = 5

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
