/** The chosen account's drop folders, as they are watched now. */
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { DropFolder } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Resource } from '../../state/resource.svelte.ts'

export interface DropFolderChange {
  sends?: boolean
  presetId?: string | null
  paused?: boolean
}

export class DropFolderList {
  readonly #api: Api
  readonly #list: Resource<DropFolder[]>

  constructor(api: Api) {
    this.#api = api
    this.#list = new Resource(() => api.dropFolders.list())
  }

  get list(): readonly DropFolder[] {
    return this.#list.value ?? []
  }
  get known() {
    return this.#list.value !== undefined
  }
  get error() {
    return this.#list.error
  }

  /** Reads the list, then follows what changes. Returns a function that stops following. */
  open(): () => void {
    void this.#list.load()
    const stops = [
      this.#api.on('dropFolders.changed', () => void this.#list.load()),
      this.#api.on('accounts.changed', () => void this.#list.load())
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Has the person choose a folder. Returns why it could not be watched. */
  async add(): Promise<AppError | undefined> {
    const result = await settled(this.#api.dropFolders.add())
    if (!result.ok) return result.error.code === 'cancelled' ? undefined : result.error
    await this.#list.load()
    return undefined
  }

  /** Returns why it could not be set otherwise; the list then is as it was. */
  async change(id: string, change: DropFolderChange): Promise<AppError | undefined> {
    const result = await settled(this.#api.dropFolders.change({ id, ...change }))
    await this.#list.load()
    return result.ok ? undefined : result.error
  }

  async remove(id: string): Promise<AppError | undefined> {
    const result = await settled(this.#api.dropFolders.remove({ id }))
    await this.#list.load()
    return result.ok ? undefined : result.error
  }
}
