/** The settings that a screen shows at once: theme, zoom, and the columns of the list of documents. */

import type { AppError } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { SettingsView } from '../../../shared/contract/views.ts'
import type { Api } from '../api.ts'
import { settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

const untilRead: SettingsView = { theme: 'system', zoom: 1 }

export class Settings {
  readonly #api: Api
  readonly #view: Resource<SettingsView>

  constructor(api: Api) {
    this.#api = api
    this.#view = new Resource(() => api.settings.get())
  }

  get view(): SettingsView {
    return this.#view.value ?? untilRead
  }
  get error() {
    return this.#view.error
  }

  load(): Promise<void> {
    return this.#view.load()
  }

  async set(change: Input<'settings.set'>): Promise<AppError | undefined> {
    const result = await settled(this.#api.settings.set(change))
    if (!result.ok) return result.error
    this.#view.put(result.value)
    return undefined
  }
}
