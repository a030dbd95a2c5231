/** What Form Filler sends and lists: reference sections 2.9 to 2.12. */
import { z } from 'zod'
import { inviteeShape, receivedInviteeShape, receivedUserInfoShape, userInfoShape } from './person.ts'
import { flag, listOf, nameFinder, received, text } from './spelling.ts'

/** 2.12: the index is the type's number; 2 is unassigned. */
export const FIELD_TYPES = [
  'Text',
  'MultiLineText',
  undefined,
  'CheckBox',
  'RadioButton',
  'DropDownList',
  'DateInput'
] as const
export type FieldType = NonNullable<(typeof FIELD_TYPES)[number]>
export const knownFieldType = nameFinder(FIELD_TYPES)

/**
 * 2.12 Field, as sent. The type is sent as its name, as in the reference's sample; a type the reference doesn't name is
 * sent as the service listed it.
 * @public Looked up by name when the model is compared with the reference.
 */
export const Field = z.strictObject({
  Label: z.string(),
  Value: z.string(),
  FieldType: z.union([z.string().min(1), z.number()]),
  IsRequired: z.boolean(),
  /** Obsolete but required: the same as `Reference`, unless the template has another. */
  ID: z.string(),
  Reference: z.string().min(1),
  ReadOnly: z.boolean(),
  /** Field name on the client side. (The reference types it boolean; every client sends text.) */
  ClientField: z.string()
})

const templateSignerFlags = {
  IsFaceToFaceSigning: z.boolean().optional(),
  VideoConfirmationEnabled: z.boolean().optional(),
  /** Requires `VideoConfirmationEnabled`. */
  VideoConfirmationDeepfakeEnabled: z.boolean().optional(),
  ReviewBeforeSigningEnabled: z.boolean().optional()
}

/**
 * 2.11 TemplateSigner, as sent by Form Filler and UpdateSigner, with the Invitee and UserInfo fields at the same level.
 */
export const TemplateSigner = z.strictObject({
  ...userInfoShape,
  ...inviteeShape,
  /** Identifies the signer in the template or document. */
  SignerReference: z.string().optional(),
  ...templateSignerFlags
})
export type TemplateSigner = z.infer<typeof TemplateSigner>

/** 2.10 Template, as sent. */
export const Template = z.strictObject({
  Name: z.string().min(1),
  Reference: z.string().min(1),
  /** In signing order if the request is `Sequential`. */
  Signers: z.array(TemplateSigner).min(1),
  Fields: z.array(Field),
  ClientReference: z.string().optional()
})
export type Template = z.infer<typeof Template>

/** 2.9 Form Filler send request. */
export const SendFormFillerRequest = z.strictObject({
  Templates: z.array(Template).min(1),
  /** The last day to sign; 14 days after sending if absent. ISO 8601. */
  DueDate: z.string().optional(),
  /** Offset from UTC in minutes, as text (`"720"`). */
  GMT: z.string().optional(),
  Embedded: z.boolean().optional(),
  ReturnUrl: z.string().optional(),
  /** If true, signers sign one by one in the order of the template's signers. */
  Sequential: z.boolean().optional(),
  NotifyUrl: z.string().optional()
})
export type SendFormFillerRequest = z.infer<typeof SendFormFillerRequest>

/** 2.11 as received, also inside 2.15. */
export const receivedTemplateSignerShape = {
  ...receivedUserInfoShape,
  ...receivedInviteeShape,
  SignerReference: text.optional(),
  IsFaceToFaceSigning: flag.optional(),
  VideoConfirmationEnabled: flag.optional(),
  VideoConfirmationDeepfakeEnabled: flag.optional(),
  ReviewBeforeSigningEnabled: flag.optional()
}

/** 2.12 as received. ClientField is text or a boolean. */
export const ListedField = received({
  Label: text.optional(),
  Value: text.optional(),
  FieldType: z
    .union([z.string(), z.number()])
    .transform((type) => knownFieldType(type) ?? type)
    .optional(),
  IsRequired: flag.optional(),
  ID: text.optional(),
  Reference: text.optional(),
  ReadOnly: flag.optional(),
  ClientField: text.optional()
})
export type ListedField = z.output<typeof ListedField>

/** 2.10 as returned by `GetTemplateList`. Real entries may lack Signers or Fields. */
export const ListedTemplate = received({
  Name: text.optional(),
  Reference: text,
  Signers: listOf(received(receivedTemplateSignerShape)).optional(),
  Fields: listOf(ListedField).optional(),
  ClientReference: text.optional()
})
export type ListedTemplate = z.output<typeof ListedTemplate>
