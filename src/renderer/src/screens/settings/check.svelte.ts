/** Asking an account's service something harmless, and the answer in plain words. */
import type { AppError } from '../../../../shared/contract/errors.ts'
import { type Api, settled } from '../../api.ts'
import { counted, listed } from '../../words/counts.ts'

export class AccountCheck {
  #busy = $state(false)
  #said = $state<string>()
  #error = $state.raw<AppError>()
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  get busy() {
    return this.#busy
  }
  /** What a check that went well found. */
  get said() {
    return this.#said
  }
  get error() {
    return this.#error
  }

  async run(id: string): Promise<void> {
    this.#busy = true
    this.#said = undefined
    this.#error = undefined
    const result = await settled(this.#api.accounts.check({ id }))
    this.#busy = false
    if (result.ok) this.#said = saidOf(result.value)
    else this.#error = result.error
  }
}

function saidOf({ documents, missing }: { documents: number; missing: readonly string[] }): string {
  const holds = `holds ${counted(documents, 'document')}`
  if (missing.length === 0) return `It works. All its folders were read; the office ${holds}.`
  const names = listed(missing.map((folder) => `“${folder}”`))
  return `It works, but the service has no folder ${names}: check how it is spelt. What was read ${holds}.`
}
