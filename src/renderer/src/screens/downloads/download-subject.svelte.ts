/** What a person wants files of: documents that they selected, or all that a view finds; and how many have an identity check, or are complete. */

import type { DocumentQuery } from '../../../../shared/contract/document-query.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DocumentRow, DownloadType } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'

export type DownloadSubject = { documents: readonly DocumentKey[] } | { query: DocumentQuery }

/** As many documents as are looked at one by one; of more it is not said beforehand how many have what. */
const MOST_LOOKED_AT = 10_000
/** As many as one request answers. */
const AT_ONCE = 500

export class SubjectOfDownloads {
  #documents = $state<number>()
  #error = $state.raw<AppError>()
  /** Those of this account, where all of them were looked at. */
  #own = $state.raw<readonly DocumentRow[]>()
  #isClosed = false
  readonly #api: Api
  readonly #accountId: string
  readonly #subject: DownloadSubject

  /** @param rows what is known of the documents, where it is. */
  constructor(api: Api, accountId: string, subject: DownloadSubject, rows?: readonly DocumentRow[]) {
    this.#api = api
    this.#accountId = accountId
    this.#subject = subject
    if ('documents' in subject) {
      this.#documents = subject.documents.length
      if (rows) this.#keep(rows)
    }
  }

  /** How many are meant, of any account; undefined until it is known. */
  get documents() {
    return this.#documents
  }
  /**
   * How many of them, of this account, have a file of each of the types: an identity check, or that they are complete. Undefined
   * until, or where, it can't be told.
   */
  having(types: readonly DownloadType[]): number | undefined {
    return this.#own?.filter((row) => types.every((type) => has(row, type))).length
  }
  /** Of how many of them the service doesn't say whether they have an identity check. */
  get perhaps(): number {
    return this.#own?.filter(isPerhaps).length ?? 0
  }
  /** Of these names can be shown. */
  get examples(): readonly string[] | undefined {
    return this.#own?.filter((row) => has(row, 'pdf') || has(row, 'signed')).map(({ reference }) => reference)
  }
  /** Documents of other accounts, which are left out. */
  get ofOthers(): number {
    if (!('documents' in this.#subject)) return 0
    return this.#subject.documents.filter(({ accountId }) => accountId !== this.#accountId).length
  }
  get error() {
    return this.#error
  }

  /** What the main process is asked for; undefined if no file is left. */
  whatFor(types: readonly DownloadType[]): { references: string[] } | { query: DocumentQuery } | undefined {
    const fitting = this.#own?.filter((row) => types.some((type) => has(row, type)))
    if (fitting) return fitting.length > 0 ? { references: fitting.map(({ reference }) => reference) } : undefined
    if ('query' in this.#subject) return { query: ownQuery(this.#subject.query) }
    const own = this.#subject.documents.filter(({ accountId }) => accountId === this.#accountId)
    return own.length > 0 ? { references: own.map(({ reference }) => reference) } : undefined
  }

  /** Looks how many a query finds, and what those have. */
  async look(): Promise<void> {
    if (!('query' in this.#subject)) return
    const query = ownQuery(this.#subject.query)
    const rows: DocumentRow[] = []
    for (let offset = 0; offset < MOST_LOOKED_AT; offset += AT_ONCE) {
      const page = await settled(this.#api.documents.list({ query, offset, limit: AT_ONCE }))
      if (this.#isClosed) return
      if (!page.ok) {
        this.#error = page.error
        return
      }
      this.#documents = page.value.documents
      if (page.value.documents > MOST_LOOKED_AT) return
      rows.push(...page.value.rows.filter((row) => row.kind === 'document'))
      if (offset + AT_ONCE >= page.value.total) break
    }
    this.#keep(rows)
  }

  close(): void {
    this.#isClosed = true
  }

  #keep(rows: readonly DocumentRow[]): void {
    this.#own = rows.filter(({ accountId }) => accountId === this.#accountId)
  }
}

/** Whether there may be such a file: an identity check was asked for, or came to something; or the document is complete. */
function has({ status, idVerificationRequested, identity }: DocumentRow, type: DownloadType): boolean {
  return type === 'signed' ? status.family === 'complete' : idVerificationRequested === true || identity !== 'none'
}

/** Where the service says neither that a check was asked for nor anything of one, it can be asked for the data. */
function isPerhaps({ idVerificationRequested, identity }: DocumentRow): boolean {
  return idVerificationRequested === undefined && identity === 'unknown'
}

/** Downloads are of the chosen account alone, each document once. */
function ownQuery({ accounts: _accounts, ...query }: DocumentQuery): DocumentQuery {
  return { ...query, grouped: false }
}
