/** Evaluates a query's conditions on rows, and determines how long the result holds, as some depend on the time. */
import { type DocumentQuery, IDENTITY_STATES, STATUS_FAMILIES } from '../../../../shared/contract/index.ts'
import { DAY, dayAfter, dayAt, startOfDay } from '../../lib/calendar.ts'
import { folded, wordsOf } from '../../lib/text-folding.ts'
import type { Moment } from '../questions.ts'
import { type Columns, FLAG, openColumns } from './columns.ts'
import type { IndexRow } from './row.ts'

const NO_CHECK = IDENTITY_STATES.indexOf('none')
const IDENTITY_UNKNOWN = IDENTITY_STATES.indexOf('unknown')

export interface Condition {
  holds: (rowId: number) => boolean
  /** When a row's result next changes through time alone; NaN if never. */
  changesAt?: (rowId: number) => number
}

/** Makes a test of whether a query finds a row; ignores the query's accounts. */
export function finds(query: DocumentQuery, moment: Moment): (row: IndexRow) => boolean {
  const words = wordsOf(query.search)
  const presence = presenceOf(query)
  return (row) => {
    if (!matchesSearch(row.goneAt !== undefined, row.search, words, presence)) return false
    const columns = openColumns(1)
    columns.put(0, row)
    return conditionsOf(query, moment, columns, () => row.search).conditions.every(({ holds }) => holds(0))
  }
}

/** Which documents are meant: those in a folder, those that left all folders, or both. */
export type Presence = 'here' | 'gone' | 'both'

/** Returns which documents a query means. A week's sent or completed documents count wherever they are now. */
export function presenceOf({ gone, week }: DocumentQuery): Presence {
  if (gone) return 'gone'
  return week ? 'both' : 'here'
}

/** Returns whether a row is among the documents meant and contains all words of the search. */
export function matchesSearch(isGone: boolean, search: string, words: readonly string[], presence: Presence): boolean {
  const hasPresence = presence === 'both' || isGone === (presence === 'gone')
  return hasPresence && words.every((word) => search.includes(word))
}

/**
 * Builds all conditions of a query except its search, its accounts and presence.
 * @param searchOf returns a row's searchable text.
 * @returns `until`: the end of the day, if a condition counts from today.
 */
export function conditionsOf(
  query: DocumentQuery,
  { now, zone }: Moment,
  columns: Columns,
  searchOf: (rowId: number) => string
): { conditions: Condition[]; until: number } {
  const { flags, family, due, dueDay, idleSince: idle } = columns
  const conditions: Condition[] = []
  const addCondition = (holds: Condition['holds'], changesAt?: Condition['changesAt']) =>
    conditions.push(changesAt ? { holds, changesAt } : { holds })
  const requireFlag = (flag: number) => addCondition((rowId) => ((flags[rowId] as number) & flag) !== 0)
  const mayBeOpen = (rowId: number) => ((flags[rowId] as number) & FLAG.ended) === 0
  const isSurelyOpen = (rowId: number) => ((flags[rowId] as number) & (FLAG.ended | FLAG.unsaid)) === 0
  const dueAt = (rowId: number) => due[rowId] as number
  const dueDayAt = (rowId: number) => dueDay[rowId] as number
  let until = Number.POSITIVE_INFINITY
  /** A due day without a time ends when the office's own day ends. */
  const today = (): string => {
    const day = dayAt(now, zone)
    until = startOfDay(dayAfter(day), zone)
    return day
  }

  const { families, progress, dueWithinDays, dueOn, stuckForDays, identity, week } = query
  const person = folded(query.signer ?? '')
  if (query.folder !== undefined) {
    const number = columns.numberOf(query.folder)
    addCondition((rowId) => columns.folder[rowId] === number)
  }
  if (families) {
    const isFamilyIncluded = STATUS_FAMILIES.map((one) => families.includes(one))
    addCondition((rowId) => isFamilyIncluded[family[rowId] as number] === true)
  }
  if (progress) addCondition((rowId) => columns.signed[rowId] === progress.signed && columns.of[rowId] === progress.of)
  if (query.unread) requireFlag(FLAG.unread)
  if (query.hasFileUploaded) requireFlag(FLAG.hasFile)
  if (query.waitingHere) requireFlag(FLAG.waitsHere)
  if (identity === 'any')
    addCondition((rowId) => columns.identity[rowId] !== NO_CHECK && columns.identity[rowId] !== IDENTITY_UNKNOWN)
  else if (identity) {
    const state = IDENTITY_STATES.indexOf(identity)
    addCondition((rowId) => columns.identity[rowId] === state)
  }
  if (dueOn !== undefined) {
    const isOnTime = isWithin(due, daysFrom(dueOn, 1, zone))
    const day = Date.parse(dueOn)
    addCondition((rowId) => mayBeOpen(rowId) && (isOnTime(rowId) || dueDayAt(rowId) === day))
  }
  if (week) {
    const times = week.what === 'sent' ? columns.arrivedAt : columns.completedAt
    addCondition(isWithin(times, daysFrom(week.monday, 7, zone)))
  }
  if (dueWithinDays !== undefined) {
    const day = today()
    const after = dayAfter(day, dueWithinDays + 1)
    const [end, firstDay, endDay] = [startOfDay(after, zone), Date.parse(day), Date.parse(after)]
    addCondition(
      (rowId) =>
        mayBeOpen(rowId) &&
        ((dueAt(rowId) > now && dueAt(rowId) < end) || (dueDayAt(rowId) >= firstDay && dueDayAt(rowId) < endDay)),
      dueAt
    )
  }
  if (query.overdue) {
    const firstDay = Date.parse(today())
    addCondition((rowId) => isSurelyOpen(rowId) && (dueAt(rowId) <= now || dueDayAt(rowId) < firstDay), dueAt)
  }
  if (stuckForDays !== undefined) {
    const stuckAt = (rowId: number) => (idle[rowId] as number) + stuckForDays * DAY
    addCondition((rowId) => isSurelyOpen(rowId) && stuckAt(rowId) <= now, stuckAt)
  }
  // The most expensive comes last: most rows don't get that far.
  if (person) {
    addCondition((rowId) => {
      const at = searchOf(rowId).indexOf(person, columns.peopleFrom[rowId])
      return at >= 0 && at + person.length <= (columns.peopleTo[rowId] as number)
    })
  }
  return { conditions, until }
}

interface TimeRange {
  from: number
  until: number
}

function daysFrom(day: string, days: number, zone: string): TimeRange {
  return { from: startOfDay(day, zone), until: startOfDay(dayAfter(day, days), zone) }
}

function isWithin(times: Float64Array, { from, until }: TimeRange): Condition['holds'] {
  return (rowId) => (times[rowId] as number) >= from && (times[rowId] as number) < until
}
