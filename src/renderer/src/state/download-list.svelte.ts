/** The downloads of the chosen account, newest first, and where their files go. */

import type { AppError } from '../../../shared/contract/errors.ts'
import type { DownloadView } from '../../../shared/contract/views.ts'
import type { IDVerificationDataType } from '../../../shared/model/id-verification.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { Action } from './action.svelte.ts'
import { Resource } from './resource.svelte.ts'

export class DownloadList {
  readonly #api: Api
  readonly #list: Resource<DownloadView[]>
  readonly #folder: Resource<{ label: string }>
  #failures = $state.raw<ReadonlyMap<string, AppError>>(new Map())
  readonly #sorted = $derived.by(() => [...(this.#list.value ?? [])].sort((one, two) => two.startedAt - one.startedAt))
  readonly choosing = new Action<{ label: string }>()

  constructor(api: Api) {
    this.#api = api
    this.#list = new Resource(() => api.downloads.list())
    this.#folder = new Resource(() => api.downloads.folder())
  }

  get list(): readonly DownloadView[] {
    return this.#sorted
  }
  get known() {
    return this.#list.value !== undefined
  }
  get error() {
    return this.#list.error
  }
  /** The last part of the folder's name, once it is known. */
  get folder(): string | undefined {
    return this.#folder.value?.label
  }

  /** The newest download of a document in one form. */
  newestOf(reference: string, type: IDVerificationDataType): DownloadView | undefined {
    return this.#sorted.find((one) => one.documentReference === reference && one.type === type)
  }

  /** Why what was last asked of this download could not be done. */
  failureOf(id: string): AppError | undefined {
    return this.#failures.get(id)
  }

  load(): Promise<void> {
    return this.#list.load()
  }
  async loadFolder(): Promise<void> {
    await this.#folder.load()
  }

  async chooseFolder(): Promise<void> {
    const chosen = await this.choosing.run(() => this.#api.downloads.chooseFolder())
    if (chosen) this.#folder.put(chosen)
  }

  cancel(id: string): Promise<void> {
    return this.#ask(id, () => this.#api.downloads.cancel({ id }))
  }
  again(id: string): Promise<void> {
    return this.#ask(id, () => this.#api.downloads.again({ id }))
  }
  reveal(id: string): Promise<void> {
    return this.#ask(id, () => this.#api.downloads.reveal({ id }))
  }

  async #ask(id: string, call: () => ReturnType<Api['downloads']['cancel' | 'again' | 'reveal']>): Promise<void> {
    const result = await settled<unknown>(call())
    const failures = new Map(this.#failures)
    if (result.ok) failures.delete(id)
    else failures.set(id, result.error)
    this.#failures = failures
    await this.load()
  }
}
