/** The differences between two versions of a package, as one person would tell another: forms, people, dates. */
import type { ComposedItem, ComposedSigner, Composition, Settings } from '../../../shared/composition/composition.ts'
import { counted } from '../../../shared/counted.ts'
import { listed } from './counts.ts'
import { clockTime, dayInWords, offsetInWords } from './dates.ts'

/** One difference. `now` and `earlier` are short texts, including "none" and "not included". */
export interface Difference {
  what: string
  now: string
  earlier: string
}

const INCLUDED = 'included'
const NOT_INCLUDED = 'not included'
const NONE = 'none'

const signerTexts = {
  MiddleName: 'Middle name',
  Email: 'E-mail address',
  MobileCountry: 'Country code',
  MobileNumber: 'Mobile number',
  ClientReference: 'Your reference',
  SignerType: 'Signer type',
  SignerReference: 'Role in the template'
} as const
const signerSwitches = {
  faceToFace: 'Face to face',
  video: 'Video',
  deepfakeDetector: 'Deepfake detector',
  reviewBeforeSigning: 'Review before signing',
  Optional: 'Optional signature',
  UseIDData: 'No mobile phone'
} as const
const itemTexts = {
  Name: 'Name',
  Reference: 'Reference',
  ClientReference: 'Your reference',
  FormType: 'Form type',
  EmployerReference: 'Employer'
} as const
const settingTexts = { ReturnUrl: 'Redirect after signing', NotifyUrl: 'Notification address' } as const
const packageTexts = {
  InvitationEmailTemplateReference: 'Invitation e-mail'
} as const

/** Returns the differences between a package now and earlier, in the composer's order. Empty if there are none. */
export function differencesOf(now: Composition, earlier: Composition): Difference[] {
  const differences = [
    ...partDifferences(now.items, earlier.items, (item) => itemNameOf(now.kind, item), differencesOfItem),
    ...textDifference('Due date', dueOf(now), dueOf(earlier)),
    ...differencesOfSettings(now, earlier, (label) => label),
    ...flagDifference('Signers sign in order', now.Sequential, earlier.Sequential),
    ...textDifferences(packageTexts, now, earlier, (label) => label),
    ...countDifference('Drop-down choices', now.ListItems, earlier.ListItems)
  ]
  if (differences.length > 0 || JSON.stringify(now) === JSON.stringify(earlier)) return differences
  // A difference we have no words for: the two must still never be reported as the same.
  return [{ what: 'Spacing or order', now: 'current', earlier: 'earlier' }]
}

function differencesOfItem(now: ComposedItem, earlier: ComposedItem): Difference[] {
  const of = (label: string) => `${label} of ${formNameOf(now)}`
  return [
    ...textDifferences(itemTexts, now, earlier, (label) => (label === 'Name' ? 'Document name' : of(label))),
    ...partDifferences(now.signers, earlier.signers, (signer) => `Signer ${signerNameOf(signer)}`, differencesOfSigner),
    ...orderDifference(of('Order of the signers'), now, earlier),
    ...countDifference(of('Fields'), now.fields, earlier.fields),
    ...(now.own && earlier.own
      ? differencesOfSettings(now.own, earlier.own, of)
      : flagDifference(`Own signing and redirects in ${formNameOf(now)}`, !!now.own, !!earlier.own)),
    ...(now.XMLData === earlier.XMLData
      ? []
      : [{ what: of('XML data'), now: sizeInWords(now.XMLData), earlier: sizeInWords(earlier.XMLData) }])
  ]
}

function differencesOfSettings(now: Settings, earlier: Settings, labelOf: (label: string) => string): Difference[] {
  return [
    ...flagDifference(labelOf('Sign in this application'), now.embedded, earlier.embedded),
    ...textDifferences(settingTexts, now, earlier, labelOf)
  ]
}

function differencesOfSigner(now: ComposedSigner, earlier: ComposedSigner): Difference[] {
  const of = (label: string) => `${label} of ${signerNameOf(now)}`
  return [
    ...textDifference('Signer name', signerNameOf(now), signerNameOf(earlier)),
    ...textDifferences(signerTexts, now, earlier, of),
    ...Object.entries(signerSwitches).flatMap(([name, label]) => {
      const key = name as keyof typeof signerSwitches
      return flagDifference(of(label), now[key], earlier[key])
    }),
    // Data that identifies a person is counted, never shown.
    ...countDifference(of('Identity questions'), now.IDData, earlier.IDData),
    ...countDifference(of('Shared with'), now.ShareUsers, earlier.ShareUsers)
  ]
}

/** Returns parts that were added or removed, and the differences inside those that stayed. Parts are matched by key. */
function partDifferences<Part extends { key: string }>(
  now: readonly Part[],
  earlier: readonly Part[],
  nameOf: (part: Part) => string,
  compare: (now: Part, earlier: Part) => Difference[]
): Difference[] {
  const before = new Map(earlier.map((part) => [part.key, part]))
  const currentKeys = new Set(now.map((part) => part.key))
  return [
    ...now.flatMap((part) => {
      const other = before.get(part.key)
      return other ? compare(part, other) : [{ what: nameOf(part), now: INCLUDED, earlier: NOT_INCLUDED }]
    }),
    ...earlier
      .filter((part) => !currentKeys.has(part.key))
      .map((part) => ({ what: nameOf(part), now: NOT_INCLUDED, earlier: INCLUDED }))
  ]
}

function textDifferences<Names extends Record<string, string>>(
  names: Names,
  now: Record<keyof Names, string>,
  earlier: Record<keyof Names, string>,
  labelOf: (label: string) => string
): Difference[] {
  return Object.entries(names).flatMap(([name, label]) =>
    textDifference(labelOf(label), now[name] ?? '', earlier[name] ?? '')
  )
}

function textDifference(what: string, now: string, earlier: string): Difference[] {
  if (now.trim() === earlier.trim()) return []
  return [{ what, now: now.trim() || NONE, earlier: earlier.trim() || NONE }]
}

function flagDifference(what: string, now: boolean, earlier: boolean): Difference[] {
  return now === earlier ? [] : [{ what, now: now ? 'yes' : 'no', earlier: earlier ? 'yes' : 'no' }]
}

/** Returns how many entries of a list differ, for lists too long to describe entry by entry. */
function countDifference<Part extends { key: string }>(
  what: string,
  now: readonly Part[],
  earlier: readonly Part[]
): Difference[] {
  const before = new Map(earlier.map((part) => [part.key, JSON.stringify(part)]))
  const changed = now.filter((part) => before.has(part.key) && before.get(part.key) !== JSON.stringify(part)).length
  if (now.length === earlier.length && changed === 0 && now.every((part) => before.has(part.key))) return []
  const differ = changed > 0 ? `, ${changed.toLocaleString('en-GB')} of them different` : ''
  return [
    { what, now: now.length.toLocaleString('en-GB'), earlier: `${earlier.length.toLocaleString('en-GB')}${differ}` }
  ]
}

/** Mentions the order only if the same people sign in a different one; otherwise their coming and going explains it. */
function orderDifference(what: string, now: ComposedItem, earlier: ComposedItem): Difference[] {
  const keys = (item: ComposedItem) => item.signers.map((signer) => signer.key)
  if (String(keys(now)) === String(keys(earlier)) || String(keys(now).sort()) !== String(keys(earlier).sort()))
    return []
  return [{ what, now: listed(now.signers.map(signerNameOf)), earlier: listed(earlier.signers.map(signerNameOf)) }]
}

function dueOf({ due, gmt }: Composition): string {
  const local = Date.parse(`${due}:00.000Z`)
  if (!due) return ''
  if (Number.isNaN(local)) return due
  const offset = Number(gmt || 0)
  const at = local - offset * 60_000
  return `${dayInWords(at, offset)} at ${clockTime(at, offset)}, ${offsetInWords(offset)}`
}

function itemNameOf(kind: Composition['kind'], item: ComposedItem): string {
  const what = kind === 'form-direct' ? 'Form' : 'Template'
  return `${what} ${item.Name.trim() || '(untitled)'}`
}

function formNameOf({ Name }: ComposedItem): string {
  return Name.trim() || 'the untitled form'
}

function signerNameOf(signer: ComposedSigner): string {
  const name = `${signer.FirstName.trim()} ${signer.LastName.trim()}`.trim()
  return name || signer.Email.trim() || '(no name)'
}

function sizeInWords(data: string): string {
  return data ? counted(data.length, ['# character', '# characters']) : NONE
}
