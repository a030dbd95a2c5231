/** Dates and times for people to read. The time zone is named if readers elsewhere may see them. */
import { readDate } from '../../../shared/composition/bulk-dates.ts'
import { offsetIn, offsetInWords } from '../../../shared/composition/zone.ts'

export { offsetInWords }

/** The office's date locale: the system's, if it is a variety of English we know, otherwise British. */
export const OFFICE_LOCALE =
  ['en-NZ', 'en-AU', 'en-GB', 'en-US'].find((known) => known === navigator.language) ?? 'en-GB'

// Created once: creating a formatter takes longer than formatting a screenful of dates.
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

/** Returns this computer's time zone, such as `Pacific/Auckland`. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Returns a zone's offset at a given time, in minutes east of UTC. Defaults to this computer's zone. */
export function offsetAt(at: number, zone?: string): number {
  return zone ? (offsetIn(zone, at) ?? 0) : -new Date(at).getTimezoneOffset() || 0
}

/**
 * Returns "New Zealand Daylight Time (UTC+13:00)" if the offset is this computer's at that time, otherwise only the
 * offset.
 */
export function zoneInWords(at: number, offset: number): string {
  if (offset !== offsetAt(at)) return offsetInWords(offset)
  const name = ZONE_NAME.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value
  return !name || /^(GMT|UTC)|Coordinated/.test(name) ? offsetInWords(offset) : `${name} (${offsetInWords(offset)})`
}

const shifted = (at: number, offset: number) => new Date(at + offset * MINUTE)

/** Returns "Friday 5 December 2025", at an offset. */
export function dayInWords(at: number, offset = offsetAt(at)): string {
  return LONG_DAY.format(shifted(at, offset)).replace(',', '')
}

/** Returns "5 Dec", with the year if it isn't the current one. For lists. */
export function shortDay(at: number, now: number): string {
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return (sameYear ? SHORT_DAY : SHORT_DAY_AND_YEAR).format(at)
}

/** Formats `YYYY-MM-DD` as "11 December 2026", or as "December 11, 2026" if the office's locale does so. */
export function writtenDay(day: string, locale = OFFICE_LOCALE): string {
  const how = { timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric' } as const
  return new Date(day).toLocaleDateString(locale, how)
}

/**
 * Parses a typed day into `YYYY-MM-DD`: in any format that a sheet may have, or without a year, which then becomes the
 * first one that isn't before `from`. Undefined for anything else.
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

/** Returns "17:00", at an offset. */
export function clockTime(at: number, offset = offsetAt(at)): string {
  return shifted(at, offset).toISOString().slice(11, 16)
}

/** Returns "Friday 5 December 2025 at 17:00", with "(UTC+10:00)" if that isn't this computer's offset. */
export function momentInWords(at: number, offset = offsetAt(at)): string {
  const zone = offset === offsetAt(at) ? '' : ` (${offsetInWords(offset)})`
  return `${dayInWords(at, offset)} at ${clockTime(at, offset)}${zone}`
}

/** Returns "Friday 4 December", with the year if it isn't the current one, at an offset. */
export function shortDate(at: number, offset: number, now: number): string {
  const day = dayInWords(at, offset)
  return day.endsWith(` ${shifted(now, offset).getUTCFullYear()}`) ? day.slice(0, -5) : day
}

/** Returns when something is due, at an offset: "Sun 6 December", with the year if it isn't the current one. */
export function dueDay(at: number, now: number, offset = offsetAt(at)): string {
  return shortDate(at, offset, now).replace(/^(\p{L}{3})\p{L}+/u, '$1')
}

/** Returns when something began or was last true: "10:42" today, then "yesterday 10:42", then "5 Dec 10:42". */
export function whenInWords(at: number, now: number): string {
  const time = clockTime(at)
  const days = Math.floor((startOfDay(now) - startOfDay(at)) / DAY + 0.5)
  if (days === 0) return time
  if (days === 1) return `yesterday ${time}`
  return `${shortDay(at, now)} ${time}`
}

/** Returns "in 9 days", "tomorrow" or "2 days ago", counted in calendar days. */
export function daysAway(at: number, now: number): string {
  const days = Math.round((startOfDay(at) - startOfDay(now)) / DAY)
  return DAYS_AWAY.format(days, 'day')
}

/** Formats a duration: "5 seconds", "2 minutes", "3 hours". */
export function durationInWords(milliseconds: number): string {
  const [size, unit] =
    milliseconds < MINUTE ? [1000, 'second'] : milliseconds < HOUR ? [MINUTE, 'minute'] : [HOUR, 'hour']
  const count = Math.max(1, Math.round(milliseconds / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}
