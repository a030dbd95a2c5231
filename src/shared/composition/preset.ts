/** What of a package is a starting point for others, and what of a starting point holds today. */
import { type ComposedSigner, type Composition, NOBODY, withSigners } from './composition.ts'
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

/**
 * The same package once more: the same forms or templates, data and settings, with a due date as far as it is still ahead.
 * @param people keep: to the same people. It is then what was sent before (see `fingerprintOf`) until something in it is
 *   changed. blank: who they are is left out, how each signs stays.
 */
export function anotherLike(composition: Composition, people: 'keep' | 'blank', now: number): Composition {
  const begun = begunFrom(composition, now)
  if (people === 'keep') return begun
  const { due, gmt, zone } = begun
  return { ...presetOf(begun, 'blank'), due, gmt, zone }
}

/** A package begun from a preset: a due date that has passed gives way to the service's 14 days. */
export function begunFrom(preset: Composition, now: number): Composition {
  const due = dueAt(preset)
  return due && due.at <= now ? { ...preset, ...NO_DUE } : preset
}
