/** One document's page: what is known of it, and what is done to it. */

import type { DocumentPage, DownloadView, ValidationView } from '../../../shared/contract/views.ts'
import type { IDVerificationDataType } from '../../../shared/model/id-verification.ts'
import type { Api } from '../api.ts'
import { Action } from './action.svelte.ts'
import { Resource } from './resource.svelte.ts'

/** A new due date: the moment with its zone, and the zone alone in minutes east of UTC. */
export interface NewDueDate {
  dueDate: string
  gmt: number
}

export class OpenDocument {
  readonly reference: string
  readonly page: Resource<DocumentPage>
  readonly validation = new Action<ValidationView>()
  readonly extension = new Action<DocumentPage>()
  readonly inBrowser = new Action<null>()
  /** The start of a download; its progress stands in the list of downloads. */
  readonly download = new Action<DownloadView>()
  readonly #api: Api

  constructor(api: Api, reference: string) {
    this.#api = api
    this.reference = reference
    this.page = new Resource(() => api.documents.get({ reference }))
  }

  load(): Promise<void> {
    return this.page.load()
  }

  async verify(): Promise<void> {
    await this.validation.run(() => this.#api.documents.validate({ reference: this.reference }))
  }

  /** Moves the due date of the whole package; answers whether the service did. */
  async extend(to: NewDueDate): Promise<boolean> {
    const page = await this.extension.run(() => this.#api.documents.extend({ reference: this.reference, ...to }))
    if (page) this.page.put(page)
    return page !== undefined
  }

  async openInBrowser(): Promise<void> {
    await this.inBrowser.run(() => this.#api.documents.openInBrowser({ reference: this.reference }))
  }

  async downloadIdentity(type: IDVerificationDataType): Promise<void> {
    await this.download.run(() => this.#api.downloads.start({ reference: this.reference, type }))
  }
}
