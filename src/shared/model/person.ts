/** People in a package, and who is told of a document: reference sections 2.4 to 2.7 and 2.20. Each person is sent flat inside the object that carries it. */
import { z } from 'zod'
import { flag, listOf, received, text } from './spelling.ts'

/** An e-mail address as the writer demands it: anything with letters in any script on both sides of one @. */
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
  /** What is asked ("Date of birth"). */
  Label: z.string().min(1),
  /** What the invitee must answer. Personal: never logged, never shown unasked. */
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

/** A person's name as one says it; the e-mail address where no name is known. */
export function fullName(person: {
  FirstName?: string | undefined
  MiddleName?: string | undefined
  LastName?: string | undefined
  Email?: string | undefined
}): string {
  const name = [person.FirstName, person.MiddleName, person.LastName].filter(Boolean).join(' ').trim()
  return name || person.Email || ''
}

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
