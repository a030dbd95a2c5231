/**
 * A service's knowledge of a document, written as an answer in any way that the reference allows: members left out,
 * spelled, ordered and dated as services do. Every choice is made by `Pick`, whose first option is the plainest.
 */
import { offsetText } from '../../../src/practice/dialects.ts'
import { SIGNED_STATUSES, type SignedStatus } from '../../../src/shared/model/index.ts'

export type Pick = <const Option>(...options: readonly Option[]) => Option

/** Takes its choices from numbers, and the first option once they run out. */
export function pickFrom(numbers: readonly number[]): Pick {
  let next = 0
  return (...options) => options[(numbers[next++] ?? 0) % options.length] as never
}

const EARLY = ['Initialized', 'Pending'] as const
const ASKED = ['Invitation', 'Reminder1', 'Reminder2', 'Reminder', 'AutoExtend'] as const
const DONE = ['Signed', 'Complete', 'Archived'] as const
type Check = 'none' | 'open' | 'passed' | 'failed'

export interface TrueSigner {
  name: string
  state: 'signed' | 'declined' | 'asked' | 'early' | 'expired' | 'removed'
  status: SignedStatus
  key: string | undefined
  check: Check
  members: Members
}

export interface Truth {
  kind: 'open' | 'complete' | 'declined' | 'expired'
  /** Minutes east of UTC. */
  gmt: number
  due: number
  signers: TrueSigner[]
  /** Everything an answer could say, as the reference spells it; dates are `Moment`s. */
  members: Members
}

export type Members = Record<string, unknown>
/** A date before it is written, in milliseconds; `isDay` if it has no time. */
export class Moment {
  readonly at: number
  readonly isDay: boolean
  constructor(at: number, isDay = false) {
    this.at = at
    this.isDay = isDay
  }
}

export const NOW = Date.UTC(2026, 10, 21, 9)
const DAY = 86_400_000
const PEOPLE = [
  ['Ana', 'Rewi'],
  ['Ben', 'Okafor'],
  ['Chloé', 'Li']
] as const

const WORDS: Record<Exclude<Check, 'none'>, Record<string, readonly string[]>> = {
  open: { IDCheckStatus: ['Pending', 'Requested'], IDVerificationStatus: ['In progress', 'NOT_STARTED', 'Waiting'] },
  passed: {
    IDCheckStatus: ['Completed', 'Passed', 'Tier 2'],
    IDVerificationStatus: ['Completed', 'Verified'],
    IDVerificationResult: ['Passed', 'Success'],
    IDVerificationFaceMatchResult: ['Match'],
    IDVerificationLivenessResult: ['Live', 'passed']
  },
  failed: {
    IDCheckStatus: ['Completed', 'Failed', 'Tier 2'],
    IDVerificationStatus: ['Completed', 'Done'],
    IDVerificationResult: ['Failed', 'not verified'],
    IDVerificationFaceMatchResult: ['Match', 'No match'],
    IDVerificationLivenessResult: ['Live', 'Spoof']
  }
}

export function truthOf(pick: Pick): Truth {
  const kind = pick('open', 'complete', 'declined', 'expired')
  const isAsked = pick(false, true)
  const count = pick(1, 2, 3)
  const gmt = pick(0, 780, -300, 330)
  const due = NOW + pick(9, 1, 0, -2, 40) * DAY + pick(0, 3, 13) * 3_600_000 + 45_000
  const states = Array.from({ length: count }, (_, index) => stateIn(kind, index, pick))
  const signers = states.map((state, index) => signerOf(kind, state, index, isAsked, pick))
  const signed = states.filter((state) => state === 'signed').length
  const log = (index: number) => ({
    Name: `Clerk ${index}`,
    Action: 'Opened',
    Date: new Moment(NOW - (index + 1) * DAY),
    GMT: String(gmt),
    Role: 'Staff'
  })
  const members: Members = {
    Reference: '4711',
    Name: 'Lease.pdf',
    FormDirectReference: 'form-1',
    Signers: signers.map((signer) => signer.members),
    Status: statusOf(kind, signed, states, pick),
    DueDate: new Moment(due),
    GMT: String(gmt),
    ...(signed > 0 && { LastSignedDate: new Moment(NOW - pick(1, 20) * DAY) }),
    Folder: pick('Progress', 'InBox', 'Signed'),
    Logs: Array.from({ length: pick(1, 2) }, (_, index) => log(index)),
    HasFileUploaded: pick(false, true),
    PackageReference: 'package-1',
    ClientReference: 'client-1',
    EditUrl: 'https://edit.example.com/lease-4711-edit',
    IDVerificationRequested: isAsked,
    MatterNumber: '4712'
  }
  return { kind, gmt, due, signers, members }
}

function stateIn(kind: Truth['kind'], index: number, pick: Pick): TrueSigner['state'] {
  if (kind === 'complete') return 'signed'
  if (kind === 'declined') return index === 0 ? 'declined' : pick('asked', 'signed', 'early')
  if (kind === 'expired') return pick('expired', 'signed', 'asked')
  return index === 0 ? pick('asked', 'signed', 'early') : pick('asked', 'signed', 'early', 'expired', 'removed')
}

function statusOf(kind: Truth['kind'], signed: number, states: readonly string[], pick: Pick): string {
  const of = states.length
  if (kind === 'complete') return pick('Complete', 'Signed', `${of} of ${of} Signed`)
  if (kind === 'declined') return pick('Declined', 'Rejected')
  if (kind === 'expired') return 'Expired'
  if (signed === 0) return pick('NotStart', 'Filling', 'Filling Form', 'InProgress', `0 of ${of} Signed`)
  return signed === of ? pick('InProgress', 'Signed') : pick('InProgress', 'Signing', `${signed} of ${of} Signed`)
}

function signerOf(
  kind: Truth['kind'],
  state: TrueSigner['state'],
  index: number,
  isAsked: boolean,
  pick: Pick
): TrueSigner {
  const [FirstName, LastName] = PEOPLE[index] as readonly [string, string]
  const status = { signed: DONE, declined: ['Declined', 'Rejected'], asked: ASKED, early: EARLY, expired: ['Expired'] }
  const own: SignedStatus = state === 'removed' ? 'Deleted' : (pick(...status[state]) as SignedStatus)
  const isLive = (kind === 'open' || kind === 'expired') && ['asked', 'early', 'expired'].includes(state)
  const check: Check = isAsked ? pick('none', 'open', 'passed', 'failed') : 'none'
  const key = isLive && pick(true, false) ? `https://sign.example.com/key-${index}-abcdefghijkl` : undefined
  const isFaceToFace = pick(false, true)
  const members: Members = {
    FirstName,
    MiddleName: 'M.',
    LastName,
    Email: `${FirstName.toLowerCase()}@example.com`,
    MobileNumber: '021012345',
    MobileCountry: '64',
    ShareUsers: [{ FirstName: 'Dee', LastName: 'Example', Email: 'dee@example.com', IsDefault: true, IsOwner: false }],
    ClientReference: `person-${index}`,
    SignerReference: `signer-${index}`,
    IsFaceToFaceSigning: isFaceToFace,
    EnabledFaceToFaceSigning: isFaceToFace,
    VideoConfirmationEnabled: true,
    VideoConfirmationDeepfakeEnabled: pick(false, true),
    ReviewBeforeSigningEnabled: pick(false, true),
    HasSigned: state === 'signed',
    Editable: isLive && pick(true, false),
    SignedStatus: own,
    ...(state === 'declined' && { DeclinedReason: 'The rent is too high.' }),
    VideoConfirmationDetail: {
      Name: FirstName,
      ShortUrl: 'https://video.example.com/abc',
      IsVideoReady: pick(false, true),
      Password: 'rimu-0042',
      Email: 'film@example.com',
      IsWitness: false,
      IsVideoDisabled: false,
      IsVideoOptOut: false,
      WitnessOwner: 'Nobody',
      IsVideoConfirmationDeepfake: pick(false, true)
    },
    ...wordsOf(check, pick),
    ...(key && { SigningKey: key }),
    SignerType: 'Party'
  }
  return { name: `${FirstName} M. ${LastName}`, state, status: own, key, check, members }
}

function wordsOf(check: Check, pick: Pick): Members {
  if (check === 'none') return {}
  return Object.fromEntries(Object.entries(WORDS[check]).map(([field, words]) => [field, pick(...words)]))
}

/** Required by the reference (2.5, 2.14). */
const REQUIRED = new Set(['Reference', 'Name', 'Signers', 'FirstName', 'LastName', 'Email'])

/**
 * Returns the truth with members left out, dates without their time, and a signer's status as the boolean of the table.
 */
export function saidOf(truth: Truth, pick: Pick): Members {
  const less = (members: Members, of: 'document' | 'other'): Members =>
    Object.fromEntries(
      Object.entries(members).flatMap(([name, member]) => {
        // Logs and video confirmations have no required members; a log's Name isn't a document's.
        const isRequired = REQUIRED.has(name) && (of === 'document' || name !== 'Name')
        if (!isRequired && pick(false, false, true)) return []
        return [[name, lessOf(name, member)]]
      })
    )
  const lessOf = (name: string, member: unknown): unknown => {
    if (member instanceof Moment) return new Moment(member.at, pick(false, false, true))
    if (Array.isArray(member)) return member.map((one) => less(one as Members, 'other'))
    if (typeof member === 'object' && member !== null) return less(member as Members, 'other')
    if (name === 'SignedStatus' && pick(false, false, true)) return (DONE as readonly unknown[]).includes(member)
    return member
  }
  return less(truth.members, 'document')
}

/** Returns the same answer with fewer members. */
export function silenced(answer: Members, pick: Pick): Members {
  const less = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(less)
    return typeof value === 'object' && value !== null ? silenced(value as Members, pick) : value
  }
  const stays = (name: string) => STAYS.has(name.toLowerCase()) || pick(true, true, false)
  return Object.fromEntries(
    Object.entries(answer).flatMap(([name, value]) => (stays(name) ? [[name, less(value)]] : []))
  )
}
// Without GMT, a date with no zone would mean another time; an unknown member that appears is a change in itself.
const STAYS = new Set([...REQUIRED, 'GMT', 'RowVersion', 'Region'].map((name) => name.toLowerCase()))

export interface SpelledAnswer {
  answer: Members
  dateFormat: string | undefined
  /** The dates as written, with whether day and month could be swapped. */
  written: Map<Moment, { text: string; isAmbiguous: boolean }>
}

/** Returns an answer that says exactly this. */
export function spelledAnswer(members: Members, pick: Pick): SpelledAnswer {
  const dateFormat = pick(undefined, 'dd/MM/yyyy', 'MM/dd/yyyy')
  const written: SpelledAnswer['written'] = new Map()
  const isExtended = pick(false, true)
  const spelled = (value: unknown, name: string, gmt: number): unknown => {
    if (value instanceof Moment) {
      const one = dateIn(value, gmt, dateFormat, pick)
      written.set(value, one)
      return one.text
    }
    if (Array.isArray(value)) {
      const items = value.map((item) => spelled(item, name, gmt))
      // The order of signers says whose turn it is.
      if (name !== 'Signers' && pick(false, true)) items.reverse()
      return items.length === 1 && pick(false, true) ? items[0] : items
    }
    if (typeof value === 'object' && value !== null) return object(value as Members, gmt)
    if (typeof value === 'boolean' && name !== 'SignedStatus') return flagOf(value, pick)
    if (typeof value === 'boolean') return pick<unknown>(value, String(value), value ? 'True' : 'False')
    if (name === 'SignedStatus') {
      const number = SIGNED_STATUSES.indexOf(value as never)
      return pick(value, number, String(number), String(value).toLowerCase())
    }
    return /^[1-9]\d*$/.test(String(value)) && pick(false, true) ? Number(value) : value
  }
  const object = (members: Members, gmt: number): Members => {
    const own = members.GMT === undefined ? gmt : Number(members.GMT)
    const list = Object.entries(members).map(([name, member]): [string, unknown] => [
      pick(name, name, name.toLowerCase(), name.toUpperCase(), name.slice(0, 1).toLowerCase() + name.slice(1)),
      spelled(member, name, own)
    ])
    if (isExtended) list.push(['RowVersion', 7], ['Region', { Name: 'South' }])
    if (pick(false, true)) for (const name of NULLS) if (!(name in members)) list.push([name, null])
    const from = pick(0, 1, 2, 3, 5, 8)
    const turned = [...list.slice(from), ...list.slice(0, from)]
    return Object.fromEntries(pick(false, true) ? turned.reverse() : turned)
  }
  return { answer: object(members, 0), dateFormat, written }
}

const NULLS = ['Status', 'DueDate', 'Editable', 'SignedStatus', 'IDVerificationRequested', 'SigningKey']

function flagOf(value: boolean, pick: Pick): unknown {
  return value ? pick<unknown>(true, 'true', 'True', 1, '1') : pick<unknown>(false, 'false', 'False', 0, '0')
}

/** @param gmt offset for dates that name no zone */
function dateIn({ at, isDay }: Moment, gmt: number, dateFormat: string | undefined, pick: Pick) {
  const sure = (text: string) => ({ text, isAmbiguous: false })
  const [date, time] = new Date(at + gmt * 60_000).toISOString().split(/[TZ.]/) as [string, string]
  const [year, month, day] = date.split('-') as [string, string, string]
  const isDayFirst = dateFormat === undefined ? pick(true, false) : dateFormat.startsWith('d')
  const numbers = `${isDayFirst ? `${day}/${month}` : `${month}/${day}`}/${year}`
  const isAmbiguous = dateFormat === undefined && Number(day) <= 12 && day !== month
  if (isDay) return pick(sure(date), { text: numbers, isAmbiguous })
  return pick(
    sure(new Date(at).toISOString()),
    sure(`${date}T${time}`),
    sure(`${date}T${time}${offsetText(gmt)}`),
    sure(`${date}T${time}.0000000${offsetText(gmt)}`),
    sure(`/Date(${at})/`),
    sure(`/Date(${at}-0000)/`),
    sure(`/Date(${at}${offsetText(gmt).replace(':', '')})/`),
    { text: `${numbers} ${time}`, isAmbiguous }
  )
}
