/** The office's accounts, and which one is chosen. */

import type { AppError, Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { AccountLimits, AccountView } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

/** Why an account wasn't added. `isFromService` is true if the error came from contacting its service. */
export interface AccountFailure {
  error: AppError
  isFromService: boolean
}

/**
 * The result of saving pending input: all of it is saved (`kept`); some isn't saved yet (`failing`); or some can't be
 * saved however long we wait (`hopeless`: its draft is gone, or belongs to another account).
 */
export type FlushOutcome = 'kept' | 'failing' | 'hopeless'

type NewServiceAccount = Extract<Input<'accounts.add'>, { kind: 'service' }>

/** Invalid input and keychain errors are reported before the service is contacted. */
function isFromService({ code }: AppError): boolean {
  return code !== 'invalid' && code !== 'keychain'
}

/** The account being worked in, and whether others are shown with it. */
export interface ShownAccounts {
  chosen: string
  showsSeveral: boolean
}

export class Accounts extends Resource<AccountView[]> {
  readonly #api: Api
  readonly #chosen = $derived.by(() => this.list.find((account) => account.chosen))
  readonly #onShownChanged: (before: ShownAccounts | undefined) => void
  #lastShown: ShownAccounts | undefined
  /** Calls in flight that may change the chosen account. */
  #pendingSwitches = 0
  /**
   * What must finish before another account is chosen or the window closes: unsaved input belongs to the current
   * account.
   */
  readonly beforeSwitch = new Set<() => Promise<FlushOutcome>>()
  /** Called once it is certain again which account is chosen. */
  readonly afterSwitch = new Set<() => void>()

  /**
   * @param onShownChanged called once whenever the shown accounts or the account being worked in change, with the previous
   * state.
   */
  constructor(api: Api, onShownChanged: (before: ShownAccounts | undefined) => void) {
    super(() => api.accounts.list())
    this.#api = api
    this.#onShownChanged = onShownChanged
  }

  /** The limits reported by the chosen account's service. Limits it doesn't report are absent. */
  get limits(): AccountLimits {
    return this.chosen?.limits ?? {}
  }
  /**
   * Explains why this many documents exceed the plan. Undefined if they fit, or if the service doesn't report how many
   * are left.
   */
  quotaProblem(documents: number): { title: string; more: string } | undefined {
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
  refreshLimits(): void {
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
  get showsSeveral(): boolean {
    return this.shown.length > 1
  }
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
  get currentId(): string | undefined {
    return this.#pendingSwitches > 0 ? undefined : this.chosen?.id
  }

  override async load(): Promise<void> {
    await super.load()
    const before = this.#lastShown
    const now = this.chosen && { chosen: this.chosen.id, showsSeveral: this.showsSeveral }
    if (now?.chosen === before?.chosen && now?.showsSeveral === before?.showsSeveral) return
    this.#lastShown = now
    this.#onShownChanged(before)
  }

  /** Adds and chooses an account. */
  add(account: Input<'accounts.add'>): Promise<Result<AccountView>> {
    return this.#switchBy(() => this.#api.accounts.add(account))
  }

  /**
   * Tests an account, then adds and chooses it if the test succeeds. If it fails, or `isWanted` says that the user has
   * left the form meanwhile, nothing changes.
   */
  addIfItWorks(account: NewServiceAccount, isWanted: () => boolean): Promise<AccountView | AccountFailure | undefined> {
    return this.#applyIfItWorks(account, isWanted, () => this.add(account))
  }

  /**
   * Tests a change to an account and applies it only if the test succeeds, so that a working account isn't replaced by
   * a broken one. Nothing changes either if `isWanted` says that the user has left the form meanwhile.
   */
  updateIfItWorks(
    change: Input<'accounts.update'>,
    isWanted: () => boolean
  ): Promise<AccountView | AccountFailure | undefined> {
    return this.#applyIfItWorks(change, isWanted, () => this.update(change))
  }

  async #applyIfItWorks(
    { id, baseUrl, authentication, certificate, folders }: Input<'accounts.try'>,
    isWanted: () => boolean,
    apply: () => Promise<Result<AccountView>>
  ): Promise<AccountView | AccountFailure | undefined> {
    const tried = await settled(
      this.#api.accounts.try({
        ...(id !== undefined && { id }),
        baseUrl,
        ...(authentication && { authentication }),
        ...(certificate !== undefined && { certificate }),
        ...(folders && { folders })
      })
    )
    if (!tried.ok) return { error: tried.error, isFromService: isFromService(tried.error) }
    if (!isWanted()) return undefined
    const applied = await apply()
    return applied.ok ? applied.value : { error: applied.error, isFromService: false }
  }

  /** Changes a service account. Without `authentication`, its secrets are kept. */
  async update(account: Input<'accounts.update'>): Promise<Result<AccountView>> {
    const result = await settled(this.#api.accounts.update(account))
    await this.load()
    return result
  }

  /** Shows only this account. */
  async choose(id: string): Promise<Result<unknown>> {
    if (id === this.chosen?.id && !this.showsSeveral) return { ok: true, value: null }
    return this.#switchBy(() => this.#api.accounts.choose({ id }))
  }

  showAll(): Promise<Result<unknown>> {
    return this.#switchBy(() => this.#api.accounts.showAll())
  }

  /** Switches the account being worked in, and keeps showing as many accounts as before. */
  async workIn(id: string): Promise<Result<unknown>> {
    if (id === this.chosen?.id) return { ok: true, value: null }
    return this.#switchBy(() => this.#api.accounts.workIn({ id }))
  }

  /** Switches accounts by a call, unless pending input would be lost. */
  async #switchBy<Value>(call: () => Promise<Result<Value>>): Promise<Result<Value>> {
    const unfinished = await this.#switchBlocker()
    return unfinished ? { ok: false, error: unfinished } : this.#runSwitch(() => settled(call()))
  }

  /** Removes an account. Returns whether its sign-in is still valid at the service. */
  remove(id: string): Promise<Result<{ signIn: 'ended' | 'still valid' }>> {
    return this.#runSwitch(() => settled(this.#api.accounts.remove({ id })))
  }

  /** Saves pending input. Returns whether everything is saved. */
  async flush(): Promise<boolean> {
    return (await this.#flushAll()).every((one) => one === 'kept')
  }

  /**
   * Returns why the account can't be left yet: pending input couldn't be saved and would be lost. Input that waiting
   * can't save doesn't block the switch.
   */
  async #switchBlocker(): Promise<AppError | undefined> {
    if (!(await this.#flushAll()).includes('failing')) return undefined
    return { code: 'storage', message: 'Your draft couldn’t be saved, so we didn’t switch accounts.' }
  }

  #flushAll(): Promise<FlushOutcome[]> {
    return Promise.all([...this.beforeSwitch].map((finish) => finish()))
  }

  /** Runs a call that may change the chosen account, then reloads which one is chosen. */
  async #runSwitch<Value>(call: () => Promise<Value>): Promise<Value> {
    this.#pendingSwitches++
    try {
      const result = await call()
      // If another change replaced this reading, only the later one says which account is chosen.
      do await this.load()
      while (this.isLoading)
      return result
    } finally {
      this.#pendingSwitches--
      if (this.#pendingSwitches === 0) for (const handler of this.afterSwitch) handler()
    }
  }
}
