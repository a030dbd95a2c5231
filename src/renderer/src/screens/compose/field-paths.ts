/**
 * Finds the control for a field named in a service message: `Forms[0].Signers[1].Email` → `ITEM.signers.SIGNER.Email`.
 */
import type { ComposedItem, ComposedSigner, Composition } from '../../../../shared/composition/composition.ts'

/** Maps the service's field names, in any case, to our controls; most have the same name as in the reference. */
function controlNames(same: readonly string[], others: Record<string, string> = {}): ReadonlyMap<string, string> {
  return new Map([...same.map((name) => [name, name] as const), ...Object.entries(others)].map(withLowerCaseName))
}

function withLowerCaseName([name, control]: readonly [string, string]): readonly [string, string] {
  return [name.toLowerCase(), control]
}

const person = ['FirstName', 'MiddleName', 'LastName', 'Email']
const signerFields = controlNames(
  [
    ...person,
    'MobileNumber',
    'MobileCountry',
    'ClientReference',
    'SignerType',
    'SignerReference',
    'Optional',
    'UseIDData'
  ],
  {
    EnabledFaceToFaceSigning: 'faceToFace',
    IsFaceToFaceSigning: 'faceToFace',
    VideoConfirmation: 'video',
    VideoConfirmationEnabled: 'video',
    EnableDeepfakeDetector: 'deepfakeDetector',
    VideoConfirmationDeepfakeEnabled: 'deepfakeDetector',
    ReviewBeforeSigningEnabled: 'reviewBeforeSigning'
  }
)
const itemFields = controlNames(['Name', 'Reference', 'FormType', 'ClientReference', 'EmployerReference', 'XMLData'], {
  Signers: 'signers'
})
const shareUserFields = controlNames([...person, 'IsDefault', 'IsOwner'])
const identityFields = controlNames(['Label', 'Value', 'DataType'])
const templateFields = controlNames(
  ['Label', 'Value', 'FieldType', 'IsRequired', 'Reference', 'ReadOnly', 'ClientField'],
  // An obsolete name for Reference, which it is filled from.
  { ID: 'Reference' }
)
const listItemFields = controlNames(['ClientField', 'Item', 'Value'])
const settingsFields = controlNames(['ReturnUrl', 'NotifyUrl'], { Embedded: 'embedded', EmbedForm: 'embedded' })
const packageFields = new Map([
  ...settingsFields,
  ...controlNames(['InvitationEmailTemplateReference', 'Sequential', 'ListItems'], { DueDate: 'due', GMT: 'due' })
])

/**
 * Returns the path, or undefined if no control shows the field. Ignores case and bracket style; our own paths pass
 * through.
 */
export function pathOf(composition: Composition, field: string): string | undefined {
  const own = composition.items.some((item) => field.startsWith(`${item.key}.`))
  if (own) return valueAt(composition, field) === undefined ? undefined : field
  const parts = field
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter(Boolean)
    .map((part) => part.toLowerCase())
  const listAt = parts.indexOf('listitems')
  if (listAt >= 0) return pathInList('ListItems', composition.ListItems, listItemFields, parts.slice(listAt + 1))
  const itemAt = parts.findIndex((part) => part === 'forms' || part === 'templates')
  if (itemAt < 0) return packageFields.get(parts.at(-1) ?? '')
  const item = composition.items[Number(parts[itemAt + 1])]
  if (!item) return undefined
  return pathInItem(item, parts.slice(itemAt + 2))
}

/**
 * Returns the value at one of our paths, including everything below it; undefined if the path doesn't exist (any more).
 * List items are looked up by key.
 */
export function valueAt(composition: Composition, at: string): unknown {
  // The date, its offset and its zone share one control.
  if (at === 'due') return [composition.due, composition.gmt, composition.zone]
  const item = composition.items.find(({ key }) => at.startsWith(`${key}.`))
  return item ? valueUnder(item, at.slice(item.key.length + 1).split('.')) : valueUnder(composition, at.split('.'))
}

function valueUnder(value: unknown, [part, ...deeper]: string[]): unknown {
  if (part === undefined || value === undefined) return value
  if (Array.isArray(value))
    return valueUnder(
      value.find((one: { key?: string }) => one.key === part),
      deeper
    )
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
  return valueUnder((value as Record<string, unknown>)[part], deeper)
}

function pathInItem(item: ComposedItem, [first = '', index = '', ...deeper]: string[]): string | undefined {
  if (first === 'signers' && index !== '') {
    const signer = item.signers[Number(index)]
    return signer && pathInSigner(`${item.key}.signers.${signer.key}`, signer, deeper)
  }
  if (first === 'fields') {
    const parts = deeper.length > 0 || index === '' ? deeper : ['value']
    return pathInList(`${item.key}.fields`, item.fields, templateFields, [index, ...parts])
  }
  const field = itemFields.get(first)
  const own = item.own && settingsFields.get(first)
  if (own) return `${item.key}.own.${own}`
  return field ? `${item.key}.${field}` : packageFields.get(first)
}

function pathInSigner(at: string, signer: ComposedSigner, [name = '', ...deeper]: string[]): string | undefined {
  if (name === 'iddata') return pathInList(`${at}.IDData`, signer.IDData, identityFields, deeper)
  if (name === 'shareusers') return pathInList(`${at}.ShareUsers`, signer.ShareUsers, shareUserFields, deeper)
  const field = signerFields.get(name)
  return field && `${at}.${field}`
}

/** Returns the list itself if no item is named, or an item's first control if no field is. */
function pathInList(
  at: string,
  list: readonly { key: string }[],
  fields: ReadonlyMap<string, string>,
  [index = '', name = '']: string[]
): string | undefined {
  if (index === '') return at
  const one = list[Number(index)]
  if (!one) return undefined
  const field = name === '' ? fields.values().next().value : fields.get(name)
  return field && `${at}.${one.key}.${field}`
}
