/**
 * Counts for the first screen of the day: states, due dates, what needs attention, and the packages of twelve weeks.
 */
import { IDENTITY_STATES, type OverviewView, STATUS_FAMILIES } from '../../../../shared/contract/index.ts'
import { DAY, dayAfter, dayAt, mondayOf, startOfDay } from '../../lib/calendar.ts'
import { getOrMake } from '../../lib/objects.ts'
import type { Sliced } from '../../lib/slices.ts'
import type { Moment } from '../questions.ts'
import { type Figures, FLAG } from './columns.ts'
import type { DocumentIndex } from './document-index.ts'

/**
 * Today and the next fourteen days: the last day is when documents sent today are due under the service's usual
 * fourteen days.
 */
const DAYS = 15
const WEEKS = 12
const PIECE = 8192
const COMPLETE = STATUS_FAMILIES.indexOf('complete')
const DECLINED = STATUS_FAMILIES.indexOf('declined')
const EXPIRED = STATUS_FAMILIES.indexOf('expired')
const FAILED = IDENTITY_STATES.indexOf('failed')

type Overview = Omit<OverviewView, 'lookedAt' | 'problem'>

/** A document's stored figures: null for missing values, and a number for its package. */
export type StoredFigures = { [Member in keyof Figures | 'package']: number | null }

/**
 * Counts the overview of an index. Documents that left all folders count only in the weeks: their packages were sent
 * all the same.
 * @param stuckDays days without activity after which a document counts as stuck.
 */
export function* overviewOf(index: DocumentIndex, moment: Moment, stuckDays: number): Sliced<Overview> {
  const { columns, rowIdLimit } = index.inner
  const counter = overviewCounter(moment, stuckDays, columns.packageReferences.length)
  for (let rowId = 0; rowId < rowIdLimit(); rowId++) {
    if (rowId % PIECE === PIECE - 1) yield
    const flags = columns.flags[rowId] as number
    if ((flags & FLAG.there) === 0) continue
    counter.add(
      columns.family[rowId] as number,
      columns.identity[rowId] as number,
      flags,
      columns.due[rowId] as number,
      columns.dueDay[rowId] as number,
      columns.idleSince[rowId] as number,
      columns.arrivedAt[rowId] as number,
      columns.completedAt[rowId] as number,
      columns.package[rowId] as number
    )
  }
  yield
  return counter.overview()
}

/** Counts the same from the figures stored on disk, while there is no index yet. */
export function overviewOfStored(figures: readonly StoredFigures[], moment: Moment, stuckDays: number): Overview {
  const packages = new Map<number, number>()
  const counter = overviewCounter(moment, stuckDays, figures.length)
  for (const one of figures) {
    const number = one.package === null ? 0 : getOrMake(packages, one.package, () => packages.size + 1)
    counter.add(
      one.family ?? 0,
      one.identity ?? 0,
      one.flags ?? 0,
      one.due ?? Number.NaN,
      one.dueDay ?? Number.NaN,
      one.idleSince ?? Number.NaN,
      one.arrivedAt ?? Number.NaN,
      one.completedAt ?? Number.NaN,
      number
    )
  }
  return counter.overview()
}

/** @param packagesUpTo highest package number; 0 means no package. */
function overviewCounter({ now, zone }: Moment, stuckDays: number, packagesUpTo: number) {
  const today = dayAt(now, zone)
  const firstDay = Date.parse(today)
  const dueDays = periodCounter(
    Array.from({ length: DAYS }, (_, index) => dayAfter(today, index)),
    1,
    zone
  )
  const packages = packageTimes(packagesUpTo + 1)
  const states = STATUS_FAMILIES.map((family) => ({ family, count: 0 }))
  const view = {
    withoutDue: 0,
    withoutWeek: 0,
    overdue: 0,
    expired: 0,
    declined: 0,
    identityFailed: 0,
    waitingHere: 0,
    unread: 0
  }
  const stuck = { days: stuckDays, count: 0 }
  const weeks = weeksUntil(today, zone)

  return {
    /**
     * Counts one document. Takes numbers, so that a hundred thousand can be counted without creating an object each.
     */
    add(
      family: number,
      identity: number,
      flags: number,
      due: number,
      dueDay: number,
      idleSince: number,
      arrivedAt: number,
      completed: number,
      packageNumber: number
    ): void {
      const completedAt = family === COMPLETE ? completed : Number.NaN
      if (packageNumber === 0) weeks.count(arrivedAt, completedAt)
      else packages.add(packageNumber, arrivedAt, completedAt)
      if (flags & FLAG.gone) return
      const state = states[family]
      if (state) state.count++
      if (!(arrivedAt > 0) || (family === COMPLETE && !(completedAt > 0))) view.withoutWeek++
      if (identity === FAILED) view.identityFailed++
      if (flags & FLAG.waitsHere) view.waitingHere++
      if (flags & FLAG.unread) {
        view.unread++
        if (family === DECLINED) view.declined++
        if (family === EXPIRED) view.expired++
      }
      if (flags & FLAG.ended) return
      dueDays.count(due)
      dueDays.countAt((dueDay - firstDay) / DAY)
      if (Number.isNaN(due) && Number.isNaN(dueDay)) view.withoutDue++
      if (flags & FLAG.unsaid) return
      if (due <= now || dueDay < firstDay) view.overdue++
      if (idleSince + stuckDays * DAY <= now) stuck.count++
    },

    overview(): Overview {
      packages.each(weeks.count)
      return { ...view, states, due: dueDays.counts, stuck, weeks: weeks.counts() }
    }
  }
}

/**
 * When each package was sent, and when its last document became complete: NaN if one isn't complete or nobody saw when.
 */
function packageTimes(count: number) {
  // A package added meanwhile has a higher number, which a typed array ignores, or that of one that left. The next
  // overview, requested because something changed, counts it.
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
  const [sent, completed] = [periodCounter(mondays, 7, zone), periodCounter(mondays, 7, zone)]
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

/** Counts moments by period. Each period begins on one of `days`, which are consecutive, and is `length` days long. */
function periodCounter(days: readonly string[], length: number, zone: string) {
  const starts = [...days, dayAfter(days.at(-1) as string, length)].map((day) => startOfDay(day, zone))
  const counts = days.map((day) => ({ day, count: 0 }))
  const countAt = (period: number): void => {
    const found = counts[period]
    if (found) found.count++
  }
  return {
    count(at: number): void {
      if (!(at >= (starts[0] as number))) return
      // A period with a clock change is an hour longer or shorter, so the guess may be one off.
      let period = Math.floor((at - (starts[0] as number)) / (length * DAY))
      if (at < (starts[period] ?? Number.NEGATIVE_INFINITY)) period--
      else if (at >= (starts[period + 1] ?? Number.POSITIVE_INFINITY)) period++
      countAt(period)
    },
    /** Counts one in the period at this index, if it exists. */
    countAt,
    counts
  }
}
