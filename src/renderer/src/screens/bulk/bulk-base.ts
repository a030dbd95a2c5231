/** What a sheet's rows are put onto: a package whose own values stand wherever a row has none. */
import { blankComposition, blankSigner, titleOf, whoOf } from '../../../../shared/composition/composition.ts'
import type { DraftView, PresetView } from '../../../../shared/contract/views.ts'
import { counted } from '../../words/counts.ts'
import type { BulkBase } from './bulk.svelte.ts'

/** What is known of a blank form before any row is read. */
export interface BlankForm {
  name: string
  reference: string
  type: string
  /** How many people sign each. */
  people: number
}

export function baseOfPreset({ name, composition }: PresetView): BulkBase {
  return { from: 'preset', name, composition }
}

export function baseOfDraft({ title, composition }: DraftView): BulkBase {
  return { from: 'draft', name: title, composition }
}

export function baseOfForm({ name, reference, type, people }: BlankForm): BulkBase {
  const composition = blankComposition('form-direct', 'form')
  const signers = Array.from({ length: people }, (_, index) => blankSigner(`person-${index + 1}`))
  composition.items = composition.items.map((item) => ({
    ...item,
    Name: name.trim(),
    Reference: reference.trim(),
    FormType: type.trim(),
    signers
  }))
  return { from: 'form', name: name.trim() || 'A form', composition }
}

const nouns: Record<BulkBase['from'], string> = { preset: 'Preset', draft: 'Draft', template: 'Template', form: 'Form' }

/** "Preset “Tenancy”: 1 template, 2 signers". */
export function baseInWords({ from, name, composition }: BulkBase): string {
  const items = counted(composition.items.length, composition.kind === 'form-direct' ? 'form' : 'template')
  const people = composition.items.reduce((sum, item) => sum + item.signers.length, 0)
  const who = whoOf(composition)
  return `${nouns[from]} “${name || titleOf(composition)}”: ${items}, ${counted(people, 'signer')}${who ? `, such as ${who}` : ''}`
}
