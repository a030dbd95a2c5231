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

export class Selection {
  /** By their names, in the order in which they were selected. */
  #keys = $state.raw<ReadonlyMap<string, DocumentKey>>(new Map())
  #rows: ReadonlyMap<string, DocumentRow> = new Map()
  #generation = 0
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get count() {
    return this.#keys.size
  }
  get documents(): DocumentKey[] {
    return [...this.#keys.values()]
  }
  /** The rows as they were when they were selected; undefined if there are more than are read whole. */
  get rows(): DocumentRow[] | undefined {
    const rows = [...this.#keys.keys()].map((name) => this.#rows.get(name))
    return rows.some((row) => row === undefined) ? undefined : (rows as DocumentRow[])
  }

  has(document: DocumentKey): boolean {
    return this.#keys.has(nameOf(document))
  }

  toggle(row: FolderRow): void {
    if (row.kind === 'package') return
    if (!this.has(row)) {
      this.#add([row])
      return
    }
    const keys = new Map(this.#keys)
    keys.delete(nameOf(row))
    this.#put(keys, this.#rows)
  }

  /** Selects these too. */
  add(rows: readonly (FolderRow | undefined)[]): void {
    this.#add(rows.filter((row) => row?.kind === 'document'))
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
    const known = new Map(rows.map((row) => [nameOf(row), row]))
    if (read.value.documents <= rows.length) {
      this.#put(keysOf(rows), known)
      return {}
    }
    const found = await settled(this.#api.documents.references({ query: flat }))
    if (mine !== this.#generation) return {}
    if (!found.ok) return { error: found.error }
    this.#put(keysOf(found.value.references), known)
    return found.value.total > found.value.references.length ? { tooMany: found.value.total } : {}
  }

  clear(): void {
    if (this.count > 0) this.#put(new Map(), new Map())
    else this.#generation++
  }

  #add(rows: readonly DocumentRow[]): void {
    const keys = new Map(this.#keys)
    const known = new Map(this.#rows)
    for (const row of rows) {
      if (keys.size >= MOST_SELECTED) break
      keys.set(nameOf(row), keyOf(row))
      known.set(nameOf(row), row)
    }
    this.#put(keys, known)
  }

  #put(keys: ReadonlyMap<string, DocumentKey>, rows: ReadonlyMap<string, DocumentRow>): void {
    this.#generation++
    this.#rows = rows
    this.#keys = keys
  }
}

function keyOf({ accountId, reference }: DocumentKey): DocumentKey {
  return { accountId, reference }
}

function keysOf(documents: readonly DocumentKey[]): Map<string, DocumentKey> {
  return new Map(documents.map((document) => [nameOf(document), keyOf(document)]))
}
