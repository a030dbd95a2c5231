/** What Form Direct sends: reference sections 2.1, 2.2, 2.3 and 2.8. */
import { z } from 'zod'
import { AuthInfo, inviteeShape, userInfoShape } from './person.ts'

/**
 * 2.8 DropDownListItem: a choice offered in a field that the client names.
 * @public Looked up by name when the model is compared with the reference.
 */
export const DropDownListItem = z.strictObject({
  /** Field name on the client side. */
  ClientField: z.string().min(1),
  /** The text shown. */
  Item: z.string().min(1),
  /** The value stored when it is chosen. */
  Value: z.string()
})

/** 2.3 FormSigner, with the Invitee (2.4) and UserInfo (2.5) fields at the same level. */
export const FormSigner = z.strictObject({
  ...userInfoShape,
  ...inviteeShape,
  /** The invitee's role in the signing process. Its values aren't documented: any text. */
  SignerType: z.string().optional(),
  /** Lets the signer be identified by `IDData` if a mobile phone is required but they have none. */
  UseIDData: z.boolean().optional(),
  IDData: z.array(AuthInfo).optional(),
  EnabledFaceToFaceSigning: z.boolean().optional(),
  /** For an optional signer: whether this signer is ignored. */
  Optional: z.boolean().optional(),
  VideoConfirmation: z.boolean().optional(),
  /** Requires `VideoConfirmation`. */
  EnableDeepfakeDetector: z.boolean().optional()
})
export type FormSigner = z.infer<typeof FormSigner>

/** 2.2 Form. */
export const Form = z.strictObject({
  Name: z.string().min(1),
  /** The meaning of the numbers isn't documented. */
  FormType: z.number().int(),
  Reference: z.string().min(1),
  Signers: z.array(FormSigner).min(1),
  /** If true, the signing links are for an embedded view, and the response's signers have a SigningKey. */
  EmbedForm: z.boolean(),
  /** Where the signer is redirected after signing. */
  ReturnUrl: z.string().optional(),
  /** The address that the service calls when something happens. */
  NotifyUrl: z.string().optional(),
  /** Data for filling in the form: an XML document as text. */
  XMLData: z.string().optional(),
  /** The `Reference` of an employer record (2.18). */
  EmployerReference: z.string().optional(),
  ClientReference: z.string().optional()
})
export type Form = z.infer<typeof Form>

/** 2.1 SendFormDirectRequest2, the body of `SendForms2` and of `SendForms`. */
export const SendFormDirectRequest = z.strictObject({
  Forms: z.array(Form).min(1),
  /** The last day to sign; 14 days after sending if absent. ISO 8601. */
  DueDate: z.string().optional(),
  /** Offset from UTC in minutes, as text (`"720"`). */
  GMT: z.string().optional(),
  InvitationEmailTemplateReference: z.string().optional(),
  ListItems: z.array(DropDownListItem).optional()
})
export type SendFormDirectRequest = z.infer<typeof SendFormDirectRequest>
