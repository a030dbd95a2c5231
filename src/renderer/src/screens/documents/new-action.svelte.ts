/**
 * What a dialog is about to do, once: its ids are made with the dialog, so that pressing twice, or pressing again after
 * the main process failed to answer, never does it a second time.
 */

import type { ActionRequest } from '../../../../shared/contract/document-requests.ts'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { ActionView } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'

export class NewAction {
  #busy = $state(false)
  #error = $state.raw<AppError>()
  #taken = $state(0)
  readonly #api: Api
  readonly #ids = new Map<string, string>()
  readonly #started = new Map<string, ActionView>()

  constructor(api: Api) {
    this.#api = api
  }

  get busy() {
    return this.#busy
  }
  /** Why the first that was not taken was not. */
  get error() {
    return this.#error
  }
  /** How many have been taken. */
  get taken() {
    return this.#taken
  }

  /** Starts it for each of the documents; answers all of them once every one is taken, undefined where one was not. */
  async start(references: readonly string[], request: ActionRequest): Promise<ActionView[] | undefined> {
    if (this.#busy) return undefined
    this.#busy = true
    this.#error = undefined
    for (const reference of references) {
      if (this.#started.has(reference)) continue
      const id = this.#idOf(`${reference}\n${JSON.stringify(request)}`)
      const result = await settled(this.#api.actions.start({ id, reference, request }))
      if (result.ok) this.#started.set(reference, result.value)
      else this.#error ??= result.error
      this.#taken = this.#started.size
    }
    this.#busy = false
    return this.#error ? undefined : [...this.#started.values()]
  }

  /** The same thing to the same document has the same id, however often it is pressed. */
  #idOf(what: string): string {
    const id = this.#ids.get(what) ?? crypto.randomUUID()
    this.#ids.set(what, id)
    return id
  }
}
