/**
 * Compares the machine-readable lines of a passport or identity card (ICAO 9303: two lines of 44 or 36 characters, or
 * three of 30) with a signer's name. The main process decides; the window shows the same result while staff type
 * (decision 55).
 */
import { parse } from 'mrz'
import { readDay } from './composition/calendar.ts'
import { matchesMachineName } from './name-matching.ts'

export type CheckedField = 'number' | 'birth' | 'expiry' | 'optional' | 'whole'

/**
 * incomplete: not the lines of a whole document yet. misread: these check digits don't match. matches, differs: the
 * document's name compared with the signer's.
 */
export type LineComparison =
  | { kind: 'incomplete' }
  | { kind: 'misread'; fields: CheckedField[] }
  | { kind: 'matches' | 'differs'; name: string; isExpired: boolean; isBornOtherwise: boolean; document: ReadDocument }

/** The details that may be kept. @see IdentityKept */
export interface ReadDocument {
  /** Empty if the lines hold none. */
  number: string
  /** Such as `2030-04-15`; absent if the lines hold no valid date. */
  expires?: string | undefined
}

interface Signer {
  signerName: string
  /** See `CounterEntry`. */
  born?: string
}

/**
 * Compares typed or scanned lines with a signer.
 * @param now in milliseconds since 1970 UTC, to tell whether the document has expired.
 */
export function compareLines(typed: string, { signerName, born }: Signer, now: number): LineComparison {
  const lines = linesOf(typed)
  if (!lines) return { kind: 'incomplete' }
  const { details, fields } = parse(lines)
  const isWrong = (field: string) => details.some((one) => one.field === field && !one.valid)
  const misread = Object.entries(CHECK_DIGITS).flatMap(([field, what]) => (isWrong(field) ? [what] : []))
  if (misread.length > 0) return { kind: 'misread', fields: misread }
  const name = [fields.firstName, fields.lastName].filter(Boolean).join(' ')
  const expires = expiryOf(fields.expirationDate ?? '')
  const number = (fields.documentNumber ?? '').replace(/[^A-Z0-9]/g, '')
  const birth = fields.birthDate ?? ''
  const given = partsOf(fields.firstName ?? '')
  const nameParts = [...given, ...partsOf(fields.lastName ?? '')]
  // If the name fills its line to the end it may be truncated: only then may the last name be the beginning of a longer
  // one.
  const isTruncated = !(lines.length === 3 ? lines[2] : lines[0])?.endsWith('<')
  return {
    kind: matchesMachineName(signerName, nameParts, isTruncated ? given.at(-1) : undefined) ? 'matches' : 'differs',
    name,
    // Documents use fillers for the parts of a birth date that aren't known.
    isBornOtherwise: born !== undefined && /^\d{6}$/.test(birth) && birth !== born.slice(2).replaceAll('-', ''),
    isExpired: expires !== undefined && Date.parse(expires) + DAY <= now,
    document: { number, ...(expires !== undefined && { expires }) }
  }
}

const DAY = 86_400_000

/** Years have two digits; a document is valid for less than fifty years. */
const expiryOf = (written: string) =>
  /^\d{6}$/.test(written) ? readDay(`20${written.slice(0, 2)}-${written.slice(2, 4)}-${written.slice(4)}`) : undefined

const CHECK_DIGITS: Readonly<Record<string, CheckedField>> = {
  documentNumberCheckDigit: 'number',
  birthDateCheckDigit: 'birth',
  expirationDateCheckDigit: 'expiry',
  personalNumberCheckDigit: 'optional',
  compositeCheckDigit: 'whole'
}

/** Line lengths in characters; a reader may deliver all lines in one string. */
const FORMS = [
  { lines: 2, length: 44 },
  { lines: 2, length: 36 },
  { lines: 3, length: 30 }
]

function linesOf(typed: string): string[] | undefined {
  const all = typed
    .toUpperCase()
    .replaceAll('«', '<<')
    .replace(/[^A-Z0-9<]/g, '')
  const form = FORMS.find(({ lines, length }) => all.length === lines * length)
  return (
    form && Array.from({ length: form.lines }, (_, line) => all.slice(line * form.length, (line + 1) * form.length))
  )
}

const partsOf = (name: string) =>
  name
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean)
