/** Whether the service of the chosen account answers, since when, and why not. */

import type { ConnectionView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { Resource } from './resource.svelte.ts'

const unknown: ConnectionView = { state: 'unknown', since: 0 }

export class Connection {
  readonly #view: Resource<ConnectionView>
  #lookedAt = $state<number>()

  constructor(api: Api) {
    this.#view = new Resource(() => api.accounts.connection())
  }

  get view(): ConnectionView {
    return this.#view.value ?? unknown
  }
  get isDown() {
    return this.view.state === 'offline' || this.view.state === 'refused'
  }

  /** When the chosen account's folders were last read while this page was open. */
  get lookedAt() {
    return this.#lookedAt
  }
  looked(at: number): void {
    this.#lookedAt = at
  }

  load(): Promise<void> {
    return this.#view.load()
  }

  clear(): void {
    this.#lookedAt = undefined
    this.#view.clear()
  }
}
