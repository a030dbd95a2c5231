/** Days and weeks in a time zone, correct across clock changes. */
import { localTimeIn, offsetIn } from '../../../shared/composition/zone.ts'
import { getOrMake } from './objects.ts'

export const DAY = 86_400_000
/** The latest moment accepted from outside whose day every zone can show: in the year 9999. */
export const LAST_MOMENT = 253_402_214_400_000
const MINUTE = 60_000

/** Returns the day of a moment, as `2026-11-21`. */
export function dayAt(at: number, zone: string): string {
  return localIsoAt(at, offsetIn(zone, at) ?? 0).slice(0, 10)
}

/** Returns the next day, or the one `days` later; negative for earlier days. */
export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10)
}

/**
 * Returns the first moment of a day, in milliseconds since 1970 UTC; if midnight is skipped, the moment after the gap.
 */
export function startOfDay(day: string, zone: string): number {
  return momentOf(day, '00:00', zone)
}

/**
 * Returns when clocks show a time (`09:30`) on a day, in milliseconds since 1970 UTC; if they skip it, the moment after
 * the gap.
 */
export function momentOf(day: string, clock: string, zone: string): number {
  const local = `${day}T${clock}`
  return Date.parse(`${local}Z`) - (localTimeIn(zone, local)?.offset ?? 0) * MINUTE
}

export function mondayOf(day: string): string {
  const sinceMonday = (new Date(day).getUTCDay() + 6) % 7
  return dayAfter(day, -sinceMonday)
}

/** Returns a function that writes moments as ISO 8601 with the zone's offset, `2026-11-21T09:30:00+13:00`. */
export function isoFormatter(zone: string): (at: number) => string {
  const offsets = new Map<number, number | undefined>()
  return (at) => {
    const day = Math.floor(at / DAY)
    // Looking up an offset is slow: if it is the same at both ends of a day, it is reused for the whole day.
    if (!offsets.has(day)) {
      const offset = offsetIn(zone, day * DAY)
      offsets.set(day, offset === offsetIn(zone, (day + 1) * DAY) ? offset : undefined)
    }
    return isoAt(at, offsets.get(day) ?? offsetIn(zone, at) ?? 0)
  }
}

function isoAt(at: number, offset: number): string {
  const absolute = Math.abs(offset)
  const padded = (value: number) => String(value).padStart(2, '0')
  return `${localIsoAt(at, offset)}${offset < 0 ? '-' : '+'}${padded(Math.floor(absolute / 60))}:${padded(absolute % 60)}`
}

/** Returns the clock time of a moment, `10:04`, with the day if that isn't today. */
export function clockTextOf(at: number, zone: string, now: number): string {
  const clock = localIsoAt(at, offsetIn(zone, at) ?? 0).slice(11, 16)
  const day = dayAt(at, zone)
  if (day === dayAt(now, zone)) return clock
  const date = new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return `${clock} on ${date}`
}

/** Returns the day of a moment at an offset, in minutes ahead of UTC. */
export function dayAtOffset(at: number, offset: number): string {
  return localIsoAt(at, offset).slice(0, 10)
}

/** The local time at an offset, in minutes ahead of UTC. */
function localIsoAt(at: number, offset: number): string {
  const local = new Date(at + offset * MINUTE)
  // The service may send the last moment that a Date can hold, which can't be shifted further.
  return (Number.isNaN(local.getTime()) ? new Date(at) : local).toISOString().replace(/\.\d{3}Z$/, '')
}

/** Local time in the office: day, and time of day in minutes since midnight. */

interface LocalTime {
  /** `2026-11-21` */
  day: string
  /** From 0 to 1439. */
  minute: number
}

/** Returns the local time of a moment. @param zone an IANA name; anything else is treated as UTC. */
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

/** Returns whether a time of day is within quiet hours. Equal `from` and `to` mean no quiet hours. */
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
  return getOrMake(formats, zone, () => makeFormat(zone))
}

function makeFormat(zone: string): Intl.DateTimeFormat {
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
