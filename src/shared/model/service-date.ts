/**
 * Reads the dates that the service and its clients write: ISO 8601, `/Date(ms+hhmm)/`, and numbers in the order of the
 * account's user (`MM/dd/yyyy HH:mm:ss`, `dd/MM/yyyy`).
 */

export interface ServiceDate {
  /** Milliseconds since 1970 UTC. Where the text names no zone, it was read as at `assumedOffset`. */
  at: number
  /** Minutes east of UTC that the text itself named; absent where it named none. */
  offset?: number
  /** Whether the text named a time or only a day. */
  precision: 'day' | 'time'
  /** Day and month could be the other way round, and nothing says which is meant: it was read month first. */
  isAmbiguous?: true
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i
const FRAMEWORK = /^\\?\/Date\((-?\d{1,16})(?:([+-])(\d{2})(\d{2}))?\)\\?\/$/i
/** Day and month, in either order, and then the year, as no standard writes it. */
const NUMBERS =
  /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:,?[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:\s*([ap])\.?m\.?)?)?$/i

/** No place on earth is farther from UTC than this, in minutes. */
const FARTHEST_OFFSET = 14 * 60

/**
 * Reads one date, or answers undefined if it isn't one (a thirteenth month, a 30 February, other words).
 * @param assumedOffset minutes east of UTC to read a text by that names no zone; a document's GMT where there is one.
 */
export function readServiceDate(text: string | undefined, assumedOffset = 0): ServiceDate | undefined {
  const trimmed = text?.trim()
  if (!trimmed) return undefined
  return readFramework(trimmed) ?? readIso(trimmed, assumedOffset) ?? readNumbers(trimmed, assumedOffset)
}

/** The date, where it is certain which is meant: what is shown, compared or counted as a moment must be. */
export function readCertainDate(text: string | undefined, assumedOffset = 0): ServiceDate | undefined {
  const read = readServiceDate(text, assumedOffset)
  return read?.isAmbiguous ? undefined : read
}

/**
 * A date in numbers as ISO 8601, where it is certain which is the month; any other text as it is.
 * @param format the account's DateFormat; where it says nothing, a day over 12 does.
 */
export function withCertainOrder(text: string, format?: string): string {
  // Nearly every date is another: a glance tells.
  const code = text.charCodeAt(text.charCodeAt(1) >= ZERO ? 2 : 1)
  if (code !== SLASH && code !== DASH && code !== DOT) return text
  const read = numbersIn(text.trim(), orderOf(format))
  if (!read || read.isAmbiguous) return text
  const day = new Date(read.local).toISOString()
  return read.precision === 'day' ? day.slice(0, 10) : day.slice(0, 19)
}

/** What a format says of the order of day and month, in its shortest form; undefined for one that says nothing of it. */
export function plainFormat(format: string | undefined): string | undefined {
  const order = orderOf(format)
  return order && (order === 'day first' ? 'dd/MM/yyyy' : 'MM/dd/yyyy')
}

const [DASH, DOT, SLASH, ZERO] = [45, 46, 47, 48]

/** Reads a GMT field: minutes east of UTC as text or number; undefined if it says nothing sensible. */
export function readGmt(gmt: string | number | undefined): number | undefined {
  if (gmt === undefined || String(gmt).trim() === '') return undefined
  if (!/^[+-]?\d{1,4}$/.test(String(gmt).trim())) return undefined
  const minutes = Number(gmt)
  return Math.abs(minutes) <= FARTHEST_OFFSET ? minutes || 0 : undefined
}

function readFramework(text: string): ServiceDate | undefined {
  const match = FRAMEWORK.exec(text)
  if (!match) return undefined
  const at = Number(match[1])
  if (Number.isNaN(new Date(at).getTime())) return undefined
  // The milliseconds are UTC already; the offset only says where the writer stood.
  if (!match[2]) return { at, precision: 'time', offset: 0 }
  return { at, precision: 'time', offset: signed(match[2], match[3], match[4]) }
}

function readIso(text: string, assumedOffset: number): ServiceDate | undefined {
  const match = ISO.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction, zone] = match
  const milliseconds = Number((fraction ?? '').slice(0, 3).padEnd(3, '0'))
  const local = localTime(year, month, day, hour, minute, second, milliseconds)
  if (local === undefined) return undefined
  if (hour === undefined) return { at: local - assumedOffset * 60_000, precision: 'day' }
  if (!zone) return { at: local - assumedOffset * 60_000, precision: 'time' }
  const offset = /^z$/i.test(zone) ? 0 : signed(zone[0], zone.slice(1, 3), zone.slice(3).replace(':', ''))
  if (Math.abs(offset) > FARTHEST_OFFSET) return undefined
  return { at: local - offset * 60_000, offset, precision: 'time' }
}

function readNumbers(text: string, assumedOffset: number): ServiceDate | undefined {
  const read = numbersIn(text, undefined)
  if (!read) return undefined
  const { local, precision, isAmbiguous } = read
  return { at: local - assumedOffset * 60_000, precision, ...(isAmbiguous && { isAmbiguous }) }
}

/** Which of two numbers is the day. */
type Order = 'day first' | 'month first'

/** What a DateFormat in .NET's letters says; nothing if it isn't one that begins with a day or a month in numbers. */
function orderOf(format: string | undefined): Order | undefined {
  const [, first, second] = /^\s*([dM])\1?[^A-Za-z]+([dM])\2?[^A-Za-z]/.exec(format ?? '') ?? []
  if (first === second) return undefined
  return first === 'd' ? 'day first' : 'month first'
}

/** @returns the moment as if it were one of UTC, in milliseconds. */
function numbersIn(
  text: string,
  order: Order | undefined
): { local: number; precision: ServiceDate['precision']; isAmbiguous?: true } | undefined {
  const match = NUMBERS.exec(text)
  if (!match) return undefined
  const [, first, , second, year, hour, minute, seconds, half] = match
  const hours = half === undefined ? hour : hourOfHalf(hour, half)
  const at = (month?: string, day?: string) => localTime(year, month, day, hours, minute, seconds, 0)
  const [monthFirst, dayFirst] = [at(first, second), at(second, first)]
  const precision = hour === undefined ? 'day' : 'time'
  // A thirteenth month says that the order is the other one, whatever the format says.
  const local = order === 'day first' ? (dayFirst ?? monthFirst) : (monthFirst ?? dayFirst)
  if (local === undefined) return undefined
  const isOpen = order === undefined && monthFirst !== undefined && dayFirst !== undefined && monthFirst !== dayFirst
  return { local, precision, ...(isOpen && { isAmbiguous: true }) }
}

/** `12 am` is 0, `1 pm` is 13; an hour that no half of a day has is none at all. */
function hourOfHalf(hour = '', half: string): string {
  const read = Number(hour)
  return read < 1 || read > 12 ? '99' : String((read % 12) + (half.toLowerCase() === 'p' ? 12 : 0))
}

function localTime(
  year = '',
  month = '',
  day = '',
  hour = '0',
  minute = '0',
  second = '0',
  milliseconds = 0
): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // Date rolls a 30 February over into March; that isn't what was written.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return undefined
  // 24:00 is the end of its day; there is no 24:01.
  if (Number(hour) === 24 && (Number(minute) > 0 || Number(second) > 0 || milliseconds > 0)) return undefined
  return date.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds)
}

function signed(sign = '+', hours = '0', minutes = '0'): number {
  const total = Number(hours) * 60 + Number(minutes || '0')
  return sign === '-' ? -total || 0 : total
}
