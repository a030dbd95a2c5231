/** A draft's earlier versions: which there are, what is in the one that is chosen, and going back to it. */
import type { Composition } from '../../../../shared/composition/composition.ts'
import type { DraftVersion, DraftView } from '../../../../shared/contract/views.ts'
import type { Api } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'

export class DraftHistory {
  readonly #api: Api
  readonly #id: string
  #chosen = $state<string>()
  readonly draft: Resource<DraftView>
  readonly versions: Resource<DraftVersion[]>
  readonly content: Resource<{ composition: Composition }>
  readonly goingBack = new Action<DraftView>()

  constructor(api: Api, id: string) {
    this.#api = api
    this.#id = id
    this.draft = new Resource(() => api.drafts.get({ id }))
    this.versions = new Resource(() => api.drafts.history({ id }))
    this.content = new Resource(() => api.drafts.version({ id, version: this.#chosen ?? '' }))
  }

  get chosen(): DraftVersion | undefined {
    return this.versions.value?.find((version) => version.id === this.#chosen)
  }

  /** Reads the draft and its versions; the newest is chosen where none is. */
  async load(): Promise<void> {
    await Promise.all([this.draft.load(), this.versions.load()])
    const [newest] = this.versions.value ?? []
    if (!this.chosen) await this.choose(newest?.id)
  }

  async choose(version: string | undefined): Promise<void> {
    if (version === this.#chosen && this.content.value) return
    this.#chosen = version
    this.content.clear()
    if (version !== undefined) await this.content.load()
  }

  /** Makes the chosen version the draft; what the draft was becomes a version. Returns whether it was done. */
  async goBack(): Promise<boolean> {
    const version = this.#chosen
    if (version === undefined) return false
    const draft = await this.goingBack.run(() => this.#api.drafts.goBack({ id: this.#id, version }))
    if (!draft) return false
    this.draft.put(draft)
    await this.versions.load()
    return true
  }
}
