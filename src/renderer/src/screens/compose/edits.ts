/** Structural edits to a package, beyond typing. Each returns the new value; the screen applies it. */
import {
  blankComposition,
  blankItem,
  type ComposedItem,
  type ComposedSigner,
  type Composition,
  MAX_FIELDS,
  MAX_SHARE_USERS,
  MAX_SIGNERS,
  MAX_TYPED_LENGTH,
  withSigners
} from '../../../../shared/composition/composition.ts'
import { composeTemplateSigner } from '../../../../shared/composition/from-request.ts'
import type { PersonView, TemplateView } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { listed } from '../../words/counts.ts'
import { isBlankSigner, withPerson } from './who/address-book.ts'

/** Creates keys that are unique within a package. */
export type NewKey = () => string

export const randomKey: NewKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('')
}

/** Returns the item for a listed template, with the signers and fields it lists, as far as a package can hold them. */
export function itemOfTemplate(listedTemplate: TemplateView, newKey: NewKey): ComposedItem {
  const template = cutToLimits(listedTemplate)
  const item = blankItem(newKey())
  return {
    ...item,
    Name: template.Name || template.Reference,
    Reference: template.Reference,
    ClientReference: template.ClientReference ?? '',
    signers: template.Signers?.length
      ? template.Signers.map((signer) => composeTemplateSigner(signer, newKey))
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

/** Returns a template's signer roles, each once. */
export function rolesOf({ Signers = [] }: TemplateView): string[] {
  return [...new Set(Signers.flatMap(({ SignerReference }) => SignerReference?.trim() || []))]
}

/**
 * Describes which parts of a listed template exceed a package's limits, shown where it is chosen; undefined if
 * everything fits.
 */
export function omissionsOf(template: TemplateView): string | undefined {
  const fields = (template.Fields?.length ?? 0) - MAX_FIELDS
  const signers = (template.Signers?.length ?? 0) - MAX_SIGNERS
  const shared = (template.Signers ?? []).reduce(
    (sum, signer) => sum + Math.max(0, (signer.ShareUsers?.length ?? 0) - MAX_SHARE_USERS),
    0
  )
  const omitted = [
    ...(fields > 0 ? [counted(fields, ['# field', '# fields'])] : []),
    ...(signers > 0 ? [counted(signers, ['# signer', '# signers'])] : []),
    ...(shared > 0 ? [counted(shared, ['# person it’s shared with', '# people it’s shared with'])] : []),
    ...(hasLongText(template) ? [`text over ${MAX_TYPED_LENGTH.toLocaleString('en-GB')} characters`] : [])
  ]
  if (omitted.length === 0) return undefined
  return `“${(template.Name || template.Reference).slice(0, 100)}” is too large for one package. Left out: ${listed(omitted)}.`
}

/** Returns a package of one listed template. If it has a signer face to face, it is signed in this application. */
export function packageOfTemplate(template: TemplateView, newKey: NewKey): Composition {
  const item = itemOfTemplate(template, newKey)
  const embedded = item.signers.some(({ faceToFace }) => faceToFace)
  return { ...blankComposition('form-filler', newKey()), items: [item], ...(embedded && { embedded }) }
}

/** Returns another form for the same people, with a copy of the first one's signers. */
export function anotherItem(composition: Composition, newKey: NewKey): ComposedItem {
  const item = blankItem(newKey())
  const first = composition.items[0]
  return first ? { ...item, signers: copiedSigners(first.signers, newKey) } : item
}

/** Returns the item for another template, with the package's people if the template names none itself. */
export function anotherTemplateItem(composition: Composition, template: TemplateView, newKey: NewKey): ComposedItem {
  const item = itemOfTemplate(template, newKey)
  const people = composition.items[0]?.signers ?? []
  const isNamed = (signer: ComposedSigner) => signer.FirstName || signer.LastName || signer.Email
  if (item.signers.some(isNamed) || !people.some(isNamed)) return item
  if (!template.Signers?.length) return { ...item, signers: copiedSigners(people, newKey) }
  return {
    ...item,
    // Identity is copied; the role of each signer comes from the template.
    signers: item.signers.map((signer, index) => {
      const person = people[index]
      return person ? withPerson(signer, person) : signer
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
 * Returns another item's people as the signers of this one, copied with how they sign. The roles, in order, stay the
 * template's; its further roles keep their signers.
 */
export function signersFrom(item: ComposedItem, people: readonly ComposedSigner[], newKey: NewKey): ComposedSigner[] {
  return [
    ...withRolesOf(item.signers, copiedSigners(people, newKey)),
    ...item.signers.slice(people.length).filter((signer) => signer.SignerReference.trim())
  ]
}

/**
 * Replaces a template with another. People are kept in order, and so are the values of fields that both have. If nobody
 * was entered, the template's own people are used.
 */
export function replacedTemplate(before: ComposedItem, template: TemplateView, newKey: NewKey): ComposedItem {
  const after = itemOfTemplate(template, newKey)
  const values = new Map(before.fields.map((field) => [field.Reference.trim(), field.Value]))
  const people = before.signers.filter((signer) => !isBlankSigner(signer))
  const listsSigners = (template.Signers?.length ?? 0) > 0
  return {
    ...after,
    key: before.key,
    ClientReference: before.ClientReference || after.ClientReference,
    signers:
      people.length === 0
        ? after.signers
        : listsSigners
          ? [...withRolesOf(after.signers, people), ...after.signers.slice(people.length)]
          : before.signers,
    fields: template.Fields
      ? after.fields.map((field) => ({ ...field, Value: values.get(field.Reference.trim()) || field.Value }))
      : before.fields
  }
}

/** Assigns people to a template's signer roles in order, as far as there are roles. */
function withRolesOf(places: readonly ComposedSigner[], people: readonly ComposedSigner[]): ComposedSigner[] {
  return people.map((person, index) => ({ ...person, SignerReference: places[index]?.SignerReference ?? '' }))
}

/** Removes what exceeds a package's limits. */
function cutToLimits(template: TemplateView): TemplateView {
  return {
    ...withCutStrings(template),
    ...(template.Signers && {
      Signers: template.Signers.slice(0, MAX_SIGNERS).map((signer) => ({
        ...withCutStrings(signer),
        ...(signer.ShareUsers && { ShareUsers: signer.ShareUsers.slice(0, MAX_SHARE_USERS).map(withCutStrings) })
      }))
    }),
    ...(template.Fields && { Fields: template.Fields.slice(0, MAX_FIELDS).map(withCutStrings) })
  }
}

/** Returns a copy with its own strings cut to a package's limit. */
function withCutStrings<Part extends object>(part: Part): Part {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, MAX_TYPED_LENGTH) : value
    ])
  ) as Part
}

function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_TYPED_LENGTH
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText)
}

/**
 * Prepares a package for the person at the counter: it is signed in this application, by the first signer face to face.
 * @param name as typed by the clerk. Fills in a first signer without a name; its last word becomes the last name.
 */
export function preparedForCounter(composition: Composition, name = ''): Composition {
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

/** Fills in a person chosen beforehand as the first blank signer of each form or template. */
export function preparedForRecipient(composition: Composition, person: PersonView): Composition {
  const items = composition.items.map((item) => {
    const place = item.signers.findIndex(isBlankSigner)
    return {
      ...item,
      signers: item.signers.map((signer, index) => (index === place ? withPerson(signer, person) : signer))
    }
  })
  return { ...composition, items }
}

/** Returns whether each form or template is identified as the service needs. */
export function areItemsIdentified({ kind, items }: Pick<Composition, 'kind' | 'items'>): boolean {
  return items.every((item) => requiredItemFields(kind).every((field) => item[field].trim() !== ''))
}

/** Returns the path of the first required field that is empty; undefined if all are filled in. */
export function firstEmptyPath({ kind, items }: Pick<Composition, 'kind' | 'items'>): string | undefined {
  for (const item of items) {
    const what = requiredItemFields(kind).find((field) => item[field].trim() === '')
    if (what) return `${item.key}.${what}`
    for (const signer of item.signers) {
      const who = (['FirstName', 'LastName', 'Email'] as const).find((field) => signer[field].trim() === '')
      if (who) return `${item.key}.signers.${signer.key}.${who}`
    }
  }
  return undefined
}

function requiredItemFields(kind: Composition['kind']): readonly ('Name' | 'Reference' | 'FormType')[] {
  return kind === 'form-direct' ? ['Name', 'Reference', 'FormType'] : ['Name', 'Reference']
}

export type ListItem = Composition['ListItems'][number]

/**
 * Parses pasted lines as choices of drop-down lists, one a line or in spreadsheet columns: "Choice", "Choice⇥Value" or
 * "Field⇥Choice⇥Value". Undefined for a single line without columns, which is text for one control.
 * @param field the drop-down list, if the line doesn't name it.
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

/** Returns the list with the item at `from` moved to `to`. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/**
 * Returns the index at which the item at `from` lands when dropped at height `y`: below those whose middles are above
 * it.
 * @param middles of all items, including itself, from the top of the window in CSS pixels.
 */
export function dropIndex(middles: readonly number[], from: number, y: number): number {
  return middles.filter((middle, index) => index !== from && middle < y).length
}
