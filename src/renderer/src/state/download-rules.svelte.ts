/** The rules that download a saved view's documents, and verify their signatures, as they complete. */
import type { Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { DownloadRule } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import type { Clock } from './clock.ts'
import { Resource } from './resource.svelte.ts'

/** Minimum milliseconds between reloads: every file that a rule downloads raises an event. */
const RELOAD_INTERVAL = 1000

export class DownloadRules extends Resource<DownloadRule[]> {
  readonly #api: Api

  constructor(api: Api, clock: Clock) {
    super(() => api.downloads.rules(), { clock, milliseconds: RELOAD_INTERVAL })
    this.#api = api
  }

  get list(): readonly DownloadRule[] {
    return this.value ?? []
  }

  add(rule: Input<'downloads.addRule'>): Promise<Result<unknown>> {
    return this.#do(this.#api.downloads.addRule(rule))
  }
  change(change: Input<'downloads.changeRule'>): Promise<Result<unknown>> {
    return this.#do(this.#api.downloads.changeRule(change))
  }
  verifyAgain(id: string): Promise<Result<unknown>> {
    return this.#do(this.#api.downloads.verifyAgain({ id }))
  }
  remove(id: string): Promise<Result<unknown>> {
    return this.#do(this.#api.downloads.removeRule({ id }))
  }

  async #do(call: Promise<Result<unknown>>): Promise<Result<unknown>> {
    const result = await settled(call)
    if (result.ok) await this.load()
    return result
  }
}
