/** Dates and times as people say them, with the zone named where someone elsewhere may read them. */
import { readDate } from '../../../shared/composition/bulk-dates.ts'
import { offsetIn, offsetInWords } from '../../../shared/composition/zone.ts'

export { offsetInWords }

/** How the office writes: as its system does where that is English we know, else as in Britain. */
export const OFFICE_LOCALE =
  ['en-NZ', 'en-AU', 'en-GB', 'en-US'].find((known) => known === navigator.language) ?? 'en-GB'

// Made once: a formatter takes longer to make than a screenful of dates to write.
const ZONE_NAME = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'long' })
const LONG_DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric'
})
const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const SHORT_DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const DAYS_AWAY = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' })

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The zone of this computer, as `Pacific/Auckland`. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Minutes east of UTC of a zone (this computer's where none is named) at a moment. */
export function offsetAt(at: number, zone?: string): number {
  return zone ? (offsetIn(zone, at) ?? 0) : -new Date(at).getTimezoneOffset() || 0
}

/** "New Zealand Daylight Time (UTC+13:00)" where the offset is this computer's at that moment, else the offset alone. */
export function zoneInWords(at: number, offset: number): string {
  if (offset !== offsetAt(at)) return offsetInWords(offset)
  const name = ZONE_NAME.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value
  return !name || /^(GMT|UTC)|Coordinated/.test(name) ? offsetInWords(offset) : `${name} (${offsetInWords(offset)})`
}

const shifted = (at: number, offset: number) => new Date(at + offset * MINUTE)

/** "Friday 5 December 2025", at an offset. */
export function dayInWords(at: number, offset = offsetAt(at)): string {
  return LONG_DAY.format(shifted(at, offset)).replace(',', '')
}

/** "5 Dec", with the year where it is not this one. For lists. */
export function shortDay(at: number, now: number): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return (sameYear ? SHORT_DAY : SHORT_DAY_AND_YEAR).format(at)
}

/** "11 December 2026", or "December 11, 2026" where an office writes so, of `YYYY-MM-DD`. */
export function writtenDay(day: string, locale = OFFICE_LOCALE): string {
  const how = { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' } as const
  return new Date(day).toLocaleDateString(locale, how)
}

/**
 * The day that was typed, as `YYYY-MM-DD`: in any spelling that a sheet may have, or without its year, which is then the first that
 * doesn't lie before `from`. Undefined for anything else.
 */
export function readTypedDay(text: string, from: string, locale = OFFICE_LOCALE): string | undefined {
  const order = locale === 'en-US' ? 'month-first' : 'day-first'
  const typed = text.trim()
  const glue = /^\d+[-/.]\d+$/.test(typed) ? (typed.match(/[-/.]/)?.[0] ?? '') : ' '
  const year = Number(from.slice(0, 4))
  const days = [typed, ...[year, year + 1].map((one) => `${typed}${glue}${one}`)].map(
    (one) => readDate(one, order)?.day
  )
  return days[0] ?? days.find((day) => day && day >= from)
}

/** "17:00", at an offset. */
export function clockTime(at: number, offset = offsetAt(at)): string {
  return shifted(at, offset).toISOString().slice(11, 16)
}

/** "Friday 5 December 2025 at 17:00"; with "(UTC+10:00)" where that isn't the offset of this computer. */
export function momentInWords(at: number, offset = offsetAt(at)): string {
  const zone = offset === offsetAt(at) ? '' : ` (${offsetInWords(offset)})`
  return `${dayInWords(at, offset)} at ${clockTime(at, offset)}${zone}`
}

/** "5 pm", "5:30 pm", "noon", at an offset. */
export function timeInWords(at: number, offset: number): string {
  const [hours = 0, minutes = 0] = clockTime(at, offset).split(':').map(Number)
  if (minutes === 0 && hours === 12) return 'noon'
  if (minutes === 0 && hours === 0) return 'midnight, as the day begins,'
  const past = minutes === 0 ? '' : `:${String(minutes).padStart(2, '0')}`
  return `${hours % 12 || 12}${past} ${hours < 12 ? 'am' : 'pm'}`
}

/** "Friday 4 December", with the year where it is not this one, at an offset. */
export function shortDate(at: number, offset: number, now: number): string {
  const day = dayInWords(at, offset)
  return day.endsWith(` ${shifted(now, offset).getUTCFullYear()}`) ? day.slice(0, -5) : day
}

/** "Sun 6 December", with the year where it is not this one, at an offset: when something is due. */
export function dueDay(at: number, now: number, offset = offsetAt(at)): string {
  return shortDate(at, offset, now).replace(/^(\p{L}{3})\p{L}+/u, '$1')
}

/** "10:42" today, "yesterday 10:42", "5 Dec 10:42" before: when something began or was last true. */
export function when(at: number, now: number): string {
  const time = clockTime(at)
  const days = Math.floor((startOfDay(now) - startOfDay(at)) / DAY + 0.5)
  if (days === 0) return time
  if (days === 1) return `yesterday ${time}`
  return `${shortDay(at, now)} ${time}`
}

/** "in 9 days", "tomorrow", "2 days ago", counted in days of the calendar. */
export function daysAway(at: number, now: number): string {
  const days = Math.round((startOfDay(at) - startOfDay(now)) / DAY)
  return DAYS_AWAY.format(days, 'day')
}

/** A length of time: "5 seconds", "2 minutes", "3 hours". */
export function inWords(milliseconds: number): string {
  const [size, unit] =
    milliseconds < MINUTE ? [1000, 'second'] : milliseconds < HOUR ? [MINUTE, 'minute'] : [HOUR, 'hour']
  const count = Math.max(1, Math.round(milliseconds / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}
