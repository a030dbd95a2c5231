/** The report next to a processed file: what became of it, in words. It repeats none of its content. */
import { type AppError, errorText } from '../../../shared/contract/errors.ts'
import { isoFormatter } from '../lib/calendar.ts'

export interface Report {
  name: string
  /** Milliseconds since 1970 UTC. */
  at: number
  /** This workstation's, an IANA name. */
  zone: string
  /** One sentence on the result. */
  summary: string
  error?: AppError | undefined
  /** Things that a person should check. */
  notes?: readonly string[]
  /** What was read differently from how it is written, as the service would read it. */
  readings?: readonly string[]
}

/** How many notes are listed; a sheet with a fault in each of 5,000 rows has one fault. */
const MAX_NOTES = 1_000
const LINE_END = '\r\n'

export function reportOf({ name, at, zone, summary, error, notes = [], readings = [] }: Report): string {
  const iso = isoFormatter(zone)(at)
  const faults = error?.fields?.map(({ field, message }) => `${field} ${message}.`) ?? []
  const lines = [
    `Report for “${oneLine(name)}”`,
    '',
    `Imported by Countersign at ${iso.slice(0, 16).replace('T', ' ')} (UTC${iso.slice(19)}).`,
    summary,
    ...(error ? [errorText(error)] : []),
    ...section(error ? 'Problems:' : 'Please check:', [...faults, ...notes]),
    ...section('Read differently from how it’s written:', readings)
  ]
  return `${lines.join(LINE_END)}${LINE_END}`
}

function section(heading: string, entries: readonly string[]): string[] {
  if (entries.length === 0) return []
  const omitted = entries.length - MAX_NOTES
  return [
    '',
    heading,
    ...entries.slice(0, MAX_NOTES).map((note) => `- ${oneLine(note)}`),
    ...(omitted > 0 ? [`- and ${omitted} more.`] : [])
  ]
}

/** Prevents an external name from adding lines of its own. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
}
