/** Which packages a new due date affects, and the date sent to the service for a local date and time in a zone. */

import { localTimeIn, readLocal } from '../../../../shared/composition/zone.ts'
import type { DocumentPage, DocumentRow } from '../../../../shared/contract/views.ts'
import type { ServiceDate } from '../../../../shared/model/service-date.ts'
import { clockTime, localZone, offsetAt } from '../../words/dates.ts'
import { localDayStart } from './document-words.ts'

/** The zone of a local date and time: an IANA name, or an offset in minutes east of UTC. */
export type ZoneOrOffset = string | number

export interface Extension {
  /** Milliseconds since 1970 UTC. */
  at: number
  /** ISO 8601 with the zone: `2025-12-11T17:00:00+13:00`. */
  dueDate: string
  /** The offset at that moment, in minutes east of UTC. */
  gmt: number
}

/** Returns the offset of a zone at a moment, in minutes east of UTC. */
export function gmtOffset(clocks: ZoneOrOffset, at: number): number {
  return typeof clocks === 'number' ? clocks : offsetAt(at, clocks)
}

/**
 * Converts a local date and time.
 * @param day `YYYY-MM-DD`, as in a date field.
 * @param time `HH:mm`.
 * @returns undefined if either is invalid. A time skipped by daylight saving becomes an hour later.
 */
export function extensionOf(day: string, time: string, clocks: ZoneOrOffset = localZone()): Extension | undefined {
  const written = readLocal(`${day}T${time}`)
  const offset = typeof clocks === 'number' ? clocks : localTimeIn(clocks, `${day}T${time}`)?.offset
  if (written === undefined || offset === undefined) return undefined
  const at = written - offset * 60_000
  const gmt = gmtOffset(clocks, at)
  const localTime = new Date(at + gmt * 60_000).toISOString().slice(0, 19)
  return { at, gmt, dueDate: `${localTime}${zone(gmt)}` }
}

/** Returns a moment as values for date and time fields. */
export function fieldsOf(at: number, clocks: ZoneOrOffset = localZone()): { day: string; time: string } {
  const gmt = gmtOffset(clocks, at)
  return { day: new Date(at + gmt * 60_000).toISOString().slice(0, 10), time: clockTime(at, gmt) }
}

/** Returns the same local time a number of days later, also across a daylight saving change. */
export function daysLater(at: number, days: number): number {
  const date = new Date(at)
  date.setDate(date.getDate() + days)
  return date.getTime()
}

/** The end of an office's day: the time used for a date without one. */
const END_OF_DAY = 17

/** Returns that time on the local day of a moment. */
export function endOfDay(at: number): number {
  return new Date(at).setHours(END_OF_DAY, 0, 0, 0)
}

/** Returns the moment from which a due date is moved; 0 if it is unknown. A date without a time is that day here. */
export function dueMoment(due: ServiceDate | undefined): number {
  if (!due) return 0
  return due.precision === 'time' ? due.at : endOfDay(localDayStart(due))
}

function zone(minutes: number): string {
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  const absolute = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(absolute / 60))}:${twoDigits(absolute % 60)}`
}

/** The details of a document needed to extend it; both a list row and a page have them. */
export type Extendable = Pick<
  DocumentRow,
  'accountId' | 'reference' | 'name' | 'status' | 'packageReference' | 'due' | 'dueWritten' | 'goneAt'
> &
  Partial<Pick<DocumentPage, 'gmt' | 'package'>>

interface ExtendedPackage {
  /** The document used in the request; the service moves its whole package. */
  reference: string
  /** The chosen documents of this package. */
  chosen: Extendable[]
}

/** Groups documents by package, in the order they were chosen. A document without one is its own package. */
export function packagesOf(documents: readonly Extendable[]): ExtendedPackage[] {
  const packages = Map.groupBy(
    documents,
    ({ accountId, packageReference, reference }) => `${accountId}\n${packageReference ?? `\n${reference}`}`
  )
  return [...packages.values()].map((chosen) => ({ reference: chosen[0]?.reference ?? '', chosen }))
}

/** Returns why a document can't be extended; undefined if it can. */
export function notExtendable(document: Extendable): string | undefined {
  if (document.goneAt !== undefined) return 'removed from the service'
  if (document.status.family === 'complete') return 'complete'
  if (document.status.family === 'declined') return 'declined'
  return undefined
}
