/** Finds the control that a message of the service is about: `Forms[0].Signers[1].Email` → `ITEM.signers.SIGNER.Email`. */
import type { ComposedItem, Composition } from '../../../shared/composition/composition.ts'

const signerFields = new Map(
  Object.entries({
    firstname: 'FirstName',
    middlename: 'MiddleName',
    lastname: 'LastName',
    email: 'Email',
    mobilenumber: 'MobileNumber',
    mobilecountry: 'MobileCountry',
    clientreference: 'ClientReference',
    signertype: 'SignerType',
    signerreference: 'SignerReference',
    enabledfacetofacesigning: 'faceToFace',
    isfacetofacesigning: 'faceToFace',
    videoconfirmation: 'video',
    videoconfirmationenabled: 'video',
    enabledeepfakedetector: 'deepfakeDetector',
    videoconfirmationdeepfakeenabled: 'deepfakeDetector',
    reviewbeforesigningenabled: 'reviewBeforeSigning',
    optional: 'Optional',
    useiddata: 'UseIDData',
    iddata: 'IDData'
  })
)
const itemFields = new Map(
  Object.entries({
    name: 'Name',
    reference: 'Reference',
    formtype: 'FormType',
    clientreference: 'ClientReference',
    employerreference: 'EmployerReference',
    xmldata: 'XMLData',
    signers: 'signers'
  })
)
const packageFields = new Map(
  Object.entries({
    duedate: 'due',
    gmt: 'due',
    returnurl: 'ReturnUrl',
    notifyurl: 'NotifyUrl',
    invitationemailtemplatereference: 'InvitationEmailTemplateReference',
    embedded: 'embedded',
    embedform: 'embedded',
    sequential: 'Sequential'
  })
)

/** The place, or undefined where no control shows the field. Case and bracket style don't matter; our own places pass through. */
export function placeOf(composition: Composition, field: string): string | undefined {
  const own = composition.items.some((item) => field.startsWith(`${item.key}.`))
  if (own) return field
  const parts = field
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.')
    .filter(Boolean)
    .map((part) => part.toLowerCase())
  const itemAt = parts.findIndex((part) => part === 'forms' || part === 'templates')
  if (itemAt < 0) return packageFields.get(parts.at(-1) ?? '')
  const item = composition.items[Number(parts[itemAt + 1])]
  if (!item) return undefined
  return placeInItem(item, parts.slice(itemAt + 2))
}

function placeInItem(item: ComposedItem, [first = '', index = '', name = '', ...deeper]: string[]): string | undefined {
  if (first === 'signers' && index !== '') {
    const signer = item.signers[Number(index)]
    const field = signerFields.get(name)
    if (!signer || !field) return undefined
    const one = name === 'iddata' ? signer.IDData[Number(deeper[0])] : undefined
    if (one && deeper[1])
      return `${item.key}.signers.${signer.key}.IDData.${one.key}.${deeper[1] === 'value' ? 'Value' : 'Label'}`
    return `${item.key}.signers.${signer.key}.${field}`
  }
  if (first === 'fields' && index !== '') {
    const one = item.fields[Number(index)]
    return one && `${item.key}.fields.${one.key}.Value`
  }
  const field = itemFields.get(first)
  return field ? `${item.key}.${field}` : packageFields.get(first)
}
