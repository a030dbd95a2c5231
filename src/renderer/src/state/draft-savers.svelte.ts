/**
 * All drafts being saved: those of open editors, and those of closed editors with unsaved text. Such text stays here,
 * is retried, and reappears when its draft is opened. It is only ever saved to the account it was typed for.
 */
import type { Composition } from '../../../shared/composition/composition.ts'
import { titleOf } from '../../../shared/composition/names.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { DraftOffice } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { presentError } from '../words/errors.ts'
import type { Accounts, FlushOutcome } from './accounts.svelte.ts'
import type { Clock } from './clock.ts'
import { DraftSaver } from './draft-saver.svelte.ts'
import type { Router } from './router.svelte.ts'
import type { Toasts } from './toasts.svelte.ts'

const otherAccountError: AppError = {
  code: 'not-allowed',
  message: 'Another account is chosen. This draft is saved as soon as its own account is chosen again.'
}
const removedAccountError: AppError = { code: 'gone', message: 'The account of this draft was removed.' }

export interface DraftSaversDeps {
  api: Api
  clock: Clock
  accounts: Accounts
  toasts: Toasts
  router: Router
}

export class DraftSavers {
  /** How many editors use each saver; 0 once its editor is closed. */
  readonly #editorCounts = new Map<DraftSaver, number>()
  /** Savers of closed editors for which the user was warned that they aren't saved. */
  readonly #warned = new Set<DraftSaver>()
  readonly #app: DraftSaversDeps

  constructor(app: DraftSaversDeps) {
    this.#app = app
    app.accounts.beforeSwitch.add(() => this.#flushAll())
    app.accounts.afterSwitch.add(() => this.#saveForAccount())
  }

  /** Creates the saver for a package of the chosen account: a new package, or the draft with this id as stored. */
  create(composition: Composition, id?: string, office?: DraftOffice): DraftSaver {
    const { api, clock, accounts } = this.#app
    const accountId = accounts.chosen?.id ?? ''
    const saver: DraftSaver = new DraftSaver(
      api,
      clock,
      { composition, accountId, id, office },
      { refusal: () => this.#refusal(accountId), onAttempt: () => this.#onSaveAttempt(saver) }
    )
    return saver
  }

  /** Returns the saver that still holds unsaved text of this draft. */
  find(id: string): DraftSaver | undefined {
    const accountId = this.#app.accounts.chosen?.id
    return [...this.#editorCounts.keys()].find(
      (one) => one.hasUnsavedChanges && one.key === id && one.accountId === accountId
    )
  }

  /** Registers an editor for the saver. Returns a function to call when it closes. */
  attach(saver: DraftSaver): () => void {
    this.#editorCounts.set(saver, this.#editorsOf(saver) + 1)
    this.#warned.delete(saver)
    if (saver.hasUnsavedChanges) void saver.retry()
    return () => void this.#release(saver)
  }

  /** Saves what was waiting for the account that is now chosen. */
  #saveForAccount(): void {
    for (const saver of this.#orphans()) {
      if (saver.accountId === this.#app.accounts.chosen?.id) void saver.flush()
    }
  }

  async #release(saver: DraftSaver): Promise<void> {
    this.#editorCounts.set(saver, this.#editorsOf(saver) - 1)
    if ((await saver.flush()) || !this.#isOrphan(saver)) this.#dropIfSaved(saver)
    else this.#warn(saver)
  }

  #onSaveAttempt(saver: DraftSaver): void {
    if (!this.#isOrphan(saver)) return
    if (saver.hasUnsavedChanges) {
      if (saver.cannotBeSaved && this.#warned.has(saver)) this.#warn(saver)
      return
    }
    if (this.#warned.has(saver)) this.#app.toasts.say(`“${titleOf(saver.composition)}” is saved now, in Drafts.`)
    this.#dropIfSaved(saver)
  }

  async #flushAll(): Promise<FlushOutcome> {
    const all = await Promise.all([...this.#editorCounts.keys()].map((saver) => this.#flushOne(saver)))
    return all.find((one) => one === 'failing') ?? all.find((one) => one === 'hopeless') ?? 'kept'
  }

  async #flushOne(saver: DraftSaver): Promise<FlushOutcome> {
    const isOpen = !this.#isOrphan(saver)
    if (await saver.flush()) {
      if (isOpen && saver.id !== undefined && !saver.closed) {
        this.#app.toasts.say(`The draft was saved in ${this.#nameOf(saver.accountId)}’s Drafts.`)
      }
      return 'kept'
    }
    if (!isOpen) this.#warn(saver)
    return saver.cannotBeSaved || saver.error === otherAccountError ? 'hopeless' : 'failing'
  }

  /** Nothing may be saved while the main process has another account chosen: it would end up there. */
  #refusal(accountId: string): AppError | undefined {
    const { accounts } = this.#app
    if (accounts.currentId === accountId) return undefined
    return accounts.isLoaded && !accounts.list.some((one) => one.id === accountId)
      ? removedAccountError
      : otherAccountError
  }

  /** Warns that text from a closed editor isn't saved, says why, and offers the way back to it. */
  #warn(saver: DraftSaver): void {
    if (!saver.error) return
    this.#warned.add(saver)
    const { toasts, router, accounts } = this.#app
    const text = `What you typed last in “${titleOf(saver.composition)}” isn’t saved. ${this.#reason(saver, saver.error)}`
    const isCurrentAccount = saver.accountId === accounts.chosen?.id
    toasts.warn(text, isCurrentAccount ? { label: 'Open it', run: () => router.go('compose', [saver.key]) } : undefined)
  }

  #reason({ accountId }: DraftSaver, error: AppError): string {
    if (error === otherAccountError) return `It will be saved once you choose ${this.#nameOf(accountId)} again.`
    if (error.code === 'busy') return 'The package is in the Outbox. Undo the send there to keep editing.'
    return presentError(error).happened
  }

  #nameOf(accountId: string): string {
    return this.#app.accounts.list.find((one) => one.id === accountId)?.name ?? 'its account'
  }

  #orphans(): DraftSaver[] {
    return [...this.#editorCounts.keys()].filter((saver) => this.#isOrphan(saver))
  }

  #isOrphan(saver: DraftSaver): boolean {
    return this.#editorsOf(saver) === 0
  }

  #editorsOf(saver: DraftSaver): number {
    return this.#editorCounts.get(saver) ?? 0
  }

  #dropIfSaved(saver: DraftSaver): void {
    if (saver.hasUnsavedChanges || !this.#isOrphan(saver)) return
    this.#editorCounts.delete(saver)
    this.#warned.delete(saver)
  }
}
