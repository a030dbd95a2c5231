/** The chosen account's hand-off folders, as they are watched now. */
import type { AppError } from '../../../shared/contract/errors.ts'
import type { HandOffFolder } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

export interface HandOffChange {
  sends?: boolean
  presetId?: string | null
  paused?: boolean
}

export class HandOffFolders {
  readonly #api: Api
  readonly #list: Resource<HandOffFolder[]>

  constructor(api: Api) {
    this.#api = api
    this.#list = new Resource(() => api.handOff.list())
  }

  get list(): readonly HandOffFolder[] {
    return this.#list.value ?? []
  }
  get known() {
    return this.#list.value !== undefined
  }
  get error() {
    return this.#list.error
  }

  /** Reads the list, then follows what changes. Answers what stops following. */
  open(): () => void {
    void this.#list.load()
    const stops = [
      this.#api.on('handOff.changed', () => void this.#list.load()),
      this.#api.on('accounts.changed', () => void this.#list.load())
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Has the person choose a folder. Answers why it could not be watched. */
  async add(): Promise<AppError | undefined> {
    const result = await settled(this.#api.handOff.add())
    if (!result.ok) return result.error.code === 'cancelled' ? undefined : result.error
    await this.#list.load()
    return undefined
  }

  /** Answers why it could not be set otherwise; the list then is as it was. */
  async change(id: string, change: HandOffChange): Promise<AppError | undefined> {
    const result = await settled(this.#api.handOff.change({ id, ...change }))
    await this.#list.load()
    return result.ok ? undefined : result.error
  }

  async remove(id: string): Promise<AppError | undefined> {
    const result = await settled(this.#api.handOff.remove({ id }))
    await this.#list.load()
    return result.ok ? undefined : result.error
  }
}
