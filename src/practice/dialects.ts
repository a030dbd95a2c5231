/**
 * Dialects: named variations in how a service answers, where the reference leaves room. They can be combined. Answers
 * are built in the practice office's own form and converted just before they are sent. `docs/dialects.md` says for each
 * which sentence of the reference allows it.
 */

import { FIELD_TYPES } from '../shared/model/form-filler.ts'
import { readGmt, SIGNED_STATUSES } from '../shared/model/index.ts'

export const DIALECTS = [
  /** Every member that the reference names, and every wording of each status. */
  'full',
  /** No optional members, except the statuses needed to track documents. */
  'sparse',
  /** Signing links only appear in the answer to the send. */
  'link-on-send',
  /**
   * An earlier service: only SendForms, nothing beyond the reference, dates and numbers as its framework writes them.
   */
  'v13',
  /** Dates in the account user's format, `dd/MM/yyyy`; due dates without a time. */
  'day-first',
  /** Dates with an offset and seven fractional digits. */
  'dates-iso',
  /**
   * Members typed as in the reference's tables: Signers an object, SignedStatus a boolean; links at the top of the
   * answer.
   */
  'wrapped',
  /** Refusals are a plain sentence instead of the framework's body. */
  'plain-bodies',
  /** Unknown members in every object; unknown types and unusual IDs for template fields. */
  'extra-members'
] as const
export type Dialect = (typeof DIALECTS)[number]
export type Dialects = ReadonlySet<Dialect>

/** Parses comma-separated names. Undefined if one isn't a dialect. */
export function readDialects(text: string): Dialect[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  const known = DIALECTS.filter((dialect) => names.includes(dialect))
  return known.length === new Set(names).size ? known : undefined
}

/** Problems or peculiarities that the service simulates. Missing members: as usual. */
export interface Conditions {
  dialects?: Dialect[] | undefined
  /** Refuses every operation this way; `maintenance` is a page for people, with status 503. */
  refusal?: (typeof REFUSALS)[number] | undefined
  /** Seconds that the service's clock is ahead; negative if behind. */
  clockAhead?: number | undefined
  /** Documents left in the plan, instead of the account's own number; each sent document uses one. */
  documentsLeft?: number | undefined
}
export const REFUSALS = ['402', '403', '426', '429', '500', 'maintenance'] as const

/** Returns the date format of this office's user, if the service uses it. */
export function dateFormatIn(dialects: Dialects, account: { dateFormat: string }): string {
  return dialects.has('day-first') ? 'dd/MM/yyyy' : account.dateFormat
}

/** Routes of operations that a service of this dialect lacks. */
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

/** Context for converting an answer. */
export interface DialectContext {
  dialects: Dialects
  /** Minutes east of UTC, for documents without their own offset. */
  gmt: number
  /** What a send is answered with; missing for other answers. */
  sent?: 'package' | 'documents'
}

export function toDialect(value: unknown, context: DialectContext): unknown {
  return context.dialects.size === 0 ? value : convert(value, context, undefined)
}

/** Members that the reference makes optional. Status and SignedStatus stay: without them, nothing can be tracked. */
const OPTIONAL_MEMBERS = new Set([
  ...['QueueReference', 'PackageName', 'PackageStatus', 'FormDirectReference', 'DueDate', 'GMT', 'LastSignedDate'],
  ...['Folder', 'HasFileUploaded', 'ClientReference', 'EditUrl', 'IDVerificationRequested', 'MatterNumber'],
  ...['MiddleName', 'MobileNumber', 'MobileCountry', 'ShareUsers', 'SignerType', 'IsFaceToFaceSigning'],
  ...['EnabledFaceToFaceSigning', 'VideoConfirmationEnabled', 'VideoConfirmationDeepfakeEnabled'],
  ...['ReviewBeforeSigningEnabled', 'HasSigned', 'Editable', 'VideoConfirmationDetail', 'IDCheckStatus'],
  ...['IDVerificationStatus', 'IDVerificationResult', 'IDVerificationFaceMatchResult'],
  'IDVerificationLivenessResult'
])
const DATES = new Set(['DueDate', 'LastSignedDate', 'Date', 'SignatureTime'])

function convert(value: unknown, context: DialectContext, gmt: number | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, context, gmt))
  if (typeof value !== 'object' || value === null) return value
  const { dialects } = context
  const converted: Record<string, unknown> = {}
  const members = value as Record<string, unknown>
  const offset = readGmt(members.GMT as string | undefined) ?? gmt ?? context.gmt
  for (const [name, member] of Object.entries(members)) {
    if (member === undefined || (dialects.has('sparse') && OPTIONAL_MEMBERS.has(name))) continue
    if (name === 'SigningKey' && !keepsLink(context, members)) continue
    converted[name] = convertMember(name, member, context, offset)
  }
  if (dialects.has('extra-members')) Object.assign(converted, EXTRA)
  return converted
}

/** A type that the reference doesn't name, and the type that such a field really has. */
export const OTHER_TYPE = { name: 'RichText', of: 'MultiLineText' } as const
const EXTRA = { RowVersion: 7, ServiceNotes: { Region: 'South', Tags: ['counter', 'branch'] }, LegacyCode: 'A-17' }

/** Marks signers at the top of an answer, as opposed to those inside a document. */
const AT_TOP = Symbol('at top')

function keepsLink({ dialects, sent }: DialectContext, signer: Record<PropertyKey, unknown>): boolean {
  if (sent === undefined) return !dialects.has('link-on-send')
  return sent === 'documents' || !dialects.has('wrapped') || signer[AT_TOP] === true
}

/** Marks the signers of all documents, for the top of the answer. */
export function atTop<Signer extends object>(signers: Signer[]): Signer[] {
  return signers.map((signer) => ({ ...signer, [AT_TOP]: true }))
}

function convertMember(name: string, member: unknown, context: DialectContext, gmt: number): unknown {
  const { dialects } = context
  if (DATES.has(name) && typeof member === 'string') return convertDate(name, member, dialects, gmt)
  if (name === 'SignedStatus') return convertSignedStatus(String(member), dialects)
  if (name === 'FieldType' && dialects.has('v13')) return FIELD_TYPES.indexOf(member as never)
  if (dialects.has('extra-members')) {
    if (name === 'FieldType' && member === OTHER_TYPE.of) return OTHER_TYPE.name
    if (name === 'ID') return `17/${member}`
  }
  if (typeof member === 'boolean' && dialects.has('v13')) return member ? 'True' : 'False'
  const inside = convert(member, context, gmt)
  const isOne = name === 'Signers' && Array.isArray(inside) && inside.length === 1
  return isOne && dialects.has('wrapped') ? inside[0] : inside
}

function convertSignedStatus(status: string, dialects: Dialects): unknown {
  if (dialects.has('wrapped')) return status === 'Signed' || status === 'Complete'
  return dialects.has('v13') ? SIGNED_STATUSES.indexOf(status as never) : status
}

/** @param iso the office's own form, in UTC. @param gmt the document's minutes east of UTC. */
function convertDate(name: string, iso: string, dialects: Dialects, gmt: number): string {
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
  if (dialects.has('v13')) return `/Date(${at}${offsetText(gmt).replace(':', '')})/`
  return dialects.has('dates-iso') ? `${year}-${month}-${day}T${time.slice(0, 12)}0000${offsetText(gmt)}` : iso
}

/** Formats an offset as `+13:00`. */
export function offsetText(gmt: number): string {
  const minutes = Math.abs(gmt)
  const two = (count: number) => String(count).padStart(2, '0')
  return `${gmt < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
