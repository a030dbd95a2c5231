/** The accounts of this office, and which of them is chosen. */

import type { AppError } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { AccountView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

export class Accounts {
  readonly #api: Api
  readonly #list: Resource<AccountView[]>
  readonly #chosen = $derived.by(() => this.list.find((account) => account.chosen))
  readonly #anotherChosen: () => void
  #last: string | undefined
  /** What must be finished before another account is chosen: what was typed belongs to the one before. */
  readonly leaving = new Set<() => Promise<boolean>>()

  /** @param anotherChosen called once whenever the chosen account is another one than before. */
  constructor(api: Api, anotherChosen: () => void) {
    this.#api = api
    this.#anotherChosen = anotherChosen
    this.#list = new Resource(() => api.accounts.list())
  }

  get list(): readonly AccountView[] {
    return this.#list.value ?? []
  }
  get known() {
    return this.#list.value !== undefined
  }
  get error() {
    return this.#list.error
  }
  get chosen() {
    return this.#chosen
  }

  async load(): Promise<void> {
    await this.#list.load()
    if (this.chosen?.id === this.#last) return
    this.#last = this.chosen?.id
    this.#anotherChosen()
  }

  /** Adds and chooses an account. Answers why not, where it could not. */
  async add(account: Input<'accounts.add'>): Promise<AccountView | AppError> {
    const unfinished = await this.#finish()
    if (unfinished) return unfinished
    const result = await settled(this.#api.accounts.add(account))
    await this.load()
    return result.ok ? result.value : result.error
  }

  async choose(id: string): Promise<AppError | undefined> {
    const unfinished = await this.#finish()
    if (unfinished) return unfinished
    const result = await settled(this.#api.accounts.choose({ id }))
    await this.load()
    return result.ok ? undefined : result.error
  }

  async remove(id: string): Promise<AppError | undefined> {
    const result = await settled(this.#api.accounts.remove({ id }))
    await this.load()
    return result.ok ? undefined : result.error
  }

  /** Why the account can't be left yet: what was typed could not be kept, and would be lost or land in the other's. */
  async #finish(): Promise<AppError | undefined> {
    const finished = await Promise.all([...this.leaving].map((finish) => finish()))
    if (finished.every(Boolean)) return undefined
    return { code: 'storage', message: 'What you typed could not be saved yet, so the account was not changed.' }
  }
}
