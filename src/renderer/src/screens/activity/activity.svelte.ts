/** What happened to the account's documents, newest first, as far back as a person asks; and what was done that needs them. */
import type { Result } from '../../../../shared/contract/errors.ts'
import type { ActionView, DocumentChange } from '../../../../shared/contract/views.ts'
import { type Api, settled, together } from '../../api.ts'
import { type Clock, coalesced } from '../../state/clock.ts'
import { Resource } from '../../state/resource.svelte.ts'
import { actionInWords } from '../../words/actions.ts'
import { changeInWords, changeStatuses } from '../../words/changes.ts'
import { actionStatuses, type StatusWords } from '../../words/statuses.ts'

const PAGE = 100
/** Milliseconds between two readings while documents change. */
const PAUSE = 1000
const NEEDS_SOMEONE = new Set<ActionView['state']>(['waiting', 'running', 'refused', 'uncertain'])

interface Changes {
  changes: readonly DocumentChange[]
  /** How many there are in all. */
  total: number
}

export class Activity {
  /** The newest of what happened, as many as were asked for. */
  readonly list = new Resource<Changes>(() => this.#read())
  #wanted = PAGE
  #reading = 0
  readonly #actions: Resource<ActionView[]>
  readonly #api: Api
  readonly #follow: () => void

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.#actions = new Resource(() => api.actions.list({}))
    this.#follow = coalesced(clock, PAUSE, () => void this.load())
  }

  /** Everything that was done from here and is kept. */
  get actions(): readonly ActionView[] {
    return this.#actions.value ?? []
  }
  /** Actions that wait, are under way, were refused or are in doubt. */
  get unsettled(): readonly ActionView[] {
    return this.actions.filter(({ state }) => NEEDS_SOMEONE.has(state))
  }

  /** Reads everything and follows it. Answers what stops following. */
  open(): () => void {
    void this.load()
    void this.#actions.load()
    return together(
      this.#api.on('documents.changed', this.#follow),
      this.#api.on('activity.changed', this.#follow),
      this.#api.on('actions.changed', () => void this.#actions.load())
    )
  }

  /** Reads again as many as are shown. */
  load(): Promise<void> {
    this.#wanted = Math.max(PAGE, this.#shown)
    return this.list.load()
  }

  /** Shows a hundred more. */
  more(): Promise<void> {
    this.#wanted = this.#shown + PAGE
    return this.list.load()
  }

  get #shown(): number {
    return this.list.value?.changes.length ?? 0
  }

  /** Stops early once it is overtaken by another reading: what it answers then is dropped. */
  async #read(): Promise<Result<Changes>> {
    const mine = ++this.#reading
    const wanted = this.#wanted
    const changes: DocumentChange[] = []
    let total = 0
    for (let offset = 0; offset < wanted && mine === this.#reading; offset += PAGE) {
      const result = await settled(this.#api.activity.list({ offset, limit: PAGE }))
      if (!result.ok) return result
      changes.push(...result.value.changes)
      total = result.value.total
      if (changes.length >= total) break
    }
    return { ok: true, value: { changes, total } }
  }
}

/** What happened at the service and what was done from here, as one story, newest first. */

interface Happening {
  key: string
  at: number
  reference: string
  documentName: string
  status: StatusWords
  what: string
  isOwn: boolean
}

const ENDED: ReadonlySet<ActionView['state']> = new Set(['done', 'refused', 'cancelled'])

/** @param isWhole whether `changes` reach back to the first: what was done before the earliest of them belongs further down. */
export function happeningsOf(
  changes: readonly DocumentChange[],
  actions: readonly ActionView[],
  { isWhole }: { isWhole: boolean }
): Happening[] {
  const earliest = isWhole ? 0 : (changes.at(-1)?.at ?? 0)
  const done = actions.flatMap((action): Happening[] => {
    const at = action.settledAt ?? action.createdAt
    if (!ENDED.has(action.state) || at < earliest) return []
    const status = actionStatuses[action.state]
    const what = `${actionInWords(action.request)}: ${status.word.toLowerCase()}.`
    const { id, reference, documentName } = action
    return [{ key: `action ${id}`, at, reference, documentName, status, what, isOwn: true }]
  })
  const happened = changes.map((change): Happening => {
    const { id, at, reference, documentName, isOwn } = change
    const status = changeStatuses[change.kind]
    return { key: `change ${id}`, at, reference, documentName, status, what: changeInWords(change), isOwn }
  })
  return [...done, ...happened].sort((one, other) => other.at - one.at)
}
