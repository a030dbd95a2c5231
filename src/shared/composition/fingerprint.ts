/** By what two packages are seen to be the same, or to go to the same people, without any of their content being kept. */
import type { ComposedItem, ComposedSigner, Composition } from './composition.ts'

/** What is kept of a form or template in a fingerprint. */
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
 * What makes two packages the same in an office's eyes: the same forms or templates with the same content, for the same
 * people. Equal for packages of one kind whose forms or templates have the same references and names, the same people in the same
 * parts, and the same content: field values, XML data, drop-down items, employer. A person is an e-mail address and a name:
 * couples and offices share addresses. When they are due, how they are signed, capitals, spaces and accents make no
 * difference, nor does the order of anything.
 */
export function fingerprintOf(composition: Composition): string {
  const items = composition.items.map((item): ItemPrint => {
    const people = item.signers.map((signer) => personOf(composition, signer))
    return [
      subjectOfItem(composition, item),
      plain(item.Reference),
      plain(item.Name),
      plain(item.ClientReference),
      inOrder(people),
      contentOf(composition, item)
    ]
  })
  return JSON.stringify([composition.kind, inOrder(items), choicesOf(composition)])
}

/**
 * What a fingerprint says of which forms or templates go to whom, whatever is in them: equal for packages that differ only in
 * their data, in middle names, or in who signs as what. Undefined for a fingerprint that an earlier version has made.
 */
export function looseFingerprintOf(fingerprint: string): string | undefined {
  const [kind, items] = JSON.parse(fingerprint) as [string, unknown]
  if (!Array.isArray(items) || !items.every(isItemPrint)) return undefined
  const alike = items.map(([subject, , , , people]) => [
    subject,
    // First and last name may have been in each other's columns.
    inOrder(people.map(([email, name]) => [email, name.split(' ').sort().join(' ')]))
  ])
  return JSON.stringify([kind, inOrder(alike)])
}

/** Which forms or templates a package is of, and for how many people: what a sheet's columns are matched with. */
export function subjectOf(composition: Composition): string {
  const items = composition.items.map((item) => [subjectOfItem(composition, item), item.signers.length])
  return JSON.stringify([composition.kind, ...items])
}

/** The form's type: its reference may be another one for each person. */
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

function inOrder<Print extends readonly unknown[]>(prints: readonly Print[]): Print[] {
  return prints
    .map((print) => ({ print, text: JSON.stringify(print) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ print }) => print)
}

function contentOf({ kind }: Composition, item: ComposedItem): string {
  if (kind === 'form-direct') return digested([plain(item.FormType), plain(item.EmployerReference), text(item.XMLData)])
  const values = item.fields
    .filter(({ Value }) => text(Value) !== '')
    .map(({ Reference, ClientField, Label, Value }) =>
      JSON.stringify([plain(Reference) || plain(ClientField) || plain(Label), text(Value)])
    )
  return digested(values.sort())
}

/** Only forms have them. */
function choicesOf({ kind, ListItems }: Composition): string {
  if (kind !== 'form-direct') return ''
  return digested(ListItems.map((one) => JSON.stringify([one.ClientField, one.Item, one.Value].map(text))).sort())
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
 * 64 bits that stand for texts which may be megabytes; blank where all of them are. Kept with each send, so it must answer
 * the same in all versions. It need not resist people: what is alike in it alone is still another package by its people.
 */
function digested(texts: readonly string[]): string {
  if (texts.every((one) => one === '')) return ''
  // Two sums of the same code units, one as FNV-1a makes it; both stirred at the end as MurmurHash3 does.
  let one = 0x811c9dc5
  let other = 0x9e3779b9
  const whole = texts.join('\0')
  for (let index = 0; index < whole.length; index++) {
    const unit = whole.charCodeAt(index)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b) ^ (other >>> 15)
  }
  return [one, other].map((sum) => stirred(sum).toString(16).padStart(8, '0')).join('')
}

function stirred(sum: number): number {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
