/** Time zones by IANA name: the offset at a moment, or at a local time. */

const MINUTE = 60_000
const DAY = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat | undefined>()
let latest: { zone: string; local: string; time: LocalTime | undefined } | undefined

/** Returns whether this runtime knows the zone. */
export function isZone(zone: string): boolean {
  return formatOf(zone) !== undefined
}

/**
 * Returns the zone's offset in minutes east of UTC at a moment (milliseconds since 1970 UTC); undefined if the zone is
 * unknown.
 */
export function offsetIn(zone: string, at: number): number | undefined {
  const format = formatOf(zone)
  if (!format || Math.abs(at) > 8.64e15) return undefined
  // "11/30/2026, GMT+13:00", "11/30/2026, GMT".
  const match = /([+-])(\d{2}):(\d{2})$/.exec(format.format(at))
  if (!match) return 0
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]))
}

export interface LocalTime {
  /** Minutes east of UTC. */
  offset: number
  /**
   * never: the zone's clocks skip this time; the offset before the change is given. twice: they show it twice; the
   * first occurrence is meant.
   */
  happens: 'once' | 'twice' | 'never'
}

/**
 * Returns the offset of a local time in a zone, daylight saving included.
 * @param local `YYYY-MM-DDTHH:mm`
 * @returns undefined if `local` can't be parsed or the zone is unknown.
 */
export function localTimeIn(zone: string, local: string): LocalTime | undefined {
  // One row of a bulk sheet asks several times, and Intl takes most of a row's time.
  if (latest?.zone === zone && latest.local === local) return latest.time
  const time = computeLocalTime(zone, local)
  latest = { zone, local, time }
  return time
}

function computeLocalTime(zone: string, local: string): LocalTime | undefined {
  const asUtc = readLocal(local)
  if (asUtc === undefined) return undefined
  const before = offsetIn(zone, asUtc - DAY)
  const after = offsetIn(zone, asUtc + DAY)
  if (before === undefined || after === undefined) return undefined
  const matching = [...new Set([before, after])].filter((offset) => offsetIn(zone, asUtc - offset * MINUTE) === offset)
  if (matching.length === 0) return { offset: before, happens: 'never' }
  return { offset: Math.max(...matching), happens: matching.length === 1 ? 'once' : 'twice' }
}

/** Parses `YYYY-MM-DDTHH:mm` as UTC, in milliseconds; undefined if there is no such time. */
export function readLocal(local: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local)) return undefined
  const at = Date.parse(`${local}:00.000Z`)
  // Otherwise 31 February would become a day in March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(local) ? at : undefined
}

/** Formats an offset: "UTC+13:00", "UTC". */
export function offsetInWords(minutes: number): string {
  if (minutes === 0) return 'UTC'
  const absolute = Math.abs(minutes)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `UTC${minutes < 0 ? '−' : '+'}${twoDigits(Math.floor(absolute / 60))}:${twoDigits(absolute % 60)}`
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  // Rejects offsets ("+13:00"), which Intl would accept as zones without daylight saving.
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,60}$/.test(zone)) return undefined
  if (formats.has(zone)) return formats.get(zone)
  let format: Intl.DateTimeFormat | undefined
  try {
    format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch {
    format = undefined
  }
  // Names also come from outside, so the cache is kept small.
  if (formats.size > 1000) formats.clear()
  formats.set(zone, format)
  return format
}
