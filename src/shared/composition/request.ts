/**
 * Makes the request of a composition: exactly the reference's shape, nothing where nothing was typed. And a fingerprint by
 * which two packages are seen to be the same.
 */
import type { Form, FormSigner, SendFormDirectRequest } from '../model/form-direct.ts'
import { knownFieldType, type SendFormFillerRequest, type Template, type TemplateSigner } from '../model/form-filler.ts'
import { type ComposedItem, type ComposedSigner, type Composition, type Settings, settingsOf } from './composition.ts'
import { dueAt } from './due-problems.ts'
import { callingCode, dialledNumber } from './phone.ts'

/** Where an embedded signer is sent after signing: a name that no network answers, caught before it is loaded. */
export const RETURN_ADDRESS = 'https://return.countersign.invalid/signed'

/**
 * The body of SendForms2 (2.1) or of FormFiller/Send (2.9). It may still be refused by the strict model: see
 * `problemsOf`.
 * @param mark gives each form or template that has no ClientReference one of ours, by which the send can be found
 *   again when its answer is lost.
 */
export function toFormDirectRequest(composition: Composition, mark: (index: number) => string): SendFormDirectRequest {
  return {
    Forms: composition.items.map((item, index) => toForm(composition, item, mark(index))),
    ...given({
      DueDate: dueInUtc(composition),
      GMT: composition.due ? composition.gmt.trim() : '',
      InvitationEmailTemplateReference: composition.InvitationEmailTemplateReference.trim()
    }),
    ...(composition.ListItems.length > 0 && {
      ListItems: composition.ListItems.map(({ ClientField, Item, Value }) => ({ ClientField, Item, Value }))
    })
  }
}

/** As `toFormDirectRequest`, for Form Filler. */
export function toFormFillerRequest(composition: Composition, mark: (index: number) => string): SendFormFillerRequest {
  return {
    Templates: composition.items.map((item, index) => toTemplate(item, mark(index))),
    ...given({
      DueDate: dueInUtc(composition),
      GMT: composition.due ? composition.gmt.trim() : '',
      ReturnUrl: returnUrl(composition),
      NotifyUrl: composition.NotifyUrl.trim()
    }),
    ...(composition.embedded && { Embedded: true }),
    ...(composition.Sequential && { Sequential: true })
  }
}

function toForm(composition: Composition, item: ComposedItem, mark: string): Form {
  const settings = settingsOf(composition, item)
  return {
    Name: item.Name.trim(),
    // Number('') is 0, which would be a type that nobody chose.
    FormType: item.FormType.trim() === '' ? Number.NaN : Number(item.FormType),
    Reference: item.Reference.trim(),
    Signers: item.signers.map(toFormSigner),
    EmbedForm: settings.embedded,
    ...given({
      ReturnUrl: returnUrl(settings),
      NotifyUrl: settings.NotifyUrl.trim(),
      XMLData: item.XMLData.trim() ? item.XMLData : '',
      EmployerReference: item.EmployerReference.trim()
    }),
    ClientReference: item.ClientReference.trim() || mark
  }
}

function toFormSigner(signer: ComposedSigner): FormSigner {
  return {
    ...toPerson(signer),
    ...given({ SignerType: signer.SignerType.trim() }),
    ...(signer.UseIDData && {
      UseIDData: true,
      IDData: signer.IDData.map(({ Label, Value, DataType }) => ({ Label, Value, DataType }))
    }),
    ...(signer.faceToFace && { EnabledFaceToFaceSigning: true }),
    ...(signer.Optional && { Optional: true }),
    ...(signer.video && { VideoConfirmation: true }),
    ...(signer.video && signer.deepfakeDetector && { EnableDeepfakeDetector: true })
  }
}

function toTemplate(item: ComposedItem, mark: string): Template {
  return {
    Name: item.Name.trim(),
    Reference: item.Reference.trim(),
    Signers: item.signers.map(toTemplateSigner),
    Fields: item.fields.map(({ key: _key, ...field }) => ({
      ...field,
      // One is required. A type that is known goes by its name, however it was written.
      FieldType: field.FieldType === '' ? 'Text' : (knownFieldType(field.FieldType) ?? field.FieldType),
      ID: field.ID ?? field.Reference
    })),
    ClientReference: item.ClientReference.trim() || mark
  }
}

function toTemplateSigner(signer: ComposedSigner): TemplateSigner {
  return {
    ...toPerson(signer),
    ...given({ SignerReference: signer.SignerReference.trim() }),
    ...(signer.faceToFace && { IsFaceToFaceSigning: true }),
    ...(signer.video && { VideoConfirmationEnabled: true }),
    ...(signer.video && signer.deepfakeDetector && { VideoConfirmationDeepfakeEnabled: true }),
    ...(signer.reviewBeforeSigning && { ReviewBeforeSigningEnabled: true })
  }
}

function toPerson(signer: ComposedSigner) {
  return {
    FirstName: signer.FirstName.trim(),
    LastName: signer.LastName.trim(),
    Email: signer.Email.trim(),
    ...given({
      MiddleName: signer.MiddleName.trim(),
      MobileNumber: dialledNumber(signer.MobileNumber),
      MobileCountry: signer.MobileNumber.trim() ? callingCode(signer.MobileCountry) : '',
      ClientReference: signer.ClientReference.trim()
    }),
    ...(signer.ShareUsers.length > 0 && {
      ShareUsers: signer.ShareUsers.map((user) => ({
        FirstName: user.FirstName.trim(),
        LastName: user.LastName.trim(),
        Email: user.Email.trim(),
        ...given({ MiddleName: user.MiddleName.trim() }),
        ...(user.IsDefault && { IsDefault: true }),
        ...(user.IsOwner && { IsOwner: true })
      }))
    })
  }
}

function returnUrl({ ReturnUrl, embedded }: Settings): string {
  return ReturnUrl.trim() || (embedded ? RETURN_ADDRESS : '')
}

/** The due date in ISO 8601 UTC, blank where none was chosen; what can't be read goes as typed, to be refused. */
function dueInUtc(composition: Composition): string {
  const due = dueAt(composition)
  return due ? new Date(due.at).toISOString().replace('.000Z', 'Z') : composition.due
}

/** The members that say something. */
function given<const Members extends Record<string, string>>(members: Members): Partial<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '')) as Partial<Members>
}

/**
 * What makes two packages the same in an office's eyes: the same forms or templates with the same content, for the same
 * people. Equal for packages of one kind whose forms or templates have the same references and names, the same people in the same
 * parts, and the same content: field values, XML data, drop-down items, employer. When they are due, how they are signed
 * and how a person's name is spelt make no difference, nor does the order of anything.
 */
export function fingerprintOf(composition: Composition): string {
  const items = composition.items.map((item) => {
    const people = item.signers.map((signer) => personOf(composition, signer)).sort()
    return [
      plain(item.Reference),
      plain(item.Name),
      plain(item.ClientReference),
      ...people,
      contentOf(composition, item)
    ]
  })
  return JSON.stringify([composition.kind, ...items.map((item) => JSON.stringify(item)).sort(), choicesOf(composition)])
}

function personOf({ kind }: Composition, signer: ComposedSigner): string {
  const part = plain(kind === 'form-direct' ? signer.SignerType : signer.SignerReference)
  const person = plain(signer.Email) || plain(`${signer.FirstName} ${signer.LastName}`)
  return part === '' ? person : `${person} as ${part}`
}

function contentOf({ kind }: Composition, item: ComposedItem): string {
  if (kind === 'form-direct') return digested([plain(item.FormType), plain(item.EmployerReference), text(item.XMLData)])
  const values = item.fields
    .filter(({ Value }) => text(Value) !== '')
    .map(({ Reference, ClientField, Label, Value }) =>
      JSON.stringify([plain(Reference) || plain(ClientField) || plain(Label), text(Value)])
    )
  return digested(values.sort())
}

/** Only forms have them. */
function choicesOf({ kind, ListItems }: Composition): string {
  if (kind !== 'form-direct') return ''
  return digested(ListItems.map((one) => JSON.stringify([one.ClientField, one.Item, one.Value].map(text))).sort())
}

function plain(typed: string): string {
  return text(typed).toLowerCase()
}

function text(typed: string): string {
  return typed.trim().replaceAll('\r\n', '\n')
}

/**
 * 64 bits that stand for texts which may be megabytes; blank where all of them are. Kept with each send, so it must answer
 * the same in all versions. It need not resist people: what is alike in it alone is still another package by its people.
 */
function digested(texts: readonly string[]): string {
  if (texts.every((one) => one === '')) return ''
  // Two sums of the same code units, one as FNV-1a makes it; both stirred at the end as MurmurHash3 does.
  let one = 0x811c9dc5
  let other = 0x9e3779b9
  const whole = texts.join('\0')
  for (let index = 0; index < whole.length; index++) {
    const unit = whole.charCodeAt(index)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b) ^ (other >>> 15)
  }
  return [one, other].map((sum) => stirred(sum).toString(16).padStart(8, '0')).join('')
}

function stirred(sum: number): number {
  let mixed = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
