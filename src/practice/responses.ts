/**
 * Converts the state's records to the reference's resources (sections 2.13 to 2.17 and 2.10). Missing members are
 * omitted.
 */
import { fullName } from '../shared/model/index.ts'
import { toIso } from './dates.ts'
import type { Dialects } from './dialects.ts'
import { examinedAt, findingsOf } from './identity/findings.ts'
import { asksIdentity, documentsOf, folderOf, hasSigned, isEditable, packageStatus, statusOf } from './life.ts'
import type {
  Account,
  DocumentRecord,
  FieldRecord,
  PackageRecord,
  PracticeState,
  SignerRecord,
  TemplateRecord
} from './state.ts'

export interface AnswerContext {
  account: Account
  /** Base address of signing pages without a trailing slash: `http://127.0.0.1:4100/web/v1.4`. */
  origin: string
  dialects: Dialects
}

/** 2.14. Includes the log only if requested (`DocumentLog=true`). */
export function documentResponse(
  document: DocumentRecord,
  context: AnswerContext,
  withLog: 'with log' | 'without log'
) {
  const lastSigned = Math.max(0, ...document.signers.map((signer) => signer.signedAt ?? 0))
  return {
    Reference: document.reference,
    Name: document.name,
    FormDirectReference: document.kind === 'form' ? document.formReference : undefined,
    Signers: document.signers.map((signer) => signerResponse(document, signer, context)),
    Status: context.dialects.has('full') ? fullStatusOf(document) : statusOf(document),
    DueDate: toIso(document.dueAt),
    GMT: document.gmt || String(context.account.gmt),
    LastSignedDate: lastSigned > 0 ? toIso(lastSigned) : undefined,
    Folder: folderOf(document, context.account),
    Logs: withLog === 'with log' ? logResponses(document, context.account) : undefined,
    HasFileUploaded: document.files.length > 0,
    PackageReference: document.packageReference,
    ClientReference: document.clientReference,
    EditUrl: context.dialects.has('full') ? `${context.origin}/view/${document.viewKey}` : undefined,
    IDVerificationRequested: document.signers.some(asksIdentity),
    MatterNumber: document.matterNumber
  }
}

/** The same status in the reference's alternative wordings (2.14); each document sticks to one of them. */
function fullStatusOf(document: DocumentRecord): string {
  const status = statusOf(document)
  const isEven = document.reference.charCodeAt(0) % 2 === 0
  if (status === 'Declined') return isEven ? 'Rejected' : status
  if (status === 'Filling') return isEven ? 'Filling Form' : 'Signing'
  if (/ of /.test(status)) return isEven ? status : 'InProgress'
  // Optional signers may still sign.
  return status === 'Complete' && !document.signers.every(hasSigned) ? 'Signed' : status
}

/** 2.15, with the fields of 2.11, 2.4 and 2.5 at the same level. */
export function signerResponse(document: DocumentRecord, signer: SignerRecord, context: AnswerContext) {
  const canStillSign = !hasSigned(signer) && !document.ending
  return {
    FirstName: signer.FirstName,
    MiddleName: signer.MiddleName,
    LastName: signer.LastName,
    Email: signer.Email,
    MobileNumber: signer.MobileNumber,
    MobileCountry: signer.MobileCountry,
    ShareUsers: signer.ShareUsers,
    ClientReference: signer.ClientReference,
    SignerReference: signer.SignerReference,
    SignerType: signer.SignerType,
    IsFaceToFaceSigning: signer.faceToFace,
    EnabledFaceToFaceSigning: document.kind === 'form' ? signer.faceToFace : undefined,
    VideoConfirmationEnabled: signer.video,
    VideoConfirmationDeepfakeEnabled: signer.deepfake,
    ReviewBeforeSigningEnabled: signer.review,
    HasSigned: hasSigned(signer),
    Editable: isEditable(document, signer),
    SignedStatus: signer.status,
    DeclinedReason: signer.declinedReason,
    ...(signer.video ? { VideoConfirmationDetail: videoConfirmation(document, signer, context) } : {}),
    ...(asksIdentity(signer) ? identityStatuses(signer) : {}),
    SigningKey: document.embedded && canStillSign ? signingUrl(signer, context) : undefined
  }
}

/** The signer's signing link. Anyone with the address can sign. */
function signingUrl(signer: SignerRecord, context: AnswerContext): string {
  return `${context.origin}/sign/${signer.key}`
}

function videoConfirmation(document: DocumentRecord, signer: SignerRecord, context: AnswerContext) {
  return {
    Name: fullName(signer),
    ShortUrl: `${context.origin}/v/${signer.SignerReference.slice(0, 8)}`,
    IsVideoReady: signer.videoAt !== undefined,
    // Derived from the signer's secret key, since references are shown everywhere.
    Password: signer.key.slice(-8),
    Email: signer.Email,
    IsWitness: context.dialects.has('full') && /witness/i.test(signer.SignerType ?? ''),
    IsVideoDisabled: document.ending === 'Declined' || document.ending === 'Expired',
    IsVideoOptOut: signer.videoOptOut ?? false,
    WitnessOwner: fullName(context.account.user),
    IsVideoConfirmationDeepfake: signer.deepfake
  }
}

function identityStatuses(signer: SignerRecord) {
  const at = examinedAt(signer)
  if (at === undefined) return { IDCheckStatus: 'Requested', IDVerificationStatus: 'Pending' }
  const { passed, attentions } = findingsOf(signer, at)
  return {
    IDCheckStatus: 'Completed',
    IDVerificationStatus: 'Completed',
    IDVerificationResult: passed ? (attentions.length > 0 ? 'Attention' : 'Passed') : 'Failed',
    IDVerificationFaceMatchResult: passed ? 'Passed' : 'Failed',
    IDVerificationLivenessResult: 'Passed'
  }
}

function logResponses(document: DocumentRecord, account: Account) {
  return document.logs.map((entry) => ({
    Name: entry.name,
    Action: entry.action,
    Date: toIso(entry.at),
    GMT: document.gmt || String(account.gmt),
    Role: entry.role
  }))
}

/** 2.13. */
export function packageResponse(bundle: PackageRecord, state: PracticeState, context: AnswerContext) {
  const documents = documentsOf(state, bundle)
  return {
    QueueReference: bundle.queueReference,
    PackageReference: bundle.reference,
    PackageName: bundle.name,
    PackageStatus: packageStatus(documents),
    Documents: documents.map((document) => documentResponse(document, context, 'without log'))
  }
}

/** 2.10 as listed. */
export function templateResponse(template: TemplateRecord) {
  return {
    Name: template.name,
    Reference: template.reference,
    Signers: template.signers,
    Fields: template.fields?.map(fieldResponse),
    ClientReference: template.clientReference
  }
}

function fieldResponse(field: FieldRecord) {
  return {
    Label: field.label,
    Value: field.value,
    FieldType: field.type,
    IsRequired: field.required,
    ID: field.reference,
    Reference: field.reference,
    ReadOnly: field.readOnly,
    ClientField: field.clientField
  }
}
