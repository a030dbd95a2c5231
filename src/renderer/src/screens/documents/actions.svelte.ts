/** Actions on documents: those of one document, and starting new ones. */

import { SvelteMap } from 'svelte/reactivity'
import type { ActionRequest } from '../../../../shared/contract/document-actions.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { AccountRights, ActionView, SignerView } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { keyOfDocument } from '../../state/document-query.ts'
import { Resource } from '../../state/resource.svelte.ts'
import { isReaddressed } from '../../words/actions.ts'
import { findCorrectedPerson } from './correction.ts'

/** States in which an action may still change by itself, or needs the user. */
const UNFINISHED = new Set<ActionView['state']>(['waiting', 'running', 'uncertain'])

export class DocumentActions {
  readonly list: Resource<ActionView[]>
  readonly rights: Resource<AccountRights>
  /** The command on an earlier action: cancelling it, checking it or retrying it. */
  readonly followUp = new Action<ActionView>()
  readonly #api: Api
  /** The actions that the user dismissed, and those that were unsettled while shown. */
  #hidden = $state.raw<ReadonlySet<string>>(new Set())
  #watched = $state.raw<ReadonlySet<string>>(new Set())
  /** The action that `followUp` is running for. */
  #followUpId = $state<string>()

  constructor(api: Api, reference: string) {
    this.#api = api
    this.list = new Resource(() => api.actions.list({ reference }))
    this.rights = new Resource(() => api.accounts.rights())
  }

  get all(): readonly ActionView[] {
    return this.list.value ?? []
  }

  /** The actions to show: in progress, uncertain, refused and not retried, or finished while the user watched. */
  get current(): readonly ActionView[] {
    return this.all.filter((one, index) => {
      if (this.#hidden.has(one.id)) return false
      if (UNFINISHED.has(one.state)) return true
      if (one.state === 'refused') return !this.all.slice(0, index).some((newer) => isSameAction(newer, one))
      return this.#watched.has(one.id)
    })
  }

  /**
   * Returns the e-mail address that a signer had before it was corrected here, unless they have been reminded since.
   */
  addressBefore(person: SignerView): string | undefined {
    for (const { state, request } of this.all) {
      if (state !== 'done') continue
      if (request.kind === 'remind' && request.signerReference === person.signerReference) return undefined
      const before = request.kind === 'correct' && request.signers.find((one) => findCorrectedPerson([person], one))
      if (before && isReaddressed(before)) return before.was.Email
    }
    return undefined
  }

  /** Loads the actions and subscribes to changes. Returns a function that unsubscribes. */
  open(): () => void {
    void this.load()
    void this.rights.load()
    return this.#api.on('actions.changed', () => void this.load())
  }

  async load(): Promise<void> {
    await this.list.load()
    this.#watch(this.all.filter(({ state }) => UNFINISHED.has(state)))
  }

  /** Takes actions started here, so that their end is shown even if they finished at once. */
  started(actions: readonly ActionView[]): Promise<void> {
    this.#watch(actions)
    return this.load()
  }

  dismiss(id: string): void {
    this.#hidden = new Set([...this.#hidden, id])
  }

  isBusy(id: string): boolean {
    return this.followUp.busy && this.#followUpId === id
  }
  errorOf(id: string) {
    return this.#followUpId === id ? this.followUp.error : undefined
  }

  /** Cancels an action, checks with the service whether it was done, or retries it. */
  change(id: string, how: 'cancel' | 'check' | 'retry'): Promise<void> {
    return this.#do(id, () => this.#api.actions[how]({ id }))
  }
  /** Records the user's answer whether it was done. */
  resolve(id: string, happened: boolean): Promise<void> {
    return this.#do(id, () => this.#api.actions.resolve({ id, happened }))
  }

  async #do(id: string, call: Parameters<typeof this.followUp.run>[0]): Promise<void> {
    if (this.followUp.busy) return
    this.#followUpId = id
    await this.followUp.run(call)
    await this.load()
  }

  #watch(actions: readonly ActionView[]): void {
    const ids = actions.map(({ id }) => id).filter((id) => !this.#watched.has(id))
    if (ids.length > 0) this.#watched = new Set([...this.#watched, ...ids])
  }
}

/** Returns whether one action replaces the other: same kind, same person. */
function isSameAction(one: ActionView, other: ActionView): boolean {
  const whom = ({ request }: ActionView) =>
    request.kind === 'remind'
      ? request.signerReference
      : request.kind === 'correct'
        ? request.signers.map(({ index }) => index).join()
        : ''
  return one.request.kind === other.request.kind && whom(one) === whom(other)
}

export interface RequestedAction extends DocumentKey {
  request: ActionRequest
}

/**
 * The actions of one dialog. Their ids are created with the dialog, so that pressing twice, or again after the main
 * process failed to answer, never repeats an action.
 */
export class NewAction extends Action<ActionView[]> {
  readonly #apiOf: (accountId: string) => Api
  readonly #ids = new Map<string, string>()
  readonly #started = new SvelteMap<string, ActionView>()

  /** @param apiOf returns an account's API; each action uses its document's account. */
  constructor(apiOf: (accountId: string) => Api) {
    super()
    this.#apiOf = apiOf
  }

  /** The number of actions accepted. */
  get acceptedCount() {
    return this.#started.size
  }

  /**
   * Starts each action. Resolves to all of them once every one is accepted; to undefined if one was not, with the first
   * failure in `error`. Actions already accepted aren't started again.
   */
  start(all: readonly RequestedAction[]): Promise<ActionView[] | undefined> {
    return this.run(async () => {
      let error: AppError | undefined
      for (const { accountId, reference, request } of all) {
        const document = keyOfDocument({ accountId, reference })
        const what = request.kind === 'remind' ? `${document}\n${request.signerReference}` : document
        if (this.#started.has(what)) continue
        const id = this.#idOf(`${document}\n${JSON.stringify(request)}`)
        const result = await settled(this.#apiOf(accountId).actions.start({ id, reference, request }))
        if (result.ok) this.#started.set(what, result.value)
        else error ??= result.error
      }
      return error ? { ok: false, error } : { ok: true, value: [...this.#started.values()] }
    })
  }

  /** Returns the same id for the same request on the same document, however often it is pressed. */
  #idOf(what: string): string {
    const id = this.#ids.get(what) ?? crypto.randomUUID()
    this.#ids.set(what, id)
    return id
  }
}
