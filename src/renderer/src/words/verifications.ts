/**
 * The results of verifying signatures, in plain words. They are all called valid only if the service says so of each
 * one.
 */
import type { SignatureTally, VerificationSummary } from '../../../shared/contract/views.ts'
import { counted } from '../../../shared/counted.ts'
import type { StatusWords } from './statuses.ts'

const valid: StatusWords = { shape: 'tick', word: 'Valid', tone: 'ok' }
const notValid: StatusWords = { shape: 'cross', word: 'Not valid', tone: 'danger' }
const notKnown: StatusWords = { shape: 'question', word: 'Unknown', tone: 'warn' }

export function signatureStatus(isValid: boolean | undefined): StatusWords {
  if (isValid === undefined) return notKnown
  return isValid ? valid : notValid
}

/** Sums up all signatures in one line: "Both signatures are valid", "1 of 3 signatures is not valid". */
export function signaturesInWords({ signatures, valid: good, notValid: bad }: SignatureTally): StatusWords {
  if (signatures === undefined) return { ...notKnown, word: 'No signature information' }
  if (signatures === 0) return { ...notKnown, word: 'No signatures found' }
  if (bad > 0) return { ...notValid, word: `${partOf(bad, signatures)} not valid` }
  if (good < signatures) return { ...notKnown, word: `${partOf(signatures - good, signatures)} not confirmed` }
  return { ...valid, word: `${allOf(signatures)} valid` }
}

/** Like `signaturesInWords`, for a saved verification. If the saved result was altered, says only that. */
export function verificationStatus({
  found,
  isAltered
}: Pick<VerificationSummary, 'found' | 'isAltered'>): StatusWords {
  return isAltered ? { ...notValid, word: 'This saved verification was changed' } : signaturesInWords(found)
}

/** Describes the verification as an event: "Signatures verified: all 3 valid." */
export function verifiedInWords({ found, isAltered }: Pick<VerificationSummary, 'found' | 'isAltered'>): string {
  const { signatures, valid: good, notValid: bad } = found
  if (isAltered) return 'Signatures verified; the saved result was changed.'
  if (signatures === undefined) return 'Signatures verified: no information.'
  if (signatures === 0) return 'Signatures verified: none found.'
  if (signatures === 1)
    return bad > 0
      ? 'Signature verified: not valid.'
      : good < 1
        ? 'Signature verified: not confirmed.'
        : 'Signature verified: valid.'
  if (bad > 0) return `Signatures verified: ${someOf(bad, signatures)} not valid.`
  if (good < signatures) return `Signatures verified: ${someOf(signatures - good, signatures)} not confirmed.`
  return `Signatures verified: ${someOf(signatures, signatures)} valid.`
}

/** Returns "all 3", "both" or "1 of 3". */
function someOf(some: number, count: number): string {
  if (some < count) return `${some.toLocaleString('en-GB')} of ${count.toLocaleString('en-GB')}`
  return count === 2 ? 'both' : `all ${count.toLocaleString('en-GB')}`
}

function partOf(some: number, count: number): string {
  return some === count
    ? allOf(count)
    : `${some.toLocaleString('en-GB')} of ${counted(count, ['# signature', '# signatures'])} ${some === 1 ? 'is' : 'are'}`
}

function allOf(count: number): string {
  if (count === 1) return 'The signature is'
  return count === 2 ? 'Both signatures are' : `All ${counted(count, ['# signature', '# signatures'])} are`
}
