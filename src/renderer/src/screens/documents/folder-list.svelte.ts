/** The results of a query, of any number, in order or grouped by package. */

import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DocumentList, DocumentRow, FolderRow } from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { keyOfDocument, keyOfQuery } from '../../state/document-query.ts'
import { PagedList } from '../../state/paged-list.svelte.ts'

/** Rows per page: three screenfuls, small enough to arrive before the next keypress. */
const PAGE_SIZE = 100
/** Maximum number of expanded packages; beyond it, the one opened first closes. */
const MAX_EXPANDED = 1000

/** Returns a row's key, distinguishing packages and documents. */
export function keyOfRow(row: FolderRow): string {
  return row.kind === 'package'
    ? `package\n${row.accountId}\n${row.packageReference}`
    : `document\n${keyOfDocument(row)}`
}

export class FolderList extends PagedList<DocumentQuery, FolderRow, DocumentList> {
  #expanded: readonly string[] = []
  readonly #api: Api
  /** The request that the service's folders be read now. */
  readonly refreshing = new Action<null>()

  constructor(api: Api) {
    super((page, query) => api.documents.list({ query, expanded: [...this.#expanded], ...page }), { size: PAGE_SIZE })
    this.#api = api
  }

  /** The number of documents, whether or not their packages are expanded; `total` counts rows, including packages. */
  get documents() {
    return this.view?.documents ?? 0
  }
  get checkedAt() {
    return this.view?.lookedAt
  }
  get unreadable() {
    return this.view?.unreadable
  }
  /** Why the list may not match the service; `error` is why the list itself couldn't be read. */
  get problem(): AppError | undefined {
    return this.view?.problem ?? this.refreshing.error
  }
  get problemFolder(): string | undefined {
    return this.view?.problemFolder
  }

  rowOf(key: string): FolderRow | undefined {
    return this.find((row) => keyOfRow(row) === key)
  }

  rowOfDocument({ accountId, reference }: DocumentKey): DocumentRow | undefined {
    const found = this.find(
      (row) => row.kind === 'document' && row.reference === reference && row.accountId === accountId
    )
    return found?.kind === 'document' ? found : undefined
  }

  /** Returns whether all results are loaded and don't include this document. */
  lacks(document: DocumentKey): boolean {
    if (!this.query || this.query.grouped || this.isOutdated) return false
    return this.isComplete && !this.rowOfDocument(document)
  }

  /** Shows a query's results; does nothing if it hasn't changed. Rows of another folder are removed at once. */
  override async open(query: DocumentQuery): Promise<void> {
    const before = this.query
    if (before && keyOfQuery(before) === keyOfQuery(query)) return
    if (before && before.folder !== query.folder) {
      this.clear()
      this.refreshing.clear()
    }
    if (!query.grouped) this.#expanded = []
    await super.open(query)
  }

  async expand(packageReference: string, isOpen: boolean): Promise<void> {
    const others = this.#expanded.filter((one) => one !== packageReference)
    this.#expanded = isOpen ? [...others, packageReference].slice(-MAX_EXPANDED) : others
    await this.reload()
  }

  /** Has the folders read from the service, then reloads. */
  async refresh(): Promise<void> {
    if (this.refreshing.busy) return
    await this.refreshing.run(() => this.#api.documents.refresh())
    await this.reloadAfterChange()
  }
}
