/**
 * Reads a calendar (RFC 5545, `.ics`): its events in the next weeks, with each date of a series separately. What can't
 * be understood is refused with a reason, event by event; a file that is too much as a whole is refused before it is
 * parsed.
 */
import ICAL from 'ical.js'
import { isZone, localTimeIn, offsetIn } from '../../../shared/composition/zone.ts'
import { counted } from '../../../shared/counted.ts'
import { dayAt, startOfDay } from '../lib/calendar.ts'
import {
  DEFAULT_MINUTES,
  emailOf,
  type FoundAppointment,
  type FoundInFile,
  importWindow,
  MAX_FOUND,
  makeKey,
  minutesBetween,
  nameOf,
  plainText,
  type ReadContext,
  RefusedEntry,
  refuseEntry,
  refuseFile
} from './found.ts'

/** How deep components may be nested. A calendar, its events and their alarms make three levels. */
const MAX_DEPTH = 6
const MAX_COMPONENTS = 20_000
const MAX_LINES = 500_000
/** How many dates of one series are stepped through, counted from its beginning. */
const MAX_STEPS = 20_000
const NAMELESS = 'An event without a name'
const UNREADABLE = 'It can’t be read.'
/** The maximum interval of a series, in the days, weeks, months or years of its rule. */
const MAX_INTERVAL = 1000
/** How many dates of a series are kept if the first of them are past. */
const MAX_DATES = 100

/** Reads a calendar. @throws AppFailure `bad-file` if it isn't one, or is too large. */
export function readCalendar(text: string, context: ReadContext): FoundInFile {
  refuseTooMuch(text)
  const found: FoundInFile = {
    appointments: [],
    refused: [],
    cancelled: [],
    whole: [],
    notes: [],
    until: importWindow(startOfDay(dayAt(context.now, context.zone), context.zone)).until
  }
  const counts = { past: 0, later: 0, floating: 0, tooMany: 0 }
  const calendars = calendarsOf(text.replace(/^\ufeff/, ''), found.refused)
  for (const calendar of calendars) readInto(found, counts, new Zones(calendar, context.zone), calendar, context)
  keepNewestOfEach(found)
  found.appointments.sort((one, other) => one.at - other.at)
  if (found.appointments.length > MAX_FOUND) {
    counts.tooMany = found.appointments.length - MAX_FOUND
    found.appointments.length = MAX_FOUND
    // Events that were cut off aren't gone from the calendar.
    found.until = found.appointments.at(-1)?.at ?? found.until
  }
  found.notes.push(...notesOf(counts, context.zone))
  return found
}

/**
 * Keeps each date once: the same event may be in several calendars of a file, invited in one and cancelled in another,
 * and a rule and a list of dates may name the same date.
 */
function keepNewestOfEach(found: FoundInFile): void {
  const newest = new Map<string, FoundAppointment>()
  for (const one of found.appointments) {
    const known = newest.get(one.key)
    if (!known || one.version > known.version) newest.set(one.key, one)
  }
  const cancelledAt = new Map<string, number>()
  for (const { key, version } of found.cancelled)
    cancelledAt.set(key, Math.max(version, cancelledAt.get(key) ?? version))
  const isCancelled = ({ key, series = key, version }: FoundAppointment) =>
    [key, series].some((name) => version <= (cancelledAt.get(name) ?? Number.NEGATIVE_INFINITY))
  found.appointments = [...newest.values()].filter((one) => !isCancelled(one))
  found.cancelled = found.cancelled.filter(({ key, version }) => version >= (newest.get(key)?.version ?? version))
}

interface Counts {
  past: number
  later: number
  floating: number
  tooMany: number
}

function notesOf({ past, later, floating, tooMany }: Counts, zone: string): string[] {
  const events = ['# date', '# dates']
  return [
    ...(floating > 0
      ? [
          `${counted(floating, ['# time has no time zone and was', '# times have no time zone and were'])} read in yours, ${zone}.`
        ]
      : []),
    ...(past > 0 ? [`${counted(past, events)} before today left out.`] : []),
    ...(later > 0 ? [`${counted(later, events)} more than 60 days away left out.`] : []),
    ...(tooMany > 0 ? [`Only the first 2,000 are read; ${counted(tooMany, events)} left out.`] : [])
  ]
}

/** Checks nesting and size before anything is parsed. */
function refuseTooMuch(text: string): void {
  let depth = 0
  let components = 0
  let lines = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const until = end === -1 ? text.length : end
    lines += 1
    if (lines > MAX_LINES) refuseFile('This calendar has too many lines.', 'Export fewer days.')
    // Property names are case-insensitive.
    const start = text.slice(at, Math.min(until, at + 6)).toUpperCase()
    if (start === 'BEGIN:') {
      depth += 1
      components += 1
      if (depth > MAX_DEPTH) refuseFile('This isn’t a calendar: its parts are nested too deeply.')
      if (components > MAX_COMPONENTS) refuseFile('This calendar has too many events.', 'Export fewer days.')
    } else if (start.startsWith('END:')) depth -= 1
    at = until + 1
  }
  if (components === 0) refuseFile('This isn’t a calendar file.', 'Choose an .ics file that a calendar exported.')
}

/** Parses one calendar, or several in sequence. If one event can't be parsed, the others still are. */
function calendarsOf(text: string, refused: FoundInFile['refused']): ICAL.Component[] {
  const calendars =
    parseCalendars(text) ??
    text
      .split(/^(?=BEGIN:VCALENDAR\s*$)/im)
      .filter((one) => one.trim() !== '')
      .flatMap((one) => parseCalendars(one) ?? [parseByEvent(one, refused)])
  return calendars.length > 0
    ? calendars
    : refuseFile('This isn’t a calendar file.', 'Choose an .ics file that a calendar exported.')
}

/** Undefined if anything in it can't be parsed. */
function parseCalendars(text: string): ICAL.Component[] | undefined {
  try {
    const read = ICAL.parse(text) as unknown[]
    const all = (typeof read[0] === 'string' ? [read] : read) as ConstructorParameters<typeof ICAL.Component>[0][]
    return all.map((one) => new ICAL.Component(one)).filter(({ name }) => name === 'vcalendar')
  } catch {
    return undefined
  }
}

/** Parses the calendar without its events, and then each event on its own. */
function parseByEvent(text: string, refused: FoundInFile['refused']): ICAL.Component {
  const events: string[] = []
  const [head = '', ...pieces] = text.split(/^(?=BEGIN:VEVENT\s*$)/im)
  const between = pieces.map((piece) => {
    const end = /^END:VEVENT[^\S\n]*\r?\n?/im.exec(piece)
    const until = end ? end.index + end[0].length : piece.length
    events.push(piece.slice(0, until))
    return piece.slice(until)
  })
  const rest = head + between.join('')
  const [calendar] = parseCalendars(rest) ?? []
  if (!calendar || events.length === 0) return refuseFile('This calendar file is damaged.', 'Export it again.')
  for (const event of events) {
    const [alone] =
      parseCalendars(`BEGIN:VCALENDAR\r\n${event}${/\n$/.test(event) ? '' : '\r\n'}END:VCALENDAR\r\n`) ?? []
    const component = alone?.getFirstSubcomponent('vevent')
    if (component) calendar.addSubcomponent(component)
    else refused.push({ name: plainText(/^SUMMARY[^:\n]*:([^\n]*)/im.exec(event)?.[1]) || NAMELESS, why: UNREADABLE })
  }
  return calendar
}

class Zones {
  readonly #definedZones = new Map<string, ICAL.Timezone>()
  readonly #officeZone: string

  constructor(calendar: ICAL.Component, officeZone: string) {
    this.#officeZone = officeZone
    for (const component of calendar.getAllSubcomponents('vtimezone')) {
      const name = plainText(textOf(component, 'tzid'))
      if (name) this.#definedZones.set(name, new ICAL.Timezone(component))
    }
  }

  /**
   * Converts a time to milliseconds since 1970 UTC, and tells whether it has no zone; then the office's is used.
   * @throws Refused if its zone is unknown, or it is a day without a time.
   */
  momentOf(time: ICAL.Time, zone: string | undefined): { at: number; isFloating: boolean } {
    if (time.isDate) refuseEntry('It’s all day, without a time.')
    const { year, month, day, hour, minute } = time
    const padded = (value: number) => String(value).padStart(2, '0')
    const local = `${String(year).padStart(4, '0')}-${padded(month)}-${padded(day)}T${padded(hour)}:${padded(minute)}`
    const asUtc = Date.parse(`${local}Z`)
    if (Number.isNaN(asUtc)) refuseEntry('Its time isn’t a real time.')
    if (time.zone?.tzid === 'UTC' && zone === undefined) return { at: asUtc, isFloating: false }
    if (zone === undefined) return { at: momentInZone(asUtc, local, this.#officeZone), isFloating: true }
    const named = knownZone(zone)
    if (named !== undefined) return { at: momentInZone(asUtc, local, named), isFloating: false }
    const definedZone = this.#definedZones.get(zone)
    if (!definedZone) return refuseEntry(`Its time zone, “${plainText(zone, 60)}”, isn’t known.`)
    const zoned = time.clone()
    zoned.zone = definedZone
    const seconds = zoned.toUnixTime()
    return Number.isFinite(seconds)
      ? { at: seconds * 1000, isFloating: false }
      : refuseEntry(`Its time zone, “${plainText(zone, 60)}”, can’t be read.`)
  }

  /** Converts a time in UTC to what clocks in the zone show then; undefined if only the file knows the zone. */
  localTimeOf(utc: ICAL.Time, zone: string | undefined): ICAL.Time | undefined {
    const named = zone === undefined ? this.#officeZone : knownZone(zone)
    const at = utc.toUnixTime() * 1000
    const offset = named === undefined ? undefined : offsetIn(named, at)
    return offset === undefined ? undefined : ICAL.Time.fromJSDate(new Date(at + offset * 60_000), true)
  }
}

function knownZone(zone: string): string | undefined {
  // Some programs prefix the name with its origin: "/mozilla.org/20050126_1/Pacific/Auckland".
  return [zone, zone.split('/').slice(-2).join('/'), zone.split('/').slice(-3).join('/')].find(isZone)
}

function momentInZone(asUtc: number, local: string, zone: string): number {
  const found = localTimeIn(zone, local)
  return found === undefined ? refuseEntry('Its time isn’t a real time.') : asUtc - found.offset * 60_000
}

function readInto(
  found: FoundInFile,
  counts: Counts,
  zones: Zones,
  calendar: ICAL.Component,
  { now, zone }: ReadContext
): void {
  const isCancelled = plainText(textOf(calendar, 'method')).toUpperCase() === 'CANCEL'
  const span = importWindow(startOfDay(dayAt(now, zone), zone))
  const events = Map.groupBy(calendar.getAllSubcomponents('vevent'), (event) => seriesOf(event))

  for (const [series, all] of events) {
    // Of two changes to one date, the later version counts.
    const overrides = all
      .filter((event) => event.hasProperty('recurrence-id'))
      .sort((one, other) => versionOf(one) - versionOf(other))
    const masters = all.filter((event) => !event.hasProperty('recurrence-id'))
    const master = masters.sort((one, other) => versionOf(other) - versionOf(one))[0]
    /** Dates of the series that were changed individually, by their original time. */
    const overridesByTime = new Map<number, ICAL.Component>()
    /** From when on the dates of the series aren't where it has them. */
    let changedFrom = Number.POSITIVE_INFINITY
    /** Whether all that the file says of the series was read: what couldn't be isn't gone from the calendar. */
    let isWhole = true
    for (const event of overrides) {
      let at: number | undefined
      collectRefusals(found, event, () => {
        at = propertyMoment(zones, event, 'recurrence-id').at
        const [property] = event.getAllProperties('recurrence-id')
        if (!property?.getParameter('range')) return void overridesByTime.set(at, event)
        changedFrom = Math.min(changedFrom, at)
        refuseEntry('All its later dates were changed together, which Countersign can’t read. Add them by hand.')
      })
      isWhole &&= at !== undefined
    }
    if (master && (isCancelled || isEventCancelled(master))) {
      found.cancelled.push({ key: series, version: versionOf(master) })
      continue
    }
    if (master) {
      const isRead = collectRefusals(found, master, () => {
        const isRepeated = master.hasProperty('rrule') || master.hasProperty('rdate')
        for (const one of datesOf(master, zones, span)) {
          if (one.at >= changedFrom) continue
          const other = overridesByTime.get(one.at)
          overridesByTime.delete(one.at)
          if (other) takeOverride(other, one.at)
          else addAppointment(master, one, isRepeated ? one.at : undefined)
        }
      })
      isWhole &&= isRead
    }
    for (const [at, event] of overridesByTime) takeOverride(event, at)
    if (master && isWhole) found.whole.push({ key: series, version: versionOf(master) })

    /** Takes a date that was changed individually. */
    function takeOverride(event: ICAL.Component, originalTime: number): void {
      if (isCancelled || isEventCancelled(event))
        found.cancelled.push({ key: keyOf(series, originalTime), version: versionOf(event) })
      else {
        const isRead = collectRefusals(found, event, () =>
          addAppointment(event, propertyMoment(zones, event, 'dtstart'), originalTime)
        )
        isWhole &&= isRead
      }
    }

    function addAppointment(event: ICAL.Component, start: Moment, originalTime: number | undefined): void {
      // Past dates of a series aren't worth a note.
      if (start.at < span.from) counts.past += originalTime === undefined ? 1 : 0
      else if (start.at >= span.until) counts.later += 1
      else {
        found.appointments.push(appointmentOf(event, zones, start, { series, key: keyOf(series, originalTime) }))
        if (start.isFloating) counts.floating += 1
      }
    }
  }
}

interface Moment {
  at: number
  isFloating: boolean
}

/**
 * Runs `work` on an event. What it refuses, or the library can't read, is listed with the event's name. Returns whether
 * it was read.
 */
function collectRefusals(found: FoundInFile, event: ICAL.Component, work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    const why = error instanceof RefusedEntry ? error.message : UNREADABLE
    found.refused.push({ name: plainText(textOf(event, 'summary')) || NAMELESS, why })
    return false
  }
}

/** Returns when an event takes place: once, or each date of a series up to the end of the window. */
function datesOf(event: ICAL.Component, zones: Zones, { from, until }: { from: number; until: number }): Moment[] {
  if (!event.hasProperty('dtstart')) refuseEntry('It has no start.')
  const first = propertyMoment(zones, event, 'dtstart')
  if (!event.hasProperty('rrule') && !event.hasProperty('rdate')) return [first]
  const rules = event.getAllProperties('rrule').map((rule) => rule.getFirstValue() as unknown as ICAL.Recur)
  for (const { freq, interval } of rules) {
    if (['SECONDLY', 'MINUTELY', 'HOURLY'].includes(freq)) refuseEntry('It repeats more often than once a day.')
    if (interval > MAX_INTERVAL) refuseEntry('It repeats too rarely to be read.')
  }
  const zone = zoneOf(event, 'dtstart')
  const excluded = new Set(momentsOf(event, zones, 'exdate'))
  const start = event.getFirstPropertyValue('dtstart') as unknown as ICAL.Time
  for (const rule of rules) rule.until &&= endOf(rule.until, start, (utc) => zones.localTimeOf(utc, zone))
  // The library leaves out the start if only a list of dates follows.
  const dates: Moment[] = rules.length > 0 || excluded.has(first.at) ? [] : [first]
  const expansion = iterateSeries(event, rules, start)
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const next = expansion.next()
    if (!next) return dates
    // Listed dates may be in UTC although the start isn't.
    const one = zones.momentOf(next, isUtc(next) && !isUtc(start) ? undefined : zone)
    if (one.at >= until) return dates
    if (excluded.has(one.at)) continue
    dates.push(one)
    // Dates long past needn't be kept.
    if (dates.length > MAX_DATES && (dates[0]?.at ?? from) < from) dates.shift()
  }
  return refuseEntry('It repeats too often to be read.')
}

const isUtc = ({ zone }: ICAL.Time) => zone?.tzid === 'UTC'

/**
 * Returns the end of a series for comparing it with its dates. If the file doesn't define their zone, the library takes
 * what clocks show for UTC, while the end really is in UTC.
 */
function endOf(until: ICAL.Time, start: ICAL.Time, localTimeOf: (utc: ICAL.Time) => ICAL.Time | undefined): ICAL.Time {
  const isZoned = start.zone !== ICAL.Timezone.localTimezone
  if (isUtc(until)) return isZoned ? until : (localTimeOf(until) ?? until)
  // Until the end of a day.
  const end = until.isDate ? ICAL.Time.fromDateTimeString(`${until.toString()}T23:59:59`) : until.clone()
  if (isZoned && start.zone) end.zone = start.zone
  return end
}

interface DateIterator {
  next(): ICAL.Time | null
}

/**
 * Iterates over a series. The library searches endlessly for the next date if a daily rule has conditions that no date
 * meets, so the days of such a rule are checked here, one by one.
 */
function iterateSeries(event: ICAL.Component, rules: readonly ICAL.Recur[], start: ICAL.Time): DateIterator {
  const [daily] = rules.filter(({ freq, parts }) => freq === 'DAILY' && Object.keys(parts).length > 0)
  if (!daily) return new ICAL.RecurExpansion({ component: event, dtstart: start })
  const { BYDAY = [], BYMONTH = [], BYMONTHDAY = [], ...others } = daily.parts as Record<string, (string | number)[]>
  if (rules.length > 1 || event.hasProperty('rdate') || Object.keys(others).length > 0)
    refuseEntry('Its repeat pattern can’t be read.')
  const everyDay = daily.clone()
  everyDay.parts = {}
  everyDay.count = null as never
  const days = everyDay.iterator(start)
  const fits = (values: readonly (string | number)[], ...candidates: (string | number | undefined)[]) =>
    values.length === 0 || values.some((value) => candidates.includes(value))
  let remaining = daily.count ?? Number.POSITIVE_INFINITY
  return {
    next() {
      for (let steps = 0; steps < MAX_STEPS && remaining > 0; steps++) {
        const day = days.next()
        if (!day) return null
        const { daysInMonth } = ICAL.Time as unknown as { daysInMonth(month: number, year: number): number }
        const fromEnd = day.day - daysInMonth(day.month, day.year) - 1
        if (
          !fits(BYDAY, WEEKDAYS[day.dayOfWeek() - 1]) ||
          !fits(BYMONTH, day.month) ||
          !fits(BYMONTHDAY, day.day, fromEnd)
        )
          continue
        remaining -= 1
        return day
      }
      return null
    }
  }
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** Returns the moments of all values of a property, without those that can't be read. */
function momentsOf(event: ICAL.Component, zones: Zones, name: string): number[] {
  return event.getAllProperties(name).flatMap((property) =>
    property.getValues().flatMap((value) => {
      try {
        return [zones.momentOf(value as unknown as ICAL.Time, parameterOf(property, 'tzid')).at]
      } catch {
        return []
      }
    })
  )
}

function propertyMoment(zones: Zones, event: ICAL.Component, name: string): Moment {
  const value = event.getFirstPropertyValue(name)
  if (!(value instanceof ICAL.Time))
    return refuseEntry(name === 'dtstart' ? 'It has no start.' : 'Its date can’t be read.')
  return zones.momentOf(value, zoneOf(event, name))
}

function zoneOf(event: ICAL.Component, name: string): string | undefined {
  const property = event.getFirstProperty(name)
  return property ? parameterOf(property, 'tzid') : undefined
}

function parameterOf(property: ICAL.Property, name: string): string | undefined {
  const value = property.getParameter(name)
  const text = Array.isArray(value) ? value[0] : value
  return text === undefined ? undefined : String(text)
}

function appointmentOf(
  event: ICAL.Component,
  zones: Zones,
  start: Moment,
  known: Pick<FoundAppointment, 'key' | 'series'>
): FoundAppointment {
  const summary = plainText(textOf(event, 'summary'))
  const { people, room } = attendeesOf(event)
  const [person, ...others] = people
  const otherNames = others.map(({ name, email }) => name || email).slice(0, 5)
  return {
    ...known,
    version: versionOf(event),
    name: nameOf(person?.name || textOf(event, 'summary') || person?.email),
    email: person?.email ?? '',
    mobile: '',
    at: start.at,
    minutes: minutesOf(event, zones, start),
    place: plainText(textOf(event, 'location'), 60) || room,
    about: person?.name ? summary : '',
    notes: otherNames.length > 0 ? [`Also invited: ${otherNames.join(', ')}.`] : []
  }
}

function minutesOf(event: ICAL.Component, zones: Zones, start: Moment): number {
  // In a series this is the first date's start: each date lasts as long.
  const firstStart = propertyMoment(zones, event, 'dtstart').at
  if (event.hasProperty('dtend')) return minutesBetween(firstStart, propertyMoment(zones, event, 'dtend').at)
  const duration = event.getFirstPropertyValue('duration')
  if (duration instanceof ICAL.Duration) return minutesBetween(start.at, start.at + duration.toSeconds() * 1000)
  return DEFAULT_MINUTES
}

/** Returns who is invited apart from the office, and the room. */
function attendeesOf(event: ICAL.Component): { people: { name: string; email: string }[]; room: string } {
  const organizer = emailOf(textOf(event, 'organizer')).toLowerCase()
  const people: { name: string; email: string }[] = []
  let room = ''
  for (const property of event.getAllProperties('attendee').slice(0, 200)) {
    const kind = (parameterOf(property, 'cutype') ?? '').toUpperCase()
    const email = emailOf(property.getFirstValue())
    const displayName = plainText(parameterOf(property, 'cn'))
    const isOffice = email !== '' && email.toLowerCase() === organizer
    if (kind === 'ROOM') room ||= displayName.slice(0, 60)
    else if (!['RESOURCE', 'GROUP'].includes(kind) && !isOffice && (displayName || email))
      people.push({ name: displayName.includes('@') ? '' : displayName, email })
  }
  return { people, room }
}

/** Whether the event is cancelled. A calendar keeps its own cancelled events, crossed out. */
function isEventCancelled(event: ICAL.Component): boolean {
  return plainText(textOf(event, 'status')).toUpperCase() === 'CANCELLED'
}

function versionOf(event: ICAL.Component): number {
  const version = Number(textOf(event, 'sequence'))
  return Number.isSafeInteger(version) && version > 0 ? version : 0
}

/** Identifies the series by its UID or, if a program leaves that out, by its content. */
function seriesOf(event: ICAL.Component): string {
  const uid = textOf(event, 'uid')
  const identity = uid || JSON.stringify([textOf(event, 'summary'), textOf(event, 'dtstart')])
  return makeKey(uid ? 'uid' : 'said', identity)
}

function keyOf(series: string, originalTime: number | undefined): string {
  return originalTime === undefined ? series : makeKey(series, String(originalTime))
}

/** Returns '' if the property is missing or can't be read. */
function textOf(component: ICAL.Component, name: string): string {
  try {
    const value = component.getFirstPropertyValue(name)
    return value === null || value === undefined ? '' : String(value)
  } catch {
    return ''
  }
}
