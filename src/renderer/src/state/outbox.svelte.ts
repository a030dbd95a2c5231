/** The office's outbox as a whole: counts by state, why it is paused, and its settings. */
import type { Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { OutboxPause, OutboxView, SendCounts } from '../../../shared/contract/views.ts'
import { type Api, ofAccount } from '../api.ts'
import { Action } from './action.svelte.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'

/** Minimum milliseconds between reloads: a batch of two thousand raises an event for each package. */
const RELOAD_INTERVAL = 250

export class Outbox extends Resource<OutboxView> {
  readonly #api: Api
  /** Pausing or resuming. */
  readonly changing = new Action<OutboxView>()
  readonly configuring = new Action<OutboxView>()

  constructor(api: Api, clock: Clock) {
    super(() => api.outbox.state(), { clock, milliseconds: RELOAD_INTERVAL })
    this.#api = api
  }

  get view(): OutboxView | undefined {
    return this.value
  }
  get pause(): OutboxView['pause'] {
    return this.value?.pause
  }
  /** Why nothing of an account is being sent. */
  pauseOf(accountId: string): OutboxView['pause'] {
    const { pause, paused } = this.value ?? {}
    return paused ? paused.find((one) => one.accountId === accountId)?.pause : pause
  }
  /** The paused accounts, if several are shown and they aren't all paused for the same reason; otherwise none. */
  get pausedSeparately(): NonNullable<OutboxView['paused']> {
    const { pause, paused = [] } = this.value ?? {}
    const [first] = paused
    const isSamePause =
      pause &&
      paused.every((one) => one.pause.by === first?.pause.by && one.pause.error?.code === first.pause.error?.code)
    return isSamePause ? [] : paused
  }
  /** Pauses that last until a person ends them; `accountId` is set if accounts are paused for different reasons. */
  get lastingPauses(): { pause: OutboxPause; accountId?: string }[] {
    const separate = this.pausedSeparately
    const all = separate.length > 0 ? separate : this.pause ? [{ pause: this.pause }] : []
    return all.filter(({ pause }) => needsResuming(pause))
  }
  /** Sends that need attention, or may come to: refused, uncertain, not sent, not released, or to be released. */
  get attention(): number {
    const { counts, releases } = this.value ?? {}
    return counts ? attentionCount(counts) + (releases?.undecided ?? 0) + (releases?.refused ?? 0) : 0
  }
  /** What will be sent: not what someone refused to release. */
  get waiting(): number {
    const { counts, releases } = this.value ?? {}
    return counts ? counts.ready + counts.sending - (releases?.refused ?? 0) : 0
  }

  override clear(): void {
    super.clear()
    this.changing.clear()
    this.configuring.clear()
  }

  /** @param accountId which account to pause, if several are shown; absent: all of them. */
  pauseSending(accountId?: string): Promise<void> {
    return this.#change((api) => api.outbox.pause(), accountId)
  }

  /** @param accountId as for `pauseSending`. */
  resume(accountId?: string): Promise<void> {
    return this.#change((api) => api.outbox.resume(), accountId)
  }

  async #change(call: (api: Api) => Promise<Result<OutboxView>>, accountId: string | undefined): Promise<void> {
    const api = accountId === undefined ? this.#api : ofAccount(this.#api, accountId)
    const view = await this.changing.run(() => call(api))
    if (!view) return
    // One account's answer says nothing about the others.
    if (accountId === undefined) this.put(view)
    else await this.load()
  }

  /** Returns whether the settings were applied. */
  async configure(settings: Input<'outbox.configure'>): Promise<boolean> {
    const view = await this.configuring.run(() => this.#api.outbox.configure(settings))
    if (view) this.put(view)
    return view !== undefined
  }
}

/** Whether a person has to end the pause: connection problems and the service's rate limit end by themselves. */
export function needsResuming({ by, until }: OutboxPause): boolean {
  return by !== 'line' && until === undefined
}

/** Returns how many sends need attention, or may come to. */
export function attentionCount(counts: SendCounts): number {
  return counts.refused + counts.uncertain + counts.notSent
}

export function totalOf(counts: SendCounts): number {
  return counts.ready + counts.sending + counts.sent + counts.cancelled + attentionCount(counts)
}
