/**
 * Packs the texts of a row into one string. The texts for sorting come first, so that they are found without parsing
 * the rest. Non-ASCII text is stored as UTF-8 bytes, one per character, so that the string takes one byte per byte of
 * UTF-8 in any script.
 */
import { IDENTITY_STATES, readDocumentStatus, type ServiceDate } from '../../../../shared/model/index.ts'
import { type Columns, FLAG } from './columns.ts'
import type { IndexRow, RowSigner } from './row.ts'

const TEXT_SEPARATOR = '\n'
const NAME_SEPARATOR = '\t'
/** The texts that rows are sorted by, in packed order. */
const TEXTS = ['name', 'signers', 'clientReference', 'formDirectReference', 'matterNumber'] as const
type PackedText = (typeof TEXTS)[number]

const STATES: readonly RowSigner['state'][] = ['waiting', 'signed', 'declined', 'expired', 'removed', 'unknown']
const SIGNER_FLAG = { canSignHere: 1, faceToFace: 2, mayNeedCamera: 4, lacksLink: 8 } as const
/** A signer's state is stored above those bits. */
const STATE_FACTOR = 16

/** A date's precision and other details; the time itself is in a column. */
type PackedDate = [isTime: 0 | 1, offset?: number | null, isAmbiguous?: 1]

/** A signer's state and bits, the person's key, and the reason for declining. */
type PackedSigner = [bits: number, person?: string | null, declinedReason?: string]

/** Whatever isn't in a numeric column; absent members have no value. */
interface Rest {
  /** The status as spelled by the service. */
  s?: string
  /** The due date, or its original text. */
  d?: PackedDate
  w?: string
  a?: 1
  /** The last signing date, or its original text. */
  l?: PackedDate
  x?: string
  g?: number
  /** Whether an identity check was requested. */
  v?: 0 | 1
  /** Since when it has been gone. */
  o?: number
  p?: PackedSigner[]
}

export function packRow(row: IndexRow): string {
  const { due, lastSigned, signers } = row
  const rest: Rest = {
    ...(row.status.raw && { s: row.status.raw }),
    ...(due && { d: packedDate(due) }),
    ...(row.dueWritten !== undefined && { w: row.dueWritten }),
    ...(row.isDueAmbiguous && { a: 1 }),
    ...(lastSigned && { l: packedDate(lastSigned) }),
    ...(row.lastSignedWritten !== undefined && { x: row.lastSignedWritten }),
    ...(row.gmt !== undefined && { g: row.gmt }),
    ...(row.idVerificationRequested !== undefined && { v: row.idVerificationRequested ? 1 : 0 }),
    ...(row.goneAt !== undefined && { o: row.goneAt }),
    ...(signers.length > 0 && { p: signers.map(packedSigner) })
  }
  const texts = [
    escaped(row.name),
    signers.map(({ name }) => escaped(name)).join(NAME_SEPARATOR),
    escaped(row.clientReference ?? ''),
    escaped(row.formDirectReference ?? ''),
    escaped(row.matterNumber ?? ''),
    JSON.stringify(rest)
  ].join(TEXT_SEPARATOR)
  return /^[\0-\x7f]*$/.test(texts) ? texts : Buffer.from(texts.toWellFormed(), 'utf8').toString('latin1')
}

/** Returns one of the texts; blank if the row doesn't have it. Signers' names are joined by commas. */
export function textIn(text: string, which: PackedText): string {
  let begin = 0
  for (let skip = TEXTS.indexOf(which); skip > 0; skip--) begin = text.indexOf(TEXT_SEPARATOR, begin) + 1
  const own = text.slice(begin, text.indexOf(TEXT_SEPARATOR, begin))
  return unescaped(which === 'signers' ? own.replaceAll(NAME_SEPARATOR, ', ') : own)
}

/** Restores the row as it was put. */
export function unpackRow(columns: Columns, rowId: number, search: string): IndexRow {
  const [name, names, clientReference, formDirectReference, matterNumber, json] = (
    columns.texts[rowId] as string
  ).split(TEXT_SEPARATOR) as [string, string, string, string, string, string]
  const rest = JSON.parse(decoded(json)) as Rest
  const flags = columns.flags[rowId] as number
  const [signed, completedAt] = [columns.signed[rowId] as number, columns.completedAt[rowId] as number]
  const packageReference = columns.packageReferences[columns.package[rowId] as number]
  const signerNames = names.split(NAME_SEPARATOR)
  return {
    accountId: columns.accountId,
    folder: columns.folders[columns.folder[rowId] as number] as string,
    arrivedAt: columns.arrivedAt[rowId] as number,
    changedAt: columns.changedAt[rowId] as number,
    ...(!Number.isNaN(completedAt) && { completedAt }),
    ...(rest.o !== undefined && { goneAt: rest.o }),
    unread: (flags & FLAG.unread) !== 0,
    reference: columns.references[rowId] as string,
    name: unescaped(name),
    status: readDocumentStatus(rest.s),
    identity: IDENTITY_STATES[columns.identity[rowId] as number] as IndexRow['identity'],
    hasFileUploaded: (flags & FLAG.hasFile) !== 0,
    signers: (rest.p ?? []).map((signer, index) => signerOf(signer, unescaped(signerNames[index] as string))),
    search,
    people: { from: columns.peopleFrom[rowId] as number, to: columns.peopleTo[rowId] as number },
    ...(rest.v !== undefined && { idVerificationRequested: rest.v === 1 }),
    ...(!Number.isNaN(signed) && { progress: { signed, of: columns.of[rowId] as number } }),
    ...(rest.d && { due: dateOf(rest.d, columns.dueAt[rowId] as number) }),
    ...(rest.w !== undefined && { dueWritten: rest.w }),
    ...(rest.a && { isDueAmbiguous: true as const }),
    ...(rest.l && { lastSigned: dateOf(rest.l, columns.lastSignedAt[rowId] as number) }),
    ...(rest.x !== undefined && { lastSignedWritten: rest.x }),
    ...(rest.g !== undefined && { gmt: rest.g }),
    ...(packageReference !== undefined && { packageReference }),
    ...(clientReference && { clientReference: unescaped(clientReference) }),
    ...(formDirectReference && { formDirectReference: unescaped(formDirectReference) }),
    ...(matterNumber && { matterNumber: unescaped(matterNumber) })
  }
}

function packedDate({ precision, offset, isAmbiguous }: ServiceDate): PackedDate {
  const isTime = precision === 'time' ? 1 : 0
  if (isAmbiguous) return [isTime, offset ?? null, 1]
  return offset === undefined ? [isTime] : [isTime, offset]
}

function dateOf([isTime, offset, isAmbiguous]: PackedDate, at: number): ServiceDate {
  return {
    at,
    precision: isTime ? 'time' : 'day',
    ...(typeof offset === 'number' && { offset }),
    ...(isAmbiguous && { isAmbiguous: true as const })
  }
}

function packedSigner({ state, person, declinedReason, ...signer }: RowSigner): PackedSigner {
  let bits = STATES.indexOf(state) * STATE_FACTOR
  for (const name of ['canSignHere', 'faceToFace', 'mayNeedCamera', 'lacksLink'] as const)
    if (signer[name]) bits |= SIGNER_FLAG[name]
  if (declinedReason !== undefined) return [bits, person ?? null, declinedReason]
  return person === undefined ? [bits] : [bits, person]
}

function signerOf([bits, person, declinedReason]: PackedSigner, name: string): RowSigner {
  return {
    name,
    state: STATES[Math.floor(bits / STATE_FACTOR)] as RowSigner['state'],
    canSignHere: (bits & SIGNER_FLAG.canSignHere) !== 0,
    ...(declinedReason !== undefined && { declinedReason }),
    ...(bits & SIGNER_FLAG.faceToFace && { faceToFace: true as const }),
    ...(typeof person === 'string' && { person }),
    ...(bits & SIGNER_FLAG.mayNeedCamera && { mayNeedCamera: true as const }),
    ...(bits & SIGNER_FLAG.lacksLink && { lacksLink: true as const })
  }
}

const ESCAPES: Readonly<Record<string, string>> = { [TEXT_SEPARATOR]: '\\n', [NAME_SEPARATOR]: '\\t', '\\': '\\\\' }

function escaped(text: string): string {
  return /[\n\t\\]/.test(text) ? text.replace(/[\n\t\\]/g, (sign) => ESCAPES[sign] as string) : text
}

function unescaped(text: string): string {
  const own = decoded(text)
  if (!own.includes('\\')) return own
  return own.replace(/\\(.)/g, (_, sign) => (sign === 'n' ? TEXT_SEPARATOR : sign === 't' ? NAME_SEPARATOR : sign))
}

function decoded(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8')
}
