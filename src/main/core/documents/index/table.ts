/** Documents as a spreadsheet table, with UTC offsets in dates. */
import type { DocumentColumn } from '../../../../shared/contract/index.ts'
import type { ServiceDate } from '../../../../shared/model/index.ts'
import { type TableFormat, tableWriters } from '../../bulk/table-file.ts'
import { dayAtOffset, isoFormatter } from '../../lib/calendar.ts'
import type { Sliced } from '../../lib/slices.ts'
import { type IndexRow, withDayOffset } from './row.ts'

const PIECE = 64

const IDENTITY = {
  none: '',
  asked: 'Requested',
  partly: 'Partly passed',
  passed: 'Passed',
  failed: 'Failed',
  other: 'Other result',
  unknown: ''
}
const FAMILY = {
  'not-started': 'Not started',
  'in-progress': 'In progress',
  signed: 'Signed',
  complete: 'Complete',
  declined: 'Declined',
  expired: 'Expired',
  other: ''
}

/** Heading and cell of each column. */
export const COLUMNS: Record<
  DocumentColumn,
  { heading: string; cell: (row: IndexRow, iso: (at: number) => string) => string | undefined }
> = {
  name: { heading: 'Document', cell: ({ name }) => name },
  package: { heading: 'Package', cell: ({ packageReference }) => packageReference },
  signers: {
    heading: 'Signers',
    cell: ({ signers }) => signers.map(({ name, state }) => `${name} (${state})`).join('; ')
  },
  status: { heading: 'Status', cell: ({ status }) => status.raw || FAMILY[status.family] },
  progress: { heading: 'Signed', cell: ({ progress }) => progress && `${progress.signed} of ${progress.of}` },
  due: { heading: 'Due', cell: (row, iso) => row.dueWritten ?? dateCell(row.due, row, iso) },
  lastSigned: {
    heading: 'Last signed',
    cell: (row, iso) => row.lastSignedWritten ?? dateCell(row.lastSigned, row, iso)
  },
  folder: { heading: 'Folder', cell: ({ folder }) => folder },
  matter: { heading: 'Matter number', cell: ({ matterNumber }) => matterNumber },
  reference: { heading: 'Document reference', cell: ({ reference }) => reference },
  clientReference: { heading: 'Client reference', cell: ({ clientReference }) => clientReference },
  formReference: { heading: 'Form reference', cell: ({ formDirectReference }) => formDirectReference },
  identity: { heading: 'Identity check', cell: ({ identity }) => IDENTITY[identity] },
  changed: { heading: 'Last changed', cell: ({ changedAt }, iso) => iso(changedAt) }
}

/**
 * Writes the file: a row of headings, then the rows in order.
 * @param zone dates are written in this zone's local time.
 */
export function* tableOf(
  rows: { length: number; slice(from: number, to: number): readonly IndexRow[] },
  columns: readonly DocumentColumn[],
  zone: string,
  format: TableFormat
): Sliced<Uint8Array<ArrayBuffer>> {
  const writer = tableWriters[format]()
  const iso = isoFormatter(zone)
  const selected = columns.map((column) => COLUMNS[column])
  const pieces = [writer.write([selected.map(({ heading }) => heading)])]
  for (let begin = 0; begin < rows.length; begin += PIECE) {
    yield
    const piece = rows.slice(begin, begin + PIECE)
    const cells = piece.map((row) => selected.map(({ cell }) => cell(row, iso) ?? ''))
    pieces.push(writer.write(cells))
  }
  pieces.push(writer.end())
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    yield
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** A day without a time is the day in the zone where it was written. */
function dateCell(date: ServiceDate | undefined, { gmt }: IndexRow, iso: (at: number) => string): string {
  if (!date) return ''
  return date.precision === 'day' ? dayAtOffset(date.at, withDayOffset(date, gmt).offset ?? 0) : iso(date.at)
}
