/**
 * A package while it is being composed: what the person has typed, blank or wrong as it may still be. It holds the
 * fields of the requests (reference 2.1 to 2.12) under the reference's names; request.ts makes the request of it.
 */
import { z } from 'zod'

/** How much a package holds. What is made of a template, pasted or added by hand stays within it, or couldn't be kept. */
export const MOST_TYPED = 10_000
export const MOST_ITEMS = 200
export const MOST_SIGNERS = 200
export const MOST_SHARED = 100
export const MOST_QUESTIONS = 50
export const MOST_FIELDS = 2000
export const MOST_CHOICES = 2000

const typed = z.string().max(MOST_TYPED)
const key = z.string().min(1).max(100)

/** Who someone is. */
const person = { FirstName: typed, MiddleName: typed, LastName: typed, Email: typed }

export const ComposedShareUser = z.strictObject({
  key,
  ...person,
  IsDefault: z.boolean(),
  IsOwner: z.boolean()
})
export type ComposedShareUser = z.infer<typeof ComposedShareUser>

/** A signer of a form or of a template; each kind sends what it has a field for. */
export const ComposedSigner = z.strictObject({
  /** Tells signers apart while names are still blank. Never sent. */
  key,
  ...person,
  MobileCountry: typed,
  MobileNumber: typed,
  ClientReference: typed,
  ShareUsers: z.array(ComposedShareUser).max(MOST_SHARED),
  faceToFace: z.boolean(),
  video: z.boolean(),
  deepfakeDetector: z.boolean(),
  /** Form Direct only. */
  SignerType: typed,
  Optional: z.boolean(),
  UseIDData: z.boolean(),
  IDData: z
    .array(z.strictObject({ key, Label: typed, Value: typed, DataType: z.enum(['text', 'date', 'email']) }))
    .max(MOST_QUESTIONS),
  /** Form Filler only. */
  SignerReference: typed,
  reviewBeforeSigning: z.boolean()
})
export type ComposedSigner = z.infer<typeof ComposedSigner>

export const ComposedField = z.strictObject({
  key,
  Label: typed,
  Value: typed,
  /** A type that the reference names by its name; any other as it came; blank where the service told none. */
  FieldType: z.union([typed, z.number()]),
  IsRequired: z.boolean(),
  Reference: typed,
  /** Only where the template has one that isn't its reference. */
  ID: typed.optional(),
  ReadOnly: z.boolean(),
  ClientField: typed
})
export type ComposedField = z.infer<typeof ComposedField>

const settings = {
  /** Whether people sign in an embedded view (EmbedForm, Embedded): what signing at the counter needs. */
  embedded: z.boolean(),
  ReturnUrl: typed,
  NotifyUrl: typed
}
const Settings = z.strictObject(settings)
/** Where people sign and which addresses are called: set for the package, and again for a form where it differs (2.2). */
export type Settings = z.infer<typeof Settings>

/** A form (Form Direct) or a template (Form Filler). */
export const ComposedItem = z.strictObject({
  key,
  Name: typed,
  Reference: typed,
  ClientReference: typed,
  signers: z.array(ComposedSigner).max(MOST_SIGNERS),
  /** Form Direct only. FormType as typed: a whole number once it is right. */
  FormType: typed,
  EmployerReference: typed,
  XMLData: z.string().max(5_000_000),
  /** Absent where the form is as the package. */
  own: Settings.optional(),
  /** Form Filler only. */
  fields: z.array(ComposedField).max(MOST_FIELDS)
})
export type ComposedItem = z.infer<typeof ComposedItem>

export const Composition = z.strictObject({
  kind: z.enum(['form-direct', 'form-filler']),
  items: z.array(ComposedItem).max(MOST_ITEMS),
  /** `YYYY-MM-DDTHH:mm` at `gmt`, or blank for the service's 14 days. */
  due: typed,
  /** Minutes east of UTC that `due` is written in, as text; blank while `due` is. */
  gmt: typed,
  /** The time zone that `gmt` was computed for, by its IANA name; blank where the offset was chosen as such. */
  zone: typed.default(''),
  /** Of all templates, and of each form that has none of its own. */
  ...settings,
  /** Form Direct only. */
  InvitationEmailTemplateReference: typed,
  ListItems: z.array(z.strictObject({ key, ClientField: typed, Item: typed, Value: typed })).max(MOST_CHOICES),
  /** Form Filler only. */
  Sequential: z.boolean()
})
export type Composition = z.infer<typeof Composition>
export type CompositionKind = Composition['kind']

/** Someone of whom nothing is known. */
export const NOBODY = { FirstName: '', MiddleName: '', LastName: '', Email: '' }

/** A blank signer. `key` must differ from those of its neighbours. */
export function blankSigner(key: string): ComposedSigner {
  return {
    key,
    ...NOBODY,
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

/** A blank form or template with one blank signer. */
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

/** A blank package of the kind, with one blank form or template. */
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

/** A form's own settings, or the package's, which are all that templates have (reference 2.9). */
export function settingsOf(composition: Composition, { own }: ComposedItem): Settings {
  return (composition.kind === 'form-direct' && own) || composition
}

/** The package with each of its signers changed. @param change given the signer and their place in the form or template. */
export function withSigners(
  composition: Composition,
  change: (signer: ComposedSigner, place: number) => ComposedSigner
): Composition {
  return { ...composition, items: composition.items.map((item) => ({ ...item, signers: item.signers.map(change) })) }
}

/** The fields of a package or a signer whose values this office is offered again: nobody's personal data. */
const REMEMBERED_FIELDS = [
  'SignerType',
  'EmployerReference',
  'InvitationEmailTemplateReference',
  'ReturnUrl',
  'NotifyUrl',
  'IDData.Label'
] as const
export type RememberedField = (typeof REMEMBERED_FIELDS)[number]

/** How many values of one field are offered, and how long they are at most: longer ones are none to be picked from a list. */
export const MOST_VALUES = 50
export const LONGEST_VALUE = 2000

/** Where the choices of a template's drop-down list or radio button are kept. Texts and dates are personal: never kept. */
export function rememberedChoice(templateReference: string, fieldReference: string): string {
  return `Choice ${JSON.stringify([templateReference, fieldReference])}`
}
