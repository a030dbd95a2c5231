/** The bodies of what is done to a document: reference section 2.23. */
import { z } from 'zod'
import { TemplateSigner } from './form-filler.ts'
import { listOf, received, text } from './spelling.ts'

/** UpdateSigner: corrects the signers of one document. */
export const UpdateSignerRequest = z.strictObject({
  DocumentReference: z.string().min(1),
  Signers: z.array(TemplateSigner).min(1)
})
export type UpdateSignerRequest = z.infer<typeof UpdateSignerRequest>

/** Extend: a new due date for every document of the package. */
export const ExtendRequest = z.strictObject({
  DocumentReference: z.string().min(1),
  /** ISO 8601, the form that no user setting can misread. */
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

/** SendReminder (not in the reference; not every service has it): reminds one signer of one document. */
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
