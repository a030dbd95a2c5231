/** What makes two packages the same in an office's eyes: the same forms or templates with the same content, for the same people. */
import type { ComposedItem, ComposedSigner, Composition } from './composition.ts'

/**
 * Equal for packages of one kind whose forms or templates have the same references and names, the same people in the same
 * parts, and the same content: field values, XML data, drop-down items, employer. When they are due, how they are signed
 * and what a person's name is spelt like make no difference, nor does the order of anything.
 */
export function fingerprintOf(composition: Composition): string {
  const items = composition.items.map((item) => {
    const people = item.signers.map((signer) => personOf(composition, signer)).sort()
    return [
      plain(item.Reference),
      plain(item.Name),
      plain(item.ClientReference),
      ...people,
      contentOf(composition, item)
    ]
  })
  return JSON.stringify([composition.kind, ...items.map((item) => JSON.stringify(item)).sort(), choicesOf(composition)])
}

function personOf({ kind }: Composition, signer: ComposedSigner): string {
  const part = plain(kind === 'form-direct' ? signer.SignerType : signer.SignerReference)
  const person = plain(signer.Email) || plain(`${signer.FirstName} ${signer.LastName}`)
  return part === '' ? person : `${person} as ${part}`
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
