/** What can be done to a package beside typing in it. Each answers what to put in; the screen puts it there. */
import {
  blankComposition,
  blankItem,
  type ComposedItem,
  type ComposedSigner,
  type Composition,
  MOST_FIELDS,
  MOST_SHARED,
  MOST_SIGNERS,
  MOST_TYPED,
  withSigners
} from '../../../../shared/composition/composition.ts'
import { ofTemplateSigner } from '../../../../shared/composition/of-request.ts'
import type { PersonView, TemplateView } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { listed } from '../../words/counts.ts'
import { asPerson, isNobodyYet } from './who/address-book.ts'

/** Makes keys that differ from one another within a package. */
export type NewKey = () => string

export const randomKey: NewKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('')
}

/** The item of a listed template: its signers and fields, whatever of them it tells and a package holds. */
export function itemOfTemplate(listedTemplate: TemplateView, newKey: NewKey): ComposedItem {
  const template = fitted(listedTemplate)
  const item = blankItem(newKey())
  return {
    ...item,
    Name: template.Name || template.Reference,
    Reference: template.Reference,
    ClientReference: template.ClientReference ?? '',
    signers: template.Signers?.length
      ? template.Signers.map((signer) => ofTemplateSigner(signer, newKey))
      : item.signers,
    fields: (template.Fields ?? []).map((field) => ({
      key: newKey(),
      Label: field.Label ?? '',
      Value: field.Value ?? '',
      FieldType: field.FieldType ?? '',
      IsRequired: field.IsRequired ?? false,
      Reference: field.Reference ?? field.ID ?? '',
      ...(field.ID !== undefined && field.ID !== (field.Reference ?? field.ID) && { ID: field.ID }),
      ReadOnly: field.ReadOnly ?? false,
      ClientField: field.ClientField ?? ''
    }))
  }
}

/** The roles that a template has for its signers, each once. */
export function rolesOf({ Signers = [] }: TemplateView): string[] {
  return [...new Set(Signers.flatMap(({ SignerReference }) => SignerReference?.trim() || []))]
}

/** What of a listed template a package can't hold, to be said where it is chosen; undefined if it holds all. */
export function lackingOf(template: TemplateView): string | undefined {
  const fields = (template.Fields?.length ?? 0) - MOST_FIELDS
  const signers = (template.Signers?.length ?? 0) - MOST_SIGNERS
  const shared = (template.Signers ?? []).reduce(
    (sum, signer) => sum + Math.max(0, (signer.ShareUsers?.length ?? 0) - MOST_SHARED),
    0
  )
  const over = [
    ...(fields > 0 ? [counted(fields, ['# field', '# fields'])] : []),
    ...(signers > 0 ? [counted(signers, ['# signer', '# signers'])] : []),
    ...(shared > 0 ? [counted(shared, ['# person it’s shared with', '# people it’s shared with'])] : []),
    ...(hasLongText(template) ? [`text over ${MOST_TYPED.toLocaleString('en-GB')} characters`] : [])
  ]
  if (over.length === 0) return undefined
  return `“${(template.Name || template.Reference).slice(0, 100)}” is too large for one package. Left out: ${listed(over)}.`
}

/** A package of one listed template. */
export function packageOfTemplate(template: TemplateView, newKey: NewKey): Composition {
  return { ...blankComposition('form-filler', newKey()), items: [itemOfTemplate(template, newKey)] }
}

/** Another form for the same people: the first one's signers, copied. */
export function anotherItem(composition: Composition, newKey: NewKey): ComposedItem {
  const item = blankItem(newKey())
  const first = composition.items[0]
  return first ? { ...item, signers: copiedSigners(first.signers, newKey) } : item
}

/** The template, signed by the people of the package where the template names nobody itself. */
export function anotherTemplate(composition: Composition, template: TemplateView, newKey: NewKey): ComposedItem {
  const item = itemOfTemplate(template, newKey)
  const people = composition.items[0]?.signers ?? []
  const named = (signer: ComposedSigner) => signer.FirstName || signer.LastName || signer.Email
  if (item.signers.some(named) || !people.some(named)) return item
  if (!template.Signers?.length) return { ...item, signers: copiedSigners(people, newKey) }
  return {
    ...item,
    // Who they are is copied; which of the template's signers they are is the template's to say.
    signers: item.signers.map((signer, index) => {
      const person = people[index]
      if (!person) return signer
      const { FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber } = person
      return { ...signer, FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber }
    })
  }
}

export function copiedSigners(signers: readonly ComposedSigner[], newKey: NewKey): ComposedSigner[] {
  return signers.map((signer) => ({
    ...structuredClone(signer),
    key: newKey(),
    SignerReference: '',
    ShareUsers: signer.ShareUsers.map((user) => ({ ...user, key: newKey() })),
    IDData: signer.IDData.map((one) => ({ ...one, key: newKey() }))
  }))
}

/**
 * The signers of a form or template as the people of another: copied with how they sign. Which of the template's signers
 * each of them is, in their order, stays the template's to say; signers of the template beyond them stay as they are.
 */
export function samePeople(item: ComposedItem, people: readonly ComposedSigner[], newKey: NewKey): ComposedSigner[] {
  return [
    ...inPlacesOf(item.signers, copiedSigners(people, newKey)),
    ...item.signers.slice(people.length).filter((signer) => signer.SignerReference.trim())
  ]
}

/**
 * Another template in the place of one: the people stay, in their order, and so do values whose fields it has too.
 * Where nobody was entered, the template's own people come.
 */
export function exchangedTemplate(before: ComposedItem, template: TemplateView, newKey: NewKey): ComposedItem {
  const after = itemOfTemplate(template, newKey)
  const values = new Map(before.fields.map((field) => [field.Reference.trim(), field.Value]))
  const people = before.signers.filter((signer) => !isNobodyYet(signer))
  const isTold = (template.Signers?.length ?? 0) > 0
  return {
    ...after,
    key: before.key,
    ClientReference: before.ClientReference || after.ClientReference,
    signers:
      people.length === 0
        ? after.signers
        : isTold
          ? [...inPlacesOf(after.signers, people), ...after.signers.slice(people.length)]
          : before.signers,
    fields: template.Fields
      ? after.fields.map((field) => ({ ...field, Value: values.get(field.Reference.trim()) || field.Value }))
      : before.fields
  }
}

/** People in the places of a template's signers, as far as there are places. */
function inPlacesOf(places: readonly ComposedSigner[], people: readonly ComposedSigner[]): ComposedSigner[] {
  return people.map((person, index) => ({ ...person, SignerReference: places[index]?.SignerReference ?? '' }))
}

/** The template without what a package can't hold. */
function fitted(template: TemplateView): TemplateView {
  return {
    ...shortened(template),
    ...(template.Signers && {
      Signers: template.Signers.slice(0, MOST_SIGNERS).map((signer) => ({
        ...shortened(signer),
        ...(signer.ShareUsers && { ShareUsers: signer.ShareUsers.slice(0, MOST_SHARED).map(shortened) })
      }))
    }),
    ...(template.Fields && { Fields: template.Fields.slice(0, MOST_FIELDS).map(shortened) })
  }
}

/** A copy whose own texts are no longer than a package holds. */
function shortened<Part extends object>(part: Part): Part {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MOST_TYPED) : value])
  ) as Part
}

function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MOST_TYPED
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText)
}

/**
 * The package for the person at the counter: it opens in this application, and the first to sign does so face to face.
 * @param name as the clerk typed it; it fills a first signer who has none, its last word as the last name.
 */
export function forCounter(composition: Composition, name = ''): Composition {
  const words = name.trim().split(/\s+/).filter(Boolean)
  const typed = {
    FirstName: words.slice(0, -1).join(' ') || words[0] || '',
    LastName: words.length > 1 ? (words.at(-1) ?? '') : ''
  }
  const items = composition.items.map((item) => (item.own ? { ...item, own: { ...item.own, embedded: true } } : item))
  return withSigners({ ...composition, embedded: true, items }, (signer, place) => {
    if (place > 0) return signer
    const isNamed = signer.FirstName.trim() !== '' || signer.LastName.trim() !== ''
    return { ...signer, ...(!isNamed && words.length > 0 && typed), faceToFace: true }
  })
}

/** The package for someone who was chosen first: in each form or template, the first signer of whom nothing is known is them. */
export function forRecipient(composition: Composition, person: PersonView): Composition {
  const items = composition.items.map((item) => {
    const place = item.signers.findIndex(isNobodyYet)
    return {
      ...item,
      signers: item.signers.map((signer, index) => (index === place ? asPerson(signer, person) : signer))
    }
  })
  return { ...composition, items }
}

/** Whether each form or template is named as the service needs it. */
export function isWhatKnown({ kind, items }: Pick<Composition, 'kind' | 'items'>): boolean {
  return items.every((item) => whatOf(kind).every((field) => item[field].trim() !== ''))
}

/** The place of the first field without which nobody can sign; undefined if all are filled in. */
export function firstEmpty({ kind, items }: Pick<Composition, 'kind' | 'items'>): string | undefined {
  for (const item of items) {
    const what = whatOf(kind).find((field) => item[field].trim() === '')
    if (what) return `${item.key}.${what}`
    for (const signer of item.signers) {
      const who = (['FirstName', 'LastName', 'Email'] as const).find((field) => signer[field].trim() === '')
      if (who) return `${item.key}.signers.${signer.key}.${who}`
    }
  }
  return undefined
}

function whatOf(kind: Composition['kind']): readonly ('Name' | 'Reference' | 'FormType')[] {
  return kind === 'form-direct' ? ['Name', 'Reference', 'FormType'] : ['Name', 'Reference']
}

export type ListItem = Composition['ListItems'][number]

/**
 * Pasted lines as choices of drop-down lists, one a line or in columns as a spreadsheet gives them: "Choice", "Choice⇥Value" or "Field⇥Choice⇥Value".
 * Undefined if there is only one line without columns: that is text for one control.
 * @param field what they belong to if the line doesn't say.
 */
export function choicesOfLines(text: string, field: string, newKey: NewKey): ListItem[] | undefined {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim())
  if (lines.length < 2 && !text.includes('\t')) return undefined
  return lines.map((line) => {
    const cells = line.split('\t').map((cell) => cell.trim())
    const [ClientField, Item, Value] =
      cells.length >= 3 ? cells : [field, cells[0] ?? '', cells.length === 2 ? cells[1] : cells[0]]
    return { key: newKey(), ClientField: ClientField ?? '', Item: Item ?? '', Value: Value ?? '' }
  })
}

/** The list with the one at `from` standing at `to`. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/**
 * Where the one at `from` would stand, let go at the height `y`: below those whose middles are above it.
 * @param middles of all of them, itself included, from the top of the window in CSS pixels.
 */
export function placeAt(middles: readonly number[], from: number, y: number): number {
  return middles.filter((middle, index) => index !== from && middle < y).length
}
