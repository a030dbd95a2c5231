/**
 * The documents to download files of: selected ones, or all in a view; and how many have an identity check or are
 * complete.
 */

import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DocumentRow, DownloadType } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { keyOfDocument } from '../../state/document-query.ts'

export type DownloadSubject = { documents: readonly DocumentKey[] } | { query: DocumentQuery }

/** The most documents that are examined; for more, the numbers aren't known in advance. */
const MAX_EXAMINED = 10_000
/** The most documents per request. */
const PAGE_SIZE = 500

export class DownloadSubjectState {
  #documents = $state<number>()
  #error = $state.raw<AppError>()
  /** The documents of this account, if all of them were examined. */
  #ownRows = $state.raw<readonly DocumentRow[]>()
  #isClosed = false
  readonly #api: Api
  readonly #accountId: string
  readonly #subject: DownloadSubject

  /** @param rows the documents' rows, if known. */
  constructor(api: Api, accountId: string, subject: DownloadSubject, rows?: readonly DocumentRow[]) {
    this.#api = api
    this.#accountId = accountId
    this.#subject = subject
    if ('documents' in subject) {
      this.#documents = subject.documents.length
      if (rows) this.#setRows(rows)
    }
  }

  /** The number of documents, of any account; undefined until known. */
  get documents() {
    return this.#documents
  }
  /**
   * Returns how many documents of this account have a file of each type, that is, have an identity check or are
   * complete. Undefined until known, or if it can't be.
   */
  countHaving(types: readonly DownloadType[]): number | undefined {
    return this.#ownRows?.filter((row) => types.every((type) => mayHaveFile(row, type))).length
  }
  /** The number of documents for which the service doesn't say whether they have an identity check. */
  get uncertainCount(): number {
    return this.#ownRows?.filter(isUncertain).length ?? 0
  }
  /** References of documents to show example names for. */
  get examples(): readonly string[] | undefined {
    return this.#ownRows
      ?.filter((row) => mayHaveFile(row, 'pdf') || mayHaveFile(row, 'signed'))
      .map(({ reference }) => reference)
  }
  /** The number of documents of other accounts, which are left out. */
  get otherAccountCount(): number {
    if (!('documents' in this.#subject)) return 0
    return this.#subject.documents.filter(({ accountId }) => accountId !== this.#accountId).length
  }
  get error() {
    return this.#error
  }

  /** Returns what to request from the main process; undefined if no files are left. */
  requestFor(types: readonly DownloadType[]): { references: string[] } | { query: DocumentQuery } | undefined {
    const fitting = this.#ownRows?.filter((row) => types.some((type) => mayHaveFile(row, type)))
    if (fitting) return fitting.length > 0 ? { references: fitting.map(({ reference }) => reference) } : undefined
    if ('query' in this.#subject) return { query: ownQuery(this.#subject.query) }
    const own = this.#subject.documents.filter(({ accountId }) => accountId === this.#accountId)
    return own.length > 0 ? { references: own.map(({ reference }) => reference) } : undefined
  }

  /** Counts the results of a query, and how many have which files. */
  async countDocuments(): Promise<void> {
    if (!('query' in this.#subject)) return
    const query = ownQuery(this.#subject.query)
    const rows: DocumentRow[] = []
    for (let offset = 0; offset < MAX_EXAMINED; offset += PAGE_SIZE) {
      const page = await settled(this.#api.documents.list({ query, offset, limit: PAGE_SIZE }))
      if (this.#isClosed) return
      if (!page.ok) {
        this.#error = page.error
        return
      }
      this.#documents = page.value.documents
      if (page.value.documents > MAX_EXAMINED) return
      rows.push(...page.value.rows.filter((row) => row.kind === 'document'))
      if (offset + PAGE_SIZE >= page.value.total) break
    }
    if (rows.length > PAGE_SIZE && (await this.#lacksSome(rows, query))) return this.countDocuments()
    this.#setRows(rows)
  }

  /** Whether the list changed while its pages were read, so that a document was on none of them. */
  async #lacksSome(rows: readonly DocumentRow[], query: DocumentQuery): Promise<boolean> {
    const found = await settled(this.#api.documents.references({ query }))
    if (this.#isClosed || !found.ok) return false
    const read = new Set(rows.map(keyOfDocument))
    return found.value.references.some((one) => !read.has(keyOfDocument(one)))
  }

  close(): void {
    this.#isClosed = true
  }

  #setRows(rows: readonly DocumentRow[]): void {
    this.#ownRows = rows.filter(({ accountId }) => accountId === this.#accountId)
  }
}

/**
 * Returns whether a file of this type may exist: the document is complete, or an identity check has a result or may
 * have one. While a check has no result and nobody has signed, nobody has completed it.
 */
function mayHaveFile({ status, idVerificationRequested, identity, signers }: DocumentRow, type: DownloadType): boolean {
  if (type === 'signed') return status.family === 'complete'
  if (identity === 'asked' && signers.every(({ state }) => state !== 'signed')) return false
  return idVerificationRequested === true || identity !== 'none'
}

/**
 * Returns whether the service says neither that a check was requested nor anything about one: its data can still be
 * requested.
 */
function isUncertain({ idVerificationRequested, identity }: DocumentRow): boolean {
  return idVerificationRequested === undefined && identity === 'unknown'
}

/** Downloads are for the chosen account only, each document once. */
function ownQuery({ accounts: _accounts, ...query }: DocumentQuery): DocumentQuery {
  return { ...query, grouped: false }
}
