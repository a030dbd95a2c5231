/** The office's accounts, and which one is chosen. */

import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { AccountLimits, AccountView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

/** Why an account wasn't added. `asked` is true if the error came from contacting its service. */
export interface NotAdded {
  error: AppError
  asked: boolean
}

/**
 * The result of saving pending input: all of it is saved (`kept`); some isn't saved yet (`failing`); or some can't be
 * saved however long we wait (`hopeless`: its draft is gone, or belongs to another account).
 */
export type Finished = 'kept' | 'failing' | 'hopeless'

/** Invalid input and keychain errors are reported before the service is contacted. */
function wasAsked({ code }: AppError): boolean {
  return code !== 'invalid' && code !== 'keychain'
}

/** The account being worked in, and whether others are shown with it. */
export interface Shown {
  chosen: string
  areSeveral: boolean
}

export class Accounts extends Resource<AccountView[]> {
  readonly #api: Api
  readonly #chosen = $derived.by(() => this.list.find((account) => account.chosen))
  readonly #othersShown: (before: Shown | undefined) => void
  #last: Shown | undefined
  /** Calls in flight that may change the chosen account. */
  #moving = 0
  /**
   * What must finish before another account is chosen or the window closes: unsaved input belongs to the current
   * account.
   */
  readonly leaving = new Set<() => Promise<Finished>>()
  /** Called once it is certain again which account is chosen. */
  readonly settling = new Set<() => void>()

  /**
   * @param othersShown called once whenever the shown accounts or the account being worked in change, with the previous
   * state.
   */
  constructor(api: Api, othersShown: (before: Shown | undefined) => void) {
    super(() => api.accounts.list())
    this.#api = api
    this.#othersShown = othersShown
  }

  /** The limits reported by the chosen account's service. Limits it doesn't report are absent. */
  get limits(): AccountLimits {
    return this.chosen?.limits ?? {}
  }
  /**
   * Explains why this many documents exceed the plan. Undefined if they fit, or if the service doesn't report how many
   * are left.
   */
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
  /** Refreshes the chosen account's limits from the service, unless that was done a moment ago. */
  askLimits(): void {
    void settled(this.#api.accounts.refreshLimits())
  }
  get list(): readonly AccountView[] {
    return this.value ?? []
  }
  /** The account being worked in: new packages belong to it. */
  get chosen() {
    return this.#chosen
  }
  /** Whether several accounts are shown. Each row then names its account. */
  get areSeveral(): boolean {
    return this.shown.length > 1
  }
  /** The accounts that are shown. */
  get shown(): readonly AccountView[] {
    return this.list.filter(({ shown }) => shown)
  }
  /** The folders of all shown accounts, without duplicates. */
  get folders(): string[] {
    return [...new Set(this.shown.flatMap(({ folders }) => folders))]
  }
  find(id: string | undefined): AccountView | undefined {
    return this.list.find((account) => account.id === id)
  }
  isShown(id: string): boolean {
    return this.find(id)?.shown === true
  }
  /** The id of the account that a call made now applies to. Undefined while the account is being switched. */
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

  /** Adds and chooses an account. Returns the error if it couldn't be added. */
  async add(account: Input<'accounts.add'>): Promise<AccountView | AppError> {
    const unfinished = await this.#finish()
    if (unfinished) return unfinished
    const result = await this.#move(() => settled(this.#api.accounts.add(account)))
    return result.ok ? result.value : result.error
  }

  /** Tests an account, then adds and chooses it if the test succeeds. If it fails, nothing changes. */
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

  /**
   * Tests a change to an account and applies it only if the test succeeds, so that a working account isn't replaced by
   * a broken one.
   */
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

  /**
   * Changes a service account. Without `authentication`, its secrets are kept. Returns the error if it couldn't be
   * changed.
   */
  async update(account: Input<'accounts.update'>): Promise<AccountView | AppError> {
    const result = await settled(this.#api.accounts.update(account))
    await this.load()
    return result.ok ? result.value : result.error
  }

  /** Shows only this account. */
  async choose(id: string): Promise<AppError | undefined> {
    if (id === this.chosen?.id && !this.areSeveral) return undefined
    return this.#leaveFor(() => this.#api.accounts.choose({ id }))
  }

  /** Shows all accounts. */
  async showAll(): Promise<AppError | undefined> {
    return this.#leaveFor(() => this.#api.accounts.showAll())
  }

  /** Switches the account being worked in, and keeps showing as many accounts as before. */
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

  /**
   * Removes an account. Returns the error if that failed, or 'still valid' if its sign-in is still valid at the
   * service.
   */
  async remove(id: string): Promise<AppError | 'still valid' | undefined> {
    const result = await this.#move(() => settled(this.#api.accounts.remove({ id })))
    if (!result.ok) return result.error
    return result.value.signIn === 'still valid' ? 'still valid' : undefined
  }

  /** Saves pending input. Returns whether everything is saved. */
  async finish(): Promise<boolean> {
    return (await this.#finished()).every((one) => one === 'kept')
  }

  /**
   * Returns why the account can't be left yet: pending input couldn't be saved and would be lost. Input that waiting
   * can't save doesn't block the switch.
   */
  async #finish(): Promise<AppError | undefined> {
    if (!(await this.#finished()).includes('failing')) return undefined
    return { code: 'storage', message: 'Your draft couldn’t be saved, so we didn’t switch accounts.' }
  }

  #finished(): Promise<Finished[]> {
    return Promise.all([...this.leaving].map((finish) => finish()))
  }

  /** Runs a call that may change the chosen account, then reloads which one is chosen. */
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
