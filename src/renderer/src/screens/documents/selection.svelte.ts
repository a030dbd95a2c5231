/** The selected documents, of any account. Everything a query finds can be selected, including rows never loaded. */

import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DocumentRow, FolderRow } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { keyOfDocument } from '../../state/document-query.ts'

/** The most documents that one request can list. */
const MAX_SELECTED = 10_000
/** The most documents whose rows are loaded when all are selected, so that commands can use them individually. */
export const MAX_WITH_ROWS = 500

interface Selected {
  key: DocumentKey
  /** The row when it was selected; absent if too many are selected to have their rows. */
  row?: DocumentRow
}

export class Selection {
  /** By the document's key, in the order of selection. */
  #selected = $state.raw<ReadonlyMap<string, Selected>>(new Map())
  #generation = 0
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get count() {
    return this.#selected.size
  }
  get documents(): DocumentKey[] {
    return [...this.#selected.values()].map(({ key }) => key)
  }
  /** The rows as they were when selected; undefined if too many are selected. */
  get rows(): DocumentRow[] | undefined {
    const rows = [...this.#selected.values()].flatMap(({ row }) => row ?? [])
    return rows.length === this.count ? rows : undefined
  }

  has(document: DocumentKey): boolean {
    return this.#selected.has(keyOfDocument(document))
  }

  toggle(row: FolderRow): void {
    if (row.kind === 'package') return
    if (this.has(row)) this.#replace([...this.#selected].filter(([name]) => name !== keyOfDocument(row)))
    else this.add([row])
  }

  add(rows: readonly (FolderRow | undefined)[]): void {
    const selected = new Map(this.#selected)
    for (const row of rows) {
      if (selected.size >= MAX_SELECTED) break
      if (row?.kind === 'document') selected.set(keyOfDocument(row), asSelected(row))
    }
    this.#replace(selected)
  }

  /**
   * Selects everything a query finds.
   * @returns the number of matches if it is more than can be selected, or an error if they can't be read.
   */
  async selectAll(query: DocumentQuery): Promise<{ error?: AppError; tooMany?: number }> {
    const mine = ++this.#generation
    const flat = { ...query, grouped: false }
    const read = await settled(this.#api.documents.list({ query: flat, offset: 0, limit: MAX_WITH_ROWS }))
    if (mine !== this.#generation) return {}
    if (!read.ok) return { error: read.error }
    const rows = read.value.rows.filter((row) => row.kind === 'document')
    const known = new Map(rows.map((row) => [keyOfDocument(row), asSelected(row)]))
    if (read.value.documents <= rows.length) {
      this.#replace(known)
      return {}
    }
    const found = await settled(this.#api.documents.references({ query: flat }))
    if (mine !== this.#generation) return {}
    if (!found.ok) return { error: found.error }
    const { references, total } = found.value
    this.#replace(references.map((key) => [keyOfDocument(key), known.get(keyOfDocument(key)) ?? { key }]))
    return total > references.length ? { tooMany: total } : {}
  }

  clear(): void {
    if (this.count > 0) this.#replace([])
    else this.#generation++
  }

  #replace(selected: Iterable<readonly [name: string, Selected]>): void {
    this.#generation++
    this.#selected = new Map(selected)
  }
}

function asSelected(row: DocumentRow): Selected {
  const { accountId, reference } = row
  return { key: { accountId, reference }, row }
}
