/**
 * The content of a receipt for a session at the counter, made from the audit trail alone: it can be made again after a
 * restart, and says the same. Nothing is called signed unless the trail has it as the service's own answer.
 */
import type { AuditEntry } from '../../../shared/contract/index.ts'
import type { TrailPosition } from '../audit/anchor.ts'
import type { ChainedEntry } from '../audit/audit.ts'
import { isoFormatter } from '../lib/calendar.ts'
import { getOrMake } from '../lib/objects.ts'

/**
 * The office's file copy, about everyone; or a person's copy, by their number, counted from 1 in the order of the
 * trail.
 */
export type Copy = 'file' | number

/**
 * signed, declined: according to the service. not-signed: the service has no signature. stopped: the same, and the page
 * was closed early. not-confirmed: unknown. not-opened: the page was never opened.
 */
export type Result = 'signed' | 'declined' | 'not-signed' | 'stopped' | 'not-confirmed' | 'not-opened'

export interface ReceiptDocument {
  name: string
  reference: string
  /** When the page was shown, and its origin. */
  shown: { at: string; origin: string }[]
  /** The names of files that the person gave to the page and that it accepted. */
  files?: string[]
  result: Result
  /** When the result became known. */
  at?: string
  /** The result became known only after the session. */
  later?: true
}

export interface ReceiptPerson {
  name: string
  /** Present if someone else with that name signed in the session. */
  contact?: string
  /** What staff had checked before the handover, in the words of the office's checklist; '' if nothing was ticked. */
  identified?: { at: string; staff: string; evidence: string }
  documents: ReceiptDocument[]
}

/** Plain JSON, with its members always in the same order: the trail has the hash of its text. */
export interface ReceiptContent {
  number: string
  /** The previous receipt, if something new has become known. */
  replaces?: string
  copy: 'file' | 'person'
  session: string
  office: string
  practice?: true
  staff: string[]
  /** An IANA name. The times are ISO 8601 with their offset. */
  zone: string
  began: string
  /** Absent if the trail doesn't have the session's end. */
  ended?: string
  interrupted?: string
  people: ReceiptPerson[]
  /** How many planned signatures the trail says nothing more about. */
  unrecorded: number
  /** How many entries were lost during this time because the disk was full. */
  lost: number
  trail: { first: TrailPosition; last: TrailPosition }
  /** The fingerprint of the signing key. */
  key: string
}

/**
 * missing: the trail doesn't have the session's beginning. older: an earlier version didn't number its turns. nobody:
 * it has no such person.
 */
export type ContentResult = { ok: true; content: ReceiptContent } | { ok: false; why: 'missing' | 'older' | 'nobody' }

const RESULTS: Readonly<Record<string, Result>> = {
  signed: 'signed',
  declined: 'declined',
  'not-yet': 'not-signed',
  skipped: 'not-opened'
}

/** What the trail doesn't have before the receipt is issued. */
export interface IssueDetails {
  number: string
  replaces?: string | undefined
  key: string
}

/**
 * Builds a receipt's content.
 * @param links of the session, oldest first, including later entries about lost ones.
 * @param until the last entry that counts; later ones are ignored.
 */
export function contentOf(
  links: readonly ChainedEntry[],
  { copy, number, replaces, key, until = Number.MAX_SAFE_INTEGER }: IssueDetails & { copy: Copy; until?: number }
): ContentResult {
  const all = links.filter(({ entry }) => entry.seq <= until && entry.what !== 'receipt-made')
  const [start] = all
  if (start?.entry.what !== 'session-started') return { ok: false, why: 'missing' }
  if (all.some(({ entry }) => OF_PERSON.has(entry.what) && entry.detail.turn === undefined))
    return { ok: false, why: 'older' }
  const session = readSession(all)
  const people = copy === 'file' ? session.people : session.people.slice(copy - 1, copy)
  const [only] = people
  if (!only) return { ok: false, why: 'nobody' }
  const isTheirs = ({ entry }: ChainedEntry) => entry.signerName === undefined || personOf(entry) === keyOf(only)
  const lost = all.filter(({ entry }) => entry.what === 'entries-lost' && isDuring(entry, all))
  const relevant = all.filter((link) => {
    if (link.entry.what === 'entries-lost') return lost.includes(link)
    if (copy === 'file' || link === start || link.entry.what === 'session-interrupted') return true
    return OF_PERSON.has(link.entry.what) && isTheirs(link)
  })
  const { entry } = start
  const last = relevant.at(-1) ?? start
  const { at, ended, interrupted, unrecorded } = session
  return {
    ok: true,
    content: {
      number,
      ...(replaces && { replaces }),
      copy: copy === 'file' ? 'file' : 'person',
      session: entry.session ?? '',
      office: entry.detail.account ?? '',
      ...(entry.detail.practice === 'yes' && { practice: true as const }),
      staff: [...new Set(relevant.map((link) => link.entry.staff))],
      zone: entry.zone,
      began: at(entry),
      ...(copy === 'file' && ended !== undefined && { ended }),
      ...(interrupted !== undefined && { interrupted }),
      people,
      unrecorded: copy === 'file' ? unrecorded : 0,
      lost: lost.reduce((sum, one) => sum + (Number(one.entry.detail.entries) || 1), 0),
      trail: { first: placeOf(start), last: placeOf(last) },
      key
    }
  }
}

/** Entries that concern one person, not the office or someone else. */
const OF_PERSON: ReadonlySet<string> = new Set([
  'handed-over',
  'page-opened',
  'file-given',
  'file-not-taken',
  'turn-ended'
])

function readSession(all: readonly ChainedEntry[]) {
  const writers = new Map<string, (at: number) => string>()
  const at = ({ at: moment, zone }: AuditEntry) => {
    // A time that no clock can show wasn't written by us.
    if (Number.isNaN(new Date(moment).getTime())) return String(moment)
    return getOrMake(writers, zone, () => isoFormatter(zone))(moment)
  }
  const people = new Map<string, ReceiptPerson>()
  const turns = new Map<string, ReceiptDocument>()
  let ended: string | undefined
  let interrupted: string | undefined
  for (const { entry } of all) {
    if (entry.what === 'session-ended') ended = at(entry)
    if (entry.what === 'session-interrupted') interrupted = at(entry)
    if (!OF_PERSON.has(entry.what)) continue
    const person = getOrMake(people, personOf(entry), () => ({
      name: entry.signerName ?? '',
      ...(entry.detail.contact && { contact: entry.detail.contact }),
      documents: [] as ReceiptDocument[]
    }))
    const document = getOrMake(turns, turnOf(entry), () => {
      const { documentName: name = '', documentReference: reference = '' } = entry
      const created: ReceiptDocument = { name, reference, shown: [], result: 'not-opened' }
      person.documents.push(created)
      return created
    })
    applyEntry(document, person, entry, at(entry), ended !== undefined)
  }
  const planned = Number(all[0]?.entry.detail.turns)
  return {
    at,
    ended,
    interrupted,
    people: [...people.values()].map(inFixedOrder),
    unrecorded: Number.isSafeInteger(planned) ? Math.max(0, planned - turns.size) : 0
  }
}

/** Applies one entry about a turn. */
function applyEntry(
  document: ReceiptDocument,
  person: ReceiptPerson,
  entry: AuditEntry,
  at: string,
  isOver: boolean
): void {
  const { what, detail, staff } = entry
  if (what === 'handed-over') person.identified ??= { at, staff, evidence: detail.evidence ?? '' }
  if (what === 'page-opened') {
    document.shown.push({ at, origin: detail.origin ?? '' })
    // Opened again: what was known before is out of date, and nothing is known until the turn ends.
    document.result = 'not-confirmed'
    delete document.at
    delete document.later
  }
  const { file = '' } = detail
  if (what === 'file-given') document.files = [...(document.files ?? []), file]
  // The file was recorded before the page got it, and then the page didn't accept it.
  if (what === 'file-not-taken')
    document.files = (document.files ?? []).toSpliced((document.files ?? []).lastIndexOf(file), 1)
  if (what !== 'turn-ended') return
  const result = RESULTS[detail.outcome ?? ''] ?? 'not-confirmed'
  document.result = result === 'not-signed' && detail.how === 'stopped' ? 'stopped' : result
  document.at = at
  if (isOver) document.later = true
}

/** Puts the members in a fixed order, whatever the order in which they became known. */
function inFixedOrder({ name, contact, identified, documents }: ReceiptPerson): ReceiptPerson {
  return {
    name,
    ...(contact !== undefined && { contact }),
    ...(identified && { identified }),
    documents: documents.map(({ name: title, reference, shown, files = [], result, at, later }) => ({
      name: title,
      reference,
      shown,
      ...(files.length > 0 && { files }),
      result,
      ...(at !== undefined && { at }),
      ...(later && { later })
    }))
  }
}

/**
 * Returns data about each person that isn't in the trail, found by the entry of their first handover, in the order of a
 * receipt's people.
 */
export function extraDataOf<Known>(
  links: readonly ChainedEntry[],
  people: readonly ReceiptPerson[],
  knownOf: (entry: AuditEntry) => Known | undefined
): (Known | undefined)[] {
  const known = new Map<string, Known>()
  for (const { entry } of links) {
    const found = entry.what === 'handed-over' && !known.has(personOf(entry)) ? knownOf(entry) : undefined
    if (found !== undefined) known.set(personOf(entry), found)
  }
  return people.map((person) => known.get(keyOf(person)))
}

const personOf = ({ signerName = '', detail }: AuditEntry) => JSON.stringify([signerName, detail.contact ?? ''])
const keyOf = ({ name, contact = '' }: ReceiptPerson) => JSON.stringify([name, contact])
/** We never give two people the same number, but a trail might. */
const turnOf = (entry: AuditEntry) => `${entry.detail.turn} ${personOf(entry)} ${entry.documentReference}`
const placeOf = ({ entry, hash }: ChainedEntry): TrailPosition => ({ seq: entry.seq, hash })

/** Whether some of the lost entries may belong to this session. */
function isDuring({ detail }: AuditEntry, all: readonly ChainedEntry[]): boolean {
  const own = all.filter(({ entry }) => entry.what !== 'entries-lost')
  const [from, until] = [Date.parse(detail.from ?? ''), Date.parse(detail.until ?? '')]
  // An entry that doesn't say when may be about any time.
  if (Number.isNaN(from) || Number.isNaN(until)) return true
  const end = own.find(({ entry }) => entry.what === 'session-ended')
  return until >= (own[0]?.entry.at ?? 0) - 1000 && (end === undefined || from <= end.entry.at + 1000)
}
