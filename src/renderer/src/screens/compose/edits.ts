/** What can be done to a package beside typing in it. Each answers what to put in; the screen puts it there. */
import {
  blankComposition,
  blankItem,
  blankSigner,
  type ComposedField,
  type ComposedItem,
  type ComposedSigner,
  type Composition,
  type CompositionKind
} from '../../../../shared/composition/composition.ts'
import type { TemplateView } from '../../../../shared/contract/views.ts'
import { FIELD_TYPES } from '../../../../shared/model/form-filler.ts'

/** Makes keys that differ from one another within a package. */
export type NewKey = () => string

export const randomKey: NewKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(6))
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('')
}

/** The item of a listed template: its signers and fields, whatever of them it tells. */
export function itemOfTemplate(template: TemplateView, newKey: NewKey): ComposedItem {
  const item = blankItem(newKey())
  return {
    ...item,
    Name: template.Name || template.Reference,
    Reference: template.Reference,
    ClientReference: template.ClientReference ?? '',
    signers: template.Signers?.length
      ? template.Signers.map((signer) => ({
          ...blankSigner(newKey()),
          FirstName: signer.FirstName ?? '',
          MiddleName: signer.MiddleName ?? '',
          LastName: signer.LastName ?? '',
          Email: signer.Email ?? '',
          MobileCountry: signer.MobileCountry ?? '',
          MobileNumber: signer.MobileNumber ?? '',
          ClientReference: signer.ClientReference ?? '',
          ShareUsers: (signer.ShareUsers ?? []).map((user) => ({
            key: newKey(),
            FirstName: user.FirstName ?? '',
            MiddleName: user.MiddleName ?? '',
            LastName: user.LastName ?? '',
            Email: user.Email ?? '',
            IsDefault: user.IsDefault ?? false,
            IsOwner: user.IsOwner ?? false
          })),
          SignerReference: signer.SignerReference ?? '',
          faceToFace: signer.IsFaceToFaceSigning ?? false,
          video: signer.VideoConfirmationEnabled ?? false,
          deepfakeDetector: signer.VideoConfirmationDeepfakeEnabled ?? false,
          reviewBeforeSigning: signer.ReviewBeforeSigningEnabled ?? false
        }))
      : item.signers,
    fields: (template.Fields ?? []).map((field) => ({
      key: newKey(),
      Label: field.Label ?? '',
      Value: field.Value ?? '',
      FieldType: knownType(field.FieldType),
      IsRequired: field.IsRequired ?? false,
      Reference: field.Reference ?? field.ID ?? '',
      ReadOnly: field.ReadOnly ?? false,
      ClientField: field.ClientField ?? ''
    }))
  }
}

/** A package of one listed template. */
export function packageOfTemplate(template: TemplateView, newKey: NewKey): Composition {
  return { ...blankComposition('form-filler', newKey()), items: [itemOfTemplate(template, newKey)] }
}

/** A blank package with a blank form or template in it. */
export function blankPackage(kind: CompositionKind, newKey: NewKey): Composition {
  return blankComposition(kind, newKey())
}

/** Another form for the same people: the first one's signers, copied. */
export function anotherItem(composition: Composition, newKey: NewKey): ComposedItem {
  const item = blankItem(newKey())
  const first = composition.items[0]
  return first ? { ...item, signers: copiedSigners(first.signers, newKey) } : item
}

/** The template, signed by the people of the package where the template names nobody itself. */
export function anotherTemplate(composition: Composition, template: TemplateView, newKey: NewKey): ComposedItem {
  const item = itemOfTemplate(template, newKey)
  const people = composition.items[0]?.signers ?? []
  const named = (signer: ComposedSigner) => signer.FirstName || signer.LastName || signer.Email
  if (item.signers.some(named) || !people.some(named)) return item
  if (!template.Signers?.length) return { ...item, signers: copiedSigners(people, newKey) }
  return {
    ...item,
    // Who they are is copied; which of the template's signers they are is the template's to say.
    signers: item.signers.map((signer, index) => {
      const person = people[index]
      if (!person) return signer
      const { FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber } = person
      return { ...signer, FirstName, MiddleName, LastName, Email, MobileCountry, MobileNumber }
    })
  }
}

export function copiedSigners(signers: readonly ComposedSigner[], newKey: NewKey): ComposedSigner[] {
  return signers.map((signer) => ({
    ...structuredClone(signer),
    key: newKey(),
    SignerReference: '',
    ShareUsers: signer.ShareUsers.map((user) => ({ ...user, key: newKey() })),
    IDData: signer.IDData.map((one) => ({ ...one, key: newKey() }))
  }))
}

function knownType(type: string | undefined): ComposedField['FieldType'] {
  return FIELD_TYPES.find((known) => known !== undefined && known === type) ?? 'Text'
}
