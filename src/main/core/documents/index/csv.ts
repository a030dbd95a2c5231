/** Documents as a table for spreadsheets: UTF-8 with its mark, dates with their offset, and no cell that would be run. */
import Papa from 'papaparse'
import type { DocumentColumn } from '../../../../shared/contract/index.ts'
import type { ServiceDate } from '../../../../shared/model/index.ts'
import { FORMULA_LIKE } from '../../bulk/table-file.ts'
import { dayAtOffset, isoWriter } from '../../lib/calendar.ts'
import type { Sliced } from '../../lib/slices.ts'
import { type IndexRow, placed } from './row.ts'

const LINE_END = '\r\n'
const MARK = '\ufeff'
const PIECE = 64

/** What stands above each column. */
export const CSV_HEADINGS: Record<DocumentColumn, string> = {
  name: 'Document',
  package: 'Package',
  signers: 'Signers',
  status: 'Status',
  progress: 'Signed',
  due: 'Due',
  lastSigned: 'Last signed',
  folder: 'Folder',
  matter: 'Matter number',
  reference: 'Document reference',
  clientReference: 'Client reference',
  formReference: 'Form reference',
  identity: 'Identity check',
  changed: 'Last changed'
}

const IDENTITY = { none: '', asked: 'Asked for', passed: 'Passed', failed: 'Failed', other: 'Other result' }
const FAMILY = {
  'not-started': 'Not started',
  'in-progress': 'In progress',
  complete: 'Complete',
  declined: 'Declined',
  expired: 'Expired',
  other: ''
}

/**
 * The file's bytes: RFC 4180, a line of headings and one for each row, in their order.
 * @param zone dates are written as the clocks of this zone show them.
 */
export function* csvOf(
  rows: readonly IndexRow[],
  columns: readonly DocumentColumn[],
  zone: string
): Sliced<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const iso = isoWriter(zone)
  const pieces = [encoder.encode(`${MARK}${linesOf([columns.map((column) => CSV_HEADINGS[column])])}`)]
  for (let begin = 0; begin < rows.length; begin += PIECE) {
    yield
    const cells = rows.slice(begin, begin + PIECE).map((row) => columns.map((column) => cellOf(row, column, iso)))
    pieces.push(encoder.encode(linesOf(cells)))
  }
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    yield
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

function linesOf(cells: string[][]): string {
  return Papa.unparse(cells, { newline: LINE_END, escapeFormulae: FORMULA_LIKE }) + LINE_END
}

function cellOf(row: IndexRow, column: DocumentColumn, iso: (at: number) => string): string {
  switch (column) {
    case 'name':
      return row.name
    case 'package':
      return row.packageReference ?? ''
    case 'signers':
      return row.signers.map(({ name, state }) => `${name} (${state})`).join('; ')
    case 'status':
      return row.status.raw || FAMILY[row.status.family]
    case 'progress':
      return row.progress ? `${row.progress.signed} of ${row.progress.of}` : ''
    case 'due':
      return dateCell(row.due, row, iso)
    case 'lastSigned':
      return dateCell(row.lastSigned, row, iso)
    case 'folder':
      return row.folder
    case 'matter':
      return row.matterNumber ?? ''
    case 'reference':
      return row.reference
    case 'clientReference':
      return row.clientReference ?? ''
    case 'formReference':
      return row.formDirectReference ?? ''
    case 'identity':
      return IDENTITY[row.identity]
    case 'changed':
      return iso(row.changedAt)
  }
}

/** A day without a time is the day where it was written. */
function dateCell(date: ServiceDate | undefined, { gmt }: IndexRow, iso: (at: number) => string): string {
  if (!date) return ''
  return date.precision === 'day' ? dayAtOffset(date.at, placed(date, gmt).offset ?? 0) : iso(date.at)
}
