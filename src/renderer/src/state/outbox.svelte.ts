/** The outbox of this office as a whole: how many stand how, why nothing leaves, and how it is set. */
import type { Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { OutboxView, SendCounts } from '../../../shared/contract/views.ts'
import { type Api, ofAccount } from '../api.ts'
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
  /** Why nothing of an account leaves. */
  pauseOf(accountId: string): OutboxView['pause'] {
    const { pause, paused } = this.value ?? {}
    return paused ? paused.find((one) => one.accountId === accountId)?.pause : pause
  }
  /** Where several accounts are shown and they don't stand alike: those of which nothing leaves. Else none. */
  get pausedAlone(): NonNullable<OutboxView['paused']> {
    const { pause, paused = [] } = this.value ?? {}
    const [first] = paused
    const isAlike =
      pause &&
      paused.every((one) => one.pause.by === first?.pause.by && one.pause.error?.code === first.pause.error?.code)
    return isAlike ? [] : paused
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

  /** @param accountId where several are shown, the one that stops; absent: all of them. */
  stop(accountId?: string): Promise<void> {
    return this.#change((api) => api.outbox.pause(), accountId)
  }

  /** @param accountId as of `stop`. */
  goOn(accountId?: string): Promise<void> {
    return this.#change((api) => api.outbox.resume(), accountId)
  }

  async #change(call: (api: Api) => Promise<Result<OutboxView>>, accountId: string | undefined): Promise<void> {
    const api = accountId === undefined ? this.#api : ofAccount(this.#api, accountId)
    const view = await this.changing.run(() => call(api))
    // What one account answers says nothing of the others.
    if (accountId === undefined) this.#take(view)
    else if (view) await this.load()
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
