/** Reads dates in requests: ISO 8601 first, otherwise in the account user's format. */
import { readGmt, readServiceDate } from '../shared/model/index.ts'
import { dateFormatIn } from './dialects.ts'
import type { PracticeState } from './state.ts'

const DAY = 24 * 60 * 60 * 1000
/** Later dates can't be written at every offset, so no answer could name them. */
const LAST_DUE = Date.UTC(10_000, 0)

/**
 * Returns a due date in milliseconds since 1970 UTC, or undefined if the text isn't a date. A day without a time is due
 * at its last second, since "by Friday" includes Friday. Section 8: without a GMT, the user's own offset applies.
 */
export function readDue(
  text: string,
  gmt: string | undefined,
  { account, conditions }: PracticeState
): number | undefined {
  const format = dateFormatIn(new Set(conditions?.dialects), account)
  const read = readServiceDate(toMonthFirst(text.trim(), format), readGmt(gmt) ?? account.gmt)
  if (!read || read.at > LAST_DUE) return undefined
  return read.precision === 'day' ? read.at + DAY - 1000 : read.at
}

/** The shared reader assumes month first; swap for users who write the day first. */
function toMonthFirst(text: string, format: string): string {
  if (!/^d/i.test(format)) return text
  return text.replace(/^(\d{1,2})\/(\d{1,2})\/(\d{4})/, '$2/$1/$3')
}

/** Formats a moment for answers: ISO 8601 in UTC. */
export function toIso(at: number): string {
  return new Date(at).toISOString()
}

/** Formats a day at an offset in minutes from UTC: "11 December 2026". */
export function dayInWords(at: number, gmt: number): string {
  return new Date(at + gmt * 60_000).toLocaleDateString('en-NZ', {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'long',
    year: 'numeric'
  })
}

/** Formats a moment with its offset: "11 December 2026, 3:40 pm (UTC+13:00)". */
export function momentInWords(at: number, gmt: number): string {
  const time = new Date(at + gmt * 60_000).toLocaleTimeString('en-NZ', {
    timeZone: 'UTC',
    hour: 'numeric',
    minute: '2-digit'
  })
  return `${dayInWords(at, gmt)}, ${time} (${offsetInWords(gmt)})`
}

function offsetInWords(gmt: number): string {
  const minutes = Math.abs(gmt)
  const clock = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return `UTC${gmt < 0 ? '-' : '+'}${clock}`
}
