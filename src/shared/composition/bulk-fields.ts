/** What a column can fill: the fields of a composition, part by part, and the names that a heading may give them. */
import type { ComposedItem, ComposedShareUser, ComposedSigner, Composition, Settings } from './composition.ts'

/**
 * How a cell is understood. `due` is a date that may have a time, `question-type` is text, date or e-mail, and an
 * `answer` is read as its question's type says.
 */
export type TargetKind = 'text' | 'email' | 'number' | 'yes-no' | 'date' | 'due' | 'time' | 'question-type' | 'answer'

export interface BulkTarget {
  /** Tells targets of one composition apart: the place that problems are told at (see problems.ts). */
  target: string
  /** What a person calls it, and the heading of its column in a sample. No two targets have the same. */
  label: string
  group: string
  /** Other names that a heading may have, without the person's or the form's number. */
  aliases: readonly string[]
  kind: TargetKind
  required?: true
  /** Whose it is, from 1; none for what belongs to the package or a form. */
  person?: number
  /** Which form's or template's it is, from 1; none for what belongs to the package. */
  item?: number
  /** Where the value stands in the composition. */
  path: readonly (string | number)[]
  /** Where the date stands that a time goes with. */
  goesWith?: string
}

/** A target before it has its label. */
export type Field = Pick<BulkTarget, 'kind' | 'aliases'> & { name: string; required?: true }

const field = (name: string, kind: TargetKind, aliases: readonly string[] = []): Field => ({ name, kind, aliases })
const needed = (name: string, kind: TargetKind, aliases: readonly string[]): Field => ({
  ...field(name, kind, aliases),
  required: true
})

type Fields<Of> = { [Name in keyof Of]?: Field }

const person = {
  FirstName: needed('first name', 'text', ['first name', 'given name', 'given names', 'forename', 'first']),
  MiddleName: field('middle name', 'text', ['middle name', 'middle names', 'middle']),
  LastName: needed('last name', 'text', ['last name', 'surname', 'family name', 'last']),
  Email: needed('e-mail', 'email', ['email', 'mail', 'email address', 'mail address'])
}

export const ofSigner = {
  ...person,
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

export const ofFormSigner = {
  Optional: field('optional', 'yes-no', ['may be left out']),
  SignerType: field('signer type', 'text', ['role']),
  UseIDData: field('no mobile phone', 'yes-no', [
    'use id data',
    'no mobile',
    'has no mobile phone',
    'identity questions'
  ])
} satisfies Fields<ComposedSigner>

export const ofTemplateSigner = {
  reviewBeforeSigning: field('review before signing', 'yes-no', ['review']),
  SignerReference: field('role in the template', 'text', [
    'signer reference',
    'template signer',
    'signer in the template'
  ])
} satisfies Fields<ComposedSigner>

export const ofShareUser = {
  ...person,
  IsDefault: field('default', 'yes-no', ['is default']),
  IsOwner: field('owner', 'yes-no', ['is owner'])
} satisfies Fields<ComposedShareUser>

export const ofQuestion = {
  Label: needed('what is asked', 'text', ['identity question', 'identity label']),
  DataType: field('answer type', 'question-type', ['data type', 'identity type', 'kind']),
  Value: needed('correct answer', 'answer', ['answer', 'identity answer', 'identity value', 'right answer'])
} satisfies Fields<ComposedSigner['IDData'][number]>

export const ofChoice = {
  ClientField: needed('field', 'text', ['client field']),
  Item: needed('choice', 'text', ['item', 'text']),
  Value: field('value', 'text')
} satisfies Fields<Composition['ListItems'][number]>

/** What an office calls its own number of a case. */
const OUR_REFERENCE = [
  ...['your reference', 'our reference', 'our ref', 'client reference'],
  ...['matter', 'matter no', 'matter number', 'matter reference', 'file no', 'file number', 'case no', 'case number']
]

export const ofForm = {
  Name: needed('name', 'text', ['form name', 'document name']),
  Reference: needed('reference', 'text', ['form reference']),
  FormType: needed('form type', 'number', ['form type']),
  ClientReference: field('your reference', 'text', OUR_REFERENCE),
  EmployerReference: field('employer reference', 'text', ['employer reference']),
  XMLData: field('XML data', 'text', ['data to fill in', 'xml', 'xml data'])
} satisfies Fields<ComposedItem>

export const ofTemplate = {
  Name: needed('name', 'text', ['template name', 'document name']),
  ClientReference: field('your reference', 'text', OUR_REFERENCE)
} satisfies Fields<ComposedItem>

export const ofSettings = {
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

export const ofPackage = {
  due: field('Due date', 'due', ['due', 'due by', 'sign by', 'deadline', 'due date and time']),
  ...ofSettings
} satisfies Fields<Composition>

export const ofFormPackage = {
  InvitationEmailTemplateReference: field('Invitation e-mail template', 'text', [
    'invitation email template reference',
    'invitations email template',
    'email template',
    'invitation template'
  ])
} satisfies Fields<Composition>

export const ofTemplatePackage = {
  Sequential: field('Signers sign in order', 'yes-no', [
    'sequential',
    'in order',
    'signing order',
    'one after the other'
  ])
} satisfies Fields<Composition>
