/** Reads appointments from a table. Headings identify the columns, and problems are reported per row. */
import { type Epoch, readDate, readTime } from '../../../shared/composition/bulk-dates.ts'
import { localTimeIn, readLocal } from '../../../shared/composition/zone.ts'
import { counted } from '../../../shared/counted.ts'
import type { Sheet } from '../bulk/sheet.ts'
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

/** Patterns for headings, in lower case; the first match wins. */
const HEADINGS = {
  first: /^(first|given)\b/,
  last: /^(last|family)\b|^surname/,
  name: /^(full )?name$|^(client|customer|person|signer|attendee|who|guest|visitor)( name)?$/,
  email: /e-?mail/,
  mobile: /mobile|phone|\bcell\b|\btel/,
  date: /\b(date|day)\b/,
  time: /^(start|begin|from|at|time)\b|\b(start|time)$/,
  end: /^(end|until|to|finish)\b/,
  length: /minutes|length|duration|\bmins?\b/,
  place: /place|room|counter|location|desk|where|branch/,
  about: /document|about|subject|matter|reason|purpose|type|for what/,
  id: /^(uid|id|(booking|appointment)( id| number| reference)?|reference)$/
} as const
type Column = keyof typeof HEADINGS

export function readAppointmentTable(sheet: Sheet, context: ReadContext): FoundInFile {
  const columns = columnsOf(sheet.columns)
  if (columns.name === undefined && columns.first === undefined && columns.last === undefined)
    refuseFile('There’s no column with names.', 'Name a column “Name”, then import the file again.')
  if (columns.time === undefined && columns.date === undefined)
    refuseFile('There’s no column with times.', 'Name one column “Time” and one “Date”, then import the file again.')
  const today = dayAt(context.now, context.zone)
  const span = importWindow(startOfDay(today, context.zone))
  const found: FoundInFile = {
    appointments: [],
    refused: [],
    cancelled: [],
    whole: [],
    until: span.until,
    notes: notesOf(sheet, columns)
  }
  let [past, later] = [0, 0]
  const keys = new Set<string>()
  for (const { row, cells } of sheet.rows) {
    const cell = (column: Column) => cells[columns[column] ?? -1] ?? ''
    try {
      const one = appointmentOf(cell, { today, ...context }, orderOf(sheet, columns))
      if (one.at < span.from) past += 1
      else if (one.at >= span.until) later += 1
      else if (keys.has(one.key)) refuseEntry('It’s in the file twice.')
      else if (found.appointments.length >= MAX_FOUND) refuseEntry('Only the first 2,000 are read.')
      else {
        keys.add(one.key)
        found.appointments.push(one)
      }
    } catch (error) {
      if (!(error instanceof RefusedEntry)) throw error
      found.refused.push({ name: `Row ${row}`, why: error.message })
    }
  }
  found.appointments.sort((one, other) => one.at - other.at)
  const rows = ['# row', '# rows']
  if (past > 0) found.notes.push(`${counted(past, rows)} before today left out.`)
  if (later > 0) found.notes.push(`${counted(later, rows)} more than 60 days away left out.`)
  return found
}

function columnsOf(headings: readonly string[]): Partial<Record<Column, number>> {
  const columns: Partial<Record<Column, number>> = {}
  for (const [at, heading] of headings.entries()) {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}-]+/gu, ' ')
      .trim()
    const match = (Object.keys(HEADINGS) as Column[]).find(
      (column) => columns[column] === undefined && HEADINGS[column].test(plain)
    )
    if (match) columns[match] = at
  }
  return columns
}

/** Returns the order of day and month in the column with the dates. */
function orderOf({ dateOrders, epoch }: Sheet, { date, time }: Partial<Record<Column, number>>) {
  return { order: dateOrders[date ?? time ?? -1] ?? ('day-first' as const), epoch }
}

function notesOf({ notes, dateDoubts }: Sheet, columns: Partial<Record<Column, number>>): string[] {
  const ambiguity = dateDoubts.find(({ column }) => column === (columns.date ?? columns.time))
  return [
    ...notes,
    ...(ambiguity ? [`Dates such as ${ambiguity.example} are read with the day first.`] : []),
    ...(columns.date === undefined ? ['There’s no date column. Rows without a date are read as today.'] : [])
  ]
}

interface Today extends ReadContext {
  today: string
}

function appointmentOf(
  cell: (column: Column) => string,
  { today, zone }: Today,
  dates: { order: 'day-first' | 'month-first'; epoch: Epoch }
): FoundAppointment {
  const name = nameOf(cell('name') || [cell('first'), cell('last')].filter(Boolean).join(' '))
  const { day, time } = startOf(cell, today, dates)
  const at = momentOf(day, time, zone)
  const email = emailOf(cell('email'))
  const id = plainText(cell('id'))
  return {
    name,
    email,
    at,
    version: 0,
    // Identifies the same row in tomorrow's file, as long as person and time are the same.
    key: id ? makeKey('row', id) : makeKey('row', name, email, String(at)),
    mobile: plainText(cell('mobile'), 40),
    minutes: minutesOf(cell, day, at, zone),
    place: plainText(cell('place'), 60),
    about: plainText(cell('about')),
    notes: cell('email') !== '' && email === '' ? ['Its e-mail address can’t be used.'] : []
  }
}

function startOf(
  cell: (column: Column) => string,
  today: string,
  { order, epoch }: { order: 'day-first' | 'month-first'; epoch: Epoch }
): { day: string; time: string } {
  const date =
    cell('date') === '' ? undefined : (readDate(cell('date'), order, epoch) ?? refuseEntry('Its date can’t be read.'))
  const text = cell('time')
  const dateAndTime = date ? undefined : readDate(text, order, epoch)
  const day = date?.day ?? dateAndTime?.day ?? (text === '' ? refuseEntry('There is no date.') : today)
  const time = readTime(text) ?? dateAndTime?.time ?? readDate(text, order, epoch)?.time ?? date?.time
  if (time === undefined) return refuseEntry(text === '' ? 'There is no time.' : 'Its time can’t be read.')
  return { day, time }
}

function momentOf(day: string, time: string, zone: string): number {
  const local = `${day}T${time}`
  const asUtc = readLocal(local)
  const found = localTimeIn(zone, local)
  return asUtc === undefined || !found ? refuseEntry('Its time isn’t a real time.') : asUtc - found.offset * 60_000
}

function minutesOf(cell: (column: Column) => string, day: string, at: number, zone: string): number {
  const length = /^(\d{1,4})\s*(?:m|mins?|minutes?)?\.?$/i.exec(cell('length'))
  if (length) return minutesBetween(at, at + Number(length[1]) * 60_000)
  const end = readTime(cell('end'))
  return end === undefined ? DEFAULT_MINUTES : minutesBetween(at, momentOf(day, end, zone))
}
