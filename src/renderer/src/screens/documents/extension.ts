/** Which packages a new due date moves, and the date that the service is sent for a day and a time as a zone's clocks show them. */

import { localTimeIn, readLocal } from '../../../../shared/composition/zone.ts'
import type { DocumentPage, DocumentRow } from '../../../../shared/contract/views.ts'
import type { ServiceDate } from '../../../../shared/model/service-date.ts'
import { clockTime, localZone, offsetAt } from '../../words/dates.ts'
import { beginningHere } from './document-words.ts'

/** By which a day and a time are read: a zone by its IANA name, or an offset in minutes east of UTC. */
export type Clocks = string | number

export interface Extension {
  /** Milliseconds since 1970 UTC. */
  at: number
  /** ISO 8601 with the zone: `2025-12-11T17:00:00+13:00`. */
  dueDate: string
  /** Minutes east of UTC by those clocks at that moment. */
  gmt: number
}

/** Minutes east of UTC by these clocks at a moment. */
export function gmtBy(clocks: Clocks, at: number): number {
  return typeof clocks === 'number' ? clocks : offsetAt(at, clocks)
}

/**
 * @param day `YYYY-MM-DD`, as a date field has it.
 * @param time `HH:mm`.
 * @returns undefined if either isn't one. A time that summer time skips is the one an hour later.
 */
export function extensionOf(day: string, time: string, clocks: Clocks = localZone()): Extension | undefined {
  const written = readLocal(`${day}T${time}`)
  const offset = typeof clocks === 'number' ? clocks : localTimeIn(clocks, `${day}T${time}`)?.offset
  if (written === undefined || offset === undefined) return undefined
  const at = written - offset * 60_000
  const gmt = gmtBy(clocks, at)
  const there = new Date(at + gmt * 60_000).toISOString().slice(0, 19)
  return { at, gmt, dueDate: `${there}${zone(gmt)}` }
}

/** The day and the time of a moment, as date and time fields have them. */
export function fieldsOf(at: number, clocks: Clocks = localZone()): { day: string; time: string } {
  const gmt = gmtBy(clocks, at)
  return { day: new Date(at + gmt * 60_000).toISOString().slice(0, 10), time: clockTime(at, gmt) }
}

/** The same time of day by this computer's clocks, so many days later, also across a change to or from summer time. */
export function daysLater(at: number, days: number): number {
  const date = new Date(at)
  date.setDate(date.getDate() + days)
  return date.getTime()
}

/** The end of an office's day, which a day without a time is extended to. */
const END_OF_DAY = 17

/** That time of the day on which a moment lies here. */
export function endOfDay(at: number): number {
  return new Date(at).setHours(END_OF_DAY, 0, 0, 0)
}

/** The moment from which a due date is moved; 0 where none is known. A day without a time is that day here. */
export function movedFrom(due: ServiceDate | undefined): number {
  if (!due) return 0
  return due.precision === 'time' ? due.at : endOfDay(beginningHere(due))
}

function zone(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const absolute = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`
}

/** What must be known of a document to extend it; a row of the list is one, and so is a page. */
export type Extendable = Pick<
  DocumentRow,
  'accountId' | 'reference' | 'name' | 'status' | 'packageReference' | 'due' | 'dueWritten' | 'goneAt'
> &
  Partial<Pick<DocumentPage, 'gmt' | 'package'>>

interface ExtendedPackage {
  /** The document that the service is asked by; it moves all of its package. */
  reference: string
  /** Those that were chosen. */
  chosen: Extendable[]
}

/** One entry a package, in the order in which they were chosen; a document without one is a package of its own. */
export function packagesOf(documents: readonly Extendable[]): ExtendedPackage[] {
  const packages = Map.groupBy(
    documents,
    ({ accountId, packageReference, reference }) => `${accountId}\n${packageReference ?? `\n${reference}`}`
  )
  return [...packages.values()].map((chosen) => ({ reference: chosen[0]?.reference ?? '', chosen }))
}

/** Why a document can't be extended; undefined if it can. */
export function notExtendable(document: Extendable): string | undefined {
  if (document.goneAt !== undefined) return 'removed from the service'
  if (document.status.family === 'complete') return 'complete'
  if (document.status.family === 'declined') return 'declined'
  return undefined
}
