/** Carries out the three sends (operations 1, 2 and 4): creates packages and documents from a request. */
import {
  type AuthInfo,
  FIELD_TYPES,
  type FieldType,
  type FormSigner,
  knownFieldType,
  type TemplateSigner
} from '../shared/model/index.ts'
import { invalidField, Refusal } from './conventions.ts'
import { readDue } from './dates.ts'
import { OTHER_TYPE } from './dialects.ts'
import { field, fieldsOfForm, nameInWords } from './form-kinds.ts'
import { DAY, inviteNext, log } from './life.ts'
import type { FieldRequest, FormRequest, SendFormDirect, SendFormFiller, TemplateRequest } from './requests.ts'
import { newKey, newReference, type RandomBytes } from './sources.ts'
import type { DocumentRecord, FieldRecord, PackageRecord, PracticeState, SignerRecord } from './state.ts'

export interface SendContext {
  state: PracticeState
  now: number
  random: RandomBytes
}

/** Sends forms (2.1). Returns the package; its documents are in the state, in the order of the forms. */
export function sendForms(request: SendFormDirect, context: SendContext): PackageRecord {
  const due = dueOf(request, context)
  if (refusesUnknown(context.state)) refuseUnknownForms(request)
  deductFromPlan(request.Forms.length, context.state)
  const bundle = newPackage(
    request,
    request.Forms.map(({ Name }) => Name),
    context
  )
  for (const form of request.Forms) {
    const document = newDocument('form', form.Name, form.Reference, bundle, due, request.GMT, context)
    Object.assign(document, {
      embedded: form.EmbedForm ?? false,
      fields: fieldsOfForm(form, request, context.state),
      signers: form.Signers.map((signer) => formSigner(signer, context.random)),
      ...copiedMembers(form)
    })
    registerDocument(document, context)
  }
  return bundle
}

/** Sends templates (2.9). Returns the package. */
export function sendTemplates(request: SendFormFiller, context: SendContext): PackageRecord {
  const due = dueOf(request, context)
  if (refusesUnknown(context.state)) refuseUnknownTemplates(request.Templates, context.state)
  refuseUnknownTypes(request.Templates)
  deductFromPlan(request.Templates.length, context.state)
  const names = request.Templates.map((template) => nameOf(template, context.state))
  const bundle = newPackage(request, names, context)
  for (const [index, template] of request.Templates.entries()) {
    const name = names[index] ?? template.Reference
    const document = newDocument('template', name, template.Reference, bundle, due, request.GMT, context)
    Object.assign(document, {
      embedded: request.Embedded ?? false,
      sequential: request.Sequential ?? false,
      fields: fieldsOfTemplate(template, context.state),
      signers: template.Signers.map((signer) => templateSigner(signer, context.random)),
      ...copiedMembers(request),
      ...copiedMembers(template)
    })
    registerDocument(document, context)
  }
  return bundle
}

const refusesUnknown = (state: PracticeState) => state.conditions?.dialects?.includes('full')

/**
 * Refuses forms whose reference begins with "unknown". Real references are undocumented (2.2), so any other is
 * accepted.
 */
function refuseUnknownForms({ Forms }: SendFormDirect): void {
  const unknown = Forms.find(({ Reference }) => /^unknown\b/i.test(Reference))
  if (unknown) throw new Refusal(404, 'FormNotFound', `There is no form of the reference ${unknown.Reference}.`)
}

/**
 * Refuses unknown templates. Only in the `full` dialect: otherwise they are accepted, so that an office can try its
 * own.
 */
function refuseUnknownTemplates(templates: readonly TemplateRequest[], state: PracticeState): void {
  const unknown = templates.find(({ Reference }) => !state.templates.some(({ reference }) => reference === Reference))
  if (unknown) throw new Refusal(404, 'TemplateNotFound', `There is no template of the reference ${unknown.Reference}.`)
}

/** Refuses the request if a field has a type that this office doesn't list. */
function refuseUnknownTypes(templates: readonly TemplateRequest[]): void {
  for (const [index, { Fields = [] }] of templates.entries()) {
    const place = Fields.findIndex((one) => one.FieldType !== undefined && one.FieldType !== '' && !typeOf(one))
    if (place < 0) continue
    const at = `Templates[${index}].Fields[${place}].FieldType`
    throw invalidField(at, 'InvalidType', `'FieldType' must be one of ${FIELD_TYPES.filter(Boolean).join(', ')}.`)
  }
}

function typeOf({ FieldType = '' }: FieldRequest): FieldType | undefined {
  return FieldType === OTHER_TYPE.name ? OTHER_TYPE.of : knownFieldType(FieldType)
}

function dueOf(request: Pick<SendFormDirect, 'DueDate' | 'GMT'>, { state, now }: SendContext): number {
  if (!request.DueDate?.trim()) return now + state.account.defaultDueDays * DAY
  const due = readDue(request.DueDate, request.GMT, state)
  if (due === undefined) throw invalidField('DueDate', 'InvalidDate', `'DueDate' is not a date that can be read.`)
  if (due <= now) throw invalidField('DueDate', 'PastDate', `'DueDate' has passed already.`)
  return due
}

/** Uses up documents of the plan; refuses with 426 if too few are left, and nothing is sent. */
function deductFromPlan(count: number, state: PracticeState): void {
  const left = documentsLeftIn(state)
  if (left === null) return
  if (left < count) {
    throw new Refusal(426, 'NotEnoughDocuments', `This package needs ${count} documents; ${left} are left in the plan.`)
  }
  const plan = state.conditions?.documentsLeft === undefined ? state.account : state.conditions
  plan.documentsLeft = left - count
}

/** Returns how many documents are left in the plan; null if it has no limit. */
export function documentsLeftIn({ account, conditions }: PracticeState): number | null {
  return conditions?.documentsLeft ?? account.documentsLeft
}

function newPackage(request: unknown, names: string[], { state, now, random }: SendContext): PackageRecord {
  const [first = 'Package'] = names
  const bundle: PackageRecord = {
    reference: newReference(random),
    queueReference: newReference(random),
    name: names.length > 1 ? `${first} and ${names.length - 1} more` : first,
    documents: [],
    createdAt: now,
    request
  }
  state.packages[bundle.reference] = bundle
  return bundle
}

function newDocument(
  kind: DocumentRecord['kind'],
  name: string,
  formReference: string,
  bundle: PackageRecord,
  dueAt: number,
  gmt: string | undefined,
  { now, random }: SendContext
): DocumentRecord {
  return {
    reference: newReference(random),
    packageReference: bundle.reference,
    name,
    kind,
    formReference,
    embedded: false,
    sequential: false,
    createdAt: now,
    dueAt,
    ...(gmt ? { gmt } : {}),
    files: [],
    viewKey: newKey(random),
    fields: [],
    signers: [],
    logs: []
  }
}

/** Members that are stored unchanged; empty ones count as missing. */
function copiedMembers(from: Partial<Omit<FormRequest, 'Name' | 'Signers'>>): Partial<DocumentRecord> {
  return {
    ...(from.FormType === undefined ? {} : { formType: from.FormType }),
    ...(from.ReturnUrl ? { returnUrl: from.ReturnUrl } : {}),
    ...(from.NotifyUrl ? { notifyUrl: from.NotifyUrl } : {}),
    ...(from.EmployerReference ? { employerReference: from.EmployerReference } : {}),
    ...(from.ClientReference ? { clientReference: from.ClientReference } : {})
  }
}

function registerDocument(document: DocumentRecord, { state, now }: SendContext): void {
  state.documents[document.reference] = document
  state.packages[document.packageReference]?.documents.push(document.reference)
  log(document, now, state.account.user, 'Sent the document', 'Sender')
  inviteNext(document, now)
}

function formSigner(sent: FormSigner, random: RandomBytes): SignerRecord {
  return {
    ...newSigner(sent, random),
    ...(sent.SignerType ? { SignerType: sent.SignerType } : {}),
    optional: sent.Optional ?? false,
    faceToFace: sent.EnabledFaceToFaceSigning ?? false,
    video: sent.VideoConfirmation ?? false,
    deepfake: sent.EnableDeepfakeDetector ?? false,
    idData: questions(sent)
  }
}

/**
 * What the signer is asked to identify themselves. With UseIDData but no questions, asks for data that was sent anyway.
 */
function questions(sent: FormSigner): AuthInfo[] {
  if (sent.UseIDData === false) return []
  if (sent.IDData?.length) return sent.IDData
  if (!sent.UseIDData) return []
  if (sent.MobileNumber) return [{ Label: 'Mobile number', Value: sent.MobileNumber, DataType: 'text' }]
  return [{ Label: 'E-mail address', Value: sent.Email, DataType: 'email' }]
}

function templateSigner(sent: TemplateSigner, random: RandomBytes): SignerRecord {
  return {
    ...newSigner(sent, random),
    ...(sent.SignerReference ? { SignerReference: sent.SignerReference } : {}),
    faceToFace: sent.IsFaceToFaceSigning ?? false,
    video: sent.VideoConfirmationEnabled ?? false,
    deepfake: sent.VideoConfirmationDeepfakeEnabled ?? false,
    review: sent.ReviewBeforeSigningEnabled ?? false
  }
}

function newSigner(sent: FormSigner | TemplateSigner, random: RandomBytes): SignerRecord {
  return {
    SignerReference: newReference(random),
    key: newKey(random),
    FirstName: sent.FirstName,
    ...(sent.MiddleName ? { MiddleName: sent.MiddleName } : {}),
    LastName: sent.LastName,
    Email: sent.Email,
    ...(sent.MobileNumber ? { MobileNumber: sent.MobileNumber } : {}),
    ...(sent.MobileCountry ? { MobileCountry: sent.MobileCountry } : {}),
    ...(sent.ShareUsers?.length ? { ShareUsers: sent.ShareUsers } : {}),
    ...(sent.ClientReference ? { ClientReference: sent.ClientReference } : {}),
    optional: false,
    faceToFace: false,
    review: false,
    video: false,
    deepfake: false,
    idData: [],
    status: 'Initialized',
    wrongAnswers: 0
  }
}

function nameOf(template: TemplateRequest, state: PracticeState): string {
  return template.Name || knownTemplate(template, state)?.name || template.Reference
}

function knownTemplate(sent: TemplateRequest, state: PracticeState) {
  return state.templates.find(({ reference }) => reference.toLowerCase() === sent.Reference.toLowerCase())
}

/** Merges sent fields into the template's own; unknown fields are added. */
function fieldsOfTemplate(sent: TemplateRequest, state: PracticeState): FieldRecord[] {
  const own = structuredClone(knownTemplate(sent, state)?.fields ?? [])
  for (const [index, one] of (sent.Fields ?? []).entries()) {
    const reference = one.Reference || one.ID || `field_${index + 1}`
    const known = own.find((each) => each.reference === reference)
    if (known) Object.assign(known, sentField(one, known))
    else own.push(sentField(one, field(reference, nameInWords(reference), typeOf(one) ?? 'Text', { required: false })))
  }
  return own
}

function sentField(sent: FieldRequest, known: FieldRecord): FieldRecord {
  const type = typeOf(sent) ?? known.type
  const value = sent.Value ?? known.value
  return {
    ...known,
    label: sent.Label || known.label,
    value,
    type,
    required: sent.IsRequired ?? known.required,
    readOnly: sent.ReadOnly ?? known.readOnly,
    clientField: sent.ClientField || known.clientField,
    ...(isChoice(type) && !known.choices ? { choices: choicesFrom(value) } : {})
  }
}

function isChoice(type: FieldRecord['type']): boolean {
  return type === 'RadioButton' || type === 'DropDownList'
}

/** The reference has no list of choices for fields, so an unknown template's are read from its value: `Yes|No`. */
function choicesFrom(value: string): { label: string; value: string }[] {
  const named = value
    .split('|')
    .map((one) => one.trim())
    .filter(Boolean)
  const labels = named.length > 1 ? named : [...new Set([...named, 'Yes', 'No'])]
  return labels.map((label) => ({ label, value: label }))
}
