/** The fields of a composition that a column can fill, part by part, with the names a heading may use for them. */
import type { ComposedItem, ComposedShareUser, ComposedSigner, Composition, Settings } from './composition.ts'

/**
 * How a cell is parsed. `due` is a date with an optional time, `question-type` is text, date or e-mail, and an `answer`
 * is parsed according to its question's type.
 */
export type TargetKind = 'text' | 'email' | 'number' | 'yes-no' | 'date' | 'due' | 'time' | 'question-type' | 'answer'

export interface BulkTarget {
  /** Identifies the target within a composition: the place at which its problems are reported (see problems.ts). */
  target: string
  /** The name shown to people, and the column heading in a sample. Unique among the targets. */
  label: string
  group: string
  /** Other names that a heading may use, without the number of the person or form. */
  aliases: readonly string[]
  kind: TargetKind
  required?: true
  /** The person it belongs to, from 1; absent if it belongs to the package or a form. */
  person?: number
  /** The form or template it belongs to, from 1; absent if it belongs to the package. */
  item?: number
  path: readonly (string | number)[]
  /** For a time: the target of the date it belongs to. */
  goesWith?: string
}

/** A target without its label. */
export type Field = Pick<BulkTarget, 'kind' | 'aliases'> & { name: string; required?: true }

const field = (name: string, kind: TargetKind, aliases: readonly string[] = []): Field => ({ name, kind, aliases })
const requiredField = (name: string, kind: TargetKind, aliases: readonly string[]): Field => ({
  ...field(name, kind, aliases),
  required: true
})

type Fields<Of> = { [Name in keyof Of]?: Field }

const personFields = {
  FirstName: requiredField('first name', 'text', ['first name', 'given name', 'given names', 'forename', 'first']),
  MiddleName: field('middle name', 'text', ['middle name', 'middle names', 'middle']),
  LastName: requiredField('last name', 'text', ['last name', 'surname', 'family name', 'last']),
  Email: requiredField('e-mail', 'email', ['email', 'mail', 'email address', 'mail address'])
}

export const signerFields = {
  ...personFields,
  MobileCountry: field('country code', 'text', ['mobile country', 'mobile country code', 'phone country', 'dial code']),
  MobileNumber: field('mobile', 'text', [
    'mobile number',
    'mobile phone',
    'cell',
    'cell phone',
    'phone',
    'phone number'
  ]),
  ClientReference: field('your reference for this signer', 'text', [
    'client reference',
    'your reference for this person'
  ]),
  faceToFace: field('face to face', 'yes-no', ['face to face signing', 'at the counter']),
  video: field('video confirmation', 'yes-no', ['video']),
  deepfakeDetector: field('deepfake detector', 'yes-no', ['deepfake'])
} satisfies Fields<ComposedSigner>

export const formSignerFields = {
  Optional: field('optional', 'yes-no', ['may be left out']),
  SignerType: field('signer type', 'text', ['role']),
  UseIDData: field('no mobile phone', 'yes-no', [
    'use id data',
    'no mobile',
    'has no mobile phone',
    'identity questions'
  ])
} satisfies Fields<ComposedSigner>

export const templateSignerFields = {
  reviewBeforeSigning: field('review before signing', 'yes-no', ['review']),
  SignerReference: field('role in the template', 'text', [
    'signer reference',
    'template signer',
    'signer in the template'
  ])
} satisfies Fields<ComposedSigner>

export const shareUserFields = {
  ...personFields,
  IsDefault: field('default', 'yes-no', ['is default']),
  IsOwner: field('owner', 'yes-no', ['is owner'])
} satisfies Fields<ComposedShareUser>

export const questionFields = {
  Label: requiredField('what is asked', 'text', ['identity question', 'identity label']),
  DataType: field('answer type', 'question-type', ['data type', 'identity type', 'kind']),
  Value: requiredField('correct answer', 'answer', ['answer', 'identity answer', 'identity value', 'right answer'])
} satisfies Fields<ComposedSigner['IDData'][number]>

export const choiceFields = {
  ClientField: requiredField('field', 'text', ['client field']),
  Item: requiredField('choice', 'text', ['item', 'text']),
  Value: field('value', 'text')
} satisfies Fields<Composition['ListItems'][number]>

/** What offices call their own reference for a case. */
const OUR_REFERENCE = [
  ...['your reference', 'our reference', 'our ref', 'client reference'],
  ...['matter', 'matter no', 'matter number', 'matter reference', 'file no', 'file number', 'case no', 'case number']
]

export const formFields = {
  Name: requiredField('name', 'text', ['form name', 'document name']),
  Reference: requiredField('reference', 'text', ['form reference']),
  FormType: requiredField('form type', 'number', ['form type']),
  ClientReference: field('your reference', 'text', OUR_REFERENCE),
  EmployerReference: field('employer reference', 'text', ['employer reference']),
  XMLData: field('XML data', 'text', ['data to fill in', 'xml', 'xml data'])
} satisfies Fields<ComposedItem>

export const templateFields = {
  Name: requiredField('name', 'text', ['template name', 'document name']),
  ClientReference: field('your reference', 'text', OUR_REFERENCE)
} satisfies Fields<ComposedItem>

export const settingsFields = {
  embedded: field('Sign in this application', 'yes-no', ['embedded', 'embed form', 'embed']),
  ReturnUrl: field('Redirect after signing', 'text', [
    'return url',
    'return address',
    'return page',
    'page to return to after signing'
  ]),
  NotifyUrl: field('Notification address', 'text', [
    'notify url',
    'notify address',
    'callback url',
    'address that the service calls'
  ])
} satisfies Fields<Settings>

export const packageFields = {
  due: field('Due date', 'due', ['due', 'due by', 'sign by', 'deadline', 'due date and time']),
  ...settingsFields
} satisfies Fields<Composition>

export const formPackageFields = {
  InvitationEmailTemplateReference: field('Invitation e-mail template', 'text', [
    'invitation email template reference',
    'invitations email template',
    'email template',
    'invitation template'
  ])
} satisfies Fields<Composition>

export const templatePackageFields = {
  Sequential: field('Signers sign in order', 'yes-no', [
    'sequential',
    'in order',
    'signing order',
    'one after the other'
  ])
} satisfies Fields<Composition>
