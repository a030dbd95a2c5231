/** The bodies of the reference's POST operations (sections 2.1 to 2.12, 2.18, 2.19, 2.23), with what is really needed marked. */
import { EMPLOYER_FIELDS, FIELD_TYPES } from '../shared/model/index.ts'
import { email, flag, listOf, needed, oneOf, type Reader, record, text, whole } from './reading.ts'

const AUTH_DATA_TYPES = ['text', 'date', 'email'] as const

const userInfo = { FirstName: needed(text), MiddleName: text, LastName: needed(text), Email: needed(email) }

const shareUser = record({ ...userInfo, IsDefault: flag, IsOwner: flag })

const invitee = {
  MobileNumber: text,
  MobileCountry: text,
  ShareUsers: listOf(shareUser),
  ClientReference: text
}

const authInfo = record({ Label: needed(text), Value: needed(text), DataType: needed(oneOf(AUTH_DATA_TYPES)) })

const formSigner = record({
  ...userInfo,
  ...invitee,
  SignerType: text,
  UseIDData: flag,
  IDData: listOf(authInfo),
  EnabledFaceToFaceSigning: flag,
  Optional: flag,
  VideoConfirmation: flag,
  EnableDeepfakeDetector: flag
})
export type FormSignerRequest = Read<typeof formSigner>

const form = record({
  Name: needed(text),
  FormType: whole,
  Reference: needed(text),
  Signers: needed(listOf(formSigner)),
  EmbedForm: flag,
  ReturnUrl: text,
  NotifyUrl: text,
  XMLData: text,
  EmployerReference: text,
  ClientReference: text
})
export type FormRequest = Read<typeof form>

const listItem = record({ ClientField: needed(text), Item: needed(text), Value: text })

/** 2.1. */
export const sendFormDirect = record({
  Forms: needed(listOf(form)),
  DueDate: text,
  GMT: text,
  InvitationEmailTemplateReference: text,
  ListItems: listOf(listItem)
})
export type SendFormDirect = Read<typeof sendFormDirect>

const templateSigner = record({
  ...userInfo,
  ...invitee,
  SignerReference: text,
  IsFaceToFaceSigning: flag,
  VideoConfirmationEnabled: flag,
  VideoConfirmationDeepfakeEnabled: flag,
  ReviewBeforeSigningEnabled: flag
})
export type TemplateSignerRequest = Read<typeof templateSigner>

const field = record({
  Label: text,
  Value: text,
  FieldType: oneOf(FIELD_TYPES),
  IsRequired: flag,
  ID: text,
  Reference: text,
  ReadOnly: flag,
  ClientField: text
})
export type FieldRequest = Read<typeof field>

const template = record({
  Name: text,
  Reference: needed(text),
  Signers: needed(listOf(templateSigner)),
  Fields: listOf(field),
  ClientReference: text
})
export type TemplateRequest = Read<typeof template>

/** 2.9. */
export const sendFormFiller = record({
  Templates: needed(listOf(template)),
  DueDate: text,
  GMT: text,
  Embedded: flag,
  ReturnUrl: text,
  Sequential: flag,
  NotifyUrl: text
})
export type SendFormFiller = Read<typeof sendFormFiller>

/** 2.23 UpdateSigner. */
export const updateSigner = record({ DocumentReference: needed(text), Signers: needed(listOf(templateSigner)) })
export type UpdateSigner = Read<typeof updateSigner>

/** 2.23 Extend. */
export const extend = record({ DocumentReference: needed(text), DueDate: needed(text), GMT: text })
export type Extend = Read<typeof extend>

/** 2.23 AssignQueueDocument. */
export const assignQueueDocument = record({
  PackageReference: needed(text),
  DocumentReference: needed(text),
  NotaryReference: needed(text),
  Send: flag
})
export type AssignQueueDocument = Read<typeof assignQueueDocument>

/** Not in the reference: a reminder to one signer. */
export const sendReminder = record({ DocumentReference: needed(text), SignerReference: text })

function employerRecord(kind: 'SuperFund' | 'TFN' | 'AccClaimsHistory') {
  const texts = Object.fromEntries(EMPLOYER_FIELDS[kind].map((name) => [name, text]))
  return record({ Reference: needed(text), Name: needed(text), IsDefault: flag, ...texts })
}

/** 2.19, the request of UpdateEmployers. */
export const updateEmployers = record({
  SuperFund: listOf(employerRecord('SuperFund')),
  TFN: listOf(employerRecord('TFN')),
  AccClaimsHistory: listOf(employerRecord('AccClaimsHistory'))
})
export type UpdateEmployers = Read<typeof updateEmployers>

type Read<Shape> = Shape extends Reader<infer Value> ? Value : never
