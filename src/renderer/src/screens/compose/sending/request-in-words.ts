/**
 * A request as an office reads it: every member of it once, in the composer's own words. Made from the request itself, so
 * that it can't differ from what is sent; only the due date comes from the composition, which names its time zone. The
 * compiler asks for the words of a member that the request gains.
 */
import { readDay } from '../../../../../shared/composition/calendar.ts'
import type { Composition } from '../../../../../shared/composition/composition.ts'
import { RETURN_ADDRESS, toFormDirectRequest, toFormFillerRequest } from '../../../../../shared/composition/request.ts'
import type { Form, FormSigner, SendFormDirectRequest } from '../../../../../shared/model/form-direct.ts'
import type { SendFormFillerRequest, Template, TemplateSigner } from '../../../../../shared/model/form-filler.ts'
import { fullName, type ShareUser } from '../../../../../shared/model/person.ts'
import { dayInWords } from '../../../words/dates.ts'
import { inMegabytes } from '../data/xml-file.ts'
import { dueInWords } from '../describe.ts'
import * as composer from '../fields.ts'

/** One member with its value, and what else is sent of it. */
interface Fact {
  label: string
  value: string
  note?: string
}

/** A form, a person …, with their own facts and the parts in them. */
export interface Part {
  title: string
  facts: Fact[]
  parts: Part[]
}

/** What stands for a reference that Countersign assigns when the package enters the outbox. */
const ASSIGNED = 'Assigned when sent'
/** Stands for an answer that isn't shown. */
export const MASK = '••••••'
/** Longer XML is cut for display. */
const MAX_XML_IN_WORDS = 300

/** For each member of `Of`, what is shown of it; null if it is shown with another one. */
type Words<Of> = { [Member in keyof Of]-?: ((value: NonNullable<Of[Member]>) => Fact | Fact[]) | null }
type Field = Template['Fields'][number]
type Choice = NonNullable<SendFormDirectRequest['ListItems']>[number]
type Question = NonNullable<FormSigner['IDData']>[number]

interface Shown {
  now: number
  /** The service's default, in days after sending; undefined if unknown. */
  defaultDueDays: number | undefined
  /** Whether the answers to identity questions are shown. */
  answers: 'shown' | 'masked'
}

/** Returns the package as it is sent: its own facts, and a part for each form or template. */
export function requestInWords(composition: Composition, shown: Shown): Part {
  const due: Fact = { label: 'Due date', value: dueInWords(composition, shown.now, shown.defaultDueDays) }
  return composition.kind === 'form-direct'
    ? formsInWords(
        toFormDirectRequest(composition, () => ''),
        due,
        shown
      )
    : templatesInWords(
        toFormFillerRequest(composition, () => ''),
        due
      )
}

function formsInWords(request: SendFormDirectRequest, due: Fact, { answers }: Shown): Part {
  const choices = request.ListItems ?? []
  const ofPackage: Words<SendFormDirectRequest> = {
    Forms: null,
    DueDate: null,
    GMT: null,
    InvitationEmailTemplateReference: text(composer.packageAddressFields, 'InvitationEmailTemplateReference'),
    ListItems: null
  }
  const ofForm: Words<Form> = {
    Name: null,
    Signers: null,
    Reference: text(composer.itemReference, 'Reference'),
    FormType: (type) => ({
      label: labelOf(composer.itemReference, 'FormType'),
      value: Number.isNaN(type) ? '' : `${type}`
    }),
    ClientReference: ownReference,
    EmployerReference: (value) => ({ label: 'Employer reference', value }),
    EmbedForm: flag(composer.formSettings, 'embedded'),
    ReturnUrl: redirect,
    NotifyUrl: text(composer.formSettings, 'NotifyUrl'),
    XMLData: (value) => ({ label: 'XML data', ...shortXml(value) })
  }
  const ofSigner: Words<FormSigner> = {
    ...PERSON,
    SignerType: text(composer.signerRole, 'SignerType'),
    EnabledFaceToFaceSigning: flag(composer.signerIdentity, 'faceToFace'),
    UseIDData: flag(composer.signerIdentity, 'UseIDData'),
    IDData: (questions) => questions.map((question) => questionInWords(question, answers)),
    VideoConfirmation: flag(composer.signerFlags, 'video'),
    EnableDeepfakeDetector: flag(composer.signerFlags, 'deepfakeDetector'),
    Optional: flag(composer.signerFlags, 'Optional'),
    ...INVITEE
  }
  return {
    title: '',
    facts: [due, ...factsOf(request, ofPackage)],
    parts: [
      ...request.Forms.map((form, index) => ({
        title: titleOf('Form', index, request.Forms.length, form.Name),
        facts: factsOf(form, ofForm),
        parts: form.Signers.map((signer, place) => signerPart(signer, place, factsOf(signer, ofSigner)))
      })),
      ...(choices.length > 0 ? [{ title: 'Drop-down choices', facts: choices.map(choiceInWords), parts: [] }] : [])
    ]
  }
}

function templatesInWords(request: SendFormFillerRequest, due: Fact): Part {
  const ofPackage: Words<SendFormFillerRequest> = {
    Templates: null,
    DueDate: null,
    GMT: null,
    Sequential: flag(composer.packageSigningFields, 'Sequential'),
    Embedded: flag(composer.packageSigningFields, 'embedded'),
    ReturnUrl: redirect,
    NotifyUrl: text(composer.packageAddressFields, 'NotifyUrl')
  }
  const ofTemplate: Words<Template> = {
    Name: null,
    Signers: null,
    Fields: null,
    Reference: text(composer.itemReference, 'Reference'),
    ClientReference: ownReference
  }
  const ofSigner: Words<TemplateSigner> = {
    ...PERSON,
    SignerReference: text(composer.signerRole, 'SignerReference'),
    IsFaceToFaceSigning: flag(composer.signerIdentity, 'faceToFace'),
    VideoConfirmationEnabled: flag(composer.signerFlags, 'video'),
    VideoConfirmationDeepfakeEnabled: flag(composer.signerFlags, 'deepfakeDetector'),
    ReviewBeforeSigningEnabled: flag(composer.signerFlags, 'reviewBeforeSigning'),
    ...INVITEE
  }
  return {
    title: '',
    facts: [due, ...factsOf(request, ofPackage)],
    parts: request.Templates.map((template, index) => ({
      title: titleOf('Template', index, request.Templates.length, template.Name),
      facts: factsOf(template, ofTemplate),
      parts: [
        ...template.Signers.map((signer, place) => signerPart(signer, place, factsOf(signer, ofSigner))),
        ...(template.Fields.length > 0
          ? [{ title: 'Filled in', facts: template.Fields.map(fieldInWords), parts: [] }]
          : [])
      ]
    }))
  }
}

/** Name, e-mail and mobile are put together in `signerPart`. */
const PERSON = {
  FirstName: null,
  MiddleName: null,
  LastName: null,
  Email: null
} as const
const INVITEE = {
  MobileCountry: null,
  MobileNumber: null,
  ShareUsers: null,
  ClientReference: text(composer.signerClientReference, 'ClientReference')
} as const

function signerPart(signer: FormSigner | TemplateSigner, place: number, facts: Fact[]): Part {
  const { MobileCountry: country, MobileNumber: number, ShareUsers = [] } = signer
  const email = text(composer.signerEmail, 'Email')(signer.Email)
  const mobile = number ? [{ label: 'Mobile', value: country ? `+${country} ${number}` : number }] : []
  return {
    title: `${place + 1}. ${nameIn(signer) || `Signer ${place + 1}`}`,
    facts: [email, ...mobile, ...facts],
    parts: ShareUsers.map((user) => ({
      title: `Shared with ${nameIn(user)}`,
      facts: factsOf(user, SHARE_USER),
      parts: []
    }))
  }
}

const SHARE_USER: Words<ShareUser> = {
  FirstName: null,
  MiddleName: null,
  LastName: null,
  Email: text(composer.shareUser, 'Email'),
  IsDefault: flag(composer.shareUser, 'IsDefault'),
  IsOwner: flag(composer.shareUser, 'IsOwner')
}

function questionInWords({ Label, Value, DataType }: Question, answers: Shown['answers']): Fact {
  const answer = answers === 'shown' || Value === '' ? Value : MASK
  return { label: Label || 'Identity question', value: answer, note: ANSWER_TYPES[DataType] }
}
const ANSWER_TYPES: Record<Question['DataType'], string> = {
  text: 'Identity question, answered with text',
  date: 'Identity question, answered with a date',
  email: 'Identity question, answered with an e-mail address'
}

function choiceInWords({ ClientField, Item, Value }: Choice): Fact {
  return { label: ClientField, value: Item, ...(Value && { note: `Value: ${Value}` }) }
}

function fieldInWords(field: Field): Fact {
  const { Label, Reference, ID, FieldType, IsRequired, ReadOnly, ClientField } = field
  const note = [
    composer.fieldTypeInWords(FieldType),
    IsRequired && labelOf(composer.fieldDetails, 'IsRequired'),
    ReadOnly && labelOf(composer.fieldDetails, 'ReadOnly'),
    `${labelOf(composer.fieldDetails, 'Reference')}: ${Reference}`,
    ID !== Reference && `${labelOf(composer.fieldDetails, 'ID')}: ${ID}`,
    ClientField && `${labelOf(composer.fieldDetails, 'ClientField')}: ${ClientField}`
  ]
  return { label: Label || Reference, value: filledIn(field) || 'Blank', note: note.filter(Boolean).join(' · ') }
}

function filledIn({ FieldType, Value }: Field): string {
  if (FieldType === 'DateInput' && readDay(Value) === Value) return dayInWords(Date.parse(Value), 0)
  if (FieldType === 'CheckBox' && (Value === 'true' || Value === 'false'))
    return Value === 'true' ? 'Ticked' : 'Not ticked'
  return Value
}

function ownReference(value: string): Fact {
  return { label: labelOf(composer.itemClientReference, 'ClientReference'), value: value || ASSIGNED }
}

function redirect(value: string): Fact {
  const label = labelOf(composer.formSettings, 'ReturnUrl')
  return { label, value: value === RETURN_ADDRESS ? 'Back to Countersign' : value }
}

function shortXml(value: string): Omit<Fact, 'label'> {
  if (value.length <= MAX_XML_IN_WORDS) return { value }
  return { value: `${value.slice(0, MAX_XML_IN_WORDS)}…`, note: `${inMegabytes(value.length)} in all` }
}

function titleOf(kind: 'Form' | 'Template', index: number, count: number, name: string): string {
  const number = kind === 'Form' ? `Form ${index + 1}` : `Template ${index + 1}`
  if (!name) return number
  return count > 1 ? `${number}: ${name}` : name
}

const nameIn = ({ FirstName, MiddleName, LastName }: Pick<ShareUser, 'FirstName' | 'MiddleName' | 'LastName'>) =>
  fullName({ FirstName, MiddleName, LastName })

/** Returns the facts of the members that are there, in the order of `words`. */
function factsOf<Of extends object>(of: Of, words: Words<Of>): Fact[] {
  const others = Object.entries(of).filter(([member]) => !(member in words))
  const known = Object.keys(words) as (keyof Of)[]
  return [
    ...known.flatMap((member) => {
      const value = of[member]
      return value === undefined || value === null ? [] : (words[member]?.(value as NonNullable<Of[keyof Of]>) ?? [])
    }),
    ...others.map(([label, value]) => ({ label, value: JSON.stringify(value) }))
  ]
}

type Row<Of> = composer.FieldRow<Of>

function labelOf<Of>(rows: readonly Row<Of>[], name: keyof Of & string): string {
  return rows.find((row) => row.name === name)?.label ?? name
}

function text<Of>(rows: readonly Row<Of>[], name: keyof Of & string): (value: string) => Fact {
  return (value) => ({ label: labelOf(rows, name), value })
}

function flag<Of>(rows: readonly Row<Of>[], name: keyof Of & string): (value: boolean) => Fact {
  return (value) => ({ label: labelOf(rows, name), value: value ? 'Yes' : 'No' })
}
