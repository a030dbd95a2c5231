/**
 * How far a document has come: each signer's state and identity, whose turn it is, and the results of identity checks.
 */
import { createHash } from 'node:crypto'
import type { IdentityState, SignerProgress } from '../../../shared/contract/index.ts'
import {
  type DocumentResponse,
  fullName,
  identityReading,
  readDocumentStatus,
  type SignerResponse
} from '../../../shared/model/index.ts'
import { folded } from '../lib/text-folding.ts'

const SIGNED = new Set<string>(['Signed', 'Complete', 'Archived'])
const DECLINED = new Set<string>(['Declined', 'Rejected'])
/** Document statuses are cut to this length, in characters. */
const MAX_STATUS_LENGTH = 500
/** Statuses of signers who haven't been asked yet because it's someone else's turn. */
const NOT_ASKED = new Set<string>(['Initialized', 'Pending'])

/** Returns a signer's state, from the document's status and the signer's own. */
export function stateOf(document: DocumentResponse, signer: SignerResponse): SignerProgress['state'] {
  const status = signer.SignedStatus ?? ''
  if (signer.HasSigned || SIGNED.has(status)) return 'signed'
  if (DECLINED.has(status) || signer.DeclinedReason) return 'declined'
  if (status === 'Deleted') return 'removed'
  if (status === 'Expired') return 'expired'
  const family = familyOf(document)
  // Others may have signed before it expired.
  if (signer.HasSigned === undefined && status === '' && family !== 'not-started') return 'unknown'
  return family === 'expired' ? 'expired' : 'waiting'
}

/**
 * Whether the signer still has to sign. If the service doesn't report a signer, the answer is yes while the document is
 * open: the service decides.
 */
function isAwaited(document: DocumentResponse, signer: SignerResponse): boolean {
  const state = stateOf(document, signer)
  return state === 'waiting' || (state === 'unknown' && !['complete', 'expired'].includes(familyOf(document)))
}

/**
 * Returns whether to offer a correction: `perhaps` if the service doesn't say whether it accepts one and the signer may
 * still sign.
 */
export function mayBeCorrected(document: DocumentResponse, signer: SignerResponse): boolean | 'perhaps' {
  return signer.Editable ?? (mayStillSign(document, signer) ? 'perhaps' : false)
}

/**
 * Returns whether the signer at `index` has a link for an embedded view, hasn't signed, and isn't waiting for another.
 */
export function canSignNow(document: DocumentResponse, index: number): boolean {
  return Boolean(document.Signers?.[index]?.SigningKey) && canStillSign(document, index) && isTheirTurn(document, index)
}

/** Returns whether the signer at `index` can sign in an embedded view, but only after others. */
export function canSignLater(document: DocumentResponse, index: number): boolean {
  if (!canStillSign(document, index) || isTheirTurn(document, index)) return false
  // The link may come only with the signer's turn; the others' links show that the document is embedded.
  return (document.Signers ?? []).some(({ SigningKey }) => Boolean(SigningKey))
}

/**
 * Returns whether the signer at `index` is next and was meant to sign face to face, but has no known link: the document
 * was sent without embedding (reference 2.2, 2.9 and 2.15), or the service doesn't say. Only the answer to a send is
 * guaranteed to have links (section 4, rule 7).
 */
export function lacksLink(document: DocumentResponse, index: number): boolean {
  const signer = document.Signers?.[index]
  if (!signer || signer.SigningKey || !isFaceToFace(signer)) return false
  return canStillSign(document, index) && isTheirTurn(document, index)
}

function canStillSign(document: DocumentResponse, index: number): boolean {
  const signer = document.Signers?.[index]
  if (!signer || !isAwaited(document, signer)) return false
  // Once a signer has declined, nobody else is asked.
  return familyOf(document) !== 'declined'
}

/**
 * Returns whether a signer can sign now or later: an expired document can be extended, but a declined or signed one has
 * ended.
 */
export function mayStillSign(document: DocumentResponse, signer: SignerResponse): boolean {
  const isOpen = ['waiting', 'unknown', 'expired'].includes(stateOf(document, signer))
  return isOpen && !['declined', 'complete'].includes(familyOf(document))
}

function isTheirTurn(document: DocumentResponse, index: number): boolean {
  return signersBefore(document, index).length === 0
}

/** Returns the indexes of the signers who have to sign before the one at `index` is asked. */
export function signersBefore(document: DocumentResponse, index: number): number[] {
  const signers = document.Signers ?? []
  if (!NOT_ASKED.has(signers[index]?.SignedStatus ?? '')) return []
  return [...signers.slice(0, index).keys()].filter((at) => isAwaited(document, signers[at] as SignerResponse))
}

function familyOf(document: DocumentResponse) {
  // Read for each signer, which would be slow for a long text.
  return readDocumentStatus(document.Status?.slice(0, MAX_STATUS_LENGTH)).family
}

/**
 * Returns whether a signer signs face to face. Forms and templates have different members for it, and either may be
 * set.
 */
export function isFaceToFace(signer: SignerResponse): boolean {
  return Boolean(signer.IsFaceToFaceSigning || signer.EnabledFaceToFaceSigning)
}

/**
 * Returns an opaque key that is equal for signers who are the same person: by name and e-mail address, or name and
 * mobile number if there is no e-mail address. Couples share addresses and strangers share names, so a signer who lacks
 * either is always a separate person.
 */
export function personOf(document: DocumentResponse, index: number): string {
  const signer = document.Signers?.[index] ?? {}
  const { FirstName, MiddleName, LastName } = signer
  const name = folded(fullName({ FirstName, MiddleName, LastName }))
  const email = folded(signer.Email ?? '')
  const mobile = (signer.MobileNumber ?? '').replace(/\D/g, '')
  const who =
    name && email
      ? ['person', name, email]
      : name && mobile
        ? ['mobile', name, signer.MobileCountry ?? '', mobile]
        : ['signer', document.Reference, index]
  return createHash('sha256').update(JSON.stringify(who)).digest('base64url').slice(0, 22)
}

/** Returns whether the signer's page may need the camera: a video confirmation or identity check was requested. */
export function mayNeedCamera(document: DocumentResponse, index: number): boolean {
  const signer = document.Signers?.[index]
  if (!signer) return false
  const video = signer.VideoConfirmationEnabled ?? signer.VideoConfirmationDetail !== undefined
  return video || identityOfSigner(document, signer) !== 'none'
}

/** The reference's fields about a signer's identity check (2.15), in reading order. */
export const IDENTITY_FIELDS = [
  'IDCheckStatus',
  'IDVerificationStatus',
  'IDVerificationResult',
  'IDVerificationFaceMatchResult',
  'IDVerificationLivenessResult'
] as const

/** Results of parts of the check; that a part passed doesn't mean that the check did. */
const CHECK_PARTS = new Set<string>(['IDVerificationFaceMatchResult', 'IDVerificationLivenessResult'])

/** Sums up what the service says about a signer's check; unknown words become `other`. */
export function identityOfSigner(document: DocumentResponse, signer: SignerResponse): IdentityState {
  const reportedFields = IDENTITY_FIELDS.filter((field) => signer[field]?.trim())
  if (reportedFields.length === 0) return requestedIdentity(document)
  const readings = reportedFields.map((field) => identityReading(signer[field] ?? ''))
  if (readings.includes('failed')) return 'failed'
  if (readings.includes('unsure') || readings.includes(undefined)) return 'other'
  if (readings.includes('open')) return 'asked'
  return reportedFields.some((field, index) => readings[index] === 'passed' && !CHECK_PARTS.has(field))
    ? 'passed'
    : 'other'
}

/** Falls back to the document's field if its signers say nothing. */
function requestedIdentity({ IDVerificationRequested: isAsked }: DocumentResponse): IdentityState {
  if (isAsked === undefined) return 'unknown'
  return isAsked ? 'asked' : 'none'
}

const WORST_FIRST: readonly IdentityState[] = ['failed', 'other', 'asked', 'passed', 'unknown']

/** Returns the worst state among the signers. It isn't `passed` if any signer's state is unknown. */
export function identityOf(document: DocumentResponse): IdentityState {
  const signers = document.Signers ?? []
  if (signers.length === 0) return requestedIdentity(document)
  const states = signers.map((signer) => identityOfSigner(document, signer))
  const worst = WORST_FIRST.find((state) => states.includes(state)) ?? 'none'
  return worst === 'passed' && states.includes('unknown') ? 'partly' : worst
}
