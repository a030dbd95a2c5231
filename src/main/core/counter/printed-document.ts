/**
 * A passport or an identity card without machine-readable lines: compares what staff typed from it with the signer's
 * name. There are no check digits, so the audit trail says that it was typed. No more of its details is kept than of
 * any other document (decision 55).
 */
import { readDay } from '../../../shared/composition/calendar.ts'
import type { DecodedInput, PrintedComparison } from '../../../shared/contract/index.ts'
import type { ReadDocument } from '../../../shared/identity-lines.ts'
import { fullName } from '../../../shared/model/index.ts'
import { matchesPrintedName } from '../../../shared/name-matching.ts'
import { dayAt } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { CounterDeps } from './deps.ts'

type CompareRequest = DecodedInput<'counter.compareDocument'>
type Printed = CompareRequest['printed']

/** @throws AppFailure `gone` if the document or this signer is no longer there. */
export async function compareWithSigner(
  { accountId, documentOf, time }: Pick<CounterDeps, 'accountId' | 'documentOf' | 'time'>,
  { documentReference, signer, printed }: CompareRequest
): Promise<PrintedComparison> {
  const mirrored = await documentOf(accountId(), documentReference)
  const person = mirrored?.goneAt === undefined ? mirrored?.document.Signers?.[signer] : undefined
  return person
    ? comparePrinted(printed, fullName(person), time)
    : fail('gone', 'A document is no longer in the folders.')
}

export function comparePrinted(
  printed: Printed,
  signerName: string,
  time: Pick<Time, 'now' | 'zone'>
): PrintedComparison {
  const { name, number, expires } = readingOf(printed)
  const fields = [
    ...(name ? [] : (['name'] as const)),
    ...(number ? [] : (['number'] as const)),
    ...(expires === undefined ? (['expires'] as const) : [])
  ]
  if (fields.length > 0) return { kind: 'unusable', fields }
  return {
    kind: matchesPrintedName(signerName, printed.name) ? 'matches' : 'differs',
    // A document is valid on its last day.
    isExpired: expires !== '' && expires !== undefined && expires < dayAt(time.now(), time.zone())
  }
}

/** The details that may be kept, as `retainedReading` takes them. */
export function printedReading(printed: Printed): ReadDocument {
  const { number, expires } = readingOf(printed)
  return { number, ...(expires && { expires }) }
}

/**
 * A name with letters, a number in one notation, and a day, `2030-04-15`. '' for a missing one, undefined for an
 * invalid day.
 */
function readingOf({ name, number, expires }: Printed) {
  const plain = withPlainDigits(number).toUpperCase()
  const bare = plain.replace(/[\p{P}\p{Z}\p{Cc}\p{Cf}]/gu, '')
  const day = withPlainDigits(expires)
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  return {
    name: /\p{L}/u.test(name) && name,
    // No country's numbers are longer; text without a digit is a word.
    number: /^[\p{L}\p{M}0-9]{1,40}$/u.test(bare) && /\d/.test(bare) ? bare : '',
    expires: day === '' ? '' : readDay(day)
  }
}

/**
 * Converts digits of any script to 0 to 9: each script's ten are consecutive, next to none but another script's ten.
 */
const withPlainDigits = (text: string) =>
  text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => {
    let value = 0
    const code = digit.codePointAt(0) ?? 0
    while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
    return String(value % 10)
  })
