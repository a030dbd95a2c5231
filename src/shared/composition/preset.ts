/**
 * Presets and repeats: which parts of a package serve as a starting point for others, and which of those still apply
 * today.
 */
import { BLANK_PERSON, type ComposedItem, type ComposedSigner, type Composition, withSigners } from './composition.ts'
import { dueAt } from './due-problems.ts'

/** No date chosen: the service's 14 days apply. */
export const NO_DUE: Pick<Composition, 'due' | 'gmt' | 'zone'> = { due: '', gmt: '', zone: '' }

/**
 * Returns the package without what belongs to one occasion: its due date, and the answers that identify people.
 * @param people keep: they are part of the preset. blank: leaves out who they are, but keeps how each one signs.
 */
export function presetOf(composition: Composition, people: 'keep' | 'blank'): Composition {
  return withSigners({ ...composition, ...NO_DUE }, (signer) => {
    const unanswered = { ...signer, IDData: signer.IDData.map((one) => ({ ...one, Value: '' })) }
    return people === 'keep' ? unanswered : withoutPerson(unanswered)
  })
}

function withoutPerson(signer: ComposedSigner): ComposedSigner {
  return { ...signer, ...BLANK_PERSON, MobileNumber: '', ClientReference: '', ShareUsers: [] }
}

/** Returns the signer for someone else by another name: without what belongs to the person alone. */
export function withoutOwnValues(signer: ComposedSigner): ComposedSigner {
  const IDData = signer.IDData.map((one) => ({ ...one, Value: '' }))
  return { ...signer, MiddleName: '', MobileNumber: '', ClientReference: '', IDData }
}

/** What a repeated package takes over in addition to the first one's forms or templates and settings. */
export const KEPT_BY_ANOTHER = ['nothing', 'data', 'people and data'] as const
export type KeptByAnother = (typeof KEPT_BY_ANOTHER)[number]

/**
 * Returns the package to send once more: the same forms or templates and settings, and the due date if it is still in
 * the future.
 * @param keeps nothing: leaves out the signers and everything filled in for them, which may be personal. data: leaves
 * out the signers. people and data: counts as the package already sent (see `fingerprintOf`) until something is
 * changed.
 */
export function repeatedPackage(composition: Composition, keeps: KeptByAnother, now: number): Composition {
  const started = startFromPreset(composition, now)
  if (keeps === 'people and data') return started
  const { due, gmt, zone } = started
  const withoutPeople = { ...presetOf(started, 'blank'), due, gmt, zone }
  return keeps === 'data' ? withoutPeople : { ...withoutPeople, items: withoutPeople.items.map(withoutData) }
}

function withoutData(item: ComposedItem): ComposedItem {
  return { ...item, ClientReference: '', XMLData: '', fields: item.fields.map((field) => ({ ...field, Value: '' })) }
}

/** Starts a package from a preset. A due date in the past is replaced by the service's 14 days. */
export function startFromPreset(preset: Composition, now: number): Composition {
  const due = dueAt(preset)
  return due && due.at <= now ? { ...preset, ...NO_DUE } : preset
}
