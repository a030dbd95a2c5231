/** The chosen account's presets, sorted by name: packages to start from. */
import type { Composition } from '../../../shared/composition/composition.ts'
import { startFromPreset } from '../../../shared/composition/preset.ts'
import type { Result } from '../../../shared/contract/errors.ts'
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
   * Creates a draft from the preset's current content.
   * @param now milliseconds since 1970 UTC: a due date in the past is left out.
   * @param change applied to the content of this draft.
   */
  async createDraft(
    id: string,
    now: number,
    change: (composition: Composition) => Composition
  ): Promise<Result<{ draftId: string; due: 'kept' | 'passed' }>> {
    const preset = await settled(this.#api.presets.get({ id }))
    if (!preset.ok) return preset
    const composition = startFromPreset(preset.value.composition, now)
    const draft = await settled(this.#api.drafts.save({ composition: change(composition) }))
    if (!draft.ok) return draft
    const due = composition === preset.value.composition ? 'kept' : 'passed'
    return { ok: true, value: { draftId: draft.value.id, due } }
  }

  /** Removes a preset. Returns what is needed to restore it. */
  async remove(id: string): Promise<Result<PresetView>> {
    const read = await settled(this.#api.presets.get({ id }))
    if (!read.ok) return read
    const result = await settled(this.#api.presets.remove({ id }))
    await this.load()
    return result.ok ? read : result
  }

  /** Restores a removed preset, as a new one. */
  async restore({ name, composition }: PresetView): Promise<Result<PresetSummary>> {
    const result = await settled(this.#api.presets.save({ name, composition }))
    await this.load()
    return result
  }
}
