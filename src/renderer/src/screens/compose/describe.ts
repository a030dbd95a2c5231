/** Describes a package in words: who signs what, how, and by when. */
import type { ComposedSigner, Composition } from '../../../../shared/composition/composition.ts'
import { dueAt } from '../../../../shared/composition/due-problems.ts'
import { nameOrAddress } from '../../../../shared/composition/names.ts'
import type { Problem } from '../../../../shared/composition/problems.ts'
import { counted } from '../../../../shared/counted.ts'
import { clockTime, dayInWords, daysAway, dueDay, offsetInWords } from '../../words/dates.ts'
import { zoneNameInWords } from '../../words/zones.ts'

const DAY = 86_400_000

/** Returns "2 forms" or "1 document". */
export function itemsInWords(composition: Composition): string {
  return composition.kind === 'form-direct'
    ? counted(composition.items.length, ['# form', '# forms'])
    : counted(composition.items.length, ['# document', '# documents'])
}

/** Returns what to call a form or template while its name is incomplete. */
export function itemNameOf({ kind, items }: Composition, place: number): string {
  return items[place]?.Name.trim() || `${kind === 'form-direct' ? 'Form' : 'Template'} ${place + 1}`
}

/** Returns what to call a signer while their name is incomplete. */
export function nameOf(signer: ComposedSigner, index: number): string {
  return nameOrAddress(signer) || `Signer ${index + 1}`
}

/** Returns "face to face, with video and deepfake detector"; blank if there are no special requirements. */
export function howInWords(signer: ComposedSigner, kind: Composition['kind']): string {
  return [
    signer.faceToFace && 'face to face',
    signer.video && (signer.deepfakeDetector ? 'video with deepfake detector' : 'video'),
    kind === 'form-direct' &&
      signer.UseIDData &&
      `${counted(signer.IDData.length, ['# identity question', '# identity questions'])}`,
    kind === 'form-direct' && signer.Optional && 'optional',
    kind === 'form-filler' && signer.reviewBeforeSigning && 'review before signing'
  ]
    .filter(Boolean)
    .join(', ')
}

/**
 * Returns when it must be signed: the date with its zone and how far away it is, or the service's default.
 * @param defaultDays the service's default, in days after sending; undefined if unknown.
 */
export function dueInWords(
  composition: Pick<Composition, 'due' | 'gmt'> & { zone?: string },
  now: number,
  defaultDays: number | undefined
): string {
  if (!composition.due) {
    if (defaultDays === undefined) return 'Default, set by the service'
    return `Default (${counted(defaultDays, ['# day', '# days'])}), due ${dueDay(now + defaultDays * DAY, now)}`
  }
  const due = dueAt(composition)
  if (!due) return 'Choose a date, a time and a time zone.'
  return `${momentOfDue(due, composition.zone ?? '', now)} · ${daysAway(due.at, now)}`
}

/** Returns "Fri 4 December, 17:00 New Zealand time (04:00 UTC)". */
function momentOfDue({ at, offset }: { at: number; offset: number }, zone: string, now: number): string {
  const localText = `${dueDay(at, now, offset)}, ${clockTime(at, offset)}`
  if (offset === 0)
    return zone && zone !== 'UTC' ? `${localText} ${zoneNameInWords(zone)}, UTC that day` : `${localText} UTC`
  // A bare offset matches this computer's zone only by chance, so it is shown as an offset.
  const where = zone ? zoneNameInWords(zone) : `at ${offsetInWords(offset)}`
  const isSameDay = dayInWords(at, offset) === dayInWords(at, 0)
  const utcText = `${clockTime(at, 0)}${isSameDay ? '' : ` on ${dayInWords(at, 0).split(' ')[0]}`} UTC`
  return `${localText} ${where} (${utcText})`
}

/** Longer names would push what follows them out of sight. */
const MAX_NAME_LENGTH = 60

/** Shortens a name to fit next to other text. */
export function shortened(name: string): string {
  const letters = [...name]
  return letters.length > MAX_NAME_LENGTH ? `${letters.slice(0, MAX_NAME_LENGTH).join('').trimEnd()}…` : name
}

/** Words a problem for display away from its field: "Signer 2: enter the first name." */
export function problemInWords(composition: Composition, problem: Problem): string {
  const whose = ownerOf(composition, problem.at) ?? packagePartOf(composition, problem.at)
  if (!whose || problem.message.includes(`“${whose}”`)) return problem.message
  // An abbreviation keeps its capitals.
  return `${shortened(whose)}: ${problem.message.replace(/^\p{Lu}(?=[\p{Ll}\s])/u, (letter) => letter.toLowerCase())}`
}

/** Returns what a problem of the whole package is about, if its message doesn't say. */
function packagePartOf(composition: Composition, at: string): string | undefined {
  if (at.endsWith('ReturnUrl')) return 'Redirect after signing'
  if (at.endsWith('NotifyUrl')) return 'Notification address'
  if (at === 'due') return 'Due date'
  const choice = composition.ListItems.find((one) => at.startsWith(`ListItems.${one.key}.`))
  return (
    choice && `Choice ${choice.Item.trim() ? `“${choice.Item.trim()}”` : composition.ListItems.indexOf(choice) + 1}`
  )
}

/** Returns the person, the field or, among several, the form that a path belongs to. */
function ownerOf(composition: Composition, at: string): string | undefined {
  const place = composition.items.findIndex((item) => at.startsWith(`${item.key}.`))
  const item = composition.items[place]
  if (!item) return undefined
  const itemName = composition.items.length > 1 ? itemNameOf(composition, place) : undefined
  const index = item.signers.findIndex((signer) => at.startsWith(`${item.key}.signers.${signer.key}.`))
  const signer = item.signers[index]
  if (!signer) {
    const field = item.fields.find((one) => at.startsWith(`${item.key}.fields.${one.key}.`))
    const ofForm = at.endsWith('.XMLData') ? 'XML data' : at.includes('.own.') ? packagePartOf(composition, at) : ''
    const part = field ? field.Label.trim() || field.Reference.trim() : ofForm
    return [itemName, part].filter(Boolean).join(', ') || undefined
  }
  const name = nameOf(signer, index)
  const person = at.includes('.ShareUsers.') ? `Shared by ${name}` : name
  return itemName ? `${itemName}, ${person}` : person
}

/**
 * Returns a signer's role in a template: "Tenant" for the reference "tenant". Blank if the reference isn't a word, and
 * for forms, which have no roles.
 */
export function roleInWords({ SignerReference }: ComposedSigner, kind: Composition['kind']): string {
  const reference = SignerReference.trim()
  if (kind !== 'form-filler' || !/^\p{L}[\p{L} -]{0,59}$/u.test(reference)) return ''
  return reference.replace(/^./u, (letter) => letter.toUpperCase())
}
