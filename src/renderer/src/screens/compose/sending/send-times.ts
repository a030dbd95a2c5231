/** Suggests times at which a package may be sent instead of now. */
import { clockTime } from '../../../words/dates.ts'

/** Hours at which people start reading their mail. */
const MORNING = 9
const AFTERNOON = 14

export interface SuggestedTime {
  /** "Tomorrow at 09:00". */
  label: string
  at: number
}

/** Returns times people often mean, soonest first: this afternoon, tomorrow morning, Monday morning. */
export function suggestedTimes(now: number): SuggestedTime[] {
  const today = new Date(now)
  const weekday = today.getDay()
  const untilMonday = (8 - weekday) % 7 || 7
  const times = [
    today.getHours() < AFTERNOON - 1 && timeOn(now, 0, AFTERNOON, 'This afternoon'),
    timeOn(now, 1, MORNING, 'Tomorrow'),
    untilMonday > 1 && timeOn(now, untilMonday, MORNING, 'Monday')
  ]
  return times.filter((time) => time !== false)
}

function timeOn(now: number, days: number, hour: number, word: string): SuggestedTime {
  const date = new Date(now)
  date.setDate(date.getDate() + days)
  const moment = date.setHours(hour, 0, 0, 0)
  return { label: `${word} at ${clockTime(moment)}`, at: moment }
}
