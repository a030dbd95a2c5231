/** The fields of a composition that columns can fill, part by part, and the names that a heading may give them. */
import type { BulkTarget, TargetKind } from './bulk-targets.ts'
import type { ComposedItem, ComposedShareUser, ComposedSigner, Composition } from './composition.ts'

/** A target before it has its label. */
export type Field = Pick<BulkTarget, 'kind' | 'aliases'> & { name: string; required?: true }

const field = (name: string, kind: TargetKind, aliases: readonly string[] = []): Field => ({ name, kind, aliases })
const needed = (name: string, kind: TargetKind, aliases: readonly string[]): Field => ({
  ...field(name, kind, aliases),
  required: true
})

type Fields<Of> = { [Name in keyof Of]?: Field }

const firstName = ['first name', 'given name', 'given names', 'forename', 'first']
const lastName = ['last name', 'surname', 'family name', 'last']
const middleName = ['middle name', 'middle names', 'middle']
const email = ['email', 'mail', 'email address', 'mail address']

export const ofSigner = {
  FirstName: needed('first name', 'text', firstName),
  MiddleName: field('middle name', 'text', middleName),
  LastName: needed('last name', 'text', lastName),
  Email: needed('e-mail', 'email', email),
  MobileCountry: field('country code', 'text', ['mobile country', 'mobile country code', 'phone country', 'dial code']),
  MobileNumber: field('mobile', 'text', [
    'mobile number',
    'mobile phone',
    'cell',
    'cell phone',
    'phone',
    'phone number'
  ]),
  ClientReference: field('your reference for this person', 'text', ['client reference']),
  faceToFace: field('face to face', 'yes-no', ['face to face signing', 'at the counter']),
  video: field('video confirmation', 'yes-no', ['video']),
  deepfakeDetector: field('deepfake detector', 'yes-no', ['deepfake'])
} satisfies Fields<ComposedSigner>

export const ofFormSigner = {
  Optional: field('optional', 'yes-no', ['may be left out']),
  SignerType: field('signer type', 'text', ['role']),
  UseIDData: field('has no mobile phone', 'yes-no', ['use id data', 'no mobile', 'identity questions'])
} satisfies Fields<ComposedSigner>

export const ofTemplateSigner = {
  reviewBeforeSigning: field('review before signing', 'yes-no', ['review']),
  SignerReference: field('signer in the template', 'text', ['signer reference', 'template signer'])
} satisfies Fields<ComposedSigner>

export const ofShareUser = {
  FirstName: needed('first name', 'text', firstName),
  MiddleName: field('middle name', 'text', middleName),
  LastName: needed('last name', 'text', lastName),
  Email: needed('e-mail', 'email', email),
  IsDefault: field('default', 'yes-no', ['is default']),
  IsOwner: field('owner', 'yes-no', ['is owner'])
} satisfies Fields<ComposedShareUser>

export const ofQuestion = {
  Label: needed('what is asked', 'text', ['identity question', 'identity label']),
  DataType: field('kind', 'question-type', ['data type', 'identity type']),
  Value: needed('right answer', 'answer', ['answer', 'identity answer', 'identity value'])
} satisfies Fields<ComposedSigner['IDData'][number]>

export const ofChoice = {
  ClientField: needed('field', 'text', ['client field']),
  Item: needed('choice', 'text', ['item', 'text']),
  Value: field('value', 'text')
} satisfies Fields<Composition['ListItems'][number]>

export const ofForm = {
  Name: needed('name', 'text', ['form name', 'document name']),
  Reference: needed('reference', 'text', ['form reference']),
  FormType: needed('form type', 'number', ['form type']),
  ClientReference: field('your reference', 'text', ['your reference', 'client reference', 'matter', 'case number']),
  EmployerReference: field('employer reference', 'text', ['employer reference']),
  XMLData: field('data to fill in', 'text', ['data to fill in', 'xml', 'xml data'])
} satisfies Fields<ComposedItem>

export const ofTemplate = {
  Name: needed('name', 'text', ['template name', 'document name']),
  ClientReference: field('your reference', 'text', ['your reference', 'client reference', 'matter', 'case number'])
} satisfies Fields<ComposedItem>

export const ofPackage = {
  due: field('Due date', 'due', ['due', 'due by', 'sign by', 'deadline', 'due date and time']),
  embedded: field('Sign in this application', 'yes-no', ['embedded', 'embed form', 'embed']),
  ReturnUrl: field('Page to return to after signing', 'text', ['return url', 'return address', 'return page']),
  NotifyUrl: field('Address that the service calls', 'text', ['notify url', 'notify address', 'callback url'])
} satisfies Fields<Composition>

export const ofFormPackage = {
  InvitationEmailTemplateReference: field('Invitation’s e-mail template', 'text', [
    'invitation email template reference',
    'email template',
    'invitation template'
  ])
} satisfies Fields<Composition>

export const ofTemplatePackage = {
  Sequential: field('One after the other', 'yes-no', ['sequential', 'in order', 'signing order'])
} satisfies Fields<Composition>
