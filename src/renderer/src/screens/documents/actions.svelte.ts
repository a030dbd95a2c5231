/** What is done to one document: it follows what the main process tells, and starts, takes back, asks and settles. */

import type { AccountRights, ActionView } from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'

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

  /** Those that the person should see: under way, in doubt, refused and not begun anew, or ended while they looked. */
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

  cancel(id: string): Promise<void> {
    return this.#do(id, () => this.#api.actions.cancel({ id }))
  }
  check(id: string): Promise<void> {
    return this.#do(id, () => this.#api.actions.check({ id }))
  }
  again(id: string): Promise<void> {
    return this.#do(id, () => this.#api.actions.again({ id }))
  }
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
