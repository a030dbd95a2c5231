/** The index written simply, without regard to speed: the real index must give the same answers. */
import type { IndexRow } from '../../../../src/main/core/documents/index/row.ts'
import type { DocumentQuery } from '../../../../src/shared/contract/index.ts'
import { DAY } from './rows.ts'

interface Moment {
  now: number
  zone: string
}

export function naiveList(rows: readonly IndexRow[], query: DocumentQuery, moment: Moment): IndexRow[] {
  return rows.filter((row) => naiveFinds(row, query, moment)).sort(inOrderOf(query))
}

export function naiveFinds(row: IndexRow, query: DocumentQuery, { now, zone }: Moment): boolean {
  const isSilent = row.status.family === 'other' && row.status.raw === ''
  const allSigned = row.signers.length > 0 && row.signers.every(({ state }) => state === 'signed')
  const ended = ['complete', 'signed', 'declined', 'expired'].includes(row.status.family) || (isSilent && allSigned)
  const isDoubtful = isSilent && !allSigned
  const idleSince = Math.max(row.changedAt, row.lastSigned?.at ?? Number.NEGATIVE_INFINITY)
  const today = dayIn(zone, now)
  const isDay = row.due?.precision === 'day'
  const dueDay = row.due && dayIn(isDay ? 'UTC' : zone, row.due.at + (isDay ? (row.gmt ?? 0) * 60_000 : 0))
  const hasPassed = dueDay !== undefined && (isDay ? dueDay < today : (row.due?.at ?? 0) <= now)
  const weekAt = query.week?.what === 'sent' ? row.arrivedAt : row.completedAt
  const people = row.search.slice(row.people.from, row.people.to).split('\n')
  return [
    (row.goneAt !== undefined) === (query.gone === true) || (query.week !== undefined && !query.gone),
    folded(query.search)
      .split(' ')
      .every((word) => row.search.includes(word)),
    query.folder === undefined || row.folder === query.folder,
    query.families === undefined || query.families.includes(row.status.family),
    query.progress === undefined ||
      (row.progress?.signed === query.progress.signed && row.progress.of === query.progress.of),
    query.dueWithinDays === undefined ||
      (!ended && dueDay !== undefined && !hasPassed && dueDay <= plusDays(today, query.dueWithinDays)),
    query.dueOn === undefined || (!ended && dueDay === query.dueOn),
    query.overdue === undefined || (!ended && !isDoubtful && hasPassed),
    query.stuckForDays === undefined || (!ended && !isDoubtful && idleSince <= now - query.stuckForDays * DAY),
    people.some((person) => person.includes(folded(query.signer ?? ''))),
    query.waitingHere === undefined || (row.goneAt === undefined && row.signers.some((signer) => signer.canSignHere)),
    query.identity === undefined ||
      (query.identity === 'any' ? !['none', 'unknown'].includes(row.identity) : row.identity === query.identity),
    query.hasFileUploaded === undefined || row.hasFileUploaded,
    query.unread === undefined || row.unread,
    query.week === undefined || (weekAt !== undefined && mondayOf(dayIn(zone, weekAt)) === query.week.monday)
  ].every(Boolean)
}

function folded(text: string): string {
  const bare = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[“”]/g, '"')
    .replaceAll('ς', 'σ')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'o')
  return bare.split(/\s+/).filter(Boolean).join(' ')
}

function dayIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at)
}

function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10)
}

function mondayOf(day: string): string {
  let monday = day
  while (new Date(monday).getUTCDay() !== 1) monday = plusDays(monday, -1)
  return monday
}

const collator = new Intl.Collator('en-GB', { numeric: true })

function inOrderOf({ sort }: DocumentQuery) {
  return (one: IndexRow, other: IndexRow): number => {
    const keys = [keyOf(one, sort.by), keyOf(other, sort.by)] as const
    const ties =
      collator.compare(one.name, other.name) ||
      collator.compare(one.reference, other.reference) ||
      (one.reference < other.reference ? -1 : Number(one.reference > other.reference))
    if (keys[0] === undefined || keys[1] === undefined) {
      return Number(keys[0] === undefined) - Number(keys[1] === undefined) || ties
    }
    const order =
      typeof keys[0] === 'number' ? keys[0] - (keys[1] as number) : collator.compare(keys[0], keys[1] as string)
    return (sort.descending ? -order : order) || ties
  }
}

function keyOf(row: IndexRow, by: DocumentQuery['sort']['by']): string | number | undefined {
  const share = row.progress && row.progress.signed / row.progress.of
  const families = ['not-started', 'in-progress', 'signed', 'complete', 'declined', 'expired', 'other']
  const names = row.signers.map(({ name }) => name).join(', ')
  const keys = {
    name: row.name,
    package: row.packageReference,
    signers: names === '' ? undefined : names,
    status: families.indexOf(row.status.family) + (share ?? 0) / 2,
    progress: share,
    due: row.due?.at,
    lastSigned: row.lastSigned?.at,
    folder: row.folder,
    matter: row.matterNumber || row.clientReference,
    reference: row.reference,
    clientReference: row.clientReference,
    formReference: row.formDirectReference,
    identity: { failed: 0, other: 1, asked: 2, partly: 3, passed: 4, none: undefined, unknown: undefined }[
      row.identity
    ],
    changed: row.changedAt
  }
  return keys[by]
}
