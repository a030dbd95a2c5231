/** The data of the charts on Today, in words and with links to the lists behind the numbers. */
import type { OverviewView } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import type { StatusFamily } from '../../../../shared/model/document-status.ts'
import { documentsHref } from '../../state/document-query.ts'
import { capital } from '../../words/counts.ts'

const isAre = (count: number) => (count === 1 ? 'is' : 'are')

/** Returns the status families that have documents, each with a link. */
export function statesOf(view: OverviewView): { family: StatusFamily; count: number; href: string }[] {
  return view.states
    .filter(({ count }) => count > 0)
    .map(({ family, count }) => ({ family, count, href: documentsHref({ families: [family] }) }))
}

const dateOf = (day: string) => new Date(`${day}T12:00:00Z`)
const formatDay = (day: string, how: Intl.DateTimeFormatOptions) =>
  dateOf(day).toLocaleDateString('en-GB', { timeZone: 'UTC', ...how })

/** Returns bars for today and the next fourteen days. */
export function dueBars(view: OverviewView): Bar[] {
  return view.due.map(({ day, count }, index) => ({
    key: day,
    // Shows the month on the first bar, and where another month starts.
    name: formatDay(day, index === 0 || day.endsWith('-01') ? { day: 'numeric', month: 'short' } : { day: 'numeric' }),
    // @wc-include
    more: index === 0 ? 'today' : formatDay(day, { weekday: 'short' }),
    isMarked: index === 0,
    isQuiet: [0, 6].includes(dateOf(day).getUTCDay()),
    parts: [
      {
        tone: 'first',
        count,
        sentence: `${capital(counted(count, ['# document', '# documents']))} ${isAre(count)} due on ${formatDay(day, { weekday: 'long', day: 'numeric', month: 'long' })}`,
        href: documentsHref({ dueOn: day, families: ['not-started', 'in-progress', 'other'] })
      }
    ]
  }))
}

/** Returns bars for the last twelve weeks: sent next to completed. */
export function weekBars(view: OverviewView): Bar[] {
  return view.weeks.map(({ monday, sent, completed }, index, weeks) => {
    const from = `in the week of ${formatDay(monday, { day: 'numeric', month: 'long' })}`
    return {
      key: monday,
      name: formatDay(monday, { day: 'numeric' }),
      more: index === weeks.length - 1 ? 'this week' : formatDay(monday, { month: 'short' }),
      isMarked: index === weeks.length - 1,
      parts: [
        {
          tone: 'first' as const,
          count: sent,
          sentence: `${capital(counted(sent, ['# package', '# packages']))} sent ${from}`,
          href: documentsHref({ week: { monday, what: 'sent' } })
        },
        {
          tone: 'second' as const,
          count: completed,
          sentence: `${capital(counted(completed, ['# package', '# packages']))} completed ${from}`,
          href: documentsHref({ week: { monday, what: 'completed' } })
        }
      ]
    }
  })
}

export interface Bar {
  key: string
  /** Below the bar: "21", "Mon". */
  name: string
  /** In grey below that: "Fri". */
  more?: string
  /** The bar for the current day or week. */
  isMarked?: boolean
  isQuiet?: boolean
  parts: readonly BarPart[]
}

interface BarPart {
  tone: 'first' | 'second'
  count: number
  /** "3 documents are due on Friday 21 November". */
  sentence: string
  href: string
}
