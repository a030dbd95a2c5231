/** Requests about what is kept on this computer: databases that can't be opened, and what was set aside. */
import { z } from 'zod'
import { answers, nothing } from './request.ts'

export const storageRequests = {
  /**
   * Looks once more whether the database can be opened that is here, and starts the application again if so. Refused with `keychain`
   * where the keychain still has no key for it.
   */
  'storage.tryAgain': answers<null>()(nothing),
  /** Sets the database aside whose key is lost, and starts the application again with an empty one. */
  'storage.startEmpty': answers<null>()(nothing),
  /** A person has seen to what was set aside under this name: it is told no more. */
  'storage.settle': answers<null>()(z.strictObject({ name: z.string().min(1).max(100) }))
}
