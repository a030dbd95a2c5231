/** Actions on a document. */
import { z } from 'zod'
import { ShareUser } from '../model/index.ts'

const short = z.string().max(500)

/**
 * What can be corrected about a document's signer: reference sections 2.4, 2.5 and 2.11, as UpdateSigner accepts them
 * (2.23).
 */
export const SignerCorrection = z.strictObject({
  /** Index in the document's list of signers as shown, from 0. Services may reorder them. */
  index: z.number().int().min(0).max(1000),
  /** The signer shown at that index: matched by the service's reference, or without one by name and e-mail. */
  was: z.strictObject({
    SignerReference: z.string().min(1).max(2000).optional(),
    FirstName: z.string().max(2000),
    LastName: z.string().max(2000),
    Email: z.string().max(2000)
  }),
  FirstName: z.string().trim().min(1).max(500),
  MiddleName: short.optional(),
  LastName: z.string().trim().min(1).max(500),
  Email: z.string().trim().min(1).max(320),
  MobileNumber: short.optional(),
  MobileCountry: short.optional(),
  ClientReference: short.optional(),
  ShareUsers: z.array(ShareUser).max(100).optional(),
  IsFaceToFaceSigning: z.boolean().optional(),
  VideoConfirmationEnabled: z.boolean().optional(),
  VideoConfirmationDeepfakeEnabled: z.boolean().optional(),
  ReviewBeforeSigningEnabled: z.boolean().optional()
})
export type SignerCorrection = z.output<typeof SignerCorrection>

export const ActionRequest = z.discriminatedUnion('kind', [
  /** Operation 6: only the corrected signers of one document. */
  z.strictObject({ kind: z.literal('correct'), signers: z.array(SignerCorrection).min(1).max(100) }),
  /** Operation 7: applies to every document of the package. ISO 8601, with its offset in minutes. */
  z.strictObject({
    kind: z.literal('extend'),
    dueDate: z.iso.datetime({ offset: true }),
    gmt: z.number().int().min(-840).max(840)
  }),
  /** Operation 12; `send` invites without tagging. */
  z.strictObject({ kind: z.literal('notary'), notaryReference: z.string().trim().min(1).max(500), send: z.boolean() }),
  /** If the account supports it. */
  z.strictObject({
    kind: z.literal('remind'),
    signerReference: z.string().min(1).max(500),
    signerName: z.string().max(500)
  })
])
export type ActionRequest = z.output<typeof ActionRequest>
