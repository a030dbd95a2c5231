/** State of a document's page: its details, its history, and requests to the service about it. */

import type { SavedFile } from '../../../../shared/contract/composing-views.ts'
import type {
  DocumentChange,
  DocumentPage,
  DocumentVerifications,
  DownloadType,
  DownloadView,
  VerificationView
} from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import type { Clock } from '../../state/clock.ts'
import { FirstFolderPrompt } from '../../state/first-folder.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'

/** How long a document must have been shown to count as read, in milliseconds. */
const READ_AFTER = 1000
const MAX_CHANGES = 100

export class OpenDocument {
  readonly reference: string
  readonly page: Resource<DocumentPage>
  readonly changes: Resource<{ changes: DocumentChange[]; total: number }>
  /** Stored verification results, and the verification in progress or failed. */
  readonly verifications: Resource<DocumentVerifications>
  readonly verifying = new Action<VerificationView>()
  readonly saving = new Action<SavedFile | null>()
  readonly openingInBrowser = new Action<null>()
  /** The start of a download; its progress is in the list of downloads. */
  readonly download = new Action<DownloadView>()
  readonly firstFolder: FirstFolderPrompt
  /** The API for the document's account. */
  readonly api: Api
  readonly #clock: Clock
  #cancelReading = () => {}
  /** The user asked to keep it unread. */
  #isKeptUnread = false

  constructor(api: Api, reference: string, clock: Clock) {
    this.api = api
    this.#clock = clock
    this.reference = reference
    this.firstFolder = new FirstFolderPrompt(api)
    this.page = new Resource(() => api.documents.get({ reference }))
    this.verifications = new Resource(() => api.documents.verifications({ reference }))
    this.changes = new Resource(() => api.activity.list({ reference, offset: 0, limit: MAX_CHANGES }))
  }

  async load(): Promise<void> {
    await Promise.all([this.page.load(), this.changes.load(), this.verifications.load()])
  }

  /** Call whenever it becomes visible: after a moment it counts as read. Returns a function that cancels this. */
  startReading(): () => void {
    this.#cancelReading()
    if (this.page.value?.unread && !this.#isKeptUnread) {
      this.#cancelReading = this.#clock.after(READ_AFTER, () => void this.#markRead(true))
    }
    return () => this.#cancelReading()
  }

  async markUnread(): Promise<void> {
    this.#isKeptUnread = true
    this.#cancelReading()
    await this.#markRead(false)
  }

  async verify(): Promise<void> {
    this.saving.clear()
    await this.verifying.run(() => this.api.documents.validate({ reference: this.reference }))
    await this.verifications.load()
  }

  async saveValidation(): Promise<void> {
    await this.saving.run(() => this.api.documents.saveValidation({ reference: this.reference }))
  }

  /**
   * Opens a page of the service in the browser.
   * @param page the page to edit the document, or a signer's video page.
   */
  async openInBrowser(page: 'edit' | { videoOf: number }): Promise<void> {
    await this.openingInBrowser.run(() => this.api.documents.openInBrowser({ reference: this.reference, page }))
  }

  async save(type: DownloadType): Promise<void> {
    await this.firstFolder.ensureFolder(async () => {
      await this.download.run(() => this.api.downloads.start({ reference: this.reference, type }))
    })
  }

  async #markRead(read: boolean): Promise<void> {
    // If this fails, the document correctly stays as it was.
    const accountId = this.page.value?.accountId
    if (accountId === undefined) return
    await this.api.documents.markRead({ some: { documents: [{ accountId, reference: this.reference }] }, read })
    await this.page.load()
  }
}
