/** The columns of the document list: their labels, default widths and minimum widths. */
import type { DocumentColumn } from '../../../shared/contract/document-query.ts'
import type { DocumentColumnSetting } from '../../../shared/contract/views.ts'

export interface ColumnKind {
  label: string
  /** The name of the sort order, if it differs from the label: "by last change". */
  order?: string
  /** In CSS pixels. */
  width: number
  least: number
}

/** All columns, in the order in which they are offered. */
export const COLUMN_KINDS: Record<DocumentColumn, ColumnKind> = {
  name: { label: 'Name', width: 230, least: 140 },
  signers: { label: 'Signers', width: 200, least: 90 },
  status: { label: 'Status', width: 136, least: 80 },
  progress: { label: 'Signed so far', width: 116, least: 80 },
  due: { label: 'Due', order: 'due date', width: 184, least: 80 },
  lastSigned: { label: 'Last signed', order: 'last signature', width: 96, least: 64 },
  folder: { label: 'Folder', width: 104, least: 64 },
  matter: { label: 'Matter', width: 96, least: 56 },
  package: { label: 'Package', width: 150, least: 64 },
  clientReference: { label: 'Your reference', width: 124, least: 64 },
  reference: { label: 'Document reference', width: 170, least: 64 },
  formReference: { label: 'Form reference', width: 150, least: 64 },
  identity: { label: 'Identity check', width: 126, least: 80 },
  changed: { label: 'Changed', order: 'last change', width: 112, least: 64 }
}
export const ALL_COLUMNS = Object.keys(COLUMN_KINDS) as DocumentColumn[]
const WIDEST = 1200

/** The default columns: the first ones that fit are shown. Spare room goes to the name and signers columns. */
const USUAL: readonly DocumentColumn[] = [
  'name',
  'signers',
  'status',
  'due',
  'changed',
  'matter',
  'lastSigned',
  'folder',
  'identity'
]
const FIRST = 4
/** Pixels between columns, and pixels outside any column: margins, checkboxes and a scroll bar. */
const GAP = 12
const BESIDE = 48 + 18 + 16

function orderOf(name: DocumentColumn): number {
  const at = USUAL.indexOf(name)
  return at < 0 ? USUAL.length : at
}

/**
 * Returns the default columns for a list of this width.
 * @param room the list's width in CSS pixels.
 * @param sortedBy the column the list is sorted by: it is always included.
 */
export function usualColumns(room: number, sortedBy?: DocumentColumn): DocumentColumnSetting[] {
  const names = USUAL.slice(0, FIRST)
  if (sortedBy && !names.includes(sortedBy)) names.push(sortedBy)
  const left = () => room - BESIDE - names.reduce((sum, name) => sum + GAP + COLUMN_KINDS[name].width, 0)
  for (const name of USUAL) {
    if (!names.includes(name) && left() >= COLUMN_KINDS[name].width + GAP) names.push(name)
  }
  // The order doesn't depend on the sort column, so that a heading stays where it is when it is clicked.
  names.sort((one, other) => orderOf(one) - orderOf(other))
  const [toName, toSigners] = [Math.floor(left() * 0.55), Math.floor(left() * 0.45)]
  return names.map((column) => {
    const { width, least } = COLUMN_KINDS[column]
    const more = column === 'name' ? toName : column === 'signers' ? toSigners : 0
    return { column, width: Math.max(least, width + more) }
  })
}

/** Returns the columns with one resized, within its limits. */
export function withWidth(
  columns: readonly DocumentColumnSetting[],
  column: DocumentColumn,
  width: number
): DocumentColumnSetting[] {
  const fitting = Math.round(Math.min(WIDEST, Math.max(COLUMN_KINDS[column].least, width)))
  return columns.map((one) => (one.column === column ? { column, width: fitting } : one))
}

/** Returns the columns with one added at the end, or removed. The last remaining column is never removed. */
export function toggled(columns: readonly DocumentColumnSetting[], column: DocumentColumn): DocumentColumnSetting[] {
  if (columns.some((one) => one.column === column)) {
    return columns.length === 1 ? [...columns] : columns.filter((one) => one.column !== column)
  }
  return [...columns, { column, width: COLUMN_KINDS[column].width }]
}

/** Returns the columns with one moved by `by` positions. */
export function moved(
  columns: readonly DocumentColumnSetting[],
  column: DocumentColumn,
  by: number
): DocumentColumnSetting[] {
  const from = columns.findIndex((one) => one.column === column)
  const one = columns[from]
  if (!one) return [...columns]
  const others = columns.filter((other) => other !== one)
  return others.toSpliced(Math.max(0, Math.min(others.length, from + by)), 0, one)
}
