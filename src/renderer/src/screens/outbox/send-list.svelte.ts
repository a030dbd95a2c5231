/** What this account has put in the outbox, as many as there may be: one part of it, one batch, or what a search finds. */
import type { Result } from '../../../../shared/contract/errors.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type { SendList as SendListView, SendView } from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import type { Clock } from '../../state/clock.ts'
import { coalesced } from '../../state/coalesced.ts'
import { ShownRows } from '../../state/shown-rows.svelte.ts'
import type { Asked } from '../../state/windowed-list.svelte.ts'

/** Milliseconds between two readings: a batch tells of each of its packages. */
const PAUSE = 250

export type SendsAsked = Omit<Input<'sends.list'>, 'offset' | 'limit'>

export class SendList extends ShownRows<SendView, SendListView> {
  #asked: SendsAsked = { show: 'all', search: '' }
  #name = $state('')
  readonly #api: Api
  /** Follows a change; many in a short time are followed together. */
  readonly follow: () => void

  constructor(api: Api, clock: Clock) {
    super()
    this.#api = api
    this.follow = coalesced(clock, PAUSE, () => void this.rows.follow())
  }

  protected ask(page: Asked): Promise<Result<SendListView>> {
    return this.#api.sends.list({ ...this.#asked, ...page })
  }

  /** Which part of the outbox is shown: the one asked for last once it is here. */
  get part(): SendsAsked {
    if (!this.rows.shown) return this.#asked
    const [show, batchId, search] = JSON.parse(this.rows.shown) as [SendsAsked['show'], string | null, string]
    return { show, search, ...(batchId !== null && { batchId }) }
  }
  /** Whether what is shown is another part than the one asked for. */
  get isOther() {
    return this.rows.shown !== this.#name
  }

  find(id: string): SendView | undefined {
    return this.rows.find((send) => send.id === id)
  }

  /** Shows a part of the outbox; the same again is no reading. */
  async open(asked: SendsAsked): Promise<void> {
    const name = JSON.stringify([asked.show, asked.batchId, asked.search])
    if (name === this.#name) return
    this.#name = name
    this.#asked = asked
    await this.rows.open(name)
  }
}
