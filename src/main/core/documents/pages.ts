/** What the screens are shown of a document: everything but what would let somebody sign, watch or read in the signer's place. */
import type {
  CounterEntry,
  DocumentPage,
  DocumentRow,
  SignerProgress,
  SignerView
} from '../../../shared/contract/index.ts'
import {
  type DocumentResponse,
  fullName,
  readDocumentStatus,
  readGmt,
  readServiceDate,
  type SignerResponse
} from '../../../shared/model/index.ts'
import type { MirroredDocument } from './mirror.ts'

const SIGNED = new Set<string>(['Signed', 'Complete', 'Archived'])
const DECLINED = new Set<string>(['Declined', 'Rejected'])
/** A signer who has not been asked yet: another one's turn comes first. */
const NOT_ASKED = new Set<string>(['Initialized', 'Pending'])

export function documentRow({ document, folder }: MirroredDocument): DocumentRow {
  const zone = readGmt(document.GMT)
  return {
    reference: document.Reference,
    name: document.Name ?? document.Reference,
    folder,
    status: readDocumentStatus(document.Status),
    idVerificationRequested: document.IDVerificationRequested ?? false,
    signers: (document.Signers ?? []).map((signer, index) => progress(document, signer, index)),
    ...present({
      due: readServiceDate(document.DueDate, zone),
      lastSigned: readServiceDate(document.LastSignedDate, zone),
      packageReference: document.PackageReference,
      clientReference: document.ClientReference,
      matterNumber: document.MatterNumber
    })
  }
}

/** @param inPackage the documents of the same package, itself among them. */
export function documentPage(mirrored: MirroredDocument, inPackage: readonly MirroredDocument[]): DocumentPage {
  const { document, seenAt, goneAt } = mirrored
  const gmt = readGmt(document.GMT)
  return {
    ...documentRow(mirrored),
    hasFileUploaded: document.HasFileUploaded ?? false,
    hasEditUrl: Boolean(document.EditUrl),
    people: (document.Signers ?? []).map((signer, index) => signerView(document, signer, index)),
    logs: (document.Logs ?? []).map((log) => ({
      ...log,
      ...present({ at: readServiceDate(log.Date, readGmt(log.GMT) ?? gmt) })
    })),
    seenAt,
    package: inPackage
      .filter((other) => other.document.Reference !== document.Reference)
      .map((other) => ({ reference: other.document.Reference, name: other.document.Name ?? other.document.Reference })),
    ...present({ formDirectReference: document.FormDirectReference, gmt, goneAt })
  }
}

/** Who can sign now, in an embedded view, of one document. */
export function counterEntries({ document }: MirroredDocument): CounterEntry[] {
  return (document.Signers ?? []).flatMap((signer, index) =>
    canSignNow(document, index)
      ? [
          {
            documentReference: document.Reference,
            documentName: document.Name ?? document.Reference,
            signer: index,
            signerName: fullName(signer),
            faceToFace: isFaceToFace(signer),
            ...present({ due: readServiceDate(document.DueDate, readGmt(document.GMT)) })
          }
        ]
      : []
  )
}

/** Whether the signer at `index` has a link for an embedded view, has not signed, and isn't waiting for another. */
export function canSignNow(document: DocumentResponse, index: number): boolean {
  const signers = document.Signers ?? []
  const signer = signers[index]
  if (!signer?.SigningKey || stateOf(document, signer) !== 'waiting') return false
  const waitsForEarlier = signers.slice(0, index).some((earlier) => stateOf(document, earlier) === 'waiting')
  return !(waitsForEarlier && NOT_ASKED.has(signer.SignedStatus ?? ''))
}

/** What became of one signer, from the document's status and the signer's own. */
export function stateOf(document: DocumentResponse, signer: SignerResponse): SignerProgress['state'] {
  const status = signer.SignedStatus ?? ''
  if (signer.HasSigned || SIGNED.has(status)) return 'signed'
  if (DECLINED.has(status) || signer.DeclinedReason) return 'declined'
  const { family } = readDocumentStatus(document.Status)
  if (status === 'Expired' || status === 'Deleted' || family === 'expired') return 'expired'
  return 'waiting'
}

function progress(document: DocumentResponse, signer: SignerResponse, index: number): SignerProgress {
  return { name: fullName(signer), state: stateOf(document, signer), canSignHere: canSignNow(document, index) }
}

function signerView(document: DocumentResponse, signer: SignerResponse, index: number): SignerView {
  const identity = [
    ['Identity check', signer.IDCheckStatus],
    ['Verification', signer.IDVerificationStatus],
    ['Result', signer.IDVerificationResult],
    ['Face match', signer.IDVerificationFaceMatchResult],
    ['Liveness', signer.IDVerificationLivenessResult]
  ] as const
  const mobile = [signer.MobileCountry && `+${signer.MobileCountry.replace(/^\+/, '')}`, signer.MobileNumber]
  return {
    ...progress(document, signer, index),
    index,
    editable: signer.Editable ?? false,
    faceToFace: isFaceToFace(signer),
    video: signer.VideoConfirmationEnabled ?? signer.VideoConfirmationDetail !== undefined,
    identity: identity.flatMap(([label, value]) => (value ? [{ label, value }] : [])),
    ...present({
      email: signer.Email,
      mobile: signer.MobileNumber && mobile.filter(Boolean).join(' '),
      signerReference: signer.SignerReference,
      signedStatus: signer.SignedStatus,
      declinedReason: signer.DeclinedReason
    })
  }
}

function isFaceToFace(signer: SignerResponse): boolean {
  return signer.IsFaceToFaceSigning ?? signer.EnabledFaceToFaceSigning ?? false
}

/** The members that are there. */
function present<Members extends Record<string, unknown>>(members: Members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== '')) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>
  }
}
