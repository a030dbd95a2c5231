/** How far a document has come: what became of each signer, whose turn it is, and what is known of identity checks. */
import type { IdentityState, SignerProgress } from '../../../shared/contract/index.ts'
import {
  type DocumentResponse,
  fullName,
  readDocumentStatus,
  type SignerResponse
} from '../../../shared/model/index.ts'

const SIGNED = new Set<string>(['Signed', 'Complete', 'Archived'])
const DECLINED = new Set<string>(['Declined', 'Rejected'])
/** No status of a document is longer, in characters. */
const LONGEST_STATUS = 500
/** A signer who has not been asked yet: another one's turn comes first. */
const NOT_ASKED = new Set<string>(['Initialized', 'Pending'])

/** What became of one signer, from the document's status and the signer's own. */
export function stateOf(document: DocumentResponse, signer: SignerResponse): SignerProgress['state'] {
  const status = signer.SignedStatus ?? ''
  if (signer.HasSigned || SIGNED.has(status)) return 'signed'
  if (DECLINED.has(status) || signer.DeclinedReason) return 'declined'
  if (status === 'Expired' || status === 'Deleted') return 'expired'
  // It is read for each signer: were it a long text, that would take long.
  return readDocumentStatus(document.Status?.slice(0, LONGEST_STATUS)).family === 'expired' ? 'expired' : 'waiting'
}

/** Whether the signer at `index` has a link for an embedded view, has not signed, and isn't waiting for another. */
export function canSignNow(document: DocumentResponse, index: number): boolean {
  const signers = document.Signers ?? []
  const signer = signers[index]
  if (!signer?.SigningKey || stateOf(document, signer) !== 'waiting') return false
  if (!NOT_ASKED.has(signer.SignedStatus ?? '')) return true
  return !signers.slice(0, index).some((earlier) => stateOf(document, earlier) === 'waiting')
}

export function progressOf(document: DocumentResponse): SignerProgress[] {
  return (document.Signers ?? []).map((signer, index) => ({
    name: fullName(signer),
    state: stateOf(document, signer),
    canSignHere: canSignNow(document, index)
  }))
}

export function isFaceToFace(signer: SignerResponse): boolean {
  return signer.IsFaceToFaceSigning ?? signer.EnabledFaceToFaceSigning ?? false
}

/** The reference's fields about a signer's identity check (2.15), in the order in which they are read. */
export const IDENTITY_FIELDS = [
  'IDCheckStatus',
  'IDVerificationStatus',
  'IDVerificationResult',
  'IDVerificationFaceMatchResult',
  'IDVerificationLivenessResult'
] as const

const WORDS: Record<'passed' | 'failed' | 'asked' | 'done', string> = {
  passed: 'pass passed success successful succeeded verified match matched true yes ok valid approved accepted live',
  failed:
    'fail failed failure unverified nomatch notmatch notmatched mismatch unmatched false no invalid rejected declined ' +
    'notverified notlive spoof expired',
  asked:
    'requested pending waiting invited sent created notstart notstarted inprogress incomplete processing initialized ' +
    'initiated started queued',
  // That a check has ended says nothing of how.
  done: 'complete completed done finished'
}
const readings = new Map(
  Object.entries(WORDS).flatMap(([reading, words]) =>
    words.split(' ').map((word) => [word, reading as keyof typeof WORDS] as const)
  )
)

/** The values are nowhere listed: what we don't know is `other`, never taken for a pass or a failure. */
export function identityOfSigner(document: DocumentResponse, signer: SignerResponse): IdentityState {
  const said = IDENTITY_FIELDS.map((field) => signer[field]?.trim()).filter((word) => word)
  if (said.length === 0) return document.IDVerificationRequested ? 'asked' : 'none'
  const read = said.map((word) => readings.get((word ?? '').toLowerCase().replace(/[^a-z]/g, '')) ?? 'other')
  if (read.includes('failed')) return 'failed'
  if (read.includes('other')) return 'other'
  if (read.includes('passed')) return 'passed'
  return read.includes('asked') ? 'asked' : 'other'
}

const WORST_FIRST: readonly IdentityState[] = ['failed', 'other', 'asked', 'passed']

/** The worst of its signers. */
export function identityOf(document: DocumentResponse): IdentityState {
  const signers = document.Signers ?? []
  if (signers.length === 0) return document.IDVerificationRequested ? 'asked' : 'none'
  const states = signers.map((signer) => identityOfSigner(document, signer))
  return WORST_FIRST.find((state) => states.includes(state)) ?? 'none'
}
