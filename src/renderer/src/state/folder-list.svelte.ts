/** The documents of one folder that fit a search, as many as there may be. */
import type { AppError } from '../../../shared/contract/errors.ts'
import type { DocumentList, DocumentRow } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { Action } from './action.svelte.ts'
import { WindowedList } from './windowed-list.svelte.ts'

export class FolderList {
  #folder = ''
  #search = ''
  readonly #rows: WindowedList<DocumentRow, DocumentList>
  readonly #api: Api
  /** Asking the service for the folders now. */
  readonly refreshing = new Action<null>()

  constructor(api: Api) {
    this.#api = api
    this.#rows = new WindowedList((asked) =>
      api.documents.list({ folder: this.#folder, search: this.#search, ...asked })
    )
  }

  /** Whether an answer is here; before it there is nothing to show, not even that there is nothing. */
  get known() {
    return this.#rows.known
  }
  get total() {
    return this.#rows.total
  }
  get counts(): Record<string, number> {
    return this.#rows.newest?.counts ?? {}
  }
  get lookedAt() {
    return this.#rows.view?.lookedAt
  }
  get unreadable() {
    return this.#rows.view?.unreadable
  }
  /** Why the folder may not be as the service has it now. */
  get problem(): AppError | undefined {
    return this.#rows.view?.problem ?? this.refreshing.error
  }
  /** Why the list itself could not be read. */
  get error() {
    return this.#rows.error
  }
  get reading() {
    return this.#rows.reading
  }
  /** Folder and search of what is shown: changes when another list is there, not when it is asked for. */
  get shown() {
    return this.#rows.shown
  }

  row(index: number): DocumentRow | undefined {
    return this.#rows.row(index)
  }

  /** The row of a reference, where it has been read. */
  find(reference: string): DocumentRow | undefined {
    return this.#rows.find((row) => row.reference === reference)
  }

  /** Whether what is shown are the results of a search, all of them read, and this document is not among them. */
  lacks(reference: string): boolean {
    if (!this.known || !this.shown || this.shown.endsWith('\n')) return false
    return this.#rows.complete && !this.find(reference)
  }

  /** Shows a folder and a search; the same again is no reading. */
  async open(folder: string, search: string): Promise<void> {
    if (folder === this.#folder && search === this.#search) return
    if (folder !== this.#folder) {
      this.#rows.forget()
      this.refreshing.clear()
    }
    this.#folder = folder
    this.#search = search
    await this.#rows.open(`${folder}\n${search}`)
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
  follow(): Promise<void> {
    return this.#rows.follow()
  }

  /** Has the folders read from the service, then shows them. */
  async refresh(): Promise<void> {
    if (this.refreshing.busy) return
    await this.refreshing.run(() => this.#api.documents.refresh())
    await this.follow()
  }
}
