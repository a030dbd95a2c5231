/** The documents that are selected, of any account; all that a query finds can be, also those that were never on the screen. */

import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DocumentRow, FolderRow } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'

/** As many as one request takes one by one. */
const MOST_SELECTED = 10_000
/** As many as are read whole when all are selected, and can be acted on one by one. */
export const MOST_KNOWN = 500

/** Accounts may have documents of the same reference. */
function nameOf({ accountId, reference }: DocumentKey): string {
  return `${accountId}\n${reference}`
}

interface Selected {
  key: DocumentKey
  /** The row as it was when it was selected; absent where more are selected than are read whole. */
  row?: DocumentRow
}

export class Selection {
  /** By their names, in the order in which they were selected. */
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
  /** The rows as they were when they were selected; undefined if there are more than are read whole. */
  get rows(): DocumentRow[] | undefined {
    const rows = [...this.#selected.values()].flatMap(({ row }) => row ?? [])
    return rows.length === this.count ? rows : undefined
  }

  has(document: DocumentKey): boolean {
    return this.#selected.has(nameOf(document))
  }

  toggle(row: FolderRow): void {
    if (row.kind === 'package') return
    if (this.has(row)) this.#put([...this.#selected].filter(([name]) => name !== nameOf(row)))
    else this.add([row])
  }

  /** Selects these too. */
  add(rows: readonly (FolderRow | undefined)[]): void {
    const selected = new Map(this.#selected)
    for (const row of rows) {
      if (selected.size >= MOST_SELECTED) break
      if (row?.kind === 'document') selected.set(nameOf(row), asSelected(row))
    }
    this.#put(selected)
  }

  /**
   * Selects all that a query finds.
   * @returns how many it finds, where those are more than can be selected; an error where they can't be read.
   */
  async all(query: DocumentQuery): Promise<{ error?: AppError; tooMany?: number }> {
    const mine = ++this.#generation
    const flat = { ...query, grouped: false }
    const read = await settled(this.#api.documents.list({ query: flat, offset: 0, limit: MOST_KNOWN }))
    if (mine !== this.#generation) return {}
    if (!read.ok) return { error: read.error }
    const rows = read.value.rows.filter((row) => row.kind === 'document')
    const known = new Map(rows.map((row) => [nameOf(row), asSelected(row)]))
    if (read.value.documents <= rows.length) {
      this.#put(known)
      return {}
    }
    const found = await settled(this.#api.documents.references({ query: flat }))
    if (mine !== this.#generation) return {}
    if (!found.ok) return { error: found.error }
    const { references, total } = found.value
    this.#put(references.map((key) => [nameOf(key), known.get(nameOf(key)) ?? { key }]))
    return total > references.length ? { tooMany: total } : {}
  }

  clear(): void {
    if (this.count > 0) this.#put([])
    else this.#generation++
  }

  #put(selected: Iterable<readonly [name: string, Selected]>): void {
    this.#generation++
    this.#selected = new Map(selected)
  }
}

function asSelected(row: DocumentRow): Selected {
  const { accountId, reference } = row
  return { key: { accountId, reference }, row }
}
