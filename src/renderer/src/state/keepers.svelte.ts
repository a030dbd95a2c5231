/**
 * All that is being kept: the drafts of open editors, and those whose editor is closed while their text isn't saved yet.
 * Such a text stays here, is tried again, and is shown again where its draft is opened; it is saved for the account that
 * it was typed for, or not at all.
 */
import { type Composition, titleOf } from '../../../shared/composition/composition.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { Api } from '../api.ts'
import { presentError } from '../words/errors.ts'
import type { Accounts, Finished } from './accounts.svelte.ts'
import type { Clock } from './clock.ts'
import { DraftKeeper } from './draft-keeper.svelte.ts'
import type { Router } from './router.svelte.ts'
import type { Toasts } from './toasts.svelte.ts'

const elsewhere: AppError = {
  code: 'not-allowed',
  message: 'Another account is chosen. This draft is saved as soon as its own account is chosen again.'
}
const removed: AppError = { code: 'gone', message: 'The account of this draft was removed.' }

export interface KeeperSurroundings {
  api: Api
  clock: Clock
  accounts: Accounts
  toasts: Toasts
  router: Router
}

export class Keepers {
  /** How many editors each is used by: none once its editor is closed. */
  readonly #users = new Map<DraftKeeper, number>()
  /** Those of closed editors of which was said that they aren't saved. */
  readonly #said = new Set<DraftKeeper>()
  readonly #office: KeeperSurroundings

  constructor(office: KeeperSurroundings) {
    this.#office = office
    office.accounts.leaving.add(() => this.#finish())
    office.accounts.settling.add(() => this.#saveOwn())
  }

  /** What keeps a package of the chosen account: a new one, or the draft with this id as it is on the disk. */
  begin(composition: Composition, id?: string): DraftKeeper {
    const { api, clock, accounts } = this.#office
    const accountId = accounts.chosen?.id ?? ''
    const keeper: DraftKeeper = new DraftKeeper(
      api,
      clock,
      { composition, accountId, id },
      { refusal: () => this.#refusal(accountId), answered: () => this.#answered(keeper) }
    )
    return keeper
  }

  /** What still keeps text of this draft that is not on the disk. */
  find(id: string): DraftKeeper | undefined {
    const accountId = this.#office.accounts.chosen?.id
    return [...this.#users.keys()].find((one) => one.unsaved && one.key === id && one.accountId === accountId)
  }

  /** An editor is open on what is kept. Answers what to call once it is closed. */
  use(keeper: DraftKeeper): () => void {
    this.#users.set(keeper, this.#usersOf(keeper) + 1)
    this.#said.delete(keeper)
    if (keeper.unsaved) void keeper.tryAgain()
    return () => void this.#release(keeper)
  }

  /** What waited for the account that is chosen now is saved. */
  #saveOwn(): void {
    for (const keeper of this.#orphans()) {
      if (keeper.accountId === this.#office.accounts.chosen?.id) void keeper.flush()
    }
  }

  async #release(keeper: DraftKeeper): Promise<void> {
    this.#users.set(keeper, this.#usersOf(keeper) - 1)
    if ((await keeper.flush()) || !this.#isOrphan(keeper)) this.#dropIfKept(keeper)
    else this.#warn(keeper)
  }

  #answered(keeper: DraftKeeper): void {
    if (!this.#isOrphan(keeper)) return
    if (keeper.unsaved) {
      if (keeper.ended && this.#said.has(keeper)) this.#warn(keeper)
      return
    }
    if (this.#said.has(keeper)) this.#office.toasts.say(`“${titleOf(keeper.composition)}” is saved now, in Drafts.`)
    this.#dropIfKept(keeper)
  }

  async #finish(): Promise<Finished> {
    const all = await Promise.all([...this.#users.keys()].map((keeper) => this.#finishOne(keeper)))
    return all.find((one) => one === 'failing') ?? all.find((one) => one === 'hopeless') ?? 'kept'
  }

  async #finishOne(keeper: DraftKeeper): Promise<Finished> {
    const isOpen = !this.#isOrphan(keeper)
    if (await keeper.flush()) {
      if (isOpen && keeper.id !== undefined && !keeper.closed) {
        this.#office.toasts.say(`The draft was kept in Drafts of ${this.#nameOf(keeper.accountId)}.`)
      }
      return 'kept'
    }
    if (!isOpen) this.#warn(keeper)
    return keeper.ended || keeper.error === elsewhere ? 'hopeless' : 'failing'
  }

  /** Nothing may be saved while the main process has another account chosen: it would land there. */
  #refusal(accountId: string): AppError | undefined {
    const { accounts } = this.#office
    if (accounts.settled === accountId) return undefined
    return accounts.known && !accounts.list.some((one) => one.id === accountId) ? removed : elsewhere
  }

  /** Says that what was typed in an editor that is closed is not saved, why, and the way back to it. */
  #warn(keeper: DraftKeeper): void {
    if (!keeper.error) return
    this.#said.add(keeper)
    const { toasts, router, accounts } = this.#office
    const text = `What you typed last in “${titleOf(keeper.composition)}” is not saved. ${this.#reason(keeper, keeper.error)}`
    const isHere = keeper.accountId === accounts.chosen?.id
    toasts.warn(text, isHere ? { label: 'Open it', run: () => router.go('compose', [keeper.key]) } : undefined)
  }

  #reason({ accountId }: DraftKeeper, error: AppError): string {
    if (error === elsewhere) return `It is saved once ${this.#nameOf(accountId)} is chosen again.`
    if (error.code === 'busy') return 'The package is in the Outbox: take it back there to go on with it.'
    return presentError(error).happened
  }

  #nameOf(accountId: string): string {
    return this.#office.accounts.list.find((one) => one.id === accountId)?.name ?? 'its account'
  }

  #orphans(): DraftKeeper[] {
    return [...this.#users.keys()].filter((keeper) => this.#isOrphan(keeper))
  }

  #isOrphan(keeper: DraftKeeper): boolean {
    return this.#usersOf(keeper) === 0
  }

  #usersOf(keeper: DraftKeeper): number {
    return this.#users.get(keeper) ?? 0
  }

  #dropIfKept(keeper: DraftKeeper): void {
    if (keeper.unsaved || !this.#isOrphan(keeper)) return
    this.#users.delete(keeper)
    this.#said.delete(keeper)
  }
}
