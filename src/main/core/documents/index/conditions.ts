/** What a query's conditions say of one row, and until when that holds: some depend on the time. */
import { type DocumentQuery, IDENTITY_STATES, STATUS_FAMILIES } from '../../../../shared/contract/index.ts'
import { beginningOf, DAY, dayAfter, dayAt } from '../../lib/calendar.ts'
import { folded, wordsOf } from '../../lib/text-folding.ts'
import { type Facets, FLAG, openFacets } from './columns.ts'
import type { BoardRow } from './row.ts'

const NO_CHECK = IDENTITY_STATES.indexOf('none')

/** What conditions about time are measured by. */
export interface Moment {
  /** Milliseconds since 1970 UTC. */
  now: number
  /** IANA name of the zone that days begin and end by. */
  zone: string
}

export interface Condition {
  holds: (slot: number) => boolean
  /** When a row's answer changes next by time alone; NaN where never. */
  turnsAt?: (slot: number) => number
}

/** Whether a query finds a row; its accounts are not looked at. */
export function finds(query: DocumentQuery, moment: Moment): (row: BoardRow) => boolean {
  const words = wordsOf(query.search)
  const presence = presenceOf(query)
  return (row) => {
    if (!isPresent(row, presence) || !words.every((word) => row.search.includes(word))) return false
    const facets = openFacets(1)
    facets.put(0, row)
    return conditionsOf(query, moment, facets).conditions.every(({ holds }) => holds(0))
  }
}

/** Whether documents are meant that are in a folder, that left all of them, or both. */
export type Presence = 'here' | 'gone' | 'both'

/** What was sent or completed in a week was so, wherever it is now. */
export function presenceOf({ gone, week }: DocumentQuery): Presence {
  if (gone) return 'gone'
  return week ? 'both' : 'here'
}

export function isPresent({ goneAt }: BoardRow, presence: Presence): boolean {
  return presence === 'both' || (goneAt !== undefined) === (presence === 'gone')
}

/**
 * All conditions of a query but its search, its accounts and whether documents are gone.
 * @returns `until`: when the day ends, where it counts from that.
 */
export function conditionsOf(
  query: DocumentQuery,
  { now, zone }: Moment,
  facets: Facets
): { conditions: Condition[]; until: number } {
  const { flags, family, due, dueDay, idleSince: idle } = facets
  const conditions: Condition[] = []
  const must = (holds: Condition['holds'], turnsAt?: Condition['turnsAt']) =>
    conditions.push(turnsAt ? { holds, turnsAt } : { holds })
  const mustHave = (flag: number) => must((slot) => ((flags[slot] as number) & flag) !== 0)
  const isOpen = (slot: number) => ((flags[slot] as number) & FLAG.ended) === 0
  const dueAt = (slot: number) => due[slot] as number
  const dueDayAt = (slot: number) => dueDay[slot] as number
  let until = Number.POSITIVE_INFINITY
  /** A day without a time lasts until the office's own ends. */
  const today = (): string => {
    const day = dayAt(now, zone)
    until = beginningOf(dayAfter(day), zone)
    return day
  }

  const { families, progress, dueWithinDays, dueOn, stuckForDays, identity, week } = query
  const person = folded(query.signer ?? '')
  if (query.folder !== undefined) {
    const number = facets.numberOf(query.folder)
    must((slot) => facets.folder[slot] === number)
  }
  if (families) {
    const isWanted = STATUS_FAMILIES.map((one) => families.includes(one))
    must((slot) => isWanted[family[slot] as number] === true)
  }
  if (progress) must((slot) => facets.signed[slot] === progress.signed && facets.of[slot] === progress.of)
  if (query.unread) mustHave(FLAG.unread)
  if (query.hasFileUploaded) mustHave(FLAG.hasFile)
  if (query.waitingHere) mustHave(FLAG.waitsHere)
  if (identity === 'any') must((slot) => facets.identity[slot] !== NO_CHECK)
  else if (identity) {
    const state = IDENTITY_STATES.indexOf(identity)
    must((slot) => facets.identity[slot] === state)
  }
  if (dueOn !== undefined) {
    const isOnTime = isWithin(due, dayIn(dueOn, zone))
    const day = Date.parse(dueOn)
    must((slot) => isOnTime(slot) || dueDayAt(slot) === day)
  }
  if (week) {
    const days = { from: beginningOf(week.monday, zone), until: beginningOf(dayAfter(week.monday, 7), zone) }
    must(isWithin(week.what === 'sent' ? facets.arrivedAt : facets.completedAt, days))
  }
  if (dueWithinDays !== undefined) {
    const day = today()
    const after = dayAfter(day, dueWithinDays + 1)
    const [end, firstDay, endDay] = [beginningOf(after, zone), Date.parse(day), Date.parse(after)]
    must(
      (slot) =>
        isOpen(slot) &&
        ((dueAt(slot) > now && dueAt(slot) < end) || (dueDayAt(slot) >= firstDay && dueDayAt(slot) < endDay)),
      dueAt
    )
  }
  if (query.overdue) {
    const firstDay = Date.parse(today())
    must((slot) => isOpen(slot) && (dueAt(slot) <= now || dueDayAt(slot) < firstDay), dueAt)
  }
  if (stuckForDays !== undefined) {
    const stuckAt = (slot: number) => (idle[slot] as number) + stuckForDays * DAY
    must((slot) => isOpen(slot) && stuckAt(slot) <= now, stuckAt)
  }
  // The dearest comes last: most rows don't get as far.
  if (person) must((slot) => hasPerson(facets.rows[slot] as BoardRow, person))
  return { conditions, until }
}

interface Stretch {
  from: number
  until: number
}

/** From the first moment of a day to that of the next. */
function dayIn(day: string, zone: string): Stretch {
  return { from: beginningOf(day, zone), until: beginningOf(dayAfter(day), zone) }
}

function isWithin(times: Float64Array, { from, until }: Stretch): Condition['holds'] {
  return (slot) => (times[slot] as number) >= from && (times[slot] as number) < until
}

function hasPerson({ search, people }: BoardRow, person: string): boolean {
  const at = search.indexOf(person, people.from)
  return at >= 0 && at + person.length <= people.to
}
