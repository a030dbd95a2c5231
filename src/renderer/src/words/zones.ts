/** Time zones as people know them: by city, by what a country calls its time, and by the offset on a given day. */
import { offsetIn, offsetInWords } from '../../../shared/composition/zone.ts'
import { localZone } from './dates.ts'

export interface ZoneChoice {
  /** The IANA name. */
  zone: string
  /** Its city, such as "Auckland". Unique among the zones. */
  city: string
  /** Such as "New Zealand time". */
  called: string
}

const choices = new Map<string, ZoneChoice>()

/** Returns every zone to choose from: this computer's, UTC, then the others by city. */
export function zoneNames(): string[] {
  const others = Intl.supportedValuesOf('timeZone').sort((one, two) => cityOf(one).localeCompare(cityOf(two), 'en'))
  return [...new Set([localZone(), 'UTC', ...others])]
}

/** Returns a zone's names. Slow the first time: doing this for all zones at once would block the page. */
export function zoneChoice(zone: string): ZoneChoice {
  const known = choices.get(zone)
  if (known) return known
  const choice = { zone, city: cityOf(zone), called: genericNameOf(zone) }
  choices.set(zone, choice)
  return choice
}

/** Returns "New Zealand time", or the zone's own name if it has no other. */
export function zoneNameInWords(zone: string): string {
  return zoneChoice(zone).called
}

/**
 * Describes daylight saving at a time: whether it applies then, and whether the clocks change between now and then.
 * @param at milliseconds since 1970 UTC; so is `now`.
 */
export function seasonInWords(zone: string, at: number, now: number): string {
  const then = offsetIn(zone, at)
  const today = offsetIn(zone, now)
  if (then === undefined || today === undefined) return ''
  const year = new Date(at).getUTCFullYear()
  const standard = Math.min(...[0, 6].map((month) => offsetIn(zone, Date.UTC(year, month, 1)) ?? then))
  const saving = then > standard ? `${offsetInWords(then)}, daylight saving time` : offsetInWords(then)
  return then === today ? saving : `${saving}; today it is ${offsetInWords(today)}`
}

/** The UTC offsets in use anywhere, in minutes east of UTC. */
const OFFSETS = [
  -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0, 60, 120, 180, 210, 240,
  270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720, 765, 780, 825, 840
]

/** Returns the offsets to choose from, as minutes in text. @param chosen an offset that is always included. */
export function offsetChoices(chosen: string): { value: string; label: string }[] {
  const picked = Number(chosen)
  const all = chosen.trim() !== '' && Number.isInteger(picked) ? [...new Set([...OFFSETS, picked])] : OFFSETS
  return all.sort((one, two) => one - two).map((minutes) => ({ value: String(minutes), label: offsetInWords(minutes) }))
}

function cityOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}

/** A recent date: in 1970 many zones had no daylight saving and called their time something else. */
const A_DAY = Date.UTC(2026, 0, 1)

function genericNameOf(zone: string): string {
  if (zone === 'UTC') return 'UTC'
  try {
    const name = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longGeneric' })
      .formatToParts(A_DAY)
      .find((part) => part.type === 'timeZoneName')?.value
    return name?.replace(/ (?:Standard |Mean )?Time\b/, (kind) => kind.toLowerCase()) ?? cityOf(zone)
  } catch {
    return zone
  }
}
