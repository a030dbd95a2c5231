/** What can be corrected of a document's signer: reference sections 2.4, 2.5 and 2.11 as UpdateSigner takes them (2.23). */
import { z } from 'zod'
import { ShareUser } from '../model/index.ts'

const short = z.string().max(500)

export const SignerCorrection = z.strictObject({
  /** Place in the document's list of signers as it was shown, from 0. Services may put them in another order. */
  index: z.number().int().min(0).max(1000),
  /** Whom the screen showed there: the service's reference decides, and where it gave none, the name and the address. */
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
