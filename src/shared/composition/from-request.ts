/**
 * Makes a composition from a request of other software (reference 2.1 and 2.9): the inverse of request.ts. Whatever a
 * composition can't hold is reported with its place in the request, never silently dropped.
 */
import type { Form, FormSigner, SendFormDirectRequest } from '../model/form-direct.ts'
import {
  knownFieldType,
  type ListedTemplate,
  type SendFormFillerRequest,
  type Template,
  type TemplateSigner
} from '../model/form-filler.ts'
import { readGmt, readServiceDate, withCertainOrder } from '../model/service-date.ts'
import {
  blankComposition,
  blankItem,
  blankSigner,
  type ComposedItem,
  type ComposedSigner,
  type Composition,
  type Settings
} from './composition.ts'
import { typedCode } from './phone.ts'
import { error, type Problem, warning } from './problem.ts'
import { RETURN_ADDRESS } from './request.ts'
import { offsetInWords, readLocal } from './zone.ts'

const MINUTE = 60_000
const DAY = 86_400_000

export interface RequestComposition {
  composition: Composition
  /**
   * What differs in the composition, by its place in the request (`Forms[1].Signers[0].IDData`). Errors: it would be
   * lost, or can't be read. Warnings: nothing important changes.
   */
  problems: Problem[]
  /** Values written differently from the reference whose meaning is certain all the same, in whole sentences. */
  readings: string[]
}

/** As other software sends it. `FormType` may be left out, because nobody knows what the types mean. */
type SentForm = Omit<Form, 'FormType'> & Partial<Pick<Form, 'FormType'>>

type FormsRequest = Omit<SendFormDirectRequest, 'Forms'> & { Forms: SentForm[] }

export type SendRequest =
  | { kind: 'form-direct'; request: FormsRequest }
  | { kind: 'form-filler'; request: SendFormFillerRequest }

/**
 * Makes the composition of a request. If there are no errors, the request made from that composition says the same.
 * @param dateFormat the account's, as given by `Account/Info`.
 */
export function compositionOfRequest(sent: SendRequest, dateFormat?: string): RequestComposition {
  let keys = 0
  const newKey = () => `k${++keys}`
  const due = dueOf(sent.request, dateFormat)
  return sent.kind === 'form-direct'
    ? composeForms(sent.request, due, newKey)
    : composeTemplates(sent.request, due, newKey)
}

function composeForms(request: FormsRequest, due: Due, newKey: () => string): RequestComposition {
  const { Forms, ListItems = [], InvitationEmailTemplateReference = '' } = request
  const settings = settingsOf(Forms[0])
  const composition: Composition = {
    ...blankComposition('form-direct', newKey()),
    ...due.members,
    items: Forms.map((form) => ({ ...composeForm(form, newKey), ...ownSettings(settingsOf(form), settings) })),
    ...settings,
    InvitationEmailTemplateReference,
    ListItems: ListItems.map(({ ClientField, Item, Value }) => ({ key: newKey(), ClientField, Item, Value }))
  }
  return {
    composition,
    problems: [
      ...due.problems,
      ...Forms.flatMap((form, index) =>
        form.Signers.flatMap((signer, order) => problemsOfSigner(signer, `Forms[${index}].Signers[${order}]`))
      )
    ],
    readings: due.readings
  }
}

function composeTemplates(request: SendFormFillerRequest, due: Due, newKey: () => string): RequestComposition {
  const { Templates, Embedded = false, ReturnUrl, NotifyUrl = '', Sequential = false } = request
  const composition: Composition = {
    ...blankComposition('form-filler', newKey()),
    ...due.members,
    items: Templates.map((template) => composeTemplate(template, newKey)),
    embedded: Embedded,
    ReturnUrl: returnUrl(ReturnUrl, Embedded),
    NotifyUrl,
    Sequential
  }
  return {
    composition,
    problems: [
      ...due.problems,
      ...Templates.flatMap((template, index) => [
        ...template.Fields.flatMap(({ FieldType }, order) =>
          knownFieldType(FieldType) === undefined
            ? [warning(`Templates[${index}].Fields[${order}].FieldType`, 'isn’t known, and is sent as it came')]
            : []
        ),
        ...template.Signers.flatMap((signer, order) =>
          problemsOfSigner(signer, `Templates[${index}].Signers[${order}]`)
        )
      ])
    ],
    readings: due.readings
  }
}

function composeForm(form: SentForm, newKey: () => string): ComposedItem {
  return {
    ...blankItem(newKey()),
    Name: form.Name,
    Reference: form.Reference,
    ClientReference: form.ClientReference ?? '',
    FormType: String(form.FormType ?? ''),
    EmployerReference: form.EmployerReference ?? '',
    XMLData: form.XMLData ?? '',
    signers: form.Signers.map((signer) => ({
      ...composePerson(signer, newKey),
      MobileCountry: typedCode(signer.MobileCountry ?? ''),
      SignerType: signer.SignerType ?? '',
      UseIDData: signer.UseIDData ?? false,
      IDData: (signer.IDData ?? []).map(({ Label, Value, DataType }) => ({ key: newKey(), Label, Value, DataType })),
      faceToFace: signer.EnabledFaceToFaceSigning ?? false,
      Optional: signer.Optional ?? false,
      video: signer.VideoConfirmation ?? false,
      deepfakeDetector: signer.EnableDeepfakeDetector ?? false
    }))
  }
}

function composeTemplate(template: Template, newKey: () => string): ComposedItem {
  return {
    ...blankItem(newKey()),
    Name: template.Name,
    Reference: template.Reference,
    ClientReference: template.ClientReference ?? '',
    signers: template.Signers.map((signer) => ({
      ...composeTemplateSigner(signer, newKey),
      MobileCountry: typedCode(signer.MobileCountry ?? '')
    })),
    fields: template.Fields.map(({ ID, ...field }) => ({
      key: newKey(),
      ...field,
      FieldType: knownFieldType(field.FieldType) ?? field.FieldType,
      ...(ID !== field.Reference && { ID })
    }))
  }
}

type ListedSigner = NonNullable<ListedTemplate['Signers']>[number]

/** Returns a template's signer, from a request or a template list, in which any member may be missing. */
export function composeTemplateSigner(signer: ListedSigner, newKey: () => string): ComposedSigner {
  return {
    ...composePerson(signer, newKey),
    SignerReference: signer.SignerReference ?? '',
    faceToFace: signer.IsFaceToFaceSigning ?? false,
    video: signer.VideoConfirmationEnabled ?? false,
    deepfakeDetector: signer.VideoConfirmationDeepfakeEnabled ?? false,
    reviewBeforeSigning: signer.ReviewBeforeSigningEnabled ?? false
  }
}

function composePerson(signer: ListedSigner, newKey: () => string): ComposedSigner {
  return {
    ...blankSigner(newKey()),
    ...namesOf(signer),
    MobileCountry: signer.MobileCountry ?? '',
    MobileNumber: signer.MobileNumber ?? '',
    ClientReference: signer.ClientReference ?? '',
    ShareUsers: (signer.ShareUsers ?? []).map((user) => ({
      key: newKey(),
      ...namesOf(user),
      IsDefault: user.IsDefault ?? false,
      IsOwner: user.IsOwner ?? false
    }))
  }
}

function namesOf({ FirstName = '', MiddleName = '', LastName = '', Email = '' }: ListedSigner) {
  return { FirstName, MiddleName, LastName, Email }
}

function settingsOf(form: SentForm | undefined): Settings {
  const { EmbedForm: embedded = false, ReturnUrl, NotifyUrl = '' } = form ?? {}
  return { embedded, ReturnUrl: returnUrl(ReturnUrl, embedded), NotifyUrl }
}

/** The first form's settings become the package's; a form with any different setting keeps its own. */
function ownSettings(own: Settings, first: Settings): Pick<ComposedItem, 'own'> {
  const names = ['embedded', 'ReturnUrl', 'NotifyUrl'] as const
  return names.some((name) => own[name] !== first[name]) ? { own } : {}
}

/** Signer members that have no effect unless another member is set. */
const REQUIRES = {
  MobileCountry: 'MobileNumber',
  EnableDeepfakeDetector: 'VideoConfirmation',
  VideoConfirmationDeepfakeEnabled: 'VideoConfirmationEnabled',
  IDData: 'UseIDData'
}

function problemsOfSigner(signer: FormSigner | TemplateSigner, at: string): Problem[] {
  const members = new Map<string, unknown>(Object.entries(signer))
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value))
  // A mobile number of spaces counts as none. A country code, even of spaces, then isn't sent either, hence the
  // warning.
  const hasContent = (value: unknown) => (typeof value === 'string' ? value.trim() !== '' : isGiven(value))
  return Object.entries(REQUIRES)
    .filter(([name, other]) => isGiven(members.get(name)) && !hasContent(members.get(other)))
    .map(([name, other]) => warning(`${at}.${name}`, `goes only together with ${other}`))
}

/** Our own address is left out: request.ts adds it again if the composition is embedded and has none. */
function returnUrl(given: string | undefined, embedded: boolean): string {
  return given === undefined || (embedded && given === RETURN_ADDRESS) ? '' : given
}

interface Due {
  members: Pick<Composition, 'due' | 'gmt' | 'zone'>
  problems: Problem[]
  readings: string[]
}

/** The date format, besides ISO 8601, of public clients of the service: month first. */
const CLIENT_FORMAT = /^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}:\d{2}$/

/**
 * Reads the due date. A time without a zone is at the request's GMT (reference section 8). Without a GMT the service
 * applies the user's settings, which we don't know, so the zone is left to be chosen. A date that can't be read stays
 * in the composition unchanged.
 */
function dueOf({ DueDate = '', GMT = '' }: SendRequest['request'], dateFormat: string | undefined): Due {
  const trimmed = DueDate.trim()
  if (!DueDate) {
    const problems = GMT ? [warning('GMT', 'says nothing without a DueDate')] : []
    return { members: { due: '', gmt: '', zone: '' }, problems, readings: [] }
  }
  const unreadable = (at: string, message: string): Due => ({
    members: { due: DueDate, gmt: GMT, zone: '' },
    problems: [error(at, message)],
    readings: []
  })
  const gmt = readGmt(GMT)
  if (GMT && gmt === undefined) return unreadable('GMT', 'must be the minutes east of UTC, as text: "720"')
  const date = /^\d/.test(trimmed) ? readServiceDate(withCertainOrder(trimmed, dateFormat), gmt) : undefined
  if (!date) return unreadable('DueDate', 'must be a date and a time in ISO 8601: 2026-12-04T17:00:00+13:00')
  if (date.isAmbiguous && !CLIENT_FORMAT.test(trimmed)) {
    const [year, first, second] = new Date(date.at + (gmt ?? 0) * MINUTE).toISOString().split(/[-T]/)
    const both = `${year}-${first}-${second} or ${year}-${second}-${first}`
    return unreadable(
      'DueDate',
      `may be ${both}, as the day or the month may come first: write it in one of these ways`
    )
  }
  const offset = gmt ?? date.offset
  const local = date.at + (offset ?? 0) * MINUTE
  const isDay = date.precision === 'day'
  // "By Friday" includes Friday.
  const due = new Date(isDay ? local + DAY - MINUTE : local).toISOString().slice(0, 16)
  if (readLocal(due) === undefined) return unreadable('DueDate', 'must be a date of our days')
  const isIso = /^\d{4}-/.test(trimmed) && !isDay
  const offsetText = offset === undefined ? '' : ` ${offsetInWords(offset)}`
  const day = new Date(local).toLocaleDateString('en-GB', { ...LONG_DAY, timeZone: 'UTC' })
  const interpretation = `“${trimmed.replace(/\s+/g, ' ')}” was read as ${day}, ${due.slice(11)}${offsetText}`
  return {
    members: { due, gmt: offset === undefined ? '' : String(offset), zone: '' },
    problems: [
      ...(date.isAmbiguous
        ? [warning('DueDate', `${interpretation}, month first: look whether that is what was meant`)]
        : []),
      ...(offset === undefined
        ? [warning('DueDate', 'says no time zone, and there is no GMT beside it: choose one in the draft')]
        : []),
      ...(date.at % MINUTE === 0 ? [] : [warning('DueDate', 'is kept to the minute: its seconds are left out')])
    ],
    readings: isIso || date.isAmbiguous ? [] : [`DueDate ${interpretation}${isDay ? ', the end of that day' : ''}.`]
  }
}

const LONG_DAY = { day: 'numeric', month: 'long', year: 'numeric' } as const
