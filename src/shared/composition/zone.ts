/** Time zones by their IANA names: which offset holds in one at a moment, or at the time that its clocks show. */

const MINUTE = 60_000
const DAY = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat | undefined>()

/** Whether this runtime knows the zone. */
export function isZone(zone: string): boolean {
  return formatOf(zone) !== undefined
}

/** Minutes east of UTC in the zone at a moment (milliseconds since 1970 UTC); undefined if the zone isn't known. */
export function offsetIn(zone: string, at: number): number | undefined {
  const format = formatOf(zone)
  if (!format || Math.abs(at) > 8.64e15) return undefined
  const name = format.formatToParts(at).find((part) => part.type === 'timeZoneName')?.value ?? ''
  const match = /([+-])(\d{2}):(\d{2})/.exec(name)
  if (!match) return 0
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]))
}

export interface LocalTime {
  /** Minutes east of UTC. */
  offset: number
  /**
   * never: the clocks of the zone skip this time, and the offset before the change is given. twice: they show it two
   * times, and the first is meant.
   */
  happens: 'once' | 'twice' | 'never'
}

/**
 * The offset of a time as the zone's clocks show it, daylight saving included.
 * @param local `YYYY-MM-DDTHH:mm`; undefined is answered where it can't be read or the zone isn't known.
 */
export function localTimeIn(zone: string, local: string): LocalTime | undefined {
  const asUtc = readLocal(local)
  if (asUtc === undefined) return undefined
  const before = offsetIn(zone, asUtc - DAY)
  const after = offsetIn(zone, asUtc + DAY)
  if (before === undefined || after === undefined) return undefined
  const fitting = [...new Set([before, after])].filter((offset) => offsetIn(zone, asUtc - offset * MINUTE) === offset)
  if (fitting.length === 0) return { offset: before, happens: 'never' }
  return { offset: Math.max(...fitting), happens: fitting.length === 1 ? 'once' : 'twice' }
}

/** `YYYY-MM-DDTHH:mm` as if it were UTC, in milliseconds; undefined if there is no such time. */
export function readLocal(local: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local)) return undefined
  const at = Date.parse(`${local}:00.000Z`)
  // The 31st of February would be a day of March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(local) ? at : undefined
}

/** "UTC+13:00", "UTC". */
export function offsetInWords(minutes: number): string {
  if (minutes === 0) return 'UTC'
  const absolute = Math.abs(minutes)
  const two = (value: number) => String(value).padStart(2, '0')
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  // An offset ("+13:00") would be taken as a zone that has no daylight saving: it has no name that is remembered here.
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,60}$/.test(zone)) return undefined
  if (formats.has(zone)) return formats.get(zone)
  let format: Intl.DateTimeFormat | undefined
  try {
    format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch {
    format = undefined
  }
  // Names come from outside, too: what is remembered stays small.
  if (formats.size > 1000) formats.clear()
  formats.set(zone, format)
  return format
}
