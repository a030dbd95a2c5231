/**
 * Builds the service's request for an action from the document's current state (API reference section 2.23), or says
 * why that is impossible. What the service would certainly refuse is never sent.
 */

import { isEmail } from '../../../shared/composition/email.ts'
import type { ActionRequest, FieldMessage, SignerCorrection } from '../../../shared/contract/index.ts'
import {
  type AssignQueueDocumentRequest,
  type DocumentResponse,
  type ExtendRequest,
  fullName,
  readDocumentStatus,
  readServiceDate,
  type SendReminderRequest,
  ShareUser,
  type SignerResponse,
  type TemplateSigner,
  type UpdateSignerRequest
} from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { changesMember, findSigner } from './shown-state.ts'
import type { Subject } from './subject.ts'

export type Outgoing =
  | { kind: 'correct'; body: UpdateSignerRequest }
  | { kind: 'extend'; body: ExtendRequest }
  | { kind: 'notary'; body: AssignQueueDocumentRequest }
  | { kind: 'remind'; body: SendReminderRequest }

/** Builds the request. @param now in milliseconds since 1970 UTC. @throws AppFailure that says what forbids it. */
export function outgoingOf(request: ActionRequest, subject: Subject, now: number): Outgoing {
  const { document } = subject
  switch (request.kind) {
    case 'correct':
      return { kind: 'correct', body: updateOf(request.signers, document) }
    case 'extend':
      return { kind: 'extend', body: extensionOf(request, subject, now) }
    case 'notary':
      return { kind: 'notary', body: assignmentOf(request, document) }
    case 'remind':
      return { kind: 'remind', body: reminderOf(request, document) }
  }
}

function updateOf(corrections: readonly SignerCorrection[], document: DocumentResponse): UpdateSignerRequest {
  const hasDuplicates = (names: readonly unknown[]) => new Set(names).size < names.length
  const references = corrections.flatMap(({ was }) => was.SignerReference ?? [])
  if (hasDuplicates(corrections.map(({ index }) => index)) || hasDuplicates(references)) {
    fail('invalid', 'One signer is named twice, so nothing was changed.', { mayHaveArrived: false })
  }
  const fields = corrections.flatMap((correction, place) => problemsOf(correction, place))
  if (fields.length > 0) {
    const [first] = fields
    fail('invalid', first?.message ?? 'Something in this correction can’t be right.', { fields, mayHaveArrived: false })
  }
  const signers = corrections.map((correction) => {
    const signer = findSigner(document, correction) ?? refuseMissing(correction, document)
    refuseUneditable(signer, document)
    return correctedSigner(signer, correction)
  })
  return { DocumentReference: document.Reference, Signers: signers }
}

function refuseMissing({ index, was }: SignerCorrection, document: DocumentResponse): never {
  if (was.SignerReference === undefined && document.Signers?.[index]) {
    const name = fullName(was) || 'the signer that was shown'
    fail('conflict', `Another signer has taken the place of ${name}, so nothing was changed.`, {
      next: 'Check who the signers are now, then try again.'
    })
  }
  fail('gone', 'This signer is no longer on the document, so nothing was changed.')
}

function problemsOf(correction: SignerCorrection, index: number): FieldMessage[] {
  const { Email, VideoConfirmationEnabled, VideoConfirmationDeepfakeEnabled } = correction
  return [
    ...(isEmail(Email)
      ? []
      : [
          {
            field: `signers.${index}.Email`,
            message: 'This isn’t an e-mail address: it needs a name, an @ and a domain.'
          }
        ]),
    ...(VideoConfirmationDeepfakeEnabled && VideoConfirmationEnabled === false
      ? [
          {
            field: `signers.${index}.VideoConfirmationDeepfakeEnabled`,
            message: 'The deepfake detector needs video confirmation.'
          }
        ]
      : [])
  ]
}

function refuseUneditable(signer: SignerResponse, document: DocumentResponse): void {
  const name = fullName(signer) || 'This signer'
  if (hasSigned(signer)) fail('conflict', `${name} has already signed, so nothing was changed.`)
  if (signer.Editable === false) {
    fail('conflict', `${name} can no longer be corrected, so nothing was changed.`)
  }
  if (!signer.SignerReference && (document.Signers ?? []).length > 1) {
    fail(
      'conflict',
      `The service doesn’t identify ${name} clearly, so the wrong signer could be changed. Nothing was changed.`
    )
  }
}

/**
 * Builds the complete signer, because the service may take the request as all there is to know about them. What isn't
 * corrected has its current value.
 */
function correctedSigner(signer: SignerResponse, correction: SignerCorrection): TemplateSigner {
  const { index: _, was: __, FirstName, LastName, Email, ...others } = correction
  const current = { ...currentValuesOf(signer), ...(others.ShareUsers ? {} : shareUsersOf(signer)) }
  const nameValue = (name: 'FirstName' | 'LastName' | 'Email', typed: string) =>
    (changesMember(correction, name) ? typed : signer[name] || typed).trim()
  const complete: TemplateSigner = {
    ...current,
    ...defined(others),
    FirstName: nameValue('FirstName', FirstName),
    LastName: nameValue('LastName', LastName),
    Email: nameValue('Email', Email)
  }
  // The detector needs the video. If the service says nothing about the video, neither does this.
  if (complete.VideoConfirmationEnabled === false && complete.VideoConfirmationDeepfakeEnabled) {
    complete.VideoConfirmationDeepfakeEnabled = false
  }
  return complete
}

/** Returns what the service told about the signer and accepts back, without what it didn't tell. */
function currentValuesOf(signer: SignerResponse): Omit<TemplateSigner, 'FirstName' | 'LastName' | 'Email'> {
  return defined({
    SignerReference: signer.SignerReference,
    MiddleName: signer.MiddleName,
    MobileNumber: signer.MobileNumber,
    MobileCountry: signer.MobileCountry,
    ClientReference: signer.ClientReference,
    IsFaceToFaceSigning: signer.IsFaceToFaceSigning ?? signer.EnabledFaceToFaceSigning,
    VideoConfirmationEnabled: signer.VideoConfirmationEnabled,
    VideoConfirmationDeepfakeEnabled: signer.VideoConfirmationDeepfakeEnabled,
    ReviewBeforeSigningEnabled: signer.ReviewBeforeSigningEnabled
  })
}

/**
 * Returns the people the document is shared with for the signer. The service replaces the whole list, so leaving one
 * out would remove them.
 */
function shareUsersOf(signer: SignerResponse): Pick<TemplateSigner, 'ShareUsers'> {
  if (!signer.ShareUsers) return {}
  const shared = ShareUser.array().safeParse(
    signer.ShareUsers.map(({ FirstName, MiddleName, LastName, Email, IsDefault, IsOwner }) =>
      defined({ FirstName, MiddleName, LastName, Email, IsDefault, IsOwner })
    )
  )
  if (shared.success) return { ShareUsers: shared.data }
  const name = fullName(signer) || 'this signer'
  return fail(
    'conflict',
    `Someone whom the document is shared with for ${name} has no name or e-mail, so a correction would remove them. Nothing was changed.`,
    { next: 'Enter their name and e-mail in the correction, or remove them there.', mayHaveArrived: false }
  )
}

function extensionOf(
  { dueDate, gmt }: Extract<ActionRequest, { kind: 'extend' }>,
  { document, others }: Subject,
  now: number
): ExtendRequest {
  const due = readServiceDate(dueDate)
  if (due?.precision !== 'time') return fail('invalid', 'This isn’t a valid date and time.')
  if (due.at <= now) return fail('invalid', 'This date has passed already.', { next: 'Choose a later one.' })
  if (due.at + gmt * 60_000 > LATEST)
    return fail('invalid', 'The year can’t be later than 9999.', { next: 'Choose an earlier date.' })
  if ([document, ...others].every(isClosed)) {
    return fail('conflict', 'No document of this package can still be signed, so its due date can’t be moved.')
  }
  return { DocumentReference: document.Reference, DueDate: isoAt(due.at, gmt), GMT: String(gmt) }
}

/** The last moment of a four-digit year. The service can't read longer ones. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Formats as ISO 8601 with the offset from GMT, so that the two can't contradict each other. */
function isoAt(at: number, gmt: number): string {
  const local = new Date(at + gmt * 60_000).toISOString().slice(0, 19)
  if (gmt === 0) return `${local}Z`
  const minutes = Math.abs(gmt)
  const padded = (value: number) => String(value).padStart(2, '0')
  return `${local}${gmt < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}`
}

function assignmentOf(
  { notaryReference, send }: Extract<ActionRequest, { kind: 'notary' }>,
  document: DocumentResponse
): AssignQueueDocumentRequest {
  if (hasEndedUnsigned(document)) fail('conflict', 'This document ended unsigned, so it can’t be assigned to a notary.')
  return {
    PackageReference:
      document.PackageReference || fail('conflict', 'The service doesn’t say which package this document belongs to.'),
    DocumentReference: document.Reference,
    NotaryReference: notaryReference,
    Send: send
  }
}

function reminderOf(
  { signerReference, signerName }: Extract<ActionRequest, { kind: 'remind' }>,
  document: DocumentResponse
): SendReminderRequest {
  const signer =
    document.Signers?.find((one) => one.SignerReference === signerReference) ??
    fail('gone', 'This signer is no longer on the document, so no reminder was sent.')
  if (hasSigned(signer))
    fail('conflict', `${fullName(signer) || signerName} has already signed, so no reminder was sent.`)
  if (isClosed(document) || hasEndedUnsigned(document)) {
    fail('conflict', 'This document can no longer be signed, so no reminder was sent.')
  }
  return { DocumentReference: document.Reference, SignerReference: signerReference }
}

function hasSigned(signer: SignerResponse): boolean {
  return signer.HasSigned === true || signer.SignedStatus === 'Signed' || signer.SignedStatus === 'Complete'
}

/** Whether it ended in a way that a later due date doesn't fix. */
function isClosed(document: DocumentResponse): boolean {
  const { family } = readDocumentStatus(document.Status)
  return family === 'complete' || family === 'declined'
}

function hasEndedUnsigned(document: DocumentResponse): boolean {
  const { family } = readDocumentStatus(document.Status)
  return family === 'declined' || family === 'expired'
}
