/** Who is told of a document: reference section 2.20. */
import type { z } from 'zod'
import { receivedUserInfoShape } from './person.ts'
import { flag, listOf, received, text } from './spelling.ts'

/** Told while a document is under way; may review it. */
export const NotificationRecipient = received({
  ...receivedUserInfoShape,
  IsReviewer: flag.optional(),
  IsDefaultReviewer: flag.optional(),
  RecipientReference: text.optional(),
  IsDefault: flag.optional()
})
export type NotificationRecipient = z.output<typeof NotificationRecipient>

/** Told when a document is complete. */
export const CompletionRecipient = received({
  ...receivedUserInfoShape,
  RecipientReference: text.optional(),
  IsDefault: flag.optional()
})
export type CompletionRecipient = z.output<typeof CompletionRecipient>

/** 2.20: one entry of the list that GetRecipients and Recipients answer. */
export const Recipients = received({
  NotificationRecipients: listOf(NotificationRecipient).optional(),
  CompletionRecipients: listOf(CompletionRecipient).optional()
})
export type Recipients = z.output<typeof Recipients>
