/**
 * Packages and documents as received from the service, and the request bodies of actions on them: reference sections
 * 2.13 to 2.17 and 2.23.
 */
import { z } from 'zod'
import { receivedTemplateSignerShape, TemplateSigner } from './form-filler.ts'
import { withCertainOrder } from './service-date.ts'
import { flag, listOf, openEnumeration, received, text } from './spelling.ts'

/** Section 3, Document Folder. Open: an account's folders may have other names. */
export const FOLDERS = ['InBox', 'Progress', 'Signed'] as const
export type Folder = (typeof FOLDERS)[number]

/** Section 3, Signer SignedStatus: the index is the status's number. */
export const SIGNED_STATUSES = [
  'Initialized',
  'Invitation',
  'Reminder1',
  'Reminder2',
  'AutoExtend',
  'Expired',
  'Signed',
  'Complete',
  'Archived',
  'Pending',
  'Deleted',
  'Rejected',
  'Declined',
  'Reminder'
] as const
export type SignedStatus = (typeof SIGNED_STATUSES)[number]

/** 2.17 DocumentLog. */
export const DocumentLog = received({
  /** Name of the user responsible for the action. */
  Name: text.optional(),
  Action: text.optional(),
  /** See `readServiceDate`. */
  Date: text.optional(),
  /** Offset from UTC in minutes, as text. */
  GMT: text.optional(),
  Role: text.optional()
})
export type DocumentLog = z.output<typeof DocumentLog>

/** 2.16 VideoConfirmationDetail. */
export const VideoConfirmationDetail = received({
  Name: text.optional(),
  ShortUrl: text.optional(),
  IsVideoReady: flag.optional(),
  /** Secret: shown only when asked for, never logged. */
  Password: text.optional(),
  Email: text.optional(),
  IsWitness: flag.optional(),
  IsVideoDisabled: flag.optional(),
  IsVideoOptOut: flag.optional(),
  WitnessOwner: text.optional(),
  IsVideoConfirmationDeepfake: flag.optional()
})
export type VideoConfirmationDetail = z.output<typeof VideoConfirmationDetail>

/**
 * Converts a boolean, in any spelling, which only says whether the signer has signed: true means Signed, false says
 * nothing.
 */
function signedStatusName(value: unknown): unknown {
  if (typeof value === 'number') return value
  const spelled = String(value).trim().toLowerCase()
  if (spelled === 'true') return 'Signed'
  return spelled === 'false' || spelled === '' ? undefined : value
}

/** 2.15 SignerResponse: its own fields, with those of TemplateSigner, Invitee and UserInfo at the same level. */
export const SignerResponse = received({
  ...receivedTemplateSignerShape,
  HasSigned: flag.optional(),
  /** Whether name and e-mail can be changed through UpdateSigner. */
  Editable: flag.optional(),
  /**
   * A name from `SIGNED_STATUSES` or its number; true, if sent as the boolean in the reference's table, means Signed.
   */
  SignedStatus: z.preprocess(signedStatusName, openEnumeration(SIGNED_STATUSES).optional()).optional(),
  /** Only if the invitee declined. */
  DeclinedReason: text.optional(),
  VideoConfirmationDetail: VideoConfirmationDetail.optional(),
  IDCheckStatus: text.optional(),
  IDVerificationStatus: text.optional(),
  IDVerificationResult: text.optional(),
  IDVerificationFaceMatchResult: text.optional(),
  IDVerificationLivenessResult: text.optional(),
  /**
   * URL of the signing page; only for embedded signers. Anyone who has it can sign, so it never leaves the main
   * process.
   */
  SigningKey: text.optional(),
  /** Form Direct's name for face-to-face signing, for services that echo what was sent. */
  EnabledFaceToFaceSigning: flag.optional(),
  SignerType: text.optional()
})
export type SignerResponse = z.output<typeof SignerResponse>

/** 2.14 DocumentResponse. Only Reference is required, since nothing can be done with a document without it. */
export const DocumentResponse = received({
  Reference: text,
  /** File name. */
  Name: text.optional(),
  FormDirectReference: text.optional(),
  Signers: listOf(SignerResponse).optional(),
  /** See `readDocumentStatus`. */
  Status: text.optional(),
  /** See `readServiceDate`. */
  DueDate: text.optional(),
  GMT: text.optional(),
  LastSignedDate: text.optional(),
  Folder: openEnumeration(FOLDERS).optional(),
  Logs: listOf(DocumentLog).optional(),
  HasFileUploaded: flag.optional(),
  PackageReference: text.optional(),
  ClientReference: text.optional(),
  EditUrl: text.optional(),
  IDVerificationRequested: flag.optional(),
  MatterNumber: text.optional()
})
export type DocumentResponse = z.output<typeof DocumentResponse>

/**
 * Returns the document with its numeric dates in ISO 8601 if their meaning is certain; other dates stay unchanged.
 * @param dateFormat the account's, as given by `Account/Info`.
 */
export function withCertainDates(document: DocumentResponse, dateFormat?: string): DocumentResponse {
  const certain = <Whole extends object>(whole: Whole, name: keyof Whole): Whole => {
    const written = whole[name]
    if (typeof written !== 'string') return whole
    const read = withCertainOrder(written, dateFormat)
    return read === written ? whole : { ...whole, [name]: read }
  }
  const dated = certain(certain(document, 'DueDate'), 'LastSignedDate')
  const Logs = document.Logs?.map((log) => certain(log, 'Date'))
  return Logs?.some((log, index) => log !== document.Logs?.[index]) ? { ...dated, Logs } : dated
}

/**
 * 2.13 Package response of SendForms2 and of Form Filler's Send. One public client expects the signers, with their
 * SigningKey, at the top level as well as on the documents.
 */
export const PackageResponse = received({
  QueueReference: text.optional(),
  PackageReference: text.optional(),
  PackageName: text.optional(),
  /** Its values aren't documented: shown unchanged. */
  PackageStatus: text.optional(),
  Documents: listOf(DocumentResponse).optional(),
  Signers: listOf(SignerResponse).optional()
})
export type PackageResponse = z.output<typeof PackageResponse>

/** UpdateSigner: corrects the signers of one document. */
export const UpdateSignerRequest = z.strictObject({
  DocumentReference: z.string().min(1),
  Signers: z.array(TemplateSigner).min(1)
})
export type UpdateSignerRequest = z.infer<typeof UpdateSignerRequest>

/** Extend: sets a new due date for every document of the package. */
export const ExtendRequest = z.strictObject({
  DocumentReference: z.string().min(1),
  /** ISO 8601, the format that no user setting can misread. */
  DueDate: z.string().min(1),
  /** Minutes between local time and UTC as text; `"0"` for a date in UTC. */
  GMT: z.string().optional()
})
export type ExtendRequest = z.infer<typeof ExtendRequest>

/** AssignQueueDocument: sends a document to a notary's queue. */
export const AssignQueueDocumentRequest = z.strictObject({
  PackageReference: z.string().min(1),
  DocumentReference: z.string().min(1),
  NotaryReference: z.string().min(1),
  /** True sends the remote-notarisation invitation without notary tagging. */
  Send: z.boolean().optional()
})
export type AssignQueueDocumentRequest = z.infer<typeof AssignQueueDocumentRequest>

/** SendReminder (not in the reference; not every service has it): reminds one signer of a document. */
export const SendReminderRequest = z.strictObject({
  DocumentReference: z.string().min(1),
  SignerReference: z.string().min(1)
})
export type SendReminderRequest = z.infer<typeof SendReminderRequest>

/** AssignQueueDocument response. */
export const AssignQueueDocumentResponse = received({
  PackageReference: text.optional(),
  PackageName: text.optional(),
  PackageStatus: text.optional(),
  DocumentIDs: listOf(text).optional()
})
export type AssignQueueDocumentResponse = z.output<typeof AssignQueueDocumentResponse>
