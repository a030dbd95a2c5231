/**
 * The machine-readable lines of a passport or an identity card (ICAO 9303: two of 44 or 36 characters, or three of 30), compared with
 * the name of a signer. They stay in this window: what goes on is that they were compared, and what the organisation's
 * policy has kept of them (decision 55).
 */
import { parse } from 'mrz'
import { readDay } from '../../../../shared/composition/calendar.ts'
import { isNamed } from '../../../../shared/name-matching.ts'

/** The fields that a check digit covers. */
export type CheckedField = 'number' | 'birth' | 'expiry' | 'optional' | 'whole'

/**
 * incomplete: not yet the lines of a document. misread: some character is wrong, by these check digits. matches, differs: the
 * document's name beside the signer's.
 */
export type Compared =
  | { kind: 'incomplete' }
  | { kind: 'misread'; fields: CheckedField[] }
  | { kind: 'matches' | 'differs'; name: string; isExpired: boolean; isBornOtherwise: boolean; document: ReadDocument }

/** What may be kept of it. @see IdentityKept */
export interface ReadDocument {
  number: string
  /** `2030-04-15`; absent where the lines have no real day. */
  expires?: string
}

interface Signer {
  signerName: string
  /** As of `CounterEntry`. */
  born?: string
}

/** @param now in milliseconds since 1970 UTC, for whether the document has expired. */
export function compared(typed: string, { signerName, born }: Signer, now: number): Compared {
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
  const have = [...given, ...partsOf(fields.lastName ?? '')]
  // Names end with their line, or go on beyond it: only then may the last one be the beginning of a longer one.
  const isCut = !(lines.length === 3 ? lines[2] : lines[0])?.endsWith('<')
  return {
    kind: isNamed(signerName, have, isCut ? given.at(-1) : undefined) ? 'matches' : 'differs',
    name,
    // Of days that aren't known a document has fillers in their place.
    isBornOtherwise: born !== undefined && /^\d{6}$/.test(birth) && birth !== born.slice(2).replaceAll('-', ''),
    isExpired: expires !== undefined && Date.parse(expires) + DAY <= now,
    document: { number, ...(expires !== undefined && { expires }) }
  }
}

const DAY = 86_400_000

/** Years are written with two digits; a document lasts for less than fifty. */
const expiryOf = (written: string) =>
  /^\d{6}$/.test(written) ? readDay(`20${written.slice(0, 2)}-${written.slice(2, 4)}-${written.slice(4)}`) : undefined

const CHECK_DIGITS: Readonly<Record<string, CheckedField>> = {
  documentNumberCheckDigit: 'number',
  birthDateCheckDigit: 'birth',
  expirationDateCheckDigit: 'expiry',
  personalNumberCheckDigit: 'optional',
  compositeCheckDigit: 'whole'
}

/** In characters of one line: a reader may give all of them in one go. */
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
