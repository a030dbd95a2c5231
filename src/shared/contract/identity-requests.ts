/** The requests about reading what an identity check found. What they answer is in memory only, and wiped soon. */
import { z } from 'zod'
import type { SavedFile } from './composing-views.ts'
import type { IdentityPicture, IdentityReading } from './identity-views.ts'
import { answers, id } from './request.ts'

const picture = z.strictObject({
  reading: id,
  /** Its place in the list of records. */
  record: z.int().min(0).max(1000),
  name: z.enum(['portrait', 'front', 'back', 'selected'])
})

export const identityRequests = {
  /** Asks the service for the records of one document of the chosen account; noted in the audit trail. */
  'identity.read': answers<IdentityReading>()(z.strictObject({ reference: z.string().min(1).max(2000) })),
  'identity.picture': answers<IdentityPicture>()(picture),
  /** Someone is looking at it: it is not idle. Fails with `gone` where it was wiped. */
  'identity.keep': answers<null>()(z.strictObject({ reading: id })),
  /** Wipes it. */
  'identity.close': answers<null>()(z.strictObject({ reading: id })),
  /** Has the person say where a picture goes. Answers null where they thought better of it. */
  'identity.savePicture': answers<SavedFile | null>()(picture)
}
