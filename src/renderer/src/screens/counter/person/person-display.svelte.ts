/** State of the page on the second display: the session if a person is signing there, and the office's idle content. */
import type { IdleScreen, SettingsView } from '../../../../../shared/contract/views.ts'
import { type Api, settled, together } from '../../../api.ts'
import { type Clock, Minutes, systemClock } from '../../../state/clock.ts'
import { LiveSession, type PersonApi } from '../../../state/counter-session.svelte.ts'
import { Resource } from '../../../state/resource.svelte.ts'

/** The part of the API that this page may use: the main process refuses everything else. */
export type DisplayApi = PersonApi & { counter: Pick<Api['counter'], 'idleScreen' | 'idlePicture'> }

export class PersonDisplay {
  readonly counter: LiveSession
  readonly minutes: Minutes
  readonly clock: Clock
  readonly #api: DisplayApi
  readonly #idle: Resource<IdleScreen>
  readonly #settings: Resource<SettingsView>

  constructor(api: DisplayApi, clock: Clock = systemClock) {
    this.#api = api
    this.counter = new LiveSession(api, clock)
    this.clock = clock
    this.minutes = new Minutes(clock)
    this.#idle = new Resource(() => api.counter.idleScreen())
    this.#settings = new Resource(() => api.settings.get())
  }

  get idle(): IdleScreen {
    return this.#idle.value ?? { text: '', languages: [], pictures: [], callSound: false }
  }
  get theme() {
    return this.#settings.value?.theme ?? 'system'
  }

  /** Returns one of the pictures as a data URL, or undefined if it no longer exists. */
  async picture(id: string): Promise<string | undefined> {
    const result = await settled(this.#api.counter.idlePicture({ id }))
    return result.ok ? (result.value ?? undefined) : undefined
  }

  /** Loads everything shown and subscribes to changes. Returns a function that unsubscribes. */
  async open(): Promise<() => void> {
    const read = () => Promise.all([this.#idle.load(), this.#settings.load()])
    const stops = (['settings.changed', 'accounts.changed', 'appointments.changed'] as const).map((event) =>
      this.#api.on(event, () => void read())
    )
    const [stopCounter] = await Promise.all([this.counter.open(), read()])
    return together(...stops, stopCounter)
  }
}
