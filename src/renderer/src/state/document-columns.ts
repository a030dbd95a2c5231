/** The columns of the document list: their labels, default widths and minimum widths. */
import type { DocumentColumn } from '../../../shared/contract/document-query.ts'
import type { DocumentColumnSetting } from '../../../shared/contract/views.ts'

export interface ColumnKind {
  label: string
  /** The name of the sort order, if it differs from the label: "by last change". */
  sortLabel?: string
  /** In CSS pixels. */
  width: number
  minWidth: number
}

/** All columns, in the order in which they are offered. */
export const COLUMN_KINDS: Record<DocumentColumn, ColumnKind> = {
  name: { label: 'Name', width: 230, minWidth: 140 },
  signers: { label: 'Signers', width: 200, minWidth: 90 },
  status: { label: 'Status', width: 136, minWidth: 80 },
  progress: { label: 'Signed so far', width: 116, minWidth: 80 },
  due: { label: 'Due', sortLabel: 'due date', width: 184, minWidth: 80 },
  lastSigned: { label: 'Last signed', sortLabel: 'last signature', width: 96, minWidth: 64 },
  folder: { label: 'Folder', width: 104, minWidth: 64 },
  matter: { label: 'Matter', width: 96, minWidth: 56 },
  package: { label: 'Package', width: 150, minWidth: 64 },
  clientReference: { label: 'Your reference', width: 124, minWidth: 64 },
  reference: { label: 'Document reference', width: 170, minWidth: 64 },
  formReference: { label: 'Form reference', width: 150, minWidth: 64 },
  identity: { label: 'Identity check', width: 126, minWidth: 80 },
  changed: { label: 'Changed', sortLabel: 'last change', width: 112, minWidth: 64 }
}
export const ALL_COLUMNS = Object.keys(COLUMN_KINDS) as DocumentColumn[]
const MAX_WIDTH = 1200

/** The default columns: the first ones that fit are shown. Spare room goes to the name and signers columns. */
const DEFAULT_COLUMNS: readonly DocumentColumn[] = [
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
const ALWAYS_SHOWN = 4
/** Pixels between columns, and pixels outside any column: margins, checkboxes and a scroll bar. */
const GAP = 12
const MARGIN = 48 + 18 + 16

function orderOf(name: DocumentColumn): number {
  const at = DEFAULT_COLUMNS.indexOf(name)
  return at < 0 ? DEFAULT_COLUMNS.length : at
}

/**
 * Returns the default columns for a list of this width.
 * @param room the list's width in CSS pixels.
 * @param sortedBy the column the list is sorted by: it is always included.
 */
export function defaultColumns(room: number, sortedBy?: DocumentColumn): DocumentColumnSetting[] {
  const names = DEFAULT_COLUMNS.slice(0, ALWAYS_SHOWN)
  if (sortedBy && !names.includes(sortedBy)) names.push(sortedBy)
  const spare = () => room - MARGIN - names.reduce((sum, name) => sum + GAP + COLUMN_KINDS[name].width, 0)
  for (const name of DEFAULT_COLUMNS) {
    if (!names.includes(name) && spare() >= COLUMN_KINDS[name].width + GAP) names.push(name)
  }
  // The order doesn't depend on the sort column, so that a heading stays where it is when it is clicked.
  names.sort((one, other) => orderOf(one) - orderOf(other))
  const [nameExtra, signersExtra] = [Math.floor(spare() * 0.55), Math.floor(spare() * 0.45)]
  return names.map((column) => {
    const { width, minWidth } = COLUMN_KINDS[column]
    const more = column === 'name' ? nameExtra : column === 'signers' ? signersExtra : 0
    return { column, width: Math.max(minWidth, width + more) }
  })
}

/** Returns the columns with one resized, within its limits. */
export function withWidth(
  columns: readonly DocumentColumnSetting[],
  column: DocumentColumn,
  width: number
): DocumentColumnSetting[] {
  const fitting = Math.round(Math.min(MAX_WIDTH, Math.max(COLUMN_KINDS[column].minWidth, width)))
  return columns.map((one) => (one.column === column ? { column, width: fitting } : one))
}

/** Returns the columns with one added at the end, or removed. The last remaining column is never removed. */
export function withColumnToggled(
  columns: readonly DocumentColumnSetting[],
  column: DocumentColumn
): DocumentColumnSetting[] {
  if (columns.some((one) => one.column === column)) {
    return columns.length === 1 ? [...columns] : columns.filter((one) => one.column !== column)
  }
  return [...columns, { column, width: COLUMN_KINDS[column].width }]
}

/** Returns the columns with one moved by `by` positions. */
export function withColumnMoved(
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
