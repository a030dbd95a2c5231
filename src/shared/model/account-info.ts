/** What a service may tell of the account (not in the reference; see docs/decisions). Every member is optional. */
import type { z } from 'zod'
import { flag, integer, received, text } from './spelling.ts'

export const AccountInfo = received({
  /** As the service says it: days or a date. */
  DefaultDueDate: text.optional(),
  MaxDueDate: text.optional(),
  /** How the account's user writes dates, in .NET's letters (`dd/MM/yyyy`). */
  DateFormat: text.optional(),
  MaxUploadSize: text.optional(),
  EnabledFaceToFaceSigning: flag.optional(),
  EnabledVideoConfirmation: flag.optional(),
  IsAdmin: flag.optional(),
  /** How many documents the plan has left. */
  DocumentLeft: integer.optional()
})
export type AccountInfo = z.output<typeof AccountInfo>
