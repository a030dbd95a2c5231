/** The drop folders of the chosen account. */
import type { Result } from '../../../../shared/contract/errors.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type { DropFolder } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
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

  /** Opens a folder dialog. Returns null if it is cancelled, an error if the folder can't be watched. */
  async add(): Promise<Result<DropFolder | null>> {
    const result = await settled(this.#api.dropFolders.add())
    if (!result.ok) return result.error.code === 'cancelled' ? { ok: true, value: null } : result
    await this.load()
    return result
  }

  /** Changes a drop folder. If that fails, the list is unchanged. */
  async change(id: string, change: DropFolderChange): Promise<Result<DropFolder>> {
    const result = await settled(this.#api.dropFolders.change({ id, ...change }))
    await this.load()
    return result
  }

  async remove(id: string): Promise<Result<null>> {
    const result = await settled(this.#api.dropFolders.remove({ id }))
    await this.load()
    return result
  }
}
