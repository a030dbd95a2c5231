/** What this account has put in the outbox, as many as there may be: one part of it, one batch, or what a search finds. */
import type { Input } from '../../../shared/contract/requests.ts'
import type { SendList as SendListView, SendView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import type { Clock } from './clock.ts'
import { coalesced } from './coalesced.ts'
import { WindowedList } from './windowed-list.svelte.ts'

/** Milliseconds between two readings: a batch tells of each of its packages. */
const PAUSE = 250

export type SendsAsked = Omit<Input<'sends.list'>, 'offset' | 'limit'>

export class SendList {
  #asked: SendsAsked = { show: 'all', search: '' }
  #name = $state('')
  readonly #rows: WindowedList<SendView, SendListView>
  /** Follows a change; many in a short time are followed together. */
  readonly follow: () => void

  constructor(api: Api, clock: Clock) {
    this.#rows = new WindowedList((page) => api.sends.list({ ...this.#asked, ...page }))
    this.follow = coalesced(clock, PAUSE, () => void this.#rows.follow())
  }

  get known() {
    return this.#rows.known
  }
  get total() {
    return this.#rows.total
  }
  get error() {
    return this.#rows.error
  }
  get reading() {
    return this.#rows.reading
  }
  /** The name of what is shown: changes when another list is there, not when it is asked for. */
  get shown() {
    return this.#rows.shown
  }

  /** Which part of the outbox is shown: the one asked for last once it is here. */
  get part(): SendsAsked {
    if (!this.#rows.shown) return this.#asked
    const [show, batchId, search] = JSON.parse(this.#rows.shown) as [SendsAsked['show'], string | null, string]
    return { show, search, ...(batchId !== null && { batchId }) }
  }
  /** Whether what is shown is another part than the one asked for. */
  get isOther() {
    return this.#rows.shown !== this.#name
  }

  row(index: number): SendView | undefined {
    return this.#rows.row(index)
  }
  find(id: string): SendView | undefined {
    return this.#rows.find((send) => send.id === id)
  }
  need(first: number, last: number): void {
    this.#rows.need(first, last)
  }

  /** Shows a part of the outbox; the same again is no reading. */
  async open(asked: SendsAsked): Promise<void> {
    const name = JSON.stringify([asked.show, asked.batchId, asked.search])
    if (name === this.#name) return
    this.#name = name
    this.#asked = asked
    await this.#rows.open(name)
  }

  reload(): Promise<void> {
    return this.#rows.reload()
  }
}
