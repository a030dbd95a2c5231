/** What is wrong with an employer record before it is saved: the screen says it while one types, the main process refuses it. */
import { EMPLOYER_FIELDS, type EmployerKind } from '../model/index.ts'
import { problemsOfEmail } from './email.ts'
import { error, type Problem, required } from './problem.ts'

/** The kinds that UpdateEmployers takes (2.19); MOJ and StandardMOJ are only answered. */
export const EDITABLE_EMPLOYERS = ['SuperFund', 'TFN', 'AccClaimsHistory'] as const satisfies readonly EmployerKind[]
export type EditableEmployerKind = (typeof EDITABLE_EMPLOYERS)[number]

/** As much of a record as can be wrong. */
export interface JudgedEmployer {
  kind: EmployerKind
  Reference: string
  Name: string
  fields: Readonly<Record<string, string>>
}

const ABNS: ReadonlySet<string> = new Set(['ABN', 'BusinessABN', 'SuperFundABN'])
const EMAILS: ReadonlySet<string> = new Set(['BusinessEmail', 'ContactPersonEmail'])

/** `at` is the member's name as the reference has it (2.18). An error forbids saving; a warning is said only. */
export function employerProblems({ kind, Reference, Name, fields }: JudgedEmployer): Problem[] {
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

/** Whether records of that kind can be saved. */
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

/** Australian Business Numbers have eleven digits whose weighted sum is a multiple of 89, so that a slip is seen at once. */
const WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
const SEPARATORS = /[\s.\-\u2010-\u2015]/g

/** The number's digits alone; undefined if there are not eleven of them, or anything else stands between. */
export function digitsOfAbn(text: string): string | undefined {
  const digits = text.replace(SEPARATORS, '')
  return /^\d{11}$/.test(digits) ? digits : undefined
}

/** Whether it is an ABN by its checksum. Whether anyone has that number isn't known. */
export function isAbn(text: string): boolean {
  const digits = digitsOfAbn(text)
  // No number begins with 0: the two check digits in front count from 10.
  if (digits === undefined || digits.startsWith('0')) return false
  // The checksum is made of the number as it was before 1 was added to its first digit.
  const sum = WEIGHTS.reduce(
    (total, weight, place) => total + weight * (Number(digits[place]) - (place === 0 ? 1 : 0)),
    0
  )
  return sum % 89 === 0
}
