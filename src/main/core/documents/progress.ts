/**
 * How far a document has come: what became of each signer, who they are and whose turn it is, and what is known of identity
 * checks.
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
/** No status of a document is longer, in characters. */
const LONGEST_STATUS = 500
/** A signer who has not been asked yet: another one's turn comes first. */
const NOT_ASKED = new Set<string>(['Initialized', 'Pending'])

/** What became of one signer, from the document's status and the signer's own. */
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

/** Whether the signer is still to sign, or may be: of who is not spoken of, the service decides. */
function isAwaited(document: DocumentResponse, signer: SignerResponse): boolean {
  const state = stateOf(document, signer)
  return state === 'waiting' || (state === 'unknown' && !['complete', 'expired'].includes(familyOf(document)))
}

/** Whether a correction is offered: perhaps, where the service doesn't say whether it takes one and decides when it is asked. */
export function mayBeCorrected(document: DocumentResponse, signer: SignerResponse): boolean | 'perhaps' {
  return signer.Editable ?? (maySignYet(document, signer) ? 'perhaps' : false)
}

/** Whether the signer at `index` has a link for an embedded view, has not signed, and isn't waiting for another. */
export function canSignNow(document: DocumentResponse, index: number): boolean {
  return Boolean(document.Signers?.[index]?.SigningKey) && canSignStill(document, index) && isTheirTurn(document, index)
}

/** Whether the signer at `index` can sign in an embedded view, though only after others. */
export function canSignLater(document: DocumentResponse, index: number): boolean {
  if (!canSignStill(document, index) || isTheirTurn(document, index)) return false
  // A link may come with the turn; that the document is embedded shows by the links of others.
  return (document.Signers ?? []).some(({ SigningKey }) => Boolean(SigningKey))
}

/**
 * Whether signing face to face was asked for the signer at `index`, whose turn it is, while no link of the service's is known:
 * the document was sent without embedding (reference 2.2, 2.9 and 2.15), or the service doesn't say. Only the answer of a send
 * is promised to have one (section 4, rule 7).
 */
export function lacksLink(document: DocumentResponse, index: number): boolean {
  const signer = document.Signers?.[index]
  if (!signer || signer.SigningKey || !isFaceToFace(signer)) return false
  return canSignStill(document, index) && isTheirTurn(document, index)
}

function canSignStill(document: DocumentResponse, index: number): boolean {
  const signer = document.Signers?.[index]
  if (!signer || !isAwaited(document, signer)) return false
  // Where one has declined, nobody is asked any more.
  return familyOf(document) !== 'declined'
}

/** Whether a signer may sign now or later: an expired document can be extended, one that was declined or signed has ended. */
export function maySignYet(document: DocumentResponse, signer: SignerResponse): boolean {
  const isOpen = ['waiting', 'unknown', 'expired'].includes(stateOf(document, signer))
  return isOpen && !['declined', 'complete'].includes(familyOf(document))
}

function isTheirTurn(document: DocumentResponse, index: number): boolean {
  return signersBefore(document, index).length === 0
}

/** The signers, by index, who have to sign before the one at `index` is asked. */
export function signersBefore(document: DocumentResponse, index: number): number[] {
  const signers = document.Signers ?? []
  if (!NOT_ASKED.has(signers[index]?.SignedStatus ?? '')) return []
  return [...signers.slice(0, index).keys()].filter((at) => isAwaited(document, signers[at] as SignerResponse))
}

function familyOf(document: DocumentResponse) {
  // It is read for each signer: were it a long text, that would take long.
  return readDocumentStatus(document.Status?.slice(0, LONGEST_STATUS)).family
}

/** Forms and templates name it differently, and either may be told. */
export function isFaceToFace(signer: SignerResponse): boolean {
  return Boolean(signer.IsFaceToFaceSigning || signer.EnabledFaceToFaceSigning)
}

/**
 * The same for all signers that are one person, as far as name and e-mail tell, or the mobile number where there is no
 * e-mail; nothing can be read from it. Couples share addresses and strangers names: who lacks either is nobody else.
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

/** Whether the page of the signer at `index` may want the camera: a video confirmation or an identity check was asked for. */
export function mayNeedCamera(document: DocumentResponse, index: number): boolean {
  const signer = document.Signers?.[index]
  if (!signer) return false
  const video = signer.VideoConfirmationEnabled ?? signer.VideoConfirmationDetail !== undefined
  return video || identityOfSigner(document, signer) !== 'none'
}

/** The reference's fields about a signer's identity check (2.15), in the order in which they are read. */
export const IDENTITY_FIELDS = [
  'IDCheckStatus',
  'IDVerificationStatus',
  'IDVerificationResult',
  'IDVerificationFaceMatchResult',
  'IDVerificationLivenessResult'
] as const

/** Of these each says how a part of the check went: that it passed doesn't say that the check did. */
const PARTS = new Set<string>(['IDVerificationFaceMatchResult', 'IDVerificationLivenessResult'])

/** One word for all that the service says of a signer's check; what we don't know is `other`. */
export function identityOfSigner(document: DocumentResponse, signer: SignerResponse): IdentityState {
  const said = IDENTITY_FIELDS.filter((field) => signer[field]?.trim())
  if (said.length === 0) return identityAsked(document)
  const read = said.map((field) => identityReading(signer[field] ?? ''))
  if (read.includes('failed')) return 'failed'
  if (read.includes('unsure') || read.includes(undefined)) return 'other'
  if (read.includes('open')) return 'asked'
  return said.some((field, index) => read[index] === 'passed' && !PARTS.has(field)) ? 'passed' : 'other'
}

/** What the document says, where its signers say nothing. */
function identityAsked({ IDVerificationRequested: isAsked }: DocumentResponse): IdentityState {
  if (isAsked === undefined) return 'unknown'
  return isAsked ? 'asked' : 'none'
}

const WORST_FIRST: readonly IdentityState[] = ['failed', 'other', 'asked', 'passed', 'unknown']

/** The worst of its signers; the whole hasn't passed where one of them is not spoken of. */
export function identityOf(document: DocumentResponse): IdentityState {
  const signers = document.Signers ?? []
  if (signers.length === 0) return identityAsked(document)
  const states = signers.map((signer) => identityOfSigner(document, signer))
  const worst = WORST_FIRST.find((state) => states.includes(state)) ?? 'none'
  return worst === 'passed' && states.includes('unknown') ? 'partly' : worst
}
