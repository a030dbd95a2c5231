/** Sending one draft: kept first, sent once, and then in whatever state the service left it. */
import type { AppError } from '../../../shared/contract/errors.ts'
import type { SendView } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { DraftKeeper } from './draft-keeper.svelte.ts'

export class Sending {
  #busy = $state(false)
  #send = $state.raw<SendView>()
  #error = $state.raw<AppError>()
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  /** Being kept and sent at this moment. */
  get busy() {
    return this.#busy
  }
  /** What became of it, once there is something to say. */
  get send() {
    return this.#send
  }
  /** Why it could not even be begun. */
  get error() {
    return this.#error
  }

  /** Sends what the keeper keeps. A second call while it is under way does nothing. */
  async start(keeper: DraftKeeper): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    this.#error = undefined
    this.#send = undefined
    try {
      keeper.keepAtLeastOnce()
      if (!(await keeper.flush())) {
        this.#error = keeper.error
        return
      }
      const result = await settled(this.#api.sends.start({ draftId: keeper.id ?? '' }))
      if (result.ok) this.put(result.value)
      else this.#error = result.error
      if (result.ok && result.value.state !== 'refused') keeper.close()
    } finally {
      this.#busy = false
    }
  }

  /** Takes in how the send stands now: after the service was asked, or an event. */
  put(send: SendView): void {
    this.#send = send
  }

  /** Puts the result away, to go on editing. */
  clear(): void {
    this.#send = undefined
    this.#error = undefined
  }
}
