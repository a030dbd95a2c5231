/** Times at which a package may be sent instead of now: from the day and time that a person chose, and likely ones. */
import { clockTime, offsetAt } from '../../../words/dates.ts'

/** Hours of the day at which people begin to read their mail. */
const MORNING = 9
const AFTERNOON = 14

export interface LikelyTime {
  /** "Tomorrow at 09:00". */
  label: string
  at: number
}

/**
 * The moment of a day and a time by this computer's clock.
 * @param day `YYYY-MM-DD`, as a date field has it.
 * @param time `HH:mm`.
 * @returns undefined if there is no such day or time. A time that summer time skips is the one an hour later.
 */
export function momentOf(day: string, time: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})$/.exec(`${day}T${time}`)
  if (!match) return undefined
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0] = match.slice(1).map(Number)
  const local = new Date(year, month - 1, date, hour, minute)
  const isReal = local.getMonth() === month - 1 && local.getDate() === date && hour < 24 && minute < 60
  return isReal && local.getFullYear() === year ? local.getTime() : undefined
}

/** The day and the time of a moment by this computer's clock, as date and time fields have them. */
export function fieldsOf(at: number): { day: string; time: string } {
  return { day: new Date(at + offsetAt(at) * 60_000).toISOString().slice(0, 10), time: clockTime(at) }
}

/** Times that people often mean, soonest first: this afternoon, tomorrow morning, Monday morning. */
export function likelyTimes(now: number): LikelyTime[] {
  const today = new Date(now)
  const weekday = today.getDay()
  const untilMonday = (8 - weekday) % 7 || 7
  const times = [
    today.getHours() < AFTERNOON - 1 && at(now, 0, AFTERNOON, 'This afternoon'),
    at(now, 1, MORNING, 'Tomorrow'),
    untilMonday > 1 && at(now, untilMonday, MORNING, 'Monday')
  ]
  return times.filter((time) => time !== false)
}

function at(now: number, days: number, hour: number, word: string): LikelyTime {
  const date = new Date(now)
  date.setDate(date.getDate() + days)
  const moment = date.setHours(hour, 0, 0, 0)
  return { label: `${word} at ${clockTime(moment)}`, at: moment }
}
