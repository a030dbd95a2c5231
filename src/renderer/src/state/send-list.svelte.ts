/** What this account has sent: uncertain ones on top, since a person must decide about them, then newest first. */

import type { SendView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { Resource } from './resource.svelte.ts'

const rank = (send: SendView) => (send.state === 'uncertain' ? 0 : 1)

export class SendList {
  readonly #list: Resource<SendView[]>
  readonly #sorted = $derived.by(() =>
    [...(this.#list.value ?? [])].sort((one, two) => rank(one) - rank(two) || two.attemptedAt - one.attemptedAt)
  )

  constructor(api: Api) {
    this.#list = new Resource(() => api.sends.list())
  }

  get list(): readonly SendView[] {
    return this.#sorted
  }
  get known() {
    return this.#list.value !== undefined
  }
  get error() {
    return this.#list.error
  }
  get uncertain() {
    return this.#sorted.filter((send) => send.state === 'uncertain').length
  }

  load(): Promise<void> {
    return this.#list.load()
  }

  /** Puts one that a call answered in the place of the one read. */
  put(send: SendView): void {
    this.#list.put([send, ...(this.#list.value ?? []).filter((one) => one.id !== send.id)])
  }
}
