/**
 * Parses dates and times as people and spreadsheets write them: either understood or rejected, never silently guessed.
 */

/** Which comes first in 04/12/2026. */
export type DateOrder = 'day-first' | 'month-first'

export interface ParsedDate {
  /** `YYYY-MM-DD` */
  day: string
  /** `HH:mm` */
  time?: string
  /** Minutes east of UTC, if the text gives an offset. */
  offset?: number
  /** The year was written with two digits. */
  isShortYear?: true
}

const DAY = 86_400_000
/** The day from which a spreadsheet counts; four years later in files from old Macs. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }
export type Epoch = keyof typeof EPOCHS

const months = 'january february march april may june july august september october november december'.split(' ')

const numericDate = /^(\d{1,2})[-/.](\d{1,2})[-/.](?:\d{4}|\d{2})(?!\d)/
const timePattern = String.raw`(?:[T\s,]+(?:at\s+)?(?<clock>\d{1,2}[:.]\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:[ap]\.?m\.?)?|\d{1,2}\s*[ap]\.?m\.?)\s*(?<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?$`
const datePatterns = [
  new RegExp(String.raw`^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<date>\d{1,2})${timePattern}`, 'i'),
  new RegExp(String.raw`^(?<year>\d{4})(?<month>\d{2})(?<date>\d{2})${timePattern}`, 'i'),
  new RegExp(String.raw`^(?<first>\d{1,2})[-/.](?<second>\d{1,2})[-/.](?<year>\d{4}|\d{2})${timePattern}`, 'i'),
  new RegExp(
    String.raw`^(?<date>\d{1,2})(?:st|nd|rd|th)?[-\s./]+(?:of\s+)?(?<name>[a-z]{3,9})\.?,?[-\s./]+(?<year>\d{4}|\d{2})${timePattern}`,
    'i'
  ),
  new RegExp(
    String.raw`^(?<name>[a-z]{3,9})\.?\s+(?<date>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})${timePattern}`,
    'i'
  )
]

/** Returns the date in a text; undefined if there is none. Five-digit numbers are days since the epoch. */
export function readDate(text: string, order: DateOrder, epoch: Epoch = 1900): ParsedDate | undefined {
  const plain = text.trim().replace(/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+/i, '')
  if (/^\d{5}(?:\.\d+)?$/.test(plain)) return dateFromSerial(Number(plain), epoch)
  const found = datePatterns.map((spelling) => spelling.exec(plain)?.groups).find(Boolean)
  if (!found) return undefined
  const year = found.year as string
  const day = dayOf(fullYear(year), monthOf(found, order), Number(found.date ?? dateOf(found, order)))
  const clock = isDateOnly(found) ? undefined : found.clock
  const time = clock === undefined ? undefined : readTime(clock)
  if (!day || (clock !== undefined && !time)) return undefined
  return {
    day,
    ...(time && { time }),
    ...(found.zone && { offset: offsetOf(found.zone) }),
    ...(year.length === 2 && { isShortYear: true as const })
  }
}

/**
 * Returns whether the time is midnight, as in "2026-12-04 00:00" or "4/12/2026 12:00:00 AM": programs export dates like
 * that, and in a workbook both are the same. At an offset it is a moment.
 */
function isDateOnly({ clock = '', zone }: Record<string, string | undefined>): boolean {
  return zone === undefined && /^(?:00?[:.]00(?::00(?:[.,]0+)?)?|12[:.]00(?::00)?\s*a\.?m\.?)\s*$/i.test(clock)
}

/** Returns `HH:mm` for "17:00", "5 pm", "5.30pm" and a spreadsheet's fraction of a day; undefined for anything else. */
export function readTime(text: string): string | undefined {
  const plain = text.trim()
  if (/^0?\.\d+$/.test(plain)) return new Date(minuteOf(Number(plain) * DAY)).toISOString().slice(11, 16)
  const found = /^(\d{1,2})(?:[:.](\d{2})(?::\d{2}(?:[.,]\d+)?)?)?\s*(?:([ap])\.?m\.?)?$/i.exec(plain)
  if (!found || (found[2] === undefined && !found[3])) return undefined
  const half = found[3]?.toLowerCase()
  const hour = Number(found[1])
  const minute = Number(found[2] ?? 0)
  if (minute > 59 || hour > 23 || (half && (hour < 1 || hour > 12))) return undefined
  const hours = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour
  return `${twoDigits(hours)}:${twoDigits(minute)}`
}

/**
 * Returns the minute that a spreadsheet's time is in, both in milliseconds. Fractions of a day may be a little less than
 * what was entered, so a time counts as the nearest second, but never as the next day: 23:59:59.9 is still today.
 */
export function minuteOf(time: number): number {
  const [exact, second] = [Math.round(time), Math.round(time / 1000) * 1000]
  const isNextDay = second % DAY === 0 && exact < second
  return Math.floor((isNextDay ? exact : second) / 60_000) * 60_000
}

/**
 * Detects the date order of a column. One value that can only be read one way decides for all. If there is none,
 * `doubt` is the first value that would be another day in the other order, and a person is asked.
 */
export function dateOrderOf(values: Iterable<string>): { order: DateOrder; doubt?: string } {
  let doubt: string | undefined
  let isMonthFirst = false
  for (const value of values) {
    const found = numericDate.exec(value.trim())
    if (!found) continue
    const [first, second] = [Number(found[1]), Number(found[2])]
    if (first > 12) return { order: 'day-first' }
    if (second > 12) isMonthFirst = true
    else if (first !== second) doubt ??= value.trim()
  }
  if (isMonthFirst) return { order: 'month-first' }
  return { order: 'day-first', ...(doubt !== undefined && { doubt }) }
}

function dateFromSerial(serial: number, epoch: Epoch): ParsedDate {
  const [day, time] = new Date(minuteOf(EPOCHS[epoch] + serial * DAY)).toISOString().split('T') as [string, string]
  return Number.isInteger(serial) ? { day } : { day, time: time.slice(0, 5) }
}

function monthOf(found: Record<string, string | undefined>, order: DateOrder): number {
  if (found.month) return Number(found.month)
  if (!found.name) return Number(order === 'day-first' ? found.second : found.first)
  const name = found.name.toLowerCase()
  if (name === 'sept') return 9
  return months.findIndex((month) => name === month || name === month.slice(0, 3)) + 1
}

function dateOf(found: Record<string, string | undefined>, order: DateOrder): string | undefined {
  return order === 'day-first' ? found.first : found.second
}

/** Expands two-digit years as spreadsheets do: 00 to 29 are in this century. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year)
  return Number(year) <= 29 ? 2000 + Number(year) : 1900 + Number(year)
}

function dayOf(year: number, month: number, date: number): string | undefined {
  const at = new Date(Date.UTC(year, month - 1, date))
  if (at.getUTCFullYear() !== year || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== date) return undefined
  return year < 1000 ? undefined : at.toISOString().slice(0, 10)
}

function offsetOf(zone: string): number {
  const found = /([+-])(\d{2}):?(\d{2})/.exec(zone)
  if (!found) return 0
  return (found[1] === '-' ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3]))
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
