/**
 * A practice office's complete state, as plain serialisable data: account, packages, documents, employers, recipients,
 * templates and notary queue. Times are milliseconds since 1970 UTC.
 */
import type { AuthInfo, EmployerSet, FieldType, Recipients, ShareUser, SignedStatus } from '../shared/model/index.ts'
import type { Conditions } from './dialects.ts'

export interface Person {
  FirstName: string
  MiddleName?: string
  LastName: string
  Email: string
}

export interface Account {
  /** The office's name, as in its letters. */
  name: string
  address: string
  /** The account's user: sends documents, and owns the InBox. */
  user: Person
  /** Documents left in the plan; null if it has no limit. */
  documentsLeft: number | null
  defaultDueDays: number
  maxDueDays: number
  /** This user's date format besides ISO 8601: `MM/dd/yyyy` or `dd/MM/yyyy`. */
  dateFormat: string
  /** Minutes east of UTC. */
  gmt: number
}

export interface Signature {
  kind: 'typed' | 'drawn'
  /** The typed name. */
  text?: string
  /** The drawing, as a `data:image/png;base64,` address. */
  image?: string
}

export interface SignerRecord extends Person {
  SignerReference: string
  /** Opens this signer's page. Secret. */
  key: string
  SignerType?: string
  MobileNumber?: string
  MobileCountry?: string
  ShareUsers?: ShareUser[]
  ClientReference?: string
  /** Form Direct's Optional: may sign, but isn't waited for. */
  optional: boolean
  faceToFace: boolean
  review: boolean
  video: boolean
  deepfake: boolean
  idData: AuthInfo[]
  status: SignedStatus
  signedAt?: number
  declinedReason?: string
  signature?: Signature
  openedAt?: number
  /** When the person at the screen was identified as the signer. */
  identifiedAt?: number
  wrongAnswers: number
  /** When the video was confirmed. */
  videoAt?: number
  /** Whether they skipped the video, where allowed. */
  videoOptOut?: boolean
}

export interface FieldRecord {
  reference: string
  label: string
  value: string
  type: FieldType
  required: boolean
  readOnly: boolean
  clientField: string
  choices?: { label: string; value: string }[]
}

interface LogRecord {
  at: number
  name: string
  action: string
  role: string
}

export interface DocumentRecord {
  reference: string
  packageReference: string
  name: string
  kind: 'form' | 'template'
  /** The form's or template's reference, as sent. */
  formReference: string
  formType?: number
  clientReference?: string
  embedded: boolean
  sequential: boolean
  returnUrl?: string
  notifyUrl?: string
  employerReference?: string
  createdAt: number
  dueAt: number
  /** As sent, minutes east of UTC. */
  gmt?: string
  ending?: 'Complete' | 'Declined' | 'Expired'
  endedAt?: number
  files: { name: string; size: number; by: string; at: number }[]
  matterNumber?: string
  /** Key of the read-only view that Validation links to. Secret. */
  viewKey: string
  /** Whether the document was altered after signing, to practise with invalid signatures. */
  altered?: boolean
  fields: FieldRecord[]
  signers: SignerRecord[]
  logs: LogRecord[]
}

export interface PackageRecord {
  reference: string
  queueReference: string
  name: string
  documents: string[]
  createdAt: number
  /** The original request; missing in seeded packages. */
  request?: unknown
}

export interface TemplateRecord {
  name: string
  reference: string
  clientReference?: string
  /** Missing in an entry that the list shows without them. */
  signers?: (Omit<Partial<Person>, 'Email'> & {
    Email?: string
    SignerReference: string
    IsFaceToFaceSigning?: boolean
    VideoConfirmationEnabled?: boolean
    VideoConfirmationDeepfakeEnabled?: boolean
    ReviewBeforeSigningEnabled?: boolean
  })[]
  fields?: FieldRecord[]
}

interface NotaryAssignment {
  packageReference: string
  documentReference: string
  notaryReference: string
  /** Whether the remote-notarisation invitation was sent at once, without tagging. */
  send: boolean
  at: number
}

export interface PracticeState {
  version: 1
  account: Account
  packages: Record<string, PackageRecord>
  documents: Record<string, DocumentRecord>
  employers: EmployerSet
  recipients: Recipients[]
  templates: TemplateRecord[]
  notary: NotaryAssignment[]
  /** Missing if everything is as usual. */
  conditions?: Conditions
}

export interface SentPackage {
  package: PackageRecord
  documents: DocumentRecord[]
}

/**
 * Parses a state written with JSON.stringify, followed by a line for each package sent since; undefined if it isn't a
 * practice state of this version.
 */
export function readState(text: string): PracticeState | undefined {
  try {
    const [first = '', ...added] = text.split('\n').filter(Boolean)
    const read: unknown = JSON.parse(first)
    if (!isState(read)) return undefined
    for (const line of added) addSent(read, JSON.parse(line) as SentPackage)
    return read
  } catch {
    return undefined
  }
}

function addSent(state: PracticeState, sent: SentPackage): void {
  state.packages[sent.package.reference] ??= sent.package
  for (const document of sent.documents) state.documents[document.reference] ??= document
}

function isState(value: unknown): value is PracticeState {
  if (typeof value !== 'object' || value === null) return false
  const state = value as Partial<Record<keyof PracticeState, unknown>>
  const tables = [state.account, state.packages, state.documents, state.employers]
  const lists = [state.recipients, state.templates, state.notary]
  return (
    state.version === 1 && tables.every((one) => typeof one === 'object' && one !== null) && lists.every(Array.isArray)
  )
}
