/**
 * Validates an employer record before it is saved: the screen shows problems while typing, the main process rejects
 * them.
 */
import { EMPLOYER_FIELDS, type EmployerKind } from '../model/index.ts'
import { problemsOfEmail } from './email.ts'
import { error, type Problem, required } from './problem.ts'

/** The kinds that UpdateEmployers accepts (2.19); MOJ and StandardMOJ are read-only. */
export const EDITABLE_EMPLOYERS = ['SuperFund', 'TFN', 'AccClaimsHistory'] as const satisfies readonly EmployerKind[]
export type EditableEmployerKind = (typeof EDITABLE_EMPLOYERS)[number]

/** The parts of a record that are validated. */
export interface EmployerInput {
  kind: EmployerKind
  Reference: string
  Name: string
  fields: Readonly<Record<string, string>>
}

const ABNS: ReadonlySet<string> = new Set(['ABN', 'BusinessABN', 'SuperFundABN'])
const EMAILS: ReadonlySet<string> = new Set(['BusinessEmail', 'ContactPersonEmail'])

/** Returns a record's problems. `at` is the reference's member name (2.18). Errors prevent saving; warnings don't. */
export function employerProblems({ kind, Reference, Name, fields }: EmployerInput): Problem[] {
  const known: readonly string[] = EMPLOYER_FIELDS[kind]
  return [
    ...(isEditable(kind) ? [] : [error('kind', 'Records of this kind can’t be changed from here.')]),
    ...required('Reference', Reference, 'Enter a reference.'),
    ...required('Name', Name, 'Enter a name.'),
    ...Object.entries(fields).flatMap(([name, value]) =>
      known.includes(name) ? fieldProblems(name, value) : [error(name, 'Records of this kind have no such field.')]
    )
  ]
}

/** Returns whether records of this kind can be saved. */
export function isEditable(kind: EmployerKind): kind is EditableEmployerKind {
  return (EDITABLE_EMPLOYERS as readonly string[]).includes(kind)
}

function fieldProblems(name: string, value: string): Problem[] {
  if (value.trim() === '') return []
  if (ABNS.has(name)) return abnProblems(name, value)
  return EMAILS.has(name) ? problemsOfEmail(name, value) : []
}

function abnProblems(name: string, value: string): Problem[] {
  if (digitsOfAbn(value) === undefined) return [error(name, 'An ABN has 11 digits.')]
  return isAbn(value) ? [] : [error(name, 'This isn’t a valid ABN. Check each digit.')]
}

/**
 * Weights of the ABN checksum: the weighted sum of an Australian Business Number's eleven digits is a multiple of 89,
 * which reveals typing errors.
 */
const WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
const SEPARATORS = /[\s.\-\u2010-\u2015]/g

/** Returns the number's digits; undefined unless there are exactly eleven, with nothing but separators between them. */
export function digitsOfAbn(text: string): string | undefined {
  const digits = text.replace(SEPARATORS, '')
  return /^\d{11}$/.test(digits) ? digits : undefined
}

/** Returns whether the checksum is that of an ABN, not whether the number has been issued. */
export function isAbn(text: string): boolean {
  const digits = digitsOfAbn(text)
  // No ABN begins with 0: the two leading check digits start at 10.
  if (digits === undefined || digits.startsWith('0')) return false
  // The checksum is defined on the number with 1 subtracted from its first digit.
  const sum = WEIGHTS.reduce(
    (total, weight, place) => total + weight * (Number(digits[place]) - (place === 0 ? 1 : 0)),
    0
  )
  return sum % 89 === 0
}
