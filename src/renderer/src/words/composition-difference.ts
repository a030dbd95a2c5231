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

const THERE = 'included'
const NOT_THERE = 'not included'
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
  const told = [
    ...partsOf(now.items, earlier.items, (item) => calledItem(now.kind, item), differencesOfItem),
    ...text('Due date', dueOf(now), dueOf(earlier)),
    ...differencesOfSettings(now, earlier, (label) => label),
    ...yesNo('Signers sign in order', now.Sequential, earlier.Sequential),
    ...texts(packageTexts, now, earlier, (label) => label),
    ...count('Drop-down choices', now.ListItems, earlier.ListItems)
  ]
  if (told.length > 0 || JSON.stringify(now) === JSON.stringify(earlier)) return told
  // A difference we have no words for: the two must still never be reported as the same.
  return [{ what: 'Spacing or order', now: 'current', earlier: 'earlier' }]
}

function differencesOfItem(now: ComposedItem, earlier: ComposedItem): Difference[] {
  const of = (label: string) => `${label} of ${calledForm(now)}`
  return [
    ...texts(itemTexts, now, earlier, (label) => (label === 'Name' ? 'Document name' : of(label))),
    ...partsOf(now.signers, earlier.signers, (signer) => `Signer ${calledSigner(signer)}`, differencesOfSigner),
    ...orders(of('Order of the signers'), now, earlier),
    ...count(of('Fields'), now.fields, earlier.fields),
    ...(now.own && earlier.own
      ? differencesOfSettings(now.own, earlier.own, of)
      : yesNo(`Own signing and redirects in ${calledForm(now)}`, !!now.own, !!earlier.own)),
    ...(now.XMLData === earlier.XMLData
      ? []
      : [{ what: of('XML data'), now: size(now.XMLData), earlier: size(earlier.XMLData) }])
  ]
}

function differencesOfSettings(now: Settings, earlier: Settings, called: (label: string) => string): Difference[] {
  return [
    ...yesNo(called('Sign in this application'), now.embedded, earlier.embedded),
    ...texts(settingTexts, now, earlier, called)
  ]
}

function differencesOfSigner(now: ComposedSigner, earlier: ComposedSigner): Difference[] {
  const of = (label: string) => `${label} of ${calledSigner(now)}`
  return [
    ...text('Signer name', calledSigner(now), calledSigner(earlier)),
    ...texts(signerTexts, now, earlier, of),
    ...Object.entries(signerSwitches).flatMap(([name, label]) => {
      const key = name as keyof typeof signerSwitches
      return yesNo(of(label), now[key], earlier[key])
    }),
    // Data that identifies a person is counted, never shown.
    ...count(of('Identity questions'), now.IDData, earlier.IDData),
    ...count(of('Shared with'), now.ShareUsers, earlier.ShareUsers)
  ]
}

/** Returns parts that were added or removed, and the differences inside those that stayed. Parts are matched by key. */
function partsOf<Part extends { key: string }>(
  now: readonly Part[],
  earlier: readonly Part[],
  called: (part: Part) => string,
  inside: (now: Part, earlier: Part) => Difference[]
): Difference[] {
  const before = new Map(earlier.map((part) => [part.key, part]))
  const here = new Set(now.map((part) => part.key))
  return [
    ...now.flatMap((part) => {
      const other = before.get(part.key)
      return other ? inside(part, other) : [{ what: called(part), now: THERE, earlier: NOT_THERE }]
    }),
    ...earlier
      .filter((part) => !here.has(part.key))
      .map((part) => ({ what: called(part), now: NOT_THERE, earlier: THERE }))
  ]
}

function texts<Names extends Record<string, string>>(
  names: Names,
  now: Record<keyof Names, string>,
  earlier: Record<keyof Names, string>,
  called: (label: string) => string
): Difference[] {
  return Object.entries(names).flatMap(([name, label]) => text(called(label), now[name] ?? '', earlier[name] ?? ''))
}

function text(what: string, now: string, earlier: string): Difference[] {
  if (now.trim() === earlier.trim()) return []
  return [{ what, now: now.trim() || NONE, earlier: earlier.trim() || NONE }]
}

function yesNo(what: string, now: boolean, earlier: boolean): Difference[] {
  return now === earlier ? [] : [{ what, now: now ? 'yes' : 'no', earlier: earlier ? 'yes' : 'no' }]
}

/** Returns how many entries of a list differ, for lists too long to describe entry by entry. */
function count<Part extends { key: string }>(
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
function orders(what: string, now: ComposedItem, earlier: ComposedItem): Difference[] {
  const keys = (item: ComposedItem) => item.signers.map((signer) => signer.key)
  if (String(keys(now)) === String(keys(earlier)) || String(keys(now).sort()) !== String(keys(earlier).sort()))
    return []
  return [{ what, now: listed(now.signers.map(calledSigner)), earlier: listed(earlier.signers.map(calledSigner)) }]
}

function dueOf({ due, gmt }: Composition): string {
  const local = Date.parse(`${due}:00.000Z`)
  if (!due) return ''
  if (Number.isNaN(local)) return due
  const offset = Number(gmt || 0)
  const at = local - offset * 60_000
  return `${dayInWords(at, offset)} at ${clockTime(at, offset)}, ${offsetInWords(offset)}`
}

function calledItem(kind: Composition['kind'], item: ComposedItem): string {
  const what = kind === 'form-direct' ? 'Form' : 'Template'
  return `${what} ${item.Name.trim() || '(untitled)'}`
}

function calledForm({ Name }: ComposedItem): string {
  return Name.trim() || 'the untitled form'
}

function calledSigner(signer: ComposedSigner): string {
  const name = `${signer.FirstName.trim()} ${signer.LastName.trim()}`.trim()
  return name || signer.Email.trim() || '(no name)'
}

function size(data: string): string {
  return data ? counted(data.length, ['# character', '# characters']) : NONE
}
