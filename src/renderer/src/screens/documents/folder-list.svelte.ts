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

export class FolderList extends PagedList<DocumentQuery, FolderRow, DocumentList> {
  #expanded: readonly string[] = []
  readonly #api: Api
  /** Asking the service for the folders now. */
  readonly refreshing = new Action<null>()

  constructor(api: Api) {
    super((page, query) => api.documents.list({ query, expanded: [...this.#expanded], ...page }), { size: ROWS })
    this.#api = api
  }

  /** Documents, whether or not their packages are open; `total` counts rows, with those of packages. */
  get documents() {
    return this.view?.documents ?? 0
  }
  get lookedAt() {
    return this.view?.lookedAt
  }
  get unreadable() {
    return this.view?.unreadable
  }
  /** Why what is shown may not be as the service has it now; `error` is why the list itself could not be read. */
  get problem(): AppError | undefined {
    return this.view?.problem ?? this.refreshing.error
  }
  /** The folder that the problem is about. */
  get problemFolder(): string | undefined {
    return this.view?.problemFolder
  }

  /** The row that is called so, where it has been read. */
  rowOf(key: string): FolderRow | undefined {
    return this.find((row) => keyOfRow(row) === key)
  }

  /** The row of a document, where it has been read. */
  rowOfDocument({ accountId, reference }: DocumentKey): DocumentRow | undefined {
    const found = this.find(
      (row) => row.kind === 'document' && row.reference === reference && row.accountId === accountId
    )
    return found?.kind === 'document' ? found : undefined
  }

  /** Whether all that the query finds has been read, and this document is not among it. */
  lacks(document: DocumentKey): boolean {
    if (!this.query || this.query.grouped || this.isOther) return false
    return this.complete && !this.rowOfDocument(document)
  }

  /** Shows what a query finds; the same again is no reading. Another folder's rows are gone at once. */
  override async open(query: DocumentQuery): Promise<void> {
    const before = this.query
    if (before && keyOfQuery(before) === keyOfQuery(query)) return
    if (before && before.folder !== query.folder) {
      this.forget()
      this.refreshing.clear()
    }
    if (!query.grouped) this.#expanded = []
    await super.open(query)
  }

  /** Opens a package, or closes it, in its place. */
  async expand(packageReference: string, isOpen: boolean): Promise<void> {
    const others = this.#expanded.filter((one) => one !== packageReference)
    this.#expanded = isOpen ? [...others, packageReference].slice(-MOST_EXPANDED) : others
    await this.reload()
  }

  /** Has the folders read from the service, then shows them. */
  async refresh(): Promise<void> {
    if (this.refreshing.busy) return
    await this.refreshing.run(() => this.#api.documents.refresh())
    await this.follow()
  }
}
