/**
 * What a Form Direct form asks its signer. The service's own forms and FormType numbers are undocumented, so a practice
 * form is recognised by words in its name or reference; any other becomes a plain letter with a few details.
 */
import { z } from 'zod'
import { FIELD_TYPES, type FieldType } from '../shared/model/index.ts'
import type { FormRequest, SendFormDirect } from './requests.ts'
import { readData } from './resources.ts'
import type { FieldRecord, PracticeState } from './state.ts'

/** A field in the data: required by default, and each choice is its own value. */
export const fieldData = z
  .strictObject({
    reference: z.string(),
    label: z.string(),
    type: z.enum(FIELD_TYPES.filter((type) => type !== undefined)),
    value: z.string().optional(),
    required: z.boolean().optional(),
    readOnly: z.boolean().optional(),
    choices: z.array(z.string()).optional()
  })
  .transform(({ reference, label, type, value = '', required = true, readOnly = false, choices }) =>
    field(reference, label, type, {
      value,
      required,
      readOnly,
      ...(choices && { choices: choices.map((choice) => ({ label: choice, value: choice })) })
    })
  )

const kindsData = z.strictObject({
  kinds: z.array(
    z.strictObject({
      words: z.string().transform((words) => new RegExp(words, 'i')),
      employers: z.enum(['SuperFund', 'TFN', 'AccClaimsHistory', 'StandardMOJ']),
      fields: z.array(fieldData)
    })
  ),
  plain: z.array(fieldData)
})
type FormKind = z.infer<typeof kindsData>['kinds'][number]

const { kinds: KINDS, plain: PLAIN } = kindsData.parse(readData('form-kinds.json'))

/** Creates a field with defaults. */
export function field(reference: string, label: string, type: FieldType, more: Partial<FieldRecord> = {}): FieldRecord {
  return { reference, label, type, value: '', required: true, readOnly: false, clientField: reference, ...more }
}

/** Returns a sent form's fields: those of its kind, the client's lists, auto-fill data, and the employer's record. */
export function fieldsOfForm(form: FormRequest, send: SendFormDirect, state: PracticeState): FieldRecord[] {
  const kind = KINDS.find(({ words }) => words.test(`${form.Name} ${form.Reference}`))
  const own = structuredClone(kind?.fields ?? PLAIN)
  const lists = listFields(send)
  const known = readAutoFill(form.XMLData)
  for (const each of [...own, ...lists]) {
    const value = known.get(each.clientField.toLowerCase())
    if (value === undefined) continue
    each.value = value
    known.delete(each.clientField.toLowerCase())
  }
  return [
    ...employerFields(kind, form, state),
    ...[...known].map(([name, value]) => knownField(name, value)),
    ...own,
    ...lists
  ]
}

/** A read-only field with a known value. */
function knownField(label: string, value: string): FieldRecord {
  return field(`given_${label}`, label, 'Text', { value, readOnly: true, required: false })
}

function listFields(send: SendFormDirect): FieldRecord[] {
  const lists = new Map<string, FieldRecord>()
  for (const { ClientField, Item, Value } of send.ListItems ?? []) {
    const list =
      lists.get(ClientField) ?? field(ClientField, nameInWords(ClientField), 'DropDownList', { required: false })
    list.choices = [...(list.choices ?? []), { label: Item, value: Value || Item }]
    lists.set(ClientField, list)
  }
  return [...lists.values()]
}

function employerFields(kind: FormKind | undefined, form: FormRequest, state: PracticeState): FieldRecord[] {
  const wanted = form.EmployerReference
  const lists = kind ? [kind.employers] : (['SuperFund', 'TFN', 'AccClaimsHistory', 'MOJ', 'StandardMOJ'] as const)
  const records = lists.flatMap((name) => (state.employers[name] ?? []) as Record<string, unknown>[])
  const record = wanted ? records.find((one) => one.Reference === wanted) : undefined
  const shown = record ?? (kind && records.find((one) => one.IsDefault === true))
  return Object.entries(shown ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && value && name !== 'Reference'
      ? [knownField(name === 'Name' ? 'Employer' : nameInWords(name), value)]
      : []
  )
}

/** Converts `BusinessPostcode` to "Business postcode", and `client_email` to "Client email". */
export function nameInWords(name: string): string {
  const spaced = name
    .replaceAll(/[_.-]+/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .trim()
  const lower = spaced.replaceAll(
    /\b([A-Z])([a-z])/g,
    (_all, first: string, second: string) => first.toLowerCase() + second
  )
  return lower.charAt(0).toUpperCase() + lower.slice(1)
}

const MAX_TEXTS = 40
const MAX_TEXT_LENGTH = 500
const INNERMOST = /<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>([^<>]*)<\/\1\s*>/g

/**
 * Reads a form's auto-fill data (XMLData, reference section 2.2): the innermost elements' texts by lower-case name.
 * Unreadable XML gives none, since auto-fill is a convenience and the form is sent without it.
 */
function readAutoFill(xml: string | undefined): Map<string, string> {
  const texts = new Map<string, string>()
  // No form has more data; reading on would only waste time.
  for (const match of (xml ?? '').slice(0, 100_000).matchAll(INNERMOST)) {
    const [, name = '', content = ''] = match
    const text = decodeEntities(content).trim()
    if (text && text.length <= MAX_TEXT_LENGTH) texts.set(localName(name).toLowerCase(), text)
    if (texts.size >= MAX_TEXTS) break
  }
  return texts
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(content: string): string {
  return content.replaceAll(/&(?:#(\d{1,7})|(amp|lt|gt|quot|apos));/g, (_all, code?: string, name?: string) =>
    code ? codePoint(Number(code)) : (ENTITIES[name ?? ''] ?? '')
  )
}

function codePoint(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
