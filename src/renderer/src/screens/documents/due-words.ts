/** A due date in the words of a list and of a page: how long is left, and whether it has passed. */
import type { DocumentRow } from '../../../../shared/contract/views.ts'
import type { ServiceDate } from '../../../../shared/model/service-date.ts'
import { clockTime, dayInWords, daysAway, momentInWords, offsetAt, shortDay } from '../../words/dates.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** Once a document is in one of these, nobody waits for its due date any more. */
const ENDED = new Set(['complete', 'declined', 'expired'])

export interface DueWords {
  /** "5 Dec". */
  day: string
  /** "in 9 days", "overdue by 2 days"; empty where it no longer matters. */
  left: string
  tone: 'quiet' | 'warn' | 'danger'
  overdue: boolean
}

export function dueWords({ due, status }: Pick<DocumentRow, 'due' | 'status'>, now: number): DueWords | undefined {
  if (!due) return undefined
  const isDay = due.precision === 'day'
  const at = isDay ? beginningHere(due) : due.at
  const day = shortDay(at, now)
  if (ENDED.has(status.family)) return { day, left: '', tone: 'quiet', overdue: false }
  if ((isDay ? beginningHere(due, 1) : at) <= now) {
    return { day, left: overdueBy(at, now), tone: 'danger', overdue: true }
  }
  const left = daysAway(at, now)
  if (left === 'today') {
    return { day, left: isDay ? left : `today ${clockTime(at)}`, tone: 'warn', overdue: false }
  }
  return { day, left, tone: left === 'tomorrow' ? 'warn' : 'quiet', overdue: false }
}

/**
 * A date of a document in full, with its zone. A day without a time is the day where it was written.
 * @param gmt the document's own zone in minutes east of UTC, where it names one.
 */
export function dateInFull(date: ServiceDate, gmt?: number): string {
  if (date.precision === 'time') return momentInWords(date.at)
  return dayInWords(date.at, date.offset ?? gmt ?? offsetAt(date.at))
}

/** When the day that was written, or one so many days after it, begins on this computer. */
function beginningHere({ at, offset }: ServiceDate, daysAfter = 0): number {
  const written = new Date(at + (offset ?? offsetAt(at)) * MINUTE)
  return new Date(written.getUTCFullYear(), written.getUTCMonth(), written.getUTCDate() + daysAfter).getTime()
}

function overdueBy(at: number, now: number): string {
  const days = Math.round((midnight(now) - midnight(at)) / DAY)
  if (days <= 0) return 'overdue today'
  return days === 1 ? 'overdue by a day' : `overdue by ${days.toLocaleString('en-GB')} days`
}

function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}
