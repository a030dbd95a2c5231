/**
 * Parses the dates that the service and its clients write: ISO 8601, `/Date(ms+hhmm)/`, and numeric dates in the format
 * of the account's user (`MM/dd/yyyy HH:mm:ss`, `dd/MM/yyyy`).
 */

export interface ServiceDate {
  /** Milliseconds since 1970 UTC. A text without a zone was read at `assumedOffset`. */
  at: number
  /** The offset given in the text itself, in minutes east of UTC; absent if it gives none. */
  offset?: number
  /** Whether the text gives a time, or only a day. */
  precision: 'day' | 'time'
  /** Day and month could be swapped, and nothing tells which is meant: it was read month first. */
  isAmbiguous?: true
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i
const FRAMEWORK = /^\\?\/Date\((-?\d{1,16})(?:([+-])(\d{2})(\d{2}))?\)\\?\/$/i
/** Day and month in either order, then the year: no standard's format. */
const NUMBERS =
  /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:,?[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:\s*([ap])\.?m\.?)?)?$/i

/** The largest offset from UTC anywhere, in minutes. */
const FARTHEST_OFFSET = 14 * 60

/**
 * Parses a date; undefined if it isn't one (month 13, 30 February, other words).
 * @param assumedOffset minutes east of UTC for a text without a zone; a document's GMT if it has one.
 */
export function readServiceDate(text: string | undefined, assumedOffset = 0): ServiceDate | undefined {
  const trimmed = text?.trim()
  if (!trimmed) return undefined
  return readFramework(trimmed) ?? readIso(trimmed, assumedOffset) ?? readNumbers(trimmed, assumedOffset)
}

/** Parses a date; undefined if it is ambiguous. Use it for anything shown, compared or counted as a moment. */
export function readCertainDate(text: string | undefined, assumedOffset = 0): ServiceDate | undefined {
  const read = readServiceDate(text, assumedOffset)
  return read?.isAmbiguous ? undefined : read
}

/**
 * Converts a numeric date to ISO 8601 if it is certain which number is the month; returns any other text unchanged.
 * @param format the account's DateFormat; if it doesn't tell, a day above 12 does.
 */
export function withCertainOrder(text: string, format?: string): string {
  // A quick check first, since nearly all dates have another format.
  const code = text.charCodeAt(text.charCodeAt(1) >= ZERO ? 2 : 1)
  if (code !== SLASH && code !== DASH && code !== DOT) return text
  const read = parseNumbers(text.trim(), orderOf(format))
  if (!read || read.isAmbiguous) return text
  const day = new Date(read.local).toISOString()
  return read.precision === 'day' ? day.slice(0, 10) : day.slice(0, 19)
}

/** Reduces a format to its order of day and month, in the shortest notation; undefined if it doesn't give one. */
export function plainFormat(format: string | undefined): string | undefined {
  const order = orderOf(format)
  return order && (order === 'day first' ? 'dd/MM/yyyy' : 'MM/dd/yyyy')
}

const [DASH, DOT, SLASH, ZERO] = [45, 46, 47, 48]

/** Parses a GMT field: minutes east of UTC as text or number; undefined if it isn't plausible. */
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
  // The milliseconds are already UTC; the offset only tells the writer's time zone.
  if (!match[2]) return { at, precision: 'time', offset: 0 }
  return { at, precision: 'time', offset: signedMinutes(match[2], match[3], match[4]) }
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
  const offset = /^z$/i.test(zone) ? 0 : signedMinutes(zone[0], zone.slice(1, 3), zone.slice(3).replace(':', ''))
  if (Math.abs(offset) > FARTHEST_OFFSET) return undefined
  return { at: local - offset * 60_000, offset, precision: 'time' }
}

function readNumbers(text: string, assumedOffset: number): ServiceDate | undefined {
  const read = parseNumbers(text, undefined)
  if (!read) return undefined
  const { local, precision, isAmbiguous } = read
  return { at: local - assumedOffset * 60_000, precision, ...(isAmbiguous && { isAmbiguous }) }
}

/** Which of two numbers is the day. */
type Order = 'day first' | 'month first'

/** Returns the order in a DateFormat in .NET notation; undefined unless it begins with a numeric day or month. */
function orderOf(format: string | undefined): Order | undefined {
  const [, first, second] = /^\s*([dM])\1?[^A-Za-z]+([dM])\2?[^A-Za-z]/.exec(format ?? '') ?? []
  if (first === second) return undefined
  return first === 'd' ? 'day first' : 'month first'
}

/** @returns the local time as if it were UTC, in milliseconds. */
function parseNumbers(
  text: string,
  order: Order | undefined
): { local: number; precision: ServiceDate['precision']; isAmbiguous?: true } | undefined {
  const match = NUMBERS.exec(text)
  if (!match) return undefined
  const [, first, , second, year, hour, minute, seconds, half] = match
  const hours = half === undefined ? hour : hourFrom12(hour, half)
  const at = (month?: string, day?: string) => localTime(year, month, day, hours, minute, seconds, 0)
  const [monthFirst, dayFirst] = [at(first, second), at(second, first)]
  const precision = hour === undefined ? 'day' : 'time'
  // A month above 12 proves the other order, whatever the format says.
  const local = order === 'day first' ? (dayFirst ?? monthFirst) : (monthFirst ?? dayFirst)
  if (local === undefined) return undefined
  const isAmbiguous =
    order === undefined && monthFirst !== undefined && dayFirst !== undefined && monthFirst !== dayFirst
  return { local, precision, ...(isAmbiguous && { isAmbiguous: true }) }
}

/** Converts `12 am` to 0 and `1 pm` to 13; hours that a 12-hour clock doesn't have become invalid. */
function hourFrom12(hour = '', half: string): string {
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
  // Date would roll 30 February over into March, which isn't what was written.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return undefined
  // 24:00 is the end of the day; there is no 24:01.
  if (Number(hour) === 24 && (Number(minute) > 0 || Number(second) > 0 || milliseconds > 0)) return undefined
  return date.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds)
}

function signedMinutes(sign = '+', hours = '0', minutes = '0'): number {
  const total = Number(hours) * 60 + Number(minutes || '0')
  return sign === '-' ? -total || 0 : total
}
