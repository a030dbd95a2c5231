/** What of a package is a starting point for others, and what of a starting point holds today. */
import { type ComposedItem, type ComposedSigner, type Composition, NOBODY, withSigners } from './composition.ts'
import { dueAt } from './due-problems.ts'

/** No date chosen: the service's 14 days hold. */
export const NO_DUE: Pick<Composition, 'due' | 'gmt' | 'zone'> = { due: '', gmt: '', zone: '' }

/**
 * The package without what is of one occasion: its due date, and the answers that identify people.
 * @param people keep: they are part of the preset. blank: who they are is left out, how each signs stays.
 */
export function presetOf(composition: Composition, people: 'keep' | 'blank'): Composition {
  return withSigners({ ...composition, ...NO_DUE }, (signer) => {
    const unanswered = { ...signer, IDData: signer.IDData.map((one) => ({ ...one, Value: '' })) }
    return people === 'keep' ? unanswered : withoutPerson(unanswered)
  })
}

function withoutPerson(signer: ComposedSigner): ComposedSigner {
  return { ...signer, ...NOBODY, MobileNumber: '', ClientReference: '', ShareUsers: [] }
}

/** What another package is begun with, beside the forms or templates and the settings of the first. */
export const KEPT_BY_ANOTHER = ['nothing', 'data', 'people and data'] as const
export type KeptByAnother = (typeof KEPT_BY_ANOTHER)[number]

/**
 * The same package once more: the same forms or templates and settings, with a due date as far as it is still ahead.
 * @param keeps nothing: who signs is left out, and all that was filled in for them, which may be theirs. data: who signs is
 *   left out. people and data: it is what was sent before (see `fingerprintOf`) until something in it is changed.
 */
export function anotherLike(composition: Composition, keeps: KeptByAnother, now: number): Composition {
  const begun = begunFrom(composition, now)
  if (keeps === 'people and data') return begun
  const { due, gmt, zone } = begun
  const forAnyone = { ...presetOf(begun, 'blank'), due, gmt, zone }
  return keeps === 'data' ? forAnyone : { ...forAnyone, items: forAnyone.items.map(withoutData) }
}

function withoutData(item: ComposedItem): ComposedItem {
  return { ...item, ClientReference: '', XMLData: '', fields: item.fields.map((field) => ({ ...field, Value: '' })) }
}

/** A package begun from a preset: a due date that has passed gives way to the service's 14 days. */
export function begunFrom(preset: Composition, now: number): Composition {
  const due = dueAt(preset)
  return due && due.at <= now ? { ...preset, ...NO_DUE } : preset
}
