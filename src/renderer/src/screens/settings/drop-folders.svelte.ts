/** The chosen account's drop folders, as they are watched now. */
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type { DropFolder } from '../../../../shared/contract/views.ts'
import { type Api, settled, together } from '../../api.ts'
import { Resource } from '../../state/resource.svelte.ts'

export type DropFolderChange = Omit<Input<'dropFolders.change'>, 'id'>

export class DropFolderList extends Resource<DropFolder[]> {
  readonly #api: Api

  constructor(api: Api) {
    super(() => api.dropFolders.list())
    this.#api = api
  }

  get list(): readonly DropFolder[] {
    return this.value ?? []
  }

  /** Reads the list, then follows what changes. Returns a function that stops following. */
  open(): () => void {
    void this.load()
    return together(
      this.#api.on('dropFolders.changed', () => void this.load()),
      this.#api.on('accounts.changed', () => void this.load())
    )
  }

  /** Has the person choose a folder. Returns why it could not be watched. */
  async add(): Promise<AppError | undefined> {
    const result = await settled(this.#api.dropFolders.add())
    if (!result.ok) return result.error.code === 'cancelled' ? undefined : result.error
    await this.load()
    return undefined
  }

  /** Returns why it could not be set otherwise; the list then is as it was. */
  async change(id: string, change: DropFolderChange): Promise<AppError | undefined> {
    const result = await settled(this.#api.dropFolders.change({ id, ...change }))
    await this.load()
    return result.ok ? undefined : result.error
  }

  async remove(id: string): Promise<AppError | undefined> {
    const result = await settled(this.#api.dropFolders.remove({ id }))
    await this.load()
    return result.ok ? undefined : result.error
  }
}
