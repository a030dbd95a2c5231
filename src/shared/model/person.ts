/**
 * The people in a package, and those notified about a document: reference sections 2.4 to 2.7 and 2.20. A person's
 * fields are sent at the level of the object they belong to.
 */
import { z } from 'zod'
import { flag, listOf, received, text } from './spelling.ts'

/** An e-mail address as required for sending: one @ with letters in any script on both sides. */
const email = z.email({ pattern: z.regexes.unicodeEmail })

/** 2.5 UserInfo, as sent. */
export const userInfoShape = {
  FirstName: z.string().min(1),
  MiddleName: z.string().optional(),
  LastName: z.string().min(1),
  Email: email
}

/** 2.6 ShareUser, as sent: someone the document is shared with. */
export const ShareUser = z.strictObject({
  ...userInfoShape,
  IsDefault: z.boolean().optional(),
  IsOwner: z.boolean().optional()
})
export type ShareUser = z.infer<typeof ShareUser>

/** 2.4 Invitee, as sent. */
export const inviteeShape = {
  /** Signer's mobile number for forms secured by SMS, with its national trunk prefix (`021012345`). */
  MobileNumber: z.string().optional(),
  /** Country calling code of the number, digits only (`64`). */
  MobileCountry: z.string().optional(),
  ShareUsers: z.array(ShareUser).optional(),
  /** The client's own reference for this signer. */
  ClientReference: z.string().optional()
}

/** 2.7 AuthInfo: a question whose answer identifies a signer who has no mobile phone. */
export const AuthInfo = z.strictObject({
  /** The question ("Date of birth"). */
  Label: z.string().min(1),
  /** The answer the invitee must give. Personal: never logged, never shown unasked. */
  Value: z.string().min(1),
  DataType: z.enum(['text', 'date', 'email'])
})
export type AuthInfo = z.infer<typeof AuthInfo>

/** 2.5 as received. */
export const receivedUserInfoShape = {
  FirstName: text.optional(),
  MiddleName: text.optional(),
  LastName: text.optional(),
  Email: text.optional()
}

/** 2.4 as received. */
export const receivedInviteeShape = {
  MobileNumber: text.optional(),
  MobileCountry: text.optional(),
  ShareUsers: listOf(
    received({ ...receivedUserInfoShape, IsDefault: flag.optional(), IsOwner: flag.optional() })
  ).optional(),
  ClientReference: text.optional()
}

/** Returns a person's full name, or the e-mail address if no name is known. */
export function fullName(person: {
  FirstName?: string | undefined
  MiddleName?: string | undefined
  LastName?: string | undefined
  Email?: string | undefined
}): string {
  const name = [person.FirstName, person.MiddleName, person.LastName].filter(Boolean).join(' ').trim()
  return name || person.Email || ''
}

/** Notified while a document is in progress; may review it. */
export const NotificationRecipient = received({
  ...receivedUserInfoShape,
  IsReviewer: flag.optional(),
  IsDefaultReviewer: flag.optional(),
  RecipientReference: text.optional(),
  IsDefault: flag.optional()
})
export type NotificationRecipient = z.output<typeof NotificationRecipient>

/** Notified when a document is complete. */
export const CompletionRecipient = received({
  ...receivedUserInfoShape,
  RecipientReference: text.optional(),
  IsDefault: flag.optional()
})
export type CompletionRecipient = z.output<typeof CompletionRecipient>

/** 2.20: one entry of the list returned by GetRecipients and Recipients. */
export const Recipients = received({
  NotificationRecipients: listOf(NotificationRecipient).optional(),
  CompletionRecipients: listOf(CompletionRecipient).optional()
})
export type Recipients = z.output<typeof Recipients>
