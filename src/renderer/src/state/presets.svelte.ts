/** The chosen account's presets, sorted by name: packages to start from. */
import type { Composition } from '../../../shared/composition/composition.ts'
import { startFromPreset } from '../../../shared/composition/preset.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { PresetSummary, PresetView } from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Resource } from './resource.svelte.ts'

export class Presets extends Resource<PresetSummary[]> {
  readonly #api: Api
  readonly #sorted = $derived.by(() =>
    [...(this.value ?? [])].sort((one, two) => one.name.localeCompare(two.name, 'en'))
  )

  constructor(api: Api) {
    super(() => api.presets.list())
    this.#api = api
  }

  get list(): readonly PresetSummary[] {
    return this.#sorted
  }

  /**
   * Creates a draft from the preset's current content. Returns its id, or the error.
   * @param now milliseconds since 1970 UTC: a due date in the past is left out.
   * @param change applied to the content of this draft.
   */
  async createDraft(
    id: string,
    now: number,
    change: (composition: Composition) => Composition = (composition) => composition
  ): Promise<{ draftId: string; due: 'kept' | 'passed' } | { error: AppError }> {
    const preset = await settled(this.#api.presets.get({ id }))
    if (!preset.ok) return { error: preset.error }
    const composition = startFromPreset(preset.value.composition, now)
    const draft = await settled(this.#api.drafts.save({ composition: change(composition) }))
    if (!draft.ok) return { error: draft.error }
    return { draftId: draft.value.id, due: composition === preset.value.composition ? 'kept' : 'passed' }
  }

  /** Removes a preset. Returns what is needed to restore it, or the error. */
  async remove(id: string): Promise<{ removed: PresetView } | { error: AppError }> {
    const read = await settled(this.#api.presets.get({ id }))
    if (!read.ok) return { error: read.error }
    const result = await settled(this.#api.presets.remove({ id }))
    await this.load()
    return result.ok ? { removed: read.value } : { error: result.error }
  }

  /** Restores a removed preset, as a new one. */
  async restore({ name, composition }: PresetView): Promise<AppError | undefined> {
    const result = await settled(this.#api.presets.save({ name, composition }))
    await this.load()
    return result.ok ? undefined : result.error
  }
}
