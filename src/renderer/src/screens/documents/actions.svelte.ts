/** What is done to documents: what is under way for one, the dialog that asks for it, and the beginning of it. */

import { SvelteMap } from 'svelte/reactivity'
import type { ActionRequest } from '../../../../shared/contract/document-actions.ts'
import type { DocumentKey } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { AccountRights, ActionView, SignerView } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'
import { personMeant } from './correction.ts'

/** States in which an action may still change by itself, or needs the person. */
const UNSETTLED = new Set<ActionView['state']>(['waiting', 'running', 'uncertain'])

export class DocumentActions {
  readonly list: Resource<ActionView[]>
  readonly rights: Resource<AccountRights>
  /** What is done about an action that was started before: taking it back, asking, doing it again. */
  readonly about = new Action<ActionView>()
  readonly #api: Api
  /** Which of them the person has put away, and which ended before their eyes. */
  #hidden = $state.raw<ReadonlySet<string>>(new Set())
  #watched = $state.raw<ReadonlySet<string>>(new Set())
  /** Whose answer `about` holds. */
  #aboutId = $state<string>()

  constructor(api: Api, reference: string) {
    this.#api = api
    this.list = new Resource(() => api.actions.list({ reference }))
    this.rights = new Resource(() => api.accounts.rights())
  }

  get all(): readonly ActionView[] {
    return this.list.value ?? []
  }

  /** Those that the person should see: under way, in doubt, refused and not begun again, or ended while they looked. */
  get current(): readonly ActionView[] {
    return this.all.filter((one, index) => {
      if (this.#hidden.has(one.id)) return false
      if (UNSETTLED.has(one.state)) return true
      if (one.state === 'refused') return !this.all.slice(0, index).some((newer) => isSame(newer, one))
      return this.#watched.has(one.id)
    })
  }

  /** Reads the actions and follows them. Answers what stops following. */
  open(): () => void {
    void this.load()
    void this.rights.load()
    return this.#api.on('actions.changed', () => void this.load())
  }

  async load(): Promise<void> {
    await this.list.load()
    this.#watch(this.all.filter(({ state }) => UNSETTLED.has(state)))
  }

  /** What was started here: its end is shown even where it came at once. */
  started(actions: readonly ActionView[]): void {
    this.#watch(actions)
    void this.load()
  }

  hide(id: string): void {
    this.#hidden = new Set([...this.#hidden, id])
  }

  isBusy(id: string): boolean {
    return this.about.busy && this.#aboutId === id
  }
  errorOf(id: string) {
    return this.#aboutId === id ? this.about.error : undefined
  }

  /** Takes it back, asks the service whether it was done, or begins it again. */
  change(id: string, how: 'cancel' | 'check' | 'again'): Promise<void> {
    return this.#do(id, () => this.#api.actions[how]({ id }))
  }
  /** The person says whether it was done. */
  settle(id: string, happened: boolean): Promise<void> {
    return this.#do(id, () => this.#api.actions.settle({ id, happened }))
  }

  async #do(id: string, call: Parameters<typeof this.about.run>[0]): Promise<void> {
    if (this.about.busy) return
    this.#aboutId = id
    await this.about.run(call)
    await this.load()
  }

  #watch(actions: readonly ActionView[]): void {
    const ids = actions.map(({ id }) => id).filter((id) => !this.#watched.has(id))
    if (ids.length > 0) this.#watched = new Set([...this.#watched, ...ids])
  }
}

/** Whether one took the place of the other: the same kind of thing, and to the same person. */
function isSame(one: ActionView, other: ActionView): boolean {
  const whom = ({ request }: ActionView) =>
    request.kind === 'remind'
      ? request.signerReference
      : request.kind === 'correct'
        ? request.signers.map(({ index }) => index).join()
        : ''
  return one.request.kind === other.request.kind && whom(one) === whom(other)
}

type Asked =
  | { what: 'extend'; before?: ActionView }
  | { what: 'notary'; before?: ActionView }
  | { what: 'correct'; person: SignerView; before?: ActionView }
  | { what: 'remind'; person: SignerView }

/** Which dialog of a document's page is open, and with what. One at a time, a new one each time. */
export class Doing {
  #asked = $state.raw<Asked>()
  /** Grows with each dialog, so that each is made again. */
  #turn = $state(0)
  isOpen = $state(false)

  get asked() {
    return this.#asked
  }
  get turn() {
    return this.#turn
  }

  ask(asked: Asked): void {
    this.#asked = asked
    this.#turn++
    this.isOpen = true
  }

  /** The dialog of an action that was refused, with what was asked for; undefined if it can't be asked otherwise. */
  askAgain(action: ActionView, people: readonly SignerView[]): (() => void) | undefined {
    const { request } = action
    if (request.kind === 'extend') return () => this.ask({ what: 'extend', before: action })
    if (request.kind === 'notary') return () => this.ask({ what: 'notary', before: action })
    if (request.kind !== 'correct') return undefined
    const person = request.signers.flatMap((one) => personMeant(people, one) ?? []).find(({ editable }) => editable)
    return person ? () => this.ask({ what: 'correct', person, before: action }) : undefined
  }
}

/** Something to be done to a document. */
export interface ToStart extends DocumentKey {
  request: ActionRequest
}

/**
 * What a dialog is about to do, once: its ids are made with the dialog, so that pressing twice, or pressing again after
 * the main process failed to answer, never does it a second time.
 */
export class NewAction extends Action<ActionView[]> {
  readonly #apiOf: (accountId: string) => Api
  readonly #ids = new Map<string, string>()
  readonly #started = new SvelteMap<string, ActionView>()

  /** @param apiOf the client of each account: what is done to a document is done in its own. */
  constructor(apiOf: (accountId: string) => Api) {
    super()
    this.#apiOf = apiOf
  }

  /** How many have been taken. */
  get taken() {
    return this.#started.size
  }

  /**
   * Starts each of them; answers all once every one is taken, undefined if one was not: `error` then says why the first of
   * those was not. What was taken before isn't started again.
   */
  start(all: readonly ToStart[]): Promise<ActionView[] | undefined> {
    return this.run(async () => {
      let error: AppError | undefined
      for (const { accountId, reference, request } of all) {
        const document = `${accountId}\n${reference}`
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

  /** The same thing to the same document has the same id, however often it is pressed. */
  #idOf(what: string): string {
    const id = this.#ids.get(what) ?? crypto.randomUUID()
    this.#ids.set(what, id)
    return id
  }
}
