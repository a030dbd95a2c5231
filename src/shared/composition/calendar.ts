/** Calendar days as people type them. */

const DAY_PATTERN = /^(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})[/.](\d{1,2})[/.](\d{4}))$/

/** The accepted ways to write a day, for prompts. */
export const WRITTEN_DAY = '31/12/1980 or 1980-12-31'

/** Converts `YYYY-MM-DD` or `dd/mm/yyyy` to `YYYY-MM-DD`; undefined if there is no such day. */
export function readDay(typed: string): string | undefined {
  const match = DAY_PATTERN.exec(typed.trim())
  if (!match) return undefined
  const [year, month, day] = (match[1] ? match.slice(1, 4) : [match[6], match[5], match[4]]).map(Number) as [
    number,
    number,
    number
  ]
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, day)
  // Otherwise 31 February would become a day in March.
  const isReal = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
  return isReal ? at.toISOString().slice(0, 10) : undefined
}
