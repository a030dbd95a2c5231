/** Wording for a document in the list and on its page: due date, progress, cells, and how current everything is. */

import type { DocumentColumn } from '../../../../shared/contract/document-query.ts'
import type { ConnectionView, DocumentRow, PackageRow } from '../../../../shared/contract/views.ts'
import { counted } from '../../../../shared/counted.ts'
import { matterOf } from '../../../../shared/matter.ts'
import { isOpen } from '../../../../shared/model/document-status.ts'
import type { ServiceDate } from '../../../../shared/model/service-date.ts'
import { signedOf } from '../../words/counts.ts'
import { clockTime, dayInWords, daysAway, momentInWords, offsetAt, shortDay } from '../../words/dates.ts'

const MINUTE = 60_000
const DAY = 86_400_000

export interface DueWords {
  /** "5 Dec". */
  day: string
  /** "in 9 days", "overdue by 2 days"; empty if no longer relevant. */
  left: string
  /** The same as a full line: "Due in 9 days", "Overdue by 2 days". */
  line: string
  tone: 'quiet' | 'warn' | 'danger'
  overdue: boolean
}

export function dueWords(
  { due, status, signers }: Pick<DocumentRow, 'due' | 'status'> & Partial<Pick<DocumentRow, 'signers'>>,
  now: number
): DueWords | undefined {
  if (!due) return undefined
  const isDay = due.precision === 'day'
  const at = isDay ? localDayStart(due) : due.at
  const day = shortDay(at, now)
  const open = isOpen(status, signers)
  const hasPassed = (isDay ? localDayStart(due, 1) : at) <= now
  // A future date shows the time left unless the document has ended; a past one is overdue only if the document is
  // open.
  if (open === false || (hasPassed && !open)) return { day, left: '', line: '', tone: 'quiet', overdue: false }
  if (hasPassed) return { day, ...overdueBy(at, now), tone: 'danger', overdue: true }
  const left = daysAway(at, now)
  const tone = left === 'today' || left === 'tomorrow' ? 'warn' : 'quiet'
  const inFull = left === 'today' && !isDay ? `today ${clockTime(at)}` : left
  return { day, left: inFull, line: `Due ${inFull}`, tone, overdue: false }
}

/** Returns the progress of a package's documents, as far as the service reports it. */
export function packageStatus({ complete, documents, unsaid }: PackageRow): string {
  if (unsaid === documents) return 'Unknown'
  return `${complete} of ${documents} complete${unsaid > 0 ? `, ${unsaid} unknown` : ''}`
}

/**
 * Formats a document's date in full. A date without a time is the day where it was written.
 * @param gmt the document's own offset in minutes east of UTC, if it has one.
 */
export function dateInFull(date: ServiceDate, gmt?: number): string {
  if (date.precision === 'time') return momentInWords(date.at)
  return dayInWords(date.at, date.offset ?? gmt ?? offsetAt(date.at))
}

/** Returns when the written day, or a number of days after it, begins on this computer. */
export function localDayStart({ at, offset }: ServiceDate, daysAfter = 0): number {
  const written = new Date(at + (offset ?? offsetAt(at)) * MINUTE)
  return new Date(written.getUTCFullYear(), written.getUTCMonth(), written.getUTCDate() + daysAfter).getTime()
}

function overdueBy(at: number, now: number): Pick<DueWords, 'left' | 'line'> {
  const days = Math.round((midnight(now) - midnight(at)) / DAY)
  if (days <= 0) return { left: 'overdue today', line: 'Overdue today' }
  return {
    left: counted(days, ['overdue by # day', 'overdue by # days']),
    line: counted(days, ['Overdue by # day', 'Overdue by # days'])
  }
}

function midnight(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

/** Returns the later of two moments, if there is any. */
export function latestOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? undefined : Math.max(one, other ?? 0)
}

/**
 * Returns how current a list is: "Updated 10:42", "Updated 10:42, 21 November", "Offline. Updated 10:42, 21 November",
 * "Not loaded yet". The day is included if it isn't today, and always while offline or refused.
 */
export function asOf(checkedAt: number | undefined, now: number, connection: ConnectionView['state']): string {
  const isDown = connection === 'offline' || connection === 'refused'
  const before = connection === 'offline' ? 'Offline. ' : connection === 'refused' ? 'Account not accepted. ' : ''
  if (checkedAt === undefined) return `${before}Not loaded yet`
  const isToday = shortDay(checkedAt, now) === shortDay(now, now)
  const day = isToday && !isDown ? '' : `, ${longDay(checkedAt, now)}`
  return `${before}Updated ${clockTime(checkedAt)}${day}`
}

function longDay(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return new Date(at).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' })
  })
}

/** Signing progress, for the cells of the list. */

interface Progress {
  signed: number
  of: number
  /** "2 of 3". */
  word: string
}

/** Returns how many have signed, by the service's count if it gives one, else by the signers; undefined if unknown. */
export function progressOf({ status, signers }: Pick<DocumentRow, 'status' | 'signers'>): Progress | undefined {
  const of = status.of ?? signers.length
  const signedCount = status.signed ?? signedOf(signers)
  if (of === 0 || signedCount === undefined) return undefined
  const signed = Math.min(of, signedCount)
  return { signed, of, word: `${signed} of ${of}` }
}

const texts: Partial<Record<DocumentColumn, (row: DocumentRow) => string | undefined>> = {
  package: (row) => row.packageReference,
  folder: (row) => (row.goneAt === undefined ? row.folder : `Removed from ${row.folder}`),
  matter: matterOf,
  reference: (row) => row.reference,
  clientReference: (row) => row.clientReference,
  formReference: (row) => row.formDirectReference
}

/** Returns the text of a cell that has only text. */
export function textOf(row: DocumentRow, column: DocumentColumn): string | undefined {
  return texts[column]?.(row)
}
