/** Employer records in words: what each kind is for, and its fields' labels (reference section 2.18). */
import type { EmployerRecord } from '../../../shared/contract/views.ts'
import { EMPLOYER_FIELDS, type EmployerKind } from '../../../shared/model/account.ts'
import { capital } from './counts.ts'

export const EMPLOYER_KINDS: { kind: EmployerKind; label: string; about: string }[] = [
  { kind: 'SuperFund', label: 'Super fund', about: 'Fills in superannuation forms.' },
  { kind: 'TFN', label: 'Tax file number', about: 'Fills in tax file number declarations.' },
  { kind: 'AccClaimsHistory', label: 'Claims history', about: 'Fills in claims history requests.' },
  {
    kind: 'MOJ',
    label: 'Criminal record check',
    about: 'Read-only (MOJ)'
  },
  {
    kind: 'StandardMOJ',
    label: 'Criminal record check, standard',
    about: 'Read-only (StandardMOJ)'
  }
]

export function kindInWords(kind: EmployerKind): string {
  return EMPLOYER_KINDS.find((one) => one.kind === kind)?.label ?? kind
}

/**
 * Turns a field name into a label: `SuperFundABN` → "Super fund ABN", `ThirdPartyPostCode` → "Third party post code".
 */
export function fieldInWords(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]+$/.test(word) ? word : word.toLowerCase()))
    .join(' ')
  return capital(words)
}

/** Returns the fields of a kind in the reference's order, then any that the service added. */
export function fieldsOf({ kind, fields }: Pick<EmployerRecord, 'kind' | 'fields'>): string[] {
  const known: readonly string[] = EMPLOYER_FIELDS[kind]
  return [...known, ...Object.keys(fields).filter((name) => !known.includes(name))]
}

/** Returns what changed in a record: the field's label, with the values before and after. */
export function differences(
  before: EmployerRecord | undefined,
  after: EmployerRecord
): { field: string; from: string; to: string }[] {
  const pairs: [string, string, string][] = [
    ['Reference', before?.Reference ?? '', after.Reference],
    ['Name', before?.Name ?? '', after.Name],
    ['Default', yesNo(before?.IsDefault), yesNo(after.IsDefault)],
    ...fieldsOf(after).map((name): [string, string, string] => [
      fieldInWords(name),
      before?.fields[name] ?? '',
      after.fields[name] ?? ''
    ])
  ]
  return pairs.filter(([, from, to]) => from.trim() !== to.trim()).map(([field, from, to]) => ({ field, from, to }))
}

function yesNo(value: boolean | undefined): string {
  return value ? 'yes' : 'no'
}
