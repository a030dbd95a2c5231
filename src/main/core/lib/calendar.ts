/** Days and weeks as the clocks of a zone show them: where each begins, whatever its clocks do that night. */
import { localTimeIn, offsetIn } from '../../../shared/composition/zone.ts'
import { getOrMake } from './objects.ts'

export const DAY = 86_400_000
/** The last moment that others may name, of which every clock can show the day: in the year 9999. */
export const LAST_MOMENT = 253_402_214_400_000
const MINUTE = 60_000

/** The day of a moment, `2026-11-21`. */
export function dayAt(at: number, zone: string): string {
  return shifted(at, offsetIn(zone, at) ?? 0).slice(0, 10)
}

/** The next day, or so many days later; days before with a number below nought. */
export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10)
}

/** The first moment of a day, in milliseconds since 1970 UTC; where midnight is skipped, the moment after the gap. */
export function beginningOf(day: string, zone: string): number {
  return momentOf(day, '00:00', zone)
}

/** When clocks show a time of a day, `09:30`, in milliseconds since 1970 UTC; where they skip it, the moment after the gap. */
export function momentOf(day: string, clock: string, zone: string): number {
  const local = `${day}T${clock}`
  return Date.parse(`${local}Z`) - (localTimeIn(zone, local)?.offset ?? 0) * MINUTE
}

/** The Monday of a day's week. */
export function mondayOf(day: string): string {
  const sinceMonday = (new Date(day).getUTCDay() + 6) % 7
  return dayAfter(day, -sinceMonday)
}

/** Writes moments as ISO 8601 with the offset of the zone, `2026-11-21T09:30:00+13:00`. */
export function isoWriter(zone: string): (at: number) => string {
  const offsets = new Map<number, number | undefined>()
  return (at) => {
    const day = Math.floor(at / DAY)
    // Asking for an offset takes long: one that holds at both ends of a day holds all day.
    if (!offsets.has(day)) {
      const offset = offsetIn(zone, day * DAY)
      offsets.set(day, offset === offsetIn(zone, (day + 1) * DAY) ? offset : undefined)
    }
    return isoAt(at, offsets.get(day) ?? offsetIn(zone, at) ?? 0)
  }
}

function isoAt(at: number, offset: number): string {
  const absolute = Math.abs(offset)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${shifted(at, offset)}${offset < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`
}

/** What clocks show at a moment, `10:04`, with the day where that isn't today's. */
export function clockTextOf(at: number, zone: string, now: number): string {
  const clock = shifted(at, offsetIn(zone, at) ?? 0).slice(11, 16)
  const day = dayAt(at, zone)
  if (day === dayAt(now, zone)) return clock
  const date = new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return `${clock} on ${date}`
}

/** The day of a moment where clocks are so many minutes ahead of UTC. */
export function dayAtOffset(at: number, offset: number): string {
  return shifted(at, offset).slice(0, 10)
}

/** What clocks so many minutes ahead of UTC show. */
function shifted(at: number, offset: number): string {
  const local = new Date(at + offset * MINUTE)
  // The service can name the last moment that a Date can hold, and there is none after it.
  return (Number.isNaN(local.getTime()) ? new Date(at) : local).toISOString().replace(/\.\d{3}Z$/, '')
}

/** What a clock on the wall of the office shows: days, and the time of day in minutes since midnight. */

interface LocalTime {
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
  return getOrMake(formats, zone, () => madeFormat(zone))
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
