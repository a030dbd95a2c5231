/** The office's day in numbers, and what happened while nobody looked. */
import type { AwayView, OverviewView } from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import type { Clock } from '../../state/clock.ts'
import { coalesced } from '../../state/coalesced.ts'
import { Resource } from '../../state/resource.svelte.ts'

/** Milliseconds between two readings while documents change. */
const PAUSE = 1000

export class Overview {
  readonly day: Resource<OverviewView>
  readonly away: Resource<AwayView>
  readonly #api: Api
  readonly #follow: () => void

  constructor(api: Api, clock: Clock) {
    this.#api = api
    this.day = new Resource(() => api.overview.get())
    this.away = new Resource(() => api.activity.away())
    this.#follow = coalesced(clock, PAUSE, () => void this.load())
  }

  /** Reads everything and follows it. Answers what stops following. */
  open(): () => void {
    void this.load()
    const stops = [
      this.#api.on('documents.changed', this.#follow),
      this.#api.on('activity.changed', () => void this.away.load())
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  async load(): Promise<void> {
    await Promise.all([this.day.load(), this.away.load()])
  }

  /** The person has seen what happened while they were away. */
  async seen(): Promise<void> {
    await this.#api.activity.seen()
    await this.away.load()
  }
}
