/**
 * What a Form Direct form asks of its signer. The service's own forms and its FormType numbers are not described, so a
 * practice form is known by the words in its name or reference; any other becomes a plain letter with a few details.
 */
import type { FieldType } from '../shared/model/index.ts'
import type { FormRequest, SendFormDirect } from './requests.ts'
import type { FieldRecord, PracticeState } from './state.ts'

interface FormKind {
  words: RegExp
  fields: FieldRecord[]
  employers?: 'SuperFund' | 'TFN' | 'AccClaimsHistory' | 'MOJ' | 'StandardMOJ'
}

/** A field with its sensible defaults. */
export function field(reference: string, label: string, type: FieldType, more: Partial<FieldRecord> = {}): FieldRecord {
  return { reference, label, type, value: '', required: true, readOnly: false, clientField: reference, ...more }
}

function choices(...labels: string[]): Pick<Required<FieldRecord>, 'choices'> {
  return { choices: labels.map((label) => ({ label, value: label })) }
}

const OPTIONAL = { required: false }

const KINDS: FormKind[] = [
  {
    words: /super/i,
    employers: 'SuperFund',
    fields: [
      field('super_choice', 'Where your superannuation goes', 'RadioButton', {
        ...choices('The employer’s default fund', 'A fund of my own')
      }),
      field('super_member', 'Member number', 'Text', OPTIONAL),
      field('super_from', 'From which day', 'DateInput'),
      field('super_correct', 'The fund’s details above are correct', 'CheckBox')
    ]
  },
  {
    words: /tax|tfn/i,
    employers: 'TFN',
    fields: [
      field('tax_residence', 'Residency for tax', 'DropDownList', {
        ...choices('Australian resident', 'Foreign resident', 'Working holiday maker')
      }),
      field('tax_basis', 'How you are paid', 'RadioButton', { ...choices('Full time', 'Part time', 'Casual') }),
      field('tax_threshold', 'Claim the tax-free threshold from this payer', 'CheckBox', OPTIONAL),
      field('tax_address', 'Home address', 'MultiLineText')
    ]
  },
  {
    words: /acc|claim/i,
    employers: 'AccClaimsHistory',
    fields: [
      field('claims_birth', 'Date of birth', 'DateInput'),
      field('claims_number', 'Claim number, if you know it', 'Text', OPTIONAL),
      field('claims_period', 'Claims of which years', 'DropDownList', {
        ...choices('The last 5 years', 'The last 10 years', 'All')
      })
    ]
  },
  {
    words: /moj|justice|criminal|conviction|vetting/i,
    employers: 'StandardMOJ',
    fields: [
      field('moj_birth', 'Date of birth', 'DateInput'),
      field('moj_place', 'Place of birth', 'Text'),
      field('moj_names', 'Other names you have used', 'MultiLineText', OPTIONAL),
      field('moj_consent', 'My record may be sent to the organisation above', 'CheckBox')
    ]
  }
]

const PLAIN: FieldRecord[] = [
  field('phone', 'Phone number in the daytime', 'Text', OPTIONAL),
  field('remarks', 'Anything we should know', 'MultiLineText', OPTIONAL)
]

/** The fields of a form as it is sent: those of its kind, the client's lists, its auto-fill data and its employer's record. */
export function fieldsOfForm(form: FormRequest, send: SendFormDirect, state: PracticeState): FieldRecord[] {
  const kind = KINDS.find(({ words }) => words.test(`${form.Name} ${form.Reference}`))
  const own = structuredClone(kind?.fields ?? PLAIN)
  const lists = listFields(send)
  const known = autoFilled(form.XMLData)
  for (const each of [...own, ...lists]) {
    const value = known.get(each.clientField.toLowerCase())
    if (value === undefined) continue
    each.value = value
    known.delete(each.clientField.toLowerCase())
  }
  return [
    ...employerFields(kind, form, state),
    ...[...known].map(([name, value]) => given(name, value)),
    ...own,
    ...lists
  ]
}

/** What is known beforehand and only to be read. */
function given(label: string, value: string): FieldRecord {
  return field(`given_${label}`, label, 'Text', { value, readOnly: true, required: false })
}

function listFields(send: SendFormDirect): FieldRecord[] {
  const lists = new Map<string, FieldRecord>()
  for (const { ClientField, Item, Value } of send.ListItems ?? []) {
    const list = lists.get(ClientField) ?? field(ClientField, inWords(ClientField), 'DropDownList', OPTIONAL)
    list.choices = [...(list.choices ?? []), { label: Item, value: Value || Item }]
    lists.set(ClientField, list)
  }
  return [...lists.values()]
}

function employerFields(kind: FormKind | undefined, form: FormRequest, state: PracticeState): FieldRecord[] {
  const wanted = form.EmployerReference
  const lists = kind?.employers
    ? [kind.employers]
    : (['SuperFund', 'TFN', 'AccClaimsHistory', 'MOJ', 'StandardMOJ'] as const)
  const records = lists.flatMap((name) => (state.employers[name] ?? []) as Record<string, unknown>[])
  const record = wanted ? records.find((one) => one.Reference === wanted) : undefined
  const shown = record ?? (kind?.employers ? records.find((one) => one.IsDefault === true) : undefined)
  return Object.entries(shown ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && value && name !== 'Reference'
      ? [given(name === 'Name' ? 'Employer' : inWords(name), value)]
      : []
  )
}

/** `BusinessPostcode` as "Business postcode"; `client_email` as "Client email". */
export function inWords(name: string): string {
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

const MOST_TEXTS = 40
const LONGEST = 500
const INNERMOST = /<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>([^<>]*)<\/\1\s*>/g

/**
 * A form's auto-fill data (XMLData, reference section 2.2): the innermost elements' texts by their names in lower case. What can't be read as XML gives none: auto-fill is a
 * convenience, and a form goes out without it.
 */
function autoFilled(xml: string | undefined): Map<string, string> {
  const texts = new Map<string, string>()
  // Longer data would be no form's; reading it to the end would only cost time.
  for (const match of (xml ?? '').slice(0, 100_000).matchAll(INNERMOST)) {
    const [, name = '', content = ''] = match
    const text = plain(content).trim()
    if (text && text.length <= LONGEST) texts.set(localName(name).toLowerCase(), text)
    if (texts.size >= MOST_TEXTS) break
  }
  return texts
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(content: string): string {
  return content.replaceAll(/&(?:#(\d{1,7})|(amp|lt|gt|quot|apos));/g, (_all, code?: string, name?: string) =>
    code ? codePoint(Number(code)) : (ENTITIES[name ?? ''] ?? '')
  )
}

function codePoint(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
