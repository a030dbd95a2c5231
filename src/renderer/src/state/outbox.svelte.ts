/** The outbox of this office as a whole: how many stand how, why nothing leaves, and how it is set. */
import type { Input } from '../../../shared/contract/requests.ts'
import type { OutboxView, SendCounts } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { Action } from './action.svelte.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'

/** Milliseconds between two readings: a batch of two thousand tells of each of its packages. */
const PAUSE = 250

export class Outbox extends Resource<OutboxView> {
  readonly #api: Api
  /** Pausing or letting it go on. */
  readonly changing = new Action<OutboxView>()
  readonly configuring = new Action<OutboxView>()

  constructor(api: Api, clock: Clock) {
    super(() => api.outbox.state(), { clock, milliseconds: PAUSE })
    this.#api = api
  }

  get view(): OutboxView | undefined {
    return this.value
  }
  get pause(): OutboxView['pause'] {
    return this.value?.pause
  }
  /** Refused, uncertain, not sent: those that need a person, or may come to. */
  get attention(): number {
    const counts = this.value?.counts
    return counts ? needsSomeone(counts) : 0
  }
  get waiting(): number {
    const counts = this.value?.counts
    return counts ? counts.ready + counts.sending : 0
  }

  override clear(): void {
    super.clear()
    this.changing.clear()
    this.configuring.clear()
  }

  async stop(): Promise<void> {
    this.#take(await this.changing.run(() => this.#api.outbox.pause()))
  }

  async goOn(): Promise<void> {
    this.#take(await this.changing.run(() => this.#api.outbox.resume()))
  }

  /** Answers whether it is set so now. */
  async configure(settings: Input<'outbox.configure'>): Promise<boolean> {
    const view = await this.configuring.run(() => this.#api.outbox.configure(settings))
    this.#take(view)
    return view !== undefined
  }

  #take(view: OutboxView | undefined): void {
    if (view) this.put(view)
  }
}

/** How many of them need a person, or may come to. */
export function needsSomeone(counts: SendCounts): number {
  return counts.refused + counts.uncertain + counts.notSent
}

/** How many there are in all. */
export function allOf(counts: SendCounts): number {
  return counts.ready + counts.sending + counts.sent + counts.cancelled + needsSomeone(counts)
}
