/**
 * A package being composed: what the person has typed, even if blank or wrong so far. It holds the fields of the
 * requests (reference 2.1 to 2.12) under the reference's names; request.ts makes the request from it.
 */
import { z } from 'zod'

/**
 * Limits of a package. Everything taken from a template, pasted or added by hand must stay within them to be storable.
 */
export const MAX_TYPED_LENGTH = 10_000
export const MAX_ITEMS = 200
export const MAX_SIGNERS = 200
export const MAX_SHARE_USERS = 100
export const MAX_QUESTIONS = 50
export const MAX_FIELDS = 2000
export const MAX_CHOICES = 2000

const typed = z.string().max(MAX_TYPED_LENGTH)
const key = z.string().min(1).max(100)

/** The fields that identify a person. */
const person = { FirstName: typed, MiddleName: typed, LastName: typed, Email: typed }

export const ComposedShareUser = z.strictObject({
  key,
  ...person,
  IsDefault: z.boolean(),
  IsOwner: z.boolean()
})
export type ComposedShareUser = z.infer<typeof ComposedShareUser>

/** A signer of a form or template; each kind sends the fields it knows. */
export const ComposedSigner = z.strictObject({
  /** Distinguishes signers while their names are still blank. Never sent. */
  key,
  ...person,
  MobileCountry: typed,
  MobileNumber: typed,
  ClientReference: typed,
  ShareUsers: z.array(ComposedShareUser).max(MAX_SHARE_USERS),
  faceToFace: z.boolean(),
  video: z.boolean(),
  deepfakeDetector: z.boolean(),
  /** Form Direct only. */
  SignerType: typed,
  Optional: z.boolean(),
  UseIDData: z.boolean(),
  IDData: z
    .array(z.strictObject({ key, Label: typed, Value: typed, DataType: z.enum(['text', 'date', 'email']) }))
    .max(MAX_QUESTIONS),
  /** Form Filler only. */
  SignerReference: typed,
  reviewBeforeSigning: z.boolean()
})
export type ComposedSigner = z.infer<typeof ComposedSigner>

export const ComposedField = z.strictObject({
  key,
  Label: typed,
  Value: typed,
  /** The name of a type that the reference defines; any other type unchanged; blank if the service gave none. */
  FieldType: z.union([typed, z.number()]),
  IsRequired: z.boolean(),
  Reference: typed,
  /** Only if the template has an ID that differs from its reference. */
  ID: typed.optional(),
  ReadOnly: z.boolean(),
  ClientField: typed
})
export type ComposedField = z.infer<typeof ComposedField>

const settings = {
  /** Whether people sign in an embedded view (EmbedForm, Embedded), which signing at the counter requires. */
  embedded: z.boolean(),
  ReturnUrl: typed,
  NotifyUrl: typed
}
const Settings = z.strictObject(settings)
/** Where people sign and which addresses are called: set for the package, and again for a form that differs (2.2). */
export type Settings = z.infer<typeof Settings>

/** A form (Form Direct) or a template (Form Filler). */
export const ComposedItem = z.strictObject({
  key,
  Name: typed,
  Reference: typed,
  ClientReference: typed,
  signers: z.array(ComposedSigner).max(MAX_SIGNERS),
  /** Form Direct only. FormType as typed: has to become a whole number. */
  FormType: typed,
  EmployerReference: typed,
  XMLData: z.string().max(5_000_000),
  /** Absent if the form uses the package's settings. */
  own: Settings.optional(),
  /** Form Filler only. */
  fields: z.array(ComposedField).max(MAX_FIELDS)
})
export type ComposedItem = z.infer<typeof ComposedItem>

export const Composition = z.strictObject({
  kind: z.enum(['form-direct', 'form-filler']),
  items: z.array(ComposedItem).max(MAX_ITEMS),
  /** `YYYY-MM-DDTHH:mm` at offset `gmt`, or blank for the service's 14 days. */
  due: typed,
  /** The offset of `due` in minutes east of UTC, as text; blank if `due` is. */
  gmt: typed,
  /** The IANA time zone from which `gmt` was computed; blank if the offset was chosen directly. */
  zone: typed.default(''),
  /** For all templates, and for each form without its own. */
  ...settings,
  /** Form Direct only. */
  InvitationEmailTemplateReference: typed,
  ListItems: z.array(z.strictObject({ key, ClientField: typed, Item: typed, Value: typed })).max(MAX_CHOICES),
  /** Form Filler only. */
  Sequential: z.boolean()
})
export type Composition = z.infer<typeof Composition>
export type CompositionKind = Composition['kind']

/** A person with nothing filled in. */
export const BLANK_PERSON = { FirstName: '', MiddleName: '', LastName: '', Email: '' }

/** Returns a blank signer. `key` must be unique among its siblings. */
export function blankSigner(key: string): ComposedSigner {
  return {
    key,
    ...BLANK_PERSON,
    MobileCountry: '',
    MobileNumber: '',
    ClientReference: '',
    ShareUsers: [],
    faceToFace: false,
    video: false,
    deepfakeDetector: false,
    SignerType: '',
    Optional: false,
    UseIDData: false,
    IDData: [],
    SignerReference: '',
    reviewBeforeSigning: false
  }
}

/** Returns a blank form or template with one blank signer. */
export function blankItem(key: string): ComposedItem {
  return {
    key,
    Name: '',
    Reference: '',
    ClientReference: '',
    signers: [blankSigner(`${key}-1`)],
    FormType: '',
    EmployerReference: '',
    XMLData: '',
    fields: []
  }
}

/** Returns a blank package of the kind, with one blank form or template. */
export function blankComposition(kind: CompositionKind, key: string): Composition {
  return {
    kind,
    items: [blankItem(key)],
    due: '',
    gmt: '',
    zone: '',
    embedded: false,
    ReturnUrl: '',
    NotifyUrl: '',
    InvitationEmailTemplateReference: '',
    ListItems: [],
    Sequential: false
  }
}

/** Returns a form's own settings, or the package's. Templates only have the package's (reference 2.9). */
export function settingsOf(composition: Composition, { own }: ComposedItem): Settings {
  return (composition.kind === 'form-direct' && own) || composition
}

/**
 * Returns the package with each signer changed.
 * @param change receives the signer and its index in the form or template.
 */
export function withSigners(
  composition: Composition,
  change: (signer: ComposedSigner, place: number) => ComposedSigner
): Composition {
  return { ...composition, items: composition.items.map((item) => ({ ...item, signers: item.signers.map(change) })) }
}

/** The fields of a package or a signer whose values are suggested again in this office. None holds personal data. */
const REMEMBERED_FIELDS = [
  'SignerType',
  'EmployerReference',
  'InvitationEmailTemplateReference',
  'ReturnUrl',
  'NotifyUrl',
  'IDData.Label'
] as const
export type RememberedField = (typeof REMEMBERED_FIELDS)[number]

/**
 * Limits for suggestions: the number of values per field, and their length, since nobody picks longer ones from a list.
 */
export const MAX_VALUES = 50
export const MAX_VALUE_LENGTH = 2000

/**
 * Returns the key under which the choices of a template's drop-down list or radio button are stored. Texts and dates
 * are personal and never stored.
 */
export function rememberedChoice(templateReference: string, fieldReference: string): string {
  return `Choice ${JSON.stringify([templateReference, fieldReference])}`
}
