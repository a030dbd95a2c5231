/** Wording for identity check results. The service's vocabulary is open: unknown words are shown as they are. */

import type { IdentityState } from '../../../../shared/contract/document-query.ts'
import type { SignerView } from '../../../../shared/contract/views.ts'
import { type IdentityReading, identityReading } from '../../../../shared/model/id-verification.ts'
import type { StatusWords } from '../../words/statuses.ts'

export interface IdentityFinding {
  /** What was checked: "Face". */
  label: string
  /** An explanation of it. */
  about: string
  /** The service's own word. */
  value: string
  /** What the word means; absent if unknown. */
  meaning?: string
  status: Pick<StatusWords, 'shape' | 'tone'>
}

/** The fields of the reference (2.15), in display order. */
const fields: Record<string, readonly [label: string, about: string]> = {
  IDCheckStatus: ['Identity check', 'how the check of this person stands as a whole'],
  IDVerificationStatus: ['Verification', 'how far the check of the identity document has come'],
  IDVerificationResult: ['Result', 'what the check of the identity document came to'],
  IDVerificationFaceMatchResult: ['Face', 'whether the face is the one on the identity document'],
  IDVerificationLivenessResult: ['Liveness', 'whether a live person was in front of the camera']
}

type Verdict = Exclude<IdentityReading, 'done'>

const meanings: Record<Verdict, Record<string, string>> = {
  passed: {
    IDVerificationFaceMatchResult: 'The face matches the identity document.',
    IDVerificationLivenessResult: 'A live person was in front of the camera.',
    '': 'No issues found.'
  },
  failed: {
    IDVerificationFaceMatchResult: 'The face couldn’t be matched to the identity document.',
    IDVerificationLivenessResult: 'It isn’t certain that a live person was in front of the camera.',
    '': 'Check the identity data before you rely on this signature.'
  },
  open: { '': 'Not done yet.' },
  unsure: { '': 'No clear result. Check the identity data.' }
}
const verdictLooks: Record<Verdict | 'other', IdentityFinding['status']> = {
  passed: { shape: 'tick', tone: 'ok' },
  failed: { shape: 'cross', tone: 'danger' },
  open: { shape: 'ring', tone: 'quiet' },
  unsure: { shape: 'question', tone: 'warn' },
  other: { shape: 'dot', tone: 'quiet' }
}

/** Describes one field and the service's word for it. */
export function identityFinding({ field, value }: { field: string; value: string }): IdentityFinding {
  const [label, about] = fields[field] ?? [field, '']
  const verdict = verdictOf(value)
  const meaning = verdict && (meanings[verdict][field] ?? meanings[verdict][''])
  return { label, about, value, ...(meaning && { meaning }), status: verdictLooks[verdict ?? 'other'] }
}

const states: Record<Exclude<IdentityState, 'none' | 'unknown'>, StatusWords & { inFull: string }> = {
  asked: { word: 'Requested', inFull: 'Requested, no result yet', shape: 'ring', tone: 'quiet' },
  partly: { word: 'Partly passed', inFull: 'Identity check partly passed', shape: 'half', tone: 'quiet' },
  passed: { word: 'Passed', inFull: 'Identity check passed', shape: 'tick', tone: 'ok' },
  failed: { word: 'Failed', inFull: 'Identity check failed', shape: 'cross', tone: 'danger' },
  other: { word: 'Needs review', inFull: 'Needs review', shape: 'question', tone: 'warn' }
}

/** Returns a document's identity check status for a column headed so; undefined if there is none. */
export function identityStatusInList(state: IdentityState): StatusWords | undefined {
  return state === 'none' || state === 'unknown' ? undefined : states[state]
}

/** Returns a signer's identity check status; undefined if none was requested. */
export function identityStatus(person: Pick<SignerView, 'identity' | 'identityWords'>): StatusWords | undefined {
  const { identity: state, identityWords: said } = person
  const words = state === 'none' || state === 'unknown' ? undefined : states[state]
  // The document reports a request, but perhaps for other signers.
  const isSilent = state === 'asked' && said.length === 0
  return words && { ...words, word: isSilent ? 'Requested; nothing known for this signer' : words.inFull }
}

/**
 * Returns whether the service reports for every signer that the check is still outstanding; false if it says nothing
 * about one of them.
 */
export function isIdentityOutstanding(people: readonly Pick<SignerView, 'identityWords'>[]): boolean {
  const isOpen = ({ identityWords: said }: Pick<SignerView, 'identityWords'>) =>
    said.length > 0 && said.every(({ value }) => verdictOf(value) === 'open')
  return people.length > 0 && people.every(isOpen)
}

function verdictOf(value: string): Verdict | undefined {
  const reading = identityReading(value)
  return reading === 'done' ? undefined : reading
}
