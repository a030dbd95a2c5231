/** The documents that a query finds, as many as there may be, in their order or under their packages. */

import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DocumentList, DocumentRow, FolderRow } from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { keyOfQuery } from '../../state/document-query.ts'
import { PagedList } from '../../state/paged-list.svelte.ts'

/** Rows read at a time: three screens of them, so that what is found is there before the next key. */
const ROWS = 100
/** Packages that stand open at once; the one opened first closes beyond it. */
const MOST_EXPANDED = 1000

/** What a row is called by: packages and documents have references of their own. */
export function keyOfRow(row: FolderRow): string {
  return row.kind === 'package'
    ? `package\n${row.accountId}\n${row.packageReference}`
    : `document\n${row.accountId}\n${row.reference}`
}

export class FolderList {
  #query = $state.raw<DocumentQuery>()
  #expanded: readonly string[] = []
  readonly #rows: PagedList<string, FolderRow, DocumentList>
  readonly #api: Api
  /** Asking the service for the folders now. */
  readonly refreshing = new Action<null>()

  constructor(api: Api) {
    this.#api = api
    this.#rows = new PagedList(
      (page) => {
        // Nothing is asked before a query was opened.
        const query = this.#query as DocumentQuery
        return api.documents.list({ query, expanded: [...this.#expanded], ...page })
      },
      { size: ROWS }
    )
  }

  /** Whether an answer is here; before it there is nothing to show, not even that there is nothing. */
  get known() {
    return this.#rows.known
  }
  /** Rows, with those of packages. */
  get total() {
    return this.#rows.total
  }
  /** Documents, whether or not their packages are open. */
  get documents() {
    return this.#rows.view?.documents ?? 0
  }
  get lookedAt() {
    return this.#rows.view?.lookedAt
  }
  get unreadable() {
    return this.#rows.view?.unreadable
  }
  /** Why what is shown may not be as the service has it now. */
  get problem(): AppError | undefined {
    return this.#rows.view?.problem ?? this.refreshing.error
  }
  /** The folder that the problem is about. */
  get problemFolder(): string | undefined {
    return this.#rows.view?.problemFolder
  }
  /** Why the list itself could not be read. */
  get error() {
    return this.#rows.error
  }
  get reading() {
    return this.#rows.reading
  }
  /** The query that was asked for last. */
  get query() {
    return this.#query
  }
  /** The name of the query whose answer is shown. */
  get shown() {
    return this.#rows.shown ?? ''
  }
  /** Grows each time that rows were read again. */
  get version() {
    return this.#rows.version
  }

  row(index: number): FolderRow | undefined {
    return this.#rows.row(index)
  }

  /** The row that is called so, where it has been read. */
  rowOf(key: string): FolderRow | undefined {
    return this.#rows.find((row) => keyOfRow(row) === key)
  }

  /** The row of a document, where it has been read. */
  find({ accountId, reference }: DocumentKey): DocumentRow | undefined {
    const found = this.#rows.find(
      (row) => row.kind === 'document' && row.reference === reference && row.accountId === accountId
    )
    return found?.kind === 'document' ? found : undefined
  }

  /** Whether all that the query finds has been read, and this document is not among it. */
  lacks(document: DocumentKey): boolean {
    const query = this.#query
    if (!query || query.grouped || this.shown !== keyOfQuery(query)) return false
    return this.#rows.complete && !this.find(document)
  }

  /** Shows what a query finds; the same again is no reading. Another folder's rows are gone at once. */
  async open(query: DocumentQuery): Promise<void> {
    const before = this.#query
    if (before && keyOfQuery(before) === keyOfQuery(query)) return
    if (before && before.folder !== query.folder) {
      this.#rows.forget()
      this.refreshing.clear()
    }
    if (!query.grouped) this.#expanded = []
    this.#query = query
    await this.#rows.open(keyOfQuery(query))
  }

  /** Opens a package, or closes it, in its place. */
  async expand(packageReference: string, isOpen: boolean): Promise<void> {
    const others = this.#expanded.filter((one) => one !== packageReference)
    this.#expanded = isOpen ? [...others, packageReference].slice(-MOST_EXPANDED) : others
    await this.#rows.reload()
  }

  /** Tells which rows are in sight; what is missing of them is read. */
  need(first: number, last: number): void {
    this.#rows.need(first, last)
  }

  /** Reads what is in sight again and forgets the rest. */
  reload(): Promise<void> {
    return this.#rows.reload()
  }

  /** Follows a change of the documents; changes that come while it reads are followed once, together. */
  async follow(): Promise<void> {
    if (this.#query) await this.#rows.follow()
  }

  /** Has the folders read from the service, then shows them. */
  async refresh(): Promise<void> {
    if (this.refreshing.busy) return
    await this.refreshing.run(() => this.#api.documents.refresh())
    await this.follow()
  }
}
