/** Reads appointments from a table. Headings identify the columns, and problems are reported per row. */
import { type DateOrder, type Epoch, readDate, readTime } from '../../../shared/composition/bulk-dates.ts'
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
  date: /^(?!(?:end|until|to|finish)\b).*\b(date|day)\b/,
  time: /^(start|begin|from|at|time)\b|^(?!(?:end|until|to|finish)\b).*\b(start|time)$/,
  endDate: /^(end|until|to|finish) (date|day)$/,
  end: /^(end|until|to|finish)\b/,
  length: /minutes|length|duration|\bmins?\b|^hours$/,
  place: /place|room|counter|location|desk|where|branch/,
  about: /document|about|subject|matter|reason|purpose|type|for what/,
  id: /^(uid|id|(booking|appointment) (id|number|reference)|reference)$/,
  booking: /^(booking|appointment)$/
} as const
type Column = keyof typeof HEADINGS
/** Headings, in lower case, of columns about anything but the appointment itself. */
const OTHER_HEADINGS = /\b(birth|born|dob|created|modified|updated|zone)\b/

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
  const lengthHeading = sheet.columns[columns.length ?? -1] ?? ''
  const isInHours = /\b(hours?|hrs?)\b/i.test(lengthHeading) && !/min/i.test(lengthHeading)
  for (const { row, cells } of sheet.rows) {
    const cell = (column: Column) => cells[columns[column] ?? -1] ?? ''
    try {
      const one = appointmentOf(cell, { today, isInHours, ...context }, orderOf(sheet, columns))
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
    if (OTHER_HEADINGS.test(plain)) continue
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
  /** The column of lengths counts hours. */
  isInHours: boolean
}

function appointmentOf(
  cell: (column: Column) => string,
  { today, zone, isInHours }: Today,
  dates: DateFormat
): FoundAppointment {
  const name = nameOf(cell('name') || [cell('first'), cell('last')].filter(Boolean).join(' '))
  const start = startOf(cell, today, dates)
  const at = momentOf(start, zone)
  const length = lengthOf(cell('length'), isInHours)
  const end = length === undefined ? endOf(cell, start, dates, zone) : at + length * 60_000
  const email = emailOf(cell('email'))
  const id = idOf(cell)
  return {
    name,
    email,
    at,
    version: 0,
    // Identifies the same row in tomorrow's file, as long as person and time are the same.
    key: id ? makeKey('row', id) : makeKey('row', name, email, String(at)),
    mobile: plainText(cell('mobile'), 40),
    minutes: end === undefined ? DEFAULT_MINUTES : minutesBetween(at, end),
    place: plainText(cell('place'), 60),
    about: plainText(cell('about')),
    notes: [
      ...(cell('email') !== '' && email === '' ? ['Its e-mail address can’t be used.'] : []),
      ...(end === undefined && [cell('length'), cell('end')].some(Boolean) ? ['Its length can’t be read.'] : [])
    ]
  }
}

/** Returns what tells a row from all others. Words are a kind of appointment, such as “Consultation 30 min”. */
function idOf(cell: (column: Column) => string): string | undefined {
  const [id, booking] = [plainText(cell('id')), plainText(cell('booking'))]
  if (/\d/.test(id)) return id
  return /^\S*\d\S*$/.test(booking) ? booking : undefined
}

interface DateFormat {
  order: DateOrder
  epoch: Epoch
}

/** A local day and time; with `offset`, in minutes east of UTC, there instead of here. */
interface Written {
  day: string
  time: string
  offset?: number | undefined
}

function startOf(cell: (column: Column) => string, today: string, { order, epoch }: DateFormat): Written {
  const date =
    cell('date') === '' ? undefined : (readDate(cell('date'), order, epoch) ?? refuseEntry('Its date can’t be read.'))
  const text = cell('time')
  const full = readDate(text, order, epoch)
  if (!date && !full && text === '') refuseEntry('There is no date.')
  const time = readTime(text)
  if (time) return { day: date?.day ?? today, time }
  if (full?.time)
    return { day: (full.offset === undefined && date?.day) || full.day, time: full.time, offset: full.offset }
  if (date?.time) return { day: date.day, time: date.time, offset: date.offset }
  return refuseEntry(text === '' ? 'There is no time.' : 'Its time can’t be read.')
}

function momentOf({ day, time, offset }: Written, zone: string): number {
  const local = `${day}T${time}`
  const asUtc = readLocal(local)
  const minutes = offset ?? localTimeIn(zone, local)?.offset
  return asUtc === undefined || minutes === undefined
    ? refuseEntry('Its time isn’t a real time.')
    : asUtc - minutes * 60_000
}

/** Returns the moment it ends; undefined if none is given, or it can't be read. */
function endOf(
  cell: (column: Column) => string,
  start: Written,
  { order, epoch }: DateFormat,
  zone: string
): number | undefined {
  const [date, full] = [readDate(cell('endDate'), order, epoch), readDate(cell('end'), order, epoch)]
  const time = readTime(cell('end'))
  // Without a date, it ends on the day it starts.
  if (time) return momentOf({ ...start, day: date?.day ?? start.day, time }, zone)
  // At midnight it's on the next day; a workbook then has that day without a time.
  if (full?.time || (full && full.day > start.day))
    return momentOf({ day: full.day, time: full.time ?? '00:00', offset: full.offset }, zone)
  return date?.time === undefined ? undefined : momentOf({ day: date.day, time: date.time, offset: date.offset }, zone)
}

const MINUTES = /^(\d{1,4})(?:[.,]0+)?\s*(?:m|mins?|minutes?)?\.?$/i
const CLOCK = /^(\d{1,2}):([0-5]\d)(?::00)?$/
const HOURS =
  /^(\d{1,2}(?:[.,]\d{1,2})?)\s*(?:h|hrs?|hours?)\.?(?:\s*(?:and\s*)?(\d{1,2})\s*(?:m|mins?|minutes?)?\.?)?$/i

/** Returns the length in "45", "1:30", "1.5 hours" or "1 h 30 min"; undefined for anything else. */
function lengthOf(text: string, isInHours: boolean): number | undefined {
  const inHours = HOURS.exec(isInHours ? `${text} h` : text) ?? HOURS.exec(text)
  if (inHours) return Math.round(Number(inHours[1]?.replace(',', '.')) * 60) + Number(inHours[2] ?? 0)
  const clock = CLOCK.exec(text)
  if (clock) return Number(clock[1]) * 60 + Number(clock[2])
  const inMinutes = MINUTES.exec(text)
  return inMinutes ? Number(inMinutes[1]) : undefined
}
