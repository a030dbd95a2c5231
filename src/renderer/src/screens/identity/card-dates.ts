/** The dates of a card, parsed as days. Ambiguous dates are never guessed. */
import { readServiceDate, type ServiceDate } from '../../../../shared/model/service-date.ts'
import { dayInWords } from '../../words/dates.ts'
import type { Finding } from '../../words/statuses.ts'

const DAY = 86_400_000
/** Days before its expiry from which a card is said to expire soon. */
const SOON = 90

/** `days`: UTC midnights of the possible days: one if certain, none if unreadable. */
export interface CardDate {
  raw: string
  days: [] | [number] | [number, number]
}

/** Day and month in either order, and then perhaps a time. */
const SLASHES = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(.*)$/

export function readCardDate(raw: string): CardDate {
  const slashed = SLASHES.exec(raw)
  const read = readServiceDate(raw)
  if (slashed && (read || !slashed[4])) {
    const [, one = '', two = '', year = ''] = slashed
    const found = [dayOf(year, two, one), dayOf(year, one, two)].filter((day) => day !== undefined)
    const [first, second] = [...new Set(found)]
    if (first === undefined) return { raw, days: [] }
    return { raw, days: second === undefined ? [first] : [first, second] }
  }
  return { raw, days: read ? [startOfDay(read.at + (read.offset ?? 0) * 60_000)] : [] }
}

/**
 * Returns the day of a moment as its UTC midnight: this computer's day, but the written one if the text gives no time
 * or no zone, because it isn't certain which moment that is.
 */
export function dayOfMoment({ at, precision, offset }: ServiceDate): number {
  return precision === 'day' || offset === undefined ? startOfDay(at) : localDay(at)
}

/** Formats "Saturday 2 August 2031"; an ambiguous or unreadable date is shown as received. */
export function dateInWords({ raw, days }: CardDate): string {
  const [day, other] = days
  return day === undefined || other !== undefined ? raw : dayInWords(day, 0)
}

/** Explains why a date is ambiguous or unreadable; undefined if it is neither. */
export function dateProblemOf({ days }: CardDate): string | undefined {
  const [day, other] = days
  if (day === undefined) return 'This isn’t a date that Countersign can read.'
  if (other === undefined) return undefined
  return `Could be ${withoutWeekday(day)} or ${withoutWeekday(other)}.`
}

/**
 * Returns the age in whole years.
 * @param day as its UTC midnight.
 */
export function ageOn({ days }: CardDate, day: number): number | undefined {
  if (days.length !== 1) return undefined
  const born = new Date(days[0])
  const asOf = new Date(day)
  const years = asOf.getUTCFullYear() - born.getUTCFullYear()
  const isBefore =
    asOf.getUTCMonth() < born.getUTCMonth() ||
    (asOf.getUTCMonth() === born.getUTCMonth() && asOf.getUTCDate() < born.getUTCDate())
  const age = isBefore ? years - 1 : years
  return age >= 0 && age < 150 ? age : undefined
}

/**
 * Returns whether the card was valid when examined, and is valid now. A card is valid on its last day.
 * @param examined the day as its UTC midnight; undefined if unknown.
 */
export function expiryFinding(expires: CardDate | undefined, examined: number | undefined, now: number): Finding {
  if (!expires) return { tone: 'quiet', shape: 'dot', word: 'No expiry date', meaning: '' }
  // If the date is ambiguous, both days must give the same result.
  const [one, ...others] = expires.days.map((day) => findingForDay(day, examined, now))
  if (!one || others.some((other) => other.word !== one.word))
    return { tone: 'warn', shape: 'question', word: 'Expiry date unclear', meaning: dateProblemOf(expires) ?? '' }
  if (others.some((other) => other.meaning !== one.meaning)) return { ...one, meaning: dateProblemOf(expires) ?? '' }
  return one
}

function findingForDay(day: number, examined: number | undefined, now: number): Finding {
  const today = localDay(now)
  if (examined !== undefined && day < examined) {
    const meaning = `Expired ${durationInWords(examined - day)} before the check.`
    return { tone: 'danger', shape: 'cross', word: 'Expired at the check', meaning }
  }
  if (day < today) {
    const before = examined === undefined ? 'The date of the check isn’t known.' : 'It was valid at the check.'
    const word = examined === undefined ? 'Expired' : 'Expired since the check'
    return { tone: 'warn', shape: 'clock', word, meaning: `Expired ${durationInWords(today - day)} ago. ${before}` }
  }
  const remaining = day === today ? 'Expires today.' : `Expires in ${durationInWords(day - today)}.`
  if (day - today <= SOON * DAY) return { tone: 'warn', shape: 'clock', word: 'Expires soon', meaning: remaining }
  return { tone: 'ok', shape: 'tick', word: 'Card is valid', meaning: remaining }
}

function durationInWords(milliseconds: number): string {
  const days = Math.round(milliseconds / DAY)
  if (days < 60) return `${days} ${days === 1 ? 'day' : 'days'}`
  const months = Math.floor(days / 30.44)
  if (months < 24) return `${months} months`
  return `${Math.floor(days / 365.25)} years`
}

function dayOf(year: string, month: string, day: string): number | undefined {
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const read = new Date(at)
  // Date takes a year below 100 for one of the last century.
  if (read.getUTCFullYear() !== Number(year)) return undefined
  return read.getUTCMonth() === Number(month) - 1 && read.getUTCDate() === Number(day) ? at : undefined
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY) * DAY
}

/** Returns the local day as its UTC midnight. */
export function localDay(at: number): number {
  const local = new Date(at)
  return Date.UTC(local.getFullYear(), local.getMonth(), local.getDate())
}

function withoutWeekday(day: number): string {
  return dayInWords(day, 0).replace(/^\S+ /, '')
}
