/**
 * What the screens get of a document: everything except what would let someone sign, watch or read in a signer's place.
 */
import type { DocumentPage, DocumentRow, LogView, SignerView, VideoDetailView } from '../../../shared/contract/index.ts'
import {
  type DocumentLog,
  DocumentResponse,
  fullName,
  readCertainDate,
  readGmt,
  SignerResponse,
  unknownMembers,
  VideoConfirmationDetail
} from '../../../shared/model/index.ts'
import { withoutBlanks } from '../lib/objects.ts'
import { HIDDEN, otherMembers } from '../lib/other-members.ts'
import { redactionOf } from '../lib/redaction.ts'
import { shortened } from '../lib/text-folding.ts'
import { type IndexRow, withDayOffset } from './index/row.ts'
import { canSignNow, IDENTITY_FIELDS, identityOfSigner, isFaceToFace, mayBeCorrected, stateOf } from './progress.ts'
import type { MirroredDocument } from './questions.ts'

/**
 * Builds the page of one document.
 * @param row the document as the list shows it.
 * @param inPackage the documents of the same package, including this one.
 */
export function documentPage(
  { document, seenAt, logsAreOld }: MirroredDocument,
  row: DocumentRow,
  inPackage: readonly Pick<IndexRow, 'reference' | 'name' | 'status'>[]
): DocumentPage {
  const { kind: _, isInPackage: __, ...shown } = row
  const gmt = readGmt(document.GMT)
  const secrets = secretsOf(document)
  return shortenTexts({
    ...shown,
    hasEditUrl: Boolean(document.EditUrl),
    people: (document.Signers ?? []).map((signer, index) => signerView(document, signer, index, secrets)),
    logs: (document.Logs ?? []).map((log) => logView(log, gmt, secrets)),
    logsAreOld,
    seenAt,
    package: inPackage
      .filter(({ reference }) => reference !== document.Reference)
      .map(({ reference, name, status }) => ({ reference, name, status })),
    others: otherMembers(unknownMembers(DocumentResponse, document), secrets.isIn),
    ...withoutBlanks({ gmt })
  })
}

function logView(log: DocumentLog, gmt: number | undefined, secrets: Secrets): LogView {
  const { Name, Action, Date: written, GMT, Role, ...unknown } = log
  const offset = readGmt(GMT) ?? gmt
  const date = readCertainDate(written, offset)
  const others = otherMembers(Object.entries(unknown), secrets.isIn)
  const texts = { Name, Action, Date: written, GMT, Role }
  for (const name of ['Name', 'Action', 'Role'] as const) if (secrets.isIn(texts[name] ?? '')) texts[name] = HIDDEN
  return withoutBlanks({
    ...texts,
    at: date && withDayOffset(date, offset),
    others: others.length > 0 ? others : undefined
  })
}

function signerView(document: DocumentResponse, signer: SignerResponse, index: number, secrets: Secrets): SignerView {
  return {
    name: fullName(signer),
    state: stateOf(document, signer),
    canSignHere: canSignNow(document, index),
    index,
    firstName: signer.FirstName ?? '',
    middleName: signer.MiddleName ?? '',
    lastName: signer.LastName ?? '',
    editable: mayBeCorrected(document, signer),
    identity: identityOfSigner(document, signer),
    identityWords: IDENTITY_FIELDS.flatMap((field) => {
      const value = signer[field]
      return value ? [{ field, value }] : []
    }),
    others: otherMembers(unknownMembers(SignerResponse, signer), secrets.isIn),
    ...withoutBlanks({
      faceToFace: isFaceToFace(signer) || (signer.IsFaceToFaceSigning ?? signer.EnabledFaceToFaceSigning),
      video: signer.VideoConfirmationEnabled ?? (signer.VideoConfirmationDetail && true),
      deepfakeDetector: signer.VideoConfirmationDeepfakeEnabled,
      reviewBeforeSigning: signer.ReviewBeforeSigningEnabled,
      sharedWith: signer.ShareUsers?.map(({ FirstName, MiddleName, LastName, Email, IsDefault, IsOwner }) =>
        withoutBlanks({ FirstName, MiddleName, LastName, Email, IsDefault, IsOwner })
      ),
      email: signer.Email,
      mobileCountry: signer.MobileCountry,
      mobileNumber: signer.MobileNumber,
      signerReference: signer.SignerReference,
      signerType: signer.SignerType,
      clientReference: signer.ClientReference,
      signedStatus: signer.SignedStatus,
      declinedReason: signer.DeclinedReason,
      videoDetail: signer.VideoConfirmationDetail && videoView(signer.VideoConfirmationDetail, secrets)
    })
  }
}

function videoView(video: VideoConfirmationDetail, secrets: Secrets): VideoDetailView {
  return {
    hasUrl: Boolean(video.ShortUrl),
    hasPassword: Boolean(video.Password),
    others: otherMembers(unknownMembers(VideoConfirmationDetail, video), secrets.isIn),
    ...withoutBlanks({
      name: video.Name,
      email: video.Email,
      witnessOwner: video.WitnessOwner,
      isReady: video.IsVideoReady,
      isWitness: video.IsWitness,
      isDisabled: video.IsVideoDisabled,
      isOptOut: video.IsVideoOptOut,
      isDeepfake: video.IsVideoConfirmationDeepfake
    })
  }
}

/** Texts are shortened to this length, in characters. */
const MAX_TEXT_LENGTH = 10_000
type Secrets = ReturnType<typeof secretsOf>

/** Collects what would let someone sign, edit, watch or read in the place of one of the document's people. */
function secretsOf({ EditUrl, Signers = [] }: DocumentResponse) {
  const secrets = [
    EditUrl,
    ...Signers.flatMap(({ SigningKey, VideoConfirmationDetail: video }) => [
      SigningKey,
      video?.ShortUrl,
      video?.Password
    ])
  ].flatMap((secret) => secret || [])
  return redactionOf(secrets)
}

function shortenTexts<Value>(value: Value): Value {
  if (typeof value === 'string') return shortened(value, MAX_TEXT_LENGTH) as Value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(shortenTexts) as Value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortenTexts(member)])) as Value
}
