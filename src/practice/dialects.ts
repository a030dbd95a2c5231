/**
 * Dialects: ways of answering that the reference leaves to a service, each by a name, alone or several together. An answer is
 * made as the practice office means it and put into the dialects that are spoken just before it goes out.
 * `docs/dialects.md` says for each which sentence of the reference allows it.
 */

import { FIELD_TYPES } from '../shared/model/form-filler.ts'
import { readGmt, SIGNED_STATUSES } from '../shared/model/index.ts'

export const DIALECTS = [
  /** Every member that the reference names, and each status in the words it has for it. */
  'full',
  /** No optional member, but for the statuses by which documents are watched. */
  'sparse',
  /** The link to sign by is in the answer of the send and nowhere else. */
  'link-on-send',
  /** An earlier service: SendForms alone, nothing beside the reference, dates and numbers as its framework writes them. */
  'v13',
  /** Dates as the account's user writes them: `dd/MM/yyyy`, due dates without a time. */
  'day-first',
  /** Dates with an offset and seven digits of a second. */
  'dates-iso',
  /** Members as the reference's tables type them: Signers an object, SignedStatus a boolean; links at the top of the answer. */
  'wrapped',
  /** Refusals say a plain sentence, not the framework's body. */
  'plain-bodies',
  /** Members that no reference names, in every object; and for a template's fields such a type, and IDs of their own. */
  'extra-members'
] as const
export type Dialect = (typeof DIALECTS)[number]
export type Dialects = ReadonlySet<Dialect>

/** Reads names with commas between them. Undefined if one of them isn't a dialect. */
export function readDialects(text: string): Dialect[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  const known = DIALECTS.filter((dialect) => names.includes(dialect))
  return known.length === new Set(names).size ? known : undefined
}

/** What makes a day at the service a bad one, or an unusual one. Absent members are as usual. */
export interface Conditions {
  dialects?: Dialect[] | undefined
  /** Every operation is refused so; `maintenance` is a page for people, with status 503. */
  refusal?: (typeof REFUSALS)[number] | undefined
  /** Seconds that the service's clock is ahead, or behind where negative. */
  clockAhead?: number | undefined
  /** How many documents the plan has left, in place of the account's own; each that is sent takes one. */
  documentsLeft?: number | undefined
}
export const REFUSALS = ['402', '403', '426', '429', '500', 'maintenance'] as const

/** How a user of this office writes dates where the service goes by it. */
export function dateFormatIn(dialects: Dialects, account: { dateFormat: string }): string {
  return dialects.has('day-first') ? 'dd/MM/yyyy' : account.dateFormat
}

/** Operations that a service of this dialect doesn't have, as their routes. */
const NOT_IN_V13 = new Set([
  '/formdirect/sendforms2',
  '/formdirect/employers',
  '/document/sendreminder',
  '/recipient/getrecipients',
  '/account/info'
])

export function hasOperation(dialects: Dialects, route: string): boolean {
  return !dialects.has('v13') || !NOT_IN_V13.has(route)
}

/** What is known of the answer that is put into dialects. */
export interface Spoken {
  dialects: Dialects
  /** Minutes east of UTC, of a document that names no offset of its own. */
  gmt: number
  /** What a send is answered with; absent for any other answer. */
  sent?: 'package' | 'documents'
}

/** An answer as it goes out. */
export function spoken(value: unknown, how: Spoken): unknown {
  return how.dialects.size === 0 ? value : put(value, how, undefined)
}

/** Optional in the reference, so a service may leave them out. Status and SignedStatus stay: without them nothing can be followed. */
const LEFT_OUT = new Set([
  ...['QueueReference', 'PackageName', 'PackageStatus', 'FormDirectReference', 'DueDate', 'GMT', 'LastSignedDate'],
  ...['Folder', 'HasFileUploaded', 'ClientReference', 'EditUrl', 'IDVerificationRequested', 'MatterNumber'],
  ...['MiddleName', 'MobileNumber', 'MobileCountry', 'ShareUsers', 'SignerType', 'IsFaceToFaceSigning'],
  ...['EnabledFaceToFaceSigning', 'VideoConfirmationEnabled', 'VideoConfirmationDeepfakeEnabled'],
  ...['ReviewBeforeSigningEnabled', 'HasSigned', 'Editable', 'VideoConfirmationDetail', 'IDCheckStatus'],
  ...['IDVerificationStatus', 'IDVerificationResult', 'IDVerificationFaceMatchResult'],
  'IDVerificationLivenessResult'
])
const DATES = new Set(['DueDate', 'LastSignedDate', 'Date', 'SignatureTime'])

function put(value: unknown, how: Spoken, gmt: number | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => put(item, how, gmt))
  if (typeof value !== 'object' || value === null) return value
  const { dialects } = how
  const written: Record<string, unknown> = {}
  const own = value as Record<string, unknown>
  const offset = readGmt(own.GMT as string | undefined) ?? gmt ?? how.gmt
  for (const [name, member] of Object.entries(own)) {
    if (member === undefined || (dialects.has('sparse') && LEFT_OUT.has(name))) continue
    if (name === 'SigningKey' && !keepsLink(how, own)) continue
    written[name] = putMember(name, member, how, offset)
  }
  if (dialects.has('extra-members')) Object.assign(written, EXTRA)
  return written
}

/** A type that no reference names, and what a field of it is. */
export const OTHER_TYPE = { name: 'RichText', of: 'MultiLineText' } as const
const EXTRA = { RowVersion: 7, ServiceNotes: { Region: 'South', Tags: ['counter', 'branch'] }, LegacyCode: 'A-17' }

/** A signer of a document, rather than one at the top of the answer, stands in an answer with its document's members. */
const AT_TOP = Symbol('at top')

function keepsLink({ dialects, sent }: Spoken, signer: Record<PropertyKey, unknown>): boolean {
  if (sent === undefined) return !dialects.has('link-on-send')
  return sent === 'documents' || !dialects.has('wrapped') || signer[AT_TOP] === true
}

/** The signers of all of an answer's documents, as they stand at its top. */
export function atTop<Signer extends object>(signers: Signer[]): Signer[] {
  return signers.map((signer) => ({ ...signer, [AT_TOP]: true }))
}

function putMember(name: string, member: unknown, how: Spoken, gmt: number): unknown {
  const { dialects } = how
  if (DATES.has(name) && typeof member === 'string') return putDate(name, member, dialects, gmt)
  if (name === 'SignedStatus') return putSignedStatus(String(member), dialects)
  if (name === 'FieldType' && dialects.has('v13')) return FIELD_TYPES.indexOf(member as never)
  if (dialects.has('extra-members')) {
    if (name === 'FieldType' && member === OTHER_TYPE.of) return OTHER_TYPE.name
    if (name === 'ID') return `17/${member}`
  }
  if (typeof member === 'boolean' && dialects.has('v13')) return member ? 'True' : 'False'
  const inside = put(member, how, gmt)
  const isOne = name === 'Signers' && Array.isArray(inside) && inside.length === 1
  return isOne && dialects.has('wrapped') ? inside[0] : inside
}

function putSignedStatus(status: string, dialects: Dialects): unknown {
  if (dialects.has('wrapped')) return status === 'Signed' || status === 'Complete'
  return dialects.has('v13') ? SIGNED_STATUSES.indexOf(status as never) : status
}

/** @param iso as the office means it, in UTC. @param gmt minutes east of UTC of the document. */
function putDate(name: string, iso: string, dialects: Dialects, gmt: number): string {
  const at = Date.parse(iso)
  const [year, month, day, time] = new Date(at + gmt * 60_000).toISOString().split(/[-T]/) as [
    string,
    string,
    string,
    string
  ]
  if (dialects.has('day-first')) {
    return `${day}/${month}/${year}${name === 'DueDate' ? '' : ` ${time.slice(0, 8)}`}`
  }
  if (dialects.has('v13')) return `/Date(${at}${zone(gmt).replace(':', '')})/`
  return dialects.has('dates-iso') ? `${year}-${month}-${day}T${time.slice(0, 12)}0000${zone(gmt)}` : iso
}

/** `+13:00`. */
export function zone(gmt: number): string {
  const minutes = Math.abs(gmt)
  const two = (count: number) => String(count).padStart(2, '0')
  return `${gmt < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
