/** The accounts of this office, and which of them is chosen. */

import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { AccountLimits, AccountView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

/** Why an account was not added, and whether that is what its service answered (or didn't). */
export interface NotAdded {
  error: AppError
  asked: boolean
}

/**
 * How it ended where what was typed was to be kept: all of it is; some of it isn't yet; or some of it can't be, however
 * long one waits here (its draft is gone, or belongs to another account).
 */
export type Finished = 'kept' | 'failing' | 'hopeless'

/** What is wrong with what was typed, or with the keychain, was said before the service was asked. */
function wasAsked({ code }: AppError): boolean {
  return code !== 'invalid' && code !== 'keychain'
}

/** Which account is worked in, and whether others are shown beside it. */
export interface Shown {
  chosen: string
  areSeveral: boolean
}

export class Accounts extends Resource<AccountView[]> {
  readonly #api: Api
  readonly #chosen = $derived.by(() => this.list.find((account) => account.chosen))
  readonly #othersShown: (before: Shown | undefined) => void
  #last: Shown | undefined
  /** How many calls are under way that may choose another account. */
  #moving = 0
  /** What must be finished before another account is chosen or the window closes: what was typed belongs to this one. */
  readonly leaving = new Set<() => Promise<Finished>>()
  /** Called once it is certain again which account is chosen. */
  readonly settling = new Set<() => void>()

  /** @param othersShown called once whenever other accounts are shown, or another one is worked in, with how it was before. */
  constructor(api: Api, othersShown: (before: Shown | undefined) => void) {
    super(() => api.accounts.list())
    this.#api = api
    this.#othersShown = othersShown
  }

  /** What the chosen account's service says of its limits; nothing it doesn't say. */
  get limits(): AccountLimits {
    return this.chosen?.limits ?? {}
  }
  /** Why so many documents don't fit into the plan, where the service says how many are left. */
  tooManyFor(documents: number): { title: string; more: string } | undefined {
    const { documentsLeft } = this.limits
    if (documentsLeft === undefined || documents <= documentsLeft) return undefined
    const left =
      documentsLeft === 0 ? 'no documents' : documentsLeft === 1 ? 'one document' : `${documentsLeft} documents`
    return {
      title: `The plan has ${left} left, and this needs ${documents.toLocaleString('en-GB')}.`,
      more: 'The rest waits in the Outbox until documents are added to the plan.'
    }
  }
  /** Asks what the service says of the chosen account's limits, unless it was asked just now. */
  askLimits(): void {
    void settled(this.#api.accounts.refreshLimits())
  }
  get list(): readonly AccountView[] {
    return this.value ?? []
  }
  /** The one that is worked in: what is composed belongs to it. */
  get chosen() {
    return this.#chosen
  }
  /** Whether the screens show several accounts: then each row says whose it is. */
  get areSeveral(): boolean {
    return this.shown.length > 1
  }
  /** Those that the screens show. */
  get shown(): readonly AccountView[] {
    return this.list.filter(({ shown }) => shown)
  }
  /** The folders of those that are shown, each name once. */
  get folders(): string[] {
    return [...new Set(this.shown.flatMap(({ folders }) => folders))]
  }
  find(id: string | undefined): AccountView | undefined {
    return this.list.find((account) => account.id === id)
  }
  isShown(id: string): boolean {
    return this.find(id)?.shown === true
  }
  /** The id of the account that a call is for which is made now; none while another one is being chosen. */
  get settled(): string | undefined {
    return this.#moving > 0 ? undefined : this.chosen?.id
  }

  override async load(): Promise<void> {
    await super.load()
    const before = this.#last
    const now = this.chosen && { chosen: this.chosen.id, areSeveral: this.areSeveral }
    if (now?.chosen === before?.chosen && now?.areSeveral === before?.areSeveral) return
    this.#last = now
    this.#othersShown(before)
  }

  /** Adds and chooses an account. Answers why not, where it could not. */
  async add(account: Input<'accounts.add'>): Promise<AccountView | AppError> {
    const unfinished = await this.#finish()
    if (unfinished) return unfinished
    const result = await this.#move(() => settled(this.#api.accounts.add(account)))
    return result.ok ? result.value : result.error
  }

  /**
   * Tries an account, and adds and chooses it if it works. One that doesn't work leaves everything as it was.
   */
  async addIfItWorks(account: Input<'accounts.add'>): Promise<AccountView | NotAdded> {
    if (account.kind === 'service') {
      const { baseUrl, authentication, certificate } = account
      const tried = await settled(
        this.#api.accounts.try({ baseUrl, authentication, ...(certificate !== undefined && { certificate }) })
      )
      if (!tried.ok) return { error: tried.error, asked: wasAsked(tried.error) }
    }
    const added = await this.add(account)
    return 'code' in added ? { error: added, asked: false } : added
  }

  /** Tries the change of an account, and makes it if it works: what worked before isn't given up for what doesn't. */
  async updateIfItWorks(change: Input<'accounts.update'>): Promise<AccountView | NotAdded> {
    const { id, baseUrl, authentication, certificate, folders } = change
    const tried = await settled(
      this.#api.accounts.try({
        ...{ id, baseUrl },
        ...(authentication && { authentication }),
        ...(certificate !== undefined && { certificate }),
        ...(folders && { folders })
      })
    )
    if (!tried.ok) return { error: tried.error, asked: wasAsked(tried.error) }
    const updated = await this.update(change)
    return 'code' in updated ? { error: updated, asked: false } : updated
  }

  /** Changes a service account; without `authentication` its secrets stay. Answers why not, where it could not. */
  async update(account: Input<'accounts.update'>): Promise<AccountView | AppError> {
    const result = await settled(this.#api.accounts.update(account))
    await this.load()
    return result.ok ? result.value : result.error
  }

  /** Shows one account alone. */
  async choose(id: string): Promise<AppError | undefined> {
    if (id === this.chosen?.id && !this.areSeveral) return undefined
    return this.#leaveFor(() => this.#api.accounts.choose({ id }))
  }

  /** Shows all accounts. */
  async showAll(): Promise<AppError | undefined> {
    return this.#leaveFor(() => this.#api.accounts.showAll())
  }

  /** Works in another account, and shows as many as before. */
  async workIn(id: string): Promise<AppError | undefined> {
    if (id === this.chosen?.id) return undefined
    return this.#leaveFor(() => this.#api.accounts.workIn({ id }))
  }

  async #leaveFor<Value>(call: () => Promise<Result<Value>>): Promise<AppError | undefined> {
    const unfinished = await this.#finish()
    if (unfinished) return unfinished
    const result = await this.#move(() => settled(call()))
    return result.ok ? undefined : result.error
  }

  /** Answers why not, where it wasn't removed; and where it was, whether its sign-in is still valid at the service. */
  async remove(id: string): Promise<AppError | 'still valid' | undefined> {
    const result = await this.#move(() => settled(this.#api.accounts.remove({ id })))
    if (!result.ok) return result.error
    return result.value.signIn === 'still valid' ? 'still valid' : undefined
  }

  /** Finishes what is being typed. Answers whether all of it is kept. */
  async finish(): Promise<boolean> {
    return (await this.#finished()).every((one) => one === 'kept')
  }

  /**
   * Why the account can't be left yet: what was typed could not be kept, and would be lost. What no waiting helps doesn't
   * hold anybody here.
   */
  async #finish(): Promise<AppError | undefined> {
    if (!(await this.#finished()).includes('failing')) return undefined
    return { code: 'storage', message: 'Your draft couldn’t be saved, so we didn’t switch accounts.' }
  }

  #finished(): Promise<Finished[]> {
    return Promise.all([...this.leaving].map((finish) => finish()))
  }

  /** Does what may choose another account, and reads which one is chosen then. */
  async #move<Value>(call: () => Promise<Value>): Promise<Value> {
    this.#moving++
    try {
      const result = await call()
      await this.load()
      return result
    } finally {
      this.#moved()
    }
  }

  #moved(): void {
    this.#moving--
    if (this.#moving === 0) for (const settle of this.settling) settle()
  }
}
