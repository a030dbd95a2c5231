/** What a clock on the wall of the office shows: days, and the time of day in minutes since midnight. */

export interface LocalTime {
  /** `2026-11-21` */
  day: string
  /** From 0 to 1439. */
  minute: number
}

/** @param zone an IANA name; what isn't one is taken for UTC. */
export function localTimeOf(at: number, zone: string): LocalTime {
  const part = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value])
  )
  return {
    day: `${part.get('year')?.padStart(4, '0')}-${part.get('month')}-${part.get('day')}`,
    minute: Number(part.get('hour')) * 60 + Number(part.get('minute'))
  }
}

/** Whether a time of day is within quiet hours. From a time to the same time there are none. */
export function isQuiet(quiet: { from: string; to: string } | null, minute: number): boolean {
  if (!quiet) return false
  const from = minuteOf(quiet.from)
  const to = minuteOf(quiet.to)
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to
}

function minuteOf(time: string): number {
  const [hour, minute] = time.split(':')
  return Number(hour) * 60 + Number(minute)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = madeFormat(zone)
  formats.set(zone, made)
  return made
}

function madeFormat(zone: string): Intl.DateTimeFormat {
  const parts = {
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23'
  } as const
  try {
    return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: zone })
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' })
  }
}
