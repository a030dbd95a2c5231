/**
 * Documents by the hundred thousand: what the schema of a document makes of JSON, without the schema where the JSON is
 * spelled as the reference spells it. Anything else goes to the schema, so that both always answer the same.
 */
import { type Decoded, decode } from './decoding.ts'
import { DocumentResponse, FOLDERS, SIGNED_STATUSES } from './document.ts'

/** How a member is read: as text, as a boolean, as one of some names, as an object of its own or a list of those. */
type Reading =
  | { as: 'text' }
  | { as: 'flag' }
  | { as: 'name'; names: ReadonlySet<unknown> }
  | { as: 'object'; of: Shape }
  | { as: 'list'; of: Shape }

interface Shape {
  readings: ReadonlyMap<string, Reading>
  /** Known names in lower case: another spelling of one of them is for the schema. */
  lowerCase: ReadonlySet<string>
}

const TEXT: Reading = { as: 'text' }
const FLAG: Reading = { as: 'flag' }

function shape(texts: readonly string[], flags: readonly string[], others: Record<string, Reading> = {}): Shape {
  const readings = new Map<string, Reading>([
    ...texts.map((name) => [name, TEXT] as const),
    ...flags.map((name) => [name, FLAG] as const),
    ...Object.entries(others)
  ])
  return { readings, lowerCase: new Set([...readings.keys()].map((name) => name.toLowerCase())) }
}

const person = ['FirstName', 'MiddleName', 'LastName', 'Email']
const log = shape(['Name', 'Action', 'Date', 'GMT', 'Role'], [])
const shareUser = shape(person, ['IsDefault', 'IsOwner'])
const video = shape(
  ['Name', 'ShortUrl', 'Password', 'Email', 'WitnessOwner'],
  ['IsVideoReady', 'IsWitness', 'IsVideoDisabled', 'IsVideoOptOut', 'IsVideoConfirmationDeepfake']
)
const signer = shape(
  [
    ...person,
    ...['MobileNumber', 'MobileCountry', 'ClientReference', 'SignerReference', 'DeclinedReason', 'IDCheckStatus'],
    ...['IDVerificationStatus', 'IDVerificationResult', 'IDVerificationFaceMatchResult'],
    ...['IDVerificationLivenessResult', 'SigningKey', 'SignerType']
  ],
  [
    ...['IsFaceToFaceSigning', 'VideoConfirmationEnabled', 'VideoConfirmationDeepfakeEnabled'],
    ...['ReviewBeforeSigningEnabled', 'HasSigned', 'Editable', 'EnabledFaceToFaceSigning']
  ],
  {
    ShareUsers: { as: 'list', of: shareUser },
    SignedStatus: { as: 'name', names: new Set(SIGNED_STATUSES) },
    VideoConfirmationDetail: { as: 'object', of: video }
  }
)
const document = shape(
  [
    ...['Reference', 'Name', 'FormDirectReference', 'Status', 'DueDate', 'GMT', 'LastSignedDate', 'PackageReference'],
    ...['ClientReference', 'EditUrl', 'MatterNumber']
  ],
  ['HasFileUploaded', 'IDVerificationRequested'],
  {
    Signers: { as: 'list', of: signer },
    Logs: { as: 'list', of: log },
    Folder: { as: 'name', names: new Set(FOLDERS) }
  }
)

/** Says that only the schema can tell. */
const UNSURE = Symbol('unsure')
type Members = Record<string, unknown>

/**
 * What `decode(DocumentResponse, json)` answers, in a fraction of its time. What needs no change is passed on as it is, not
 * copied: `json` is the caller's to give away.
 * @param json as `JSON.parse` made it.
 */
export function decodeDocument(json: unknown): Decoded<DocumentResponse> {
  const read = readObject(json, document)
  if (read === UNSURE || (read as Members).Reference === undefined) return decode(DocumentResponse, json)
  return { ok: true, value: read as DocumentResponse }
}

function readObject(value: unknown, known: Shape): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return UNSURE
  const members = value as Members
  let isAsItIs = true
  for (const name in members) {
    const member = members[name]
    const read = readMember(name, member, known)
    if (read === UNSURE) return UNSURE
    if (read !== member) isAsItIs = false
  }
  if (isAsItIs) return members
  const tidied: Members = {}
  for (const name in members) {
    const read = readMember(name, members[name], known)
    if (read !== undefined) tidied[name] = read
  }
  return tidied
}

/** Undefined if the member is left out. */
function readMember(name: string, member: unknown, known: Shape): unknown {
  const reading = known.readings.get(name)
  if (reading === undefined) return readUnknown(name, member, known)
  if (member === null) return undefined
  switch (reading.as) {
    case 'text':
      return typeof member === 'string' ? member : plainText(member)
    case 'flag':
      return typeof member === 'boolean' ? member : UNSURE
    case 'name':
      return reading.names.has(member) ? member : UNSURE
    case 'object':
      return readObject(member, reading.of)
    case 'list':
      return readList(member, reading.of)
  }
}

function readUnknown(name: string, member: unknown, known: Shape): unknown {
  if (name === '__proto__' || known.lowerCase.has(name.toLowerCase())) return UNSURE
  return member ?? undefined
}

function plainText(member: unknown): unknown {
  if (typeof member === 'boolean' || Number.isFinite(member)) return String(member)
  return UNSURE
}

function readList(value: unknown, of: Shape): unknown {
  if (!Array.isArray(value)) return UNSURE
  let isAsItIs = true
  const read = new Array<unknown>(value.length)
  for (let index = 0; index < value.length; index++) {
    const item = value[index]
    if (item === null) {
      isAsItIs = false
      read[index] = UNSURE
      continue
    }
    const one = readObject(item, of)
    if (one === UNSURE) return UNSURE
    if (one !== item) isAsItIs = false
    read[index] = one
  }
  return isAsItIs ? value : read.filter((one) => one !== UNSURE)
}

const shapes = { document, signer, video }

/** The members of a decoded object that the reference doesn't name, as they came. */
export function unknownMembers(of: keyof typeof shapes, value: object): [name: string, member: unknown][] {
  return Object.entries(value).filter(([name]) => !shapes[of].readings.has(name))
}
