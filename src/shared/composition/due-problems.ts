/** Validates the due date (reference 2.1 and 2.9), daylight saving included. */
import type { Composition } from './composition.ts'
import { error, type Problem, warning } from './problem.ts'
import { isZone, localTimeIn, offsetInWords, readLocal } from './zone.ts'

const MINUTE = 60_000
const YEAR = 366 * 86_400_000
/** The largest offset from UTC anywhere. */
const MAX_OFFSET_MINUTES = 840

/** Returns the due date as a moment with its offset; undefined if either can't be parsed. */
export function dueAt({ due, gmt }: Pick<Composition, 'due' | 'gmt'>): { at: number; offset: number } | undefined {
  const local = readLocal(due)
  const offset = Number(gmt)
  if (local === undefined || !/^-?\d{1,3}$/.test(gmt.trim()) || Math.abs(offset) > MAX_OFFSET_MINUTES) return undefined
  return { at: local - offset * MINUTE, offset }
}

/** Returns the due date's problems; none if no date was chosen, because the service's 14 days then apply. */
export function problemsOfDue(composition: Pick<Composition, 'due' | 'gmt' | 'zone'>, now: number): Problem[] {
  if (!composition.due) return []
  if (readLocal(composition.due) === undefined) return [error('due', 'Enter a date and a time.')]
  const due = dueAt(composition)
  if (!due) return [error('due', 'Choose a time zone.')]
  if (due.at <= now) return [error('due', 'Choose a date in the future.')]
  return [
    ...(due.at > now + YEAR ? [warning('due', 'This is more than a year away. Is the year right?')] : []),
    ...problemsOfZone(composition, due.offset)
  ]
}

function problemsOfZone({ due, zone }: Pick<Composition, 'due' | 'zone'>, offset: number): Problem[] {
  if (!zone) return []
  const localTime = localTimeIn(zone, due)
  if (!localTime || !isZone(zone)) {
    return [warning('due', `The time zone ${zone} isn’t known on this computer, so ${offsetInWords(offset)} is used.`)]
  }
  const time = due.slice(11)
  if (localTime.happens === 'never') {
    return [warning('due', `Clocks go forward that day and skip ${time}. The time after the change is used.`)]
  }
  if (localTime.happens === 'twice') {
    return [warning('due', `Clocks go back that day, so ${time} happens twice. Choose another time.`)]
  }
  if (localTime.offset === offset) return []
  return [
    warning(
      'due',
      `On that day ${zone} is at ${offsetInWords(localTime.offset)}, not ${offsetInWords(offset)}. Choose the time zone again.`
    )
  ]
}
