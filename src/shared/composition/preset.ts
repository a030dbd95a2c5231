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

/** A package begun from a preset: a due date that has passed gives way to the service's 14 days. */
export function begunFrom(preset: Composition, now: number): Composition {
  const due = dueAt(preset)
  return due && due.at <= now ? { ...preset, ...NO_DUE } : preset
}
