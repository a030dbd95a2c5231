/**
 * Actions on sent documents: UpdateSignerRequest, Extend, GetActiveDocuments, Validation, AssignQueueDocument
 * (operations 6, 7, 8, 10, 12).
 */
import {
  type AssignQueueDocumentRequest,
  type ExtendRequest,
  FOLDERS,
  type Folder,
  fullName,
  type TemplateSigner,
  type UpdateSignerRequest
} from '../shared/model/index.ts'
import { invalidField, noSuchDocument, Refusal } from './conventions.ts'
import { readDue, toIso } from './dates.ts'
import { documentsOf, extendPackage, folderOf, hasSigned, isEditable, log, packageStatus } from './life.ts'
import type { AnswerContext } from './responses.ts'
import { newKey, type RandomBytes } from './sources.ts'
import type { DocumentRecord, PracticeState, SignerRecord } from './state.ts'

/** Returns the document with this reference, or throws a 404 refusal. */
export function findDocument(state: PracticeState, reference: string): DocumentRecord {
  const document = ownValue(state.documents, reference)
  if (!document) throw noSuchDocument()
  return document
}

/** Returns a folder's documents, newest first. The name's case is ignored; unknown folders are refused. */
export function documentsIn(state: PracticeState, folderName: string): DocumentRecord[] {
  const folder = folderNamed(folderName)
  const found = Object.values(state.documents).filter((document) => folderOf(document, state.account) === folder)
  return found.sort((one, other) => other.createdAt - one.createdAt)
}

function folderNamed(folderName: string): Folder {
  const folder = FOLDERS.find((one) => one.toLowerCase() === folderName.toLowerCase())
  if (!folder) throw invalidField('Folder', 'UnknownFolder', `'Folder' must be one of ${FOLDERS.join(', ')}.`)
  return folder
}

/**
 * Corrects all of the named signers, or none. A new e-mail address gets a new key, so that the link sent to the old one
 * stops working.
 */
export function updateSigners(
  state: PracticeState,
  sent: UpdateSignerRequest,
  now: number,
  random: RandomBytes
): DocumentRecord {
  const document = findDocument(state, sent.DocumentReference)
  const pairs = sent.Signers.map((wanted, index) => ({ wanted, signer: matchSigner(document, wanted, index) }))
  const duplicate = pairs.findIndex(({ signer }, index) =>
    pairs.slice(0, index).some((other) => other.signer === signer)
  )
  if (duplicate >= 0)
    throw invalidField(`Signers[${duplicate}]`, 'NotUnique', 'This signer is named twice, so nothing was changed.')
  const uneditable = pairs.find(({ signer }) => !isEditable(document, signer))
  if (uneditable) {
    const why = hasSigned(uneditable.signer) ? 'has signed already' : 'can no longer sign'
    throw new Refusal(409, 'SignerNotEditable', `${fullName(uneditable.signer)} ${why}, so nothing was changed.`)
  }
  for (const { wanted, signer } of pairs) correct(document, signer, wanted, random, now, state)
  return document
}

/** Finds a signer by SignerReference; otherwise by e-mail address, or the only signer who can still be corrected. */
function matchSigner(document: DocumentRecord, wanted: TemplateSigner, index: number): SignerRecord {
  const { signers } = document
  if (wanted.SignerReference) {
    const found = signers.find((signer) => signer.SignerReference === wanted.SignerReference)
    if (found) return found
    const place = `Signers[${index}].SignerReference`
    throw invalidField(place, 'UnknownSigner', 'This document has no signer of that reference.')
  }
  const sameEmail = signers.filter((signer) => signer.Email.toLowerCase() === wanted.Email.toLowerCase())
  const editable = signers.filter((signer) => isEditable(document, signer))
  const [found] = sameEmail.length === 1 ? sameEmail : signers.length === 1 ? signers : editable
  if (found && (sameEmail.length === 1 || signers.length === 1 || editable.length === 1)) return found
  const place = `Signers[${index}].SignerReference`
  throw invalidField(place, 'NotEmpty', 'Which of the signers is meant? Give the SignerReference.')
}

/** Signer members stored under the names used in requests. */
const CORRECTABLE_MEMBERS = [
  ...(['FirstName', 'MiddleName', 'LastName', 'Email', 'MobileNumber', 'MobileCountry'] as const),
  ...(['ShareUsers', 'ClientReference'] as const)
]
/** A signer's progress; reset for a new address, since that is someone else. */
const PROGRESS_MEMBERS = ['openedAt', 'identifiedAt', 'videoAt', 'videoOptOut'] as const

function correct(
  document: DocumentRecord,
  signer: SignerRecord,
  wanted: TemplateSigner,
  random: RandomBytes,
  now: number,
  state: PracticeState
): void {
  const readdressed = signer.Email !== wanted.Email
  for (const name of CORRECTABLE_MEMBERS)
    if (wanted[name] !== undefined) Object.assign(signer, { [name]: wanted[name] })
  signer.faceToFace = wanted.IsFaceToFaceSigning ?? signer.faceToFace
  signer.video = wanted.VideoConfirmationEnabled ?? signer.video
  signer.deepfake = wanted.VideoConfirmationDeepfakeEnabled ?? signer.deepfake
  signer.review = wanted.ReviewBeforeSigningEnabled ?? signer.review
  log(document, now, state.account.user, `Corrected the signer ${fullName(signer)}`, 'Sender')
  if (!readdressed) return
  signer.key = newKey(random)
  signer.wrongAnswers = 0
  for (const name of PROGRESS_MEMBERS) delete signer[name]
  if (signer.status !== 'Initialized' && signer.status !== 'Expired') signer.status = 'Invitation'
  log(document, now, state.account.user, 'The link sent before was withdrawn', 'Sender')
}

/** Moves the due date of a document and all others in its package. Returns the named document. */
export function extendDocument(state: PracticeState, sent: ExtendRequest, now: number): DocumentRecord {
  const document = findDocument(state, sent.DocumentReference)
  const dueAt = readDue(sent.DueDate, sent.GMT, state)
  if (dueAt === undefined) {
    throw invalidField('DueDate', 'InvalidDate', `'DueDate' is neither ISO 8601 nor a date as the user writes them.`)
  }
  if (dueAt <= now) throw invalidField('DueDate', 'PastDate', `'DueDate' has passed already.`)
  const bundle = state.packages[document.packageReference]
  const extendable = documentsOf(state, bundle).some((one) => !one.ending || one.ending === 'Expired')
  if (!extendable) throw new Refusal(409, 'DocumentEnded', 'No document of this package can still be signed.')
  extendPackage(state, document.packageReference, dueAt, sent.GMT || undefined, now)
  return document
}

/** Returns a document's signatures and whether each is valid (2.21). */
export function validationResponse(document: DocumentRecord, context: AnswerContext) {
  return {
    Signatures: document.signers.filter(hasSigned).map((signer) => ({
      isValid: !document.altered,
      SignatureTime: toIso(signer.signedAt ?? 0),
      User: fullName(signer),
      Signer: {
        FirstName: signer.FirstName,
        LastName: signer.LastName,
        Email: signer.Email,
        SignerType: signer.SignerType,
        MobileNumber: signer.MobileNumber,
        MobileCountry: signer.MobileCountry,
        HasSigned: true,
        Title: context.dialects.has('full') ? signer.SignerType : undefined,
        Reason: 'Agreed to sign electronically',
        Company: signer.Email === context.account.user.Email ? context.account.name : undefined
      }
    })),
    DocumentURL: `${context.origin}/signed/${document.viewKey}`,
    DocumentName: document.name
  }
}

/**
 * Assigns a document to a notary's queue for remote notarisation (reference section 2.23); replaces an earlier
 * assignment. Returns the assigned package.
 */
export function assignToNotary(state: PracticeState, sent: AssignQueueDocumentRequest, now: number) {
  const bundle = ownValue(state.packages, sent.PackageReference)
  const document = ownValue(state.documents, sent.DocumentReference)
  if (!bundle) throw new Refusal(404, 'PackageNotFound', 'The package was not found.')
  if (!document || document.packageReference !== bundle.reference) {
    throw new Refusal(404, 'DocumentNotFound', 'The document was not found in this package.')
  }
  if (document.ending === 'Declined' || document.ending === 'Expired') {
    throw new Refusal(409, 'DocumentEnded', `The document is ${document.ending.toLowerCase()}.`)
  }
  state.notary = state.notary.filter((one) => one.documentReference !== document.reference)
  state.notary.push({
    packageReference: bundle.reference,
    documentReference: document.reference,
    notaryReference: sent.NotaryReference,
    send: sent.Send ?? false,
    at: now
  })
  const how = sent.Send ? 'invitation sent without tagging' : 'to be tagged'
  log(document, now, state.account.user, `Assigned to the notary ${sent.NotaryReference} (${how})`, 'Notary')
  const documents = documentsOf(state, bundle)
  return {
    PackageReference: bundle.reference,
    PackageName: bundle.name,
    PackageStatus: packageStatus(documents),
    DocumentIDs: state.notary
      .filter((one) => one.packageReference === bundle.reference)
      .map((one) => one.documentReference)
  }
}

function ownValue<Value>(table: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
