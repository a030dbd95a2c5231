/** Makes the request from a composition: exactly the reference's shape, leaving out what wasn't filled in. */
import type { Form, FormSigner, SendFormDirectRequest } from '../model/form-direct.ts'
import { knownFieldType, type SendFormFillerRequest, type Template, type TemplateSigner } from '../model/form-filler.ts'
import { type ComposedItem, type ComposedSigner, type Composition, type Settings, settingsOf } from './composition.ts'
import { dueAt } from './due-problems.ts'
import { callingCode, dialledNumber } from './phone.ts'

/**
 * Where embedded signers are redirected after signing: a name that no network resolves, intercepted before it is
 * loaded.
 */
export const RETURN_ADDRESS = 'https://return.countersign.invalid/signed'

/**
 * Makes the body of SendForms2 (2.1). The strict model may still reject it: see `problemsOf`.
 * @param mark returns our own reference for each form or template without a ClientReference, so that the send can be
 * found again if its answer is lost.
 */
export function toFormDirectRequest(composition: Composition, mark: (index: number) => string): SendFormDirectRequest {
  return {
    Forms: composition.items.map((item, index) => toForm(composition, item, mark(index))),
    ...nonBlank({
      DueDate: dueInUtc(composition),
      GMT: composition.due ? composition.gmt.trim() : '',
      InvitationEmailTemplateReference: composition.InvitationEmailTemplateReference.trim()
    }),
    ...(composition.ListItems.length > 0 && {
      ListItems: composition.ListItems.map(({ ClientField, Item, Value }) => ({ ClientField, Item, Value }))
    })
  }
}

/** As `toFormDirectRequest`, for FormFiller/Send (2.9). */
export function toFormFillerRequest(composition: Composition, mark: (index: number) => string): SendFormFillerRequest {
  return {
    Templates: composition.items.map((item, index) => toTemplate(item, mark(index))),
    ...nonBlank({
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
    // Number('') is 0, a type that nobody chose.
    FormType: item.FormType.trim() === '' ? Number.NaN : Number(item.FormType),
    Reference: item.Reference.trim(),
    Signers: item.signers.map(toFormSigner),
    EmbedForm: settings.embedded,
    ...nonBlank({
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
    ...nonBlank({ SignerType: signer.SignerType.trim() }),
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
      // A type is required. Known types are sent by name, however they were written.
      FieldType: field.FieldType === '' ? 'Text' : (knownFieldType(field.FieldType) ?? field.FieldType),
      ID: field.ID ?? field.Reference
    })),
    ClientReference: item.ClientReference.trim() || mark
  }
}

function toTemplateSigner(signer: ComposedSigner): TemplateSigner {
  return {
    ...toPerson(signer),
    ...nonBlank({ SignerReference: signer.SignerReference.trim() }),
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
    ...nonBlank({
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
        ...nonBlank({ MiddleName: user.MiddleName.trim() }),
        ...(user.IsDefault && { IsDefault: true }),
        ...(user.IsOwner && { IsOwner: true })
      }))
    })
  }
}

function returnUrl({ ReturnUrl, embedded }: Settings): string {
  return ReturnUrl.trim() || (embedded ? RETURN_ADDRESS : '')
}

/**
 * Returns the due date in ISO 8601 UTC; blank if none was chosen. A date that can't be parsed is returned as typed, to
 * be rejected.
 */
function dueInUtc(composition: Composition): string {
  const due = dueAt(composition)
  return due ? new Date(due.at).toISOString().replace('.000Z', 'Z') : composition.due
}

function nonBlank<const Members extends Record<string, string>>(members: Members): Partial<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '')) as Partial<Members>
}
