/**
 * Fingerprints that tell whether two packages are the same, or go to the same people, without storing their content.
 */
import type { ComposedItem, ComposedSigner, Composition } from './composition.ts'

/** The part of a fingerprint for one form or template. */
type ItemPrint = [
  subject: string,
  reference: string,
  name: string,
  ours: string,
  people: PersonPrint[],
  content: string
]
type PersonPrint = [email: string, name: string, middle: string, part: string]

/**
 * Returns a fingerprint that is equal for packages an office considers the same: same kind, forms or templates with the
 * same references (ours included) and names, the same people in the same roles, and the same content (field values, XML
 * data, drop-down items, employer). A person is an e-mail address and a name, since couples and offices share
 * addresses. Due dates, ways of signing and any order make no difference, nor do capitals outside the content, or
 * accents and spaces in people's names.
 */
export function fingerprintOf(composition: Composition): string {
  const items = composition.items.map((item): ItemPrint => {
    const people = item.signers.map((signer) => personOf(composition, signer))
    return [
      subjectOfItem(composition, item),
      plain(item.Reference),
      plain(item.Name),
      plain(item.ClientReference),
      sorted(people),
      contentOf(composition, item)
    ]
  })
  return JSON.stringify([composition.kind, sorted(items), choicesOf(composition)])
}

/**
 * Reduces a fingerprint to which forms or templates go to whom: equal for packages that differ only in their data,
 * middle names, or who signs in which role. Undefined for a fingerprint made by an earlier version.
 */
export function looseFingerprintOf(fingerprint: string): string | undefined {
  const [kind, items] = JSON.parse(fingerprint) as [string, unknown]
  if (!Array.isArray(items) || !items.every(isItemPrint)) return undefined
  const alike = items.map(([subject, , name, , people]) => [
    subject,
    // Forms of one type are often different documents.
    kind === 'form-direct' ? name : '',
    // First and last name may have been swapped.
    sorted(people.map(([email, name]) => [email, name.split(' ').sort().join(' ')]))
  ])
  return JSON.stringify([kind, sorted(alike)])
}

/**
 * Returns the package's forms or templates with their numbers of signers: the key under which column mappings are
 * remembered.
 */
export function subjectOf(composition: Composition): string {
  const items = composition.items.map((item) => [subjectOfItem(composition, item), item.signers.length])
  return JSON.stringify([composition.kind, ...items])
}

/** For a form its type, since its reference may differ from person to person. */
function subjectOfItem({ kind }: Composition, item: ComposedItem): string {
  return plain(kind === 'form-direct' ? item.FormType : item.Reference)
}

function personOf({ kind }: Composition, signer: ComposedSigner): PersonPrint {
  return [
    plain(signer.Email),
    plainName(`${signer.FirstName} ${signer.LastName}`),
    plainName(signer.MiddleName),
    plain(kind === 'form-direct' ? signer.SignerType : signer.SignerReference)
  ]
}

function isItemPrint(item: unknown): item is ItemPrint {
  return Array.isArray(item) && Array.isArray(item[4])
}

function sorted<Print extends readonly unknown[]>(prints: readonly Print[]): Print[] {
  return prints
    .map((print) => ({ print, text: JSON.stringify(print) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ print }) => print)
}

function contentOf({ kind }: Composition, item: ComposedItem): string {
  if (kind === 'form-direct') return digestOf([plain(item.FormType), plain(item.EmployerReference), text(item.XMLData)])
  const values = item.fields
    .filter(({ Value }) => text(Value) !== '')
    .map(({ Reference, ClientField, Label, Value }) =>
      JSON.stringify([plain(Reference) || plain(ClientField) || plain(Label), text(Value)])
    )
  return digestOf(values.sort())
}

/** Only forms have them. */
function choicesOf({ kind, ListItems }: Composition): string {
  if (kind !== 'form-direct') return ''
  return digestOf(ListItems.map((one) => JSON.stringify([one.ClientField, one.Item, one.Value].map(text))).sort())
}

function plainName(typed: string): string {
  return plain(typed.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/gu, ' '))
}

function plain(typed: string): string {
  return text(typed).toLowerCase()
}

function text(typed: string): string {
  return typed.trim().replaceAll('\r\n', '\n')
}

/**
 * Returns a 64-bit digest of texts that may be megabytes long; blank if all of them are. It is stored with each send,
 * so every version must compute the same one. It needn't withstand attacks: packages whose digests collide still differ
 * by their people.
 */
function digestOf(texts: readonly string[]): string {
  if (texts.every((one) => one === '')) return ''
  // Two sums over the same code units, the first as in FNV-1a; both are finalised as in MurmurHash3.
  let first = 0x811c9dc5
  let second = 0x9e3779b9
  const joined = texts.join('\0')
  for (let index = 0; index < joined.length; index++) {
    const unit = joined.charCodeAt(index)
    first = Math.imul(first ^ unit, 0x01000193)
    second = Math.imul(second ^ unit, 0x85ebca6b) ^ (second >>> 15)
  }
  return [first, second].map((sum) => finalised(sum).toString(16).padStart(8, '0')).join('')
}

function finalised(sum: number): number {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
