/** What the first screen of the day counts: states, what is due, what needs a look, and the packages of twelve weeks. */
import { IDENTITY_STATES, type OverviewView, STATUS_FAMILIES } from '../../../../shared/contract/index.ts'
import { beginningOf, DAY, dayAfter, dayAt, mondayOf } from '../../lib/calendar.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Moment } from '../questions.ts'
import { FLAG } from './conditions.ts'
import type { DocumentIndex } from './document-index.ts'

const DAYS = 14
const WEEKS = 12
const PIECE = 8192
const COMPLETE = STATUS_FAMILIES.indexOf('complete')
const DECLINED = STATUS_FAMILIES.indexOf('declined')
const FAILED = IDENTITY_STATES.indexOf('failed')

/**
 * Documents that left all folders are counted in the weeks only: their packages were sent all the same.
 * @param stuckDays how long nothing may happen to a document until it counts as stuck.
 */
export function* overviewOf(
  index: DocumentIndex,
  { now, zone }: Moment,
  stuckDays: number
): Sliced<Omit<OverviewView, 'lookedAt' | 'problem'>> {
  const { columns, rowAt, rowIds } = index.inner
  const today = dayAt(now, zone)
  const firstDay = Date.parse(today)
  const due = counterOf(
    Array.from({ length: DAYS }, (_, index) => dayAfter(today, index)),
    1,
    zone
  )
  const packages = packageTimes(columns.packages() + 1)
  const states = STATUS_FAMILIES.map((family) => ({ family, count: 0 }))
  const view = { withoutDue: 0, withoutWeek: 0, overdue: 0, declined: 0, identityFailed: 0, waitingHere: 0, unread: 0 }
  const stuck = { days: stuckDays, count: 0 }
  const weeks = weeksUntil(today, zone)

  for (let rowId = 0; rowId < rowIds(); rowId++) {
    if (rowId % PIECE === PIECE - 1) yield
    if (!rowAt(rowId)) continue
    const family = columns.family[rowId] as number
    const completedAt = family === COMPLETE ? (columns.completedAt[rowId] as number) : Number.NaN
    const sentAt = columns.arrivedAt[rowId] as number
    const number = columns.package[rowId] as number
    if (number === 0) weeks.count(sentAt, completedAt)
    else packages.add(number, sentAt, completedAt)
    const flags = columns.flags[rowId] as number
    if (flags & FLAG.gone) continue
    const state = states[family]
    if (state) state.count++
    if (!(sentAt > 0) || (family === COMPLETE && !(completedAt > 0))) view.withoutWeek++
    if (family === DECLINED) view.declined++
    if (columns.identity[rowId] === FAILED) view.identityFailed++
    if (flags & FLAG.waitsHere) view.waitingHere++
    if (flags & FLAG.unread) view.unread++
    if (flags & FLAG.ended) continue
    const [dueAt, dueDay] = [columns.due[rowId] as number, columns.dueDay[rowId] as number]
    due.count(dueAt)
    due.countAt((dueDay - firstDay) / DAY)
    if (Number.isNaN(dueAt) && Number.isNaN(dueDay)) view.withoutDue++
    if (flags & FLAG.unsaid) continue
    if (dueAt <= now || dueDay < firstDay) view.overdue++
    if ((columns.idleSince[rowId] as number) + stuckDays * DAY <= now) stuck.count++
  }
  yield
  packages.each(weeks.count)
  return { ...view, states, due: due.counts, stuck, weeks: weeks.counts() }
}

/** When each package was sent, and when its last document became complete: NaN where one isn't, or nobody saw when. */
function packageTimes(count: number) {
  // A package that came meanwhile has a higher number, which an array takes no notice of, or that of one that left: the
  // next overview, asked for since something changed, counts it.
  const sent = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
  const completed = new Float64Array(count)
  return {
    add(number: number, sentAt: number, completedAt: number): void {
      sent[number] = Math.min(sent[number] as number, sentAt)
      completed[number] = Math.max(completed[number] as number, completedAt)
    },
    each(call: (sentAt: number, completedAt: number) => void): void {
      for (let number = 1; number < count; number++) call(sent[number] as number, completed[number] as number)
    }
  }
}

/** Counts what was sent and completed in the weeks up to a day. */
function weeksUntil(day: string, zone: string) {
  const monday = mondayOf(day)
  const mondays = Array.from({ length: WEEKS }, (_, index) => dayAfter(monday, (index - WEEKS + 1) * 7))
  const [sent, completed] = [counterOf(mondays, 7, zone), counterOf(mondays, 7, zone)]
  return {
    count(sentAt: number, completedAt: number): void {
      sent.count(sentAt)
      completed.count(completedAt)
    },
    counts: (): OverviewView['weeks'] =>
      mondays.map((monday, week) => ({
        monday,
        sent: sent.counts[week]?.count ?? 0,
        completed: completed.counts[week]?.count ?? 0
      }))
  }
}

/** Counts moments by the stretches, of so many days each, that begin with these days, which follow each other. */
function counterOf(days: readonly string[], length: number, zone: string) {
  const begins = [...days, dayAfter(days.at(-1) as string, length)].map((day) => beginningOf(day, zone))
  const counts = days.map((day) => ({ day, count: 0 }))
  const countAt = (stretch: number): void => {
    const found = counts[stretch]
    if (found) found.count++
  }
  return {
    count(at: number): void {
      if (!(at >= (begins[0] as number))) return
      // A stretch in which the clocks change is an hour longer or shorter than the others: at most one beside it.
      let stretch = Math.floor((at - (begins[0] as number)) / (length * DAY))
      if (at < (begins[stretch] ?? Number.NEGATIVE_INFINITY)) stretch--
      else if (at >= (begins[stretch + 1] ?? Number.POSITIVE_INFINITY)) stretch++
      countAt(stretch)
    },
    /** Counts one in the stretch of this place, where there is one. */
    countAt,
    counts
  }
}
