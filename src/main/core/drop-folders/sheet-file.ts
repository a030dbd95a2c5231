/**
 * A sheet as other software writes it, with headings named like the columns of a bulk send: each row fills in the
 * folder's preset, or is complete by itself. Rows are checked exactly as in a bulk send by a person.
 */

import type { ColumnMapping } from '../../../shared/composition/bulk-columns.ts'
import { matchColumns } from '../../../shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../../shared/composition/bulk-targets.ts'
import { blankComposition, blankItem, blankSigner, type Composition } from '../../../shared/composition/index.ts'
import type { BulkRow, BulkSheet } from '../../../shared/contract/index.ts'
import { alikeReason, ownColumns } from '../bulk/dry-run.ts'
import type { Ask, BulkQuestions } from '../bulk/worker.ts'
import { fail } from '../lib/failure.ts'

export interface SheetFile {
  id: string
  name: string
  bytes: Uint8Array
  /** What rows fill in. Undefined if they must be complete. */
  base: Composition | undefined
  zone: string
  now: number
  recent: ReadonlyMap<string, number>
}

export interface SheetContent {
  /** Of the rows' cells: without the problem column of an earlier export. */
  columns: string[]
  /** Each the JSON of a `PackageRow`. */
  rows: string[]
  /** What a person should check in the sheet, in words. */
  notes: string[]
  /** Whether there is nothing to check, so it may be sent automatically. */
  isClean: boolean
}

const ROWS_AT_ONCE = 50
const PROBLEMS_AT_ONCE = 500
/** How many people a sheet without a preset may name. */
const MAX_PEOPLE = 10

/** @throws AppFailure `bad-file` */
export async function readSheetFile(
  ask: Ask<BulkQuestions>,
  { id, name, bytes, base, zone, now, recent }: SheetFile
): Promise<SheetContent> {
  try {
    const sheet = await ask('open', { id, bytes, fileName: name })
    if (sheet.rows === 0) fail('bad-file', 'This sheet has headings but no rows.')
    const plan = base ? planFromPreset(base, sheet) : planWithoutPreset(sheet)
    const check = await ask('check', { id, ...plan, zone, now, recent })
    const rowNotes: string[] = []
    for (let offset = 0; offset < check.rows; offset += PROBLEMS_AT_ONCE) {
      const { rows } = await ask('rows', { id, show: 'all', offset, limit: PROBLEMS_AT_ONCE })
      rowNotes.push(...rows.flatMap((row) => notesOf(row, zone)))
    }
    const rows: string[] = []
    while (rows.length < check.rows) {
      const more = await ask('every', { id, offset: rows.length, limit: ROWS_AT_ONCE })
      if (more.length === 0) fail('internal', 'Some rows couldn’t be read.')
      rows.push(...more)
    }
    const sheetNotes = [
      ...(sheet.sheets.length > 1 ? [`Only the sheet “${sheet.sheet}” of this workbook was read.`] : []),
      ...sheet.notes,
      // No one is there to answer which order it is.
      ...sheet.dateDoubts.map(
        ({ column }) =>
          `Dates in “${sheet.columns[column]}” are read with the day first: 04/12/2026 is 4 December 2026.`
      ),
      ...(check.unused.length > 0
        ? [`Columns not used: ${check.unused.map((column) => `“${column}”`).join(', ')}.`]
        : [])
    ]
    const notes = [...sheetNotes, ...rowNotes]
    return { columns: ownColumns(sheet, plan.mapping).columns, rows, notes, isClean: notes.length === 0 }
  } finally {
    await ask('close', { id }).catch(() => undefined)
  }
}

interface SheetPlan {
  composition: Composition
  mapping: ColumnMapping
}

function planFromPreset(base: Composition, sheet: BulkSheet): SheetPlan {
  const mapping = matchColumns(bulkTargets(base), sheet.columns)
  if (mapping.length === 0) fail('bad-file', 'None of this sheet’s headings match the folder’s preset.')
  return { composition: base, mapping }
}

/** A sheet can't hold a template's reference and fields, so without a preset it is a form. */
function planWithoutPreset(sheet: BulkSheet): SheetPlan {
  const widest = compositionFor(MAX_PEOPLE)
  const found = new Set(matchColumns(bulkTargets(widest), sheet.columns).map(({ target }) => target))
  const people = bulkTargets(widest).map(({ target, person }) => (found.has(target) ? (person ?? 0) : 0))
  const composition = compositionFor(Math.max(1, ...people))
  const targets = bulkTargets(composition)
  const mapping = matchColumns(targets, sheet.columns)
  const filled = new Set(mapping.map(({ target }) => target))
  const missing = targets.filter(({ target, required, person = 1 }) => required && person === 1 && !filled.has(target))
  if (missing.length > 0) {
    fail(
      'bad-file',
      `This folder has no preset, and these columns are missing: ${missing.map(({ label }) => label).join(', ')}.`,
      { next: `Choose a preset for the folder, or add the columns.` }
    )
  }
  return { composition, mapping }
}

function compositionFor(count: number): Composition {
  const signers = Array.from({ length: count }, (_, index) => blankSigner(`s${index + 1}`))
  return { ...blankComposition('form-direct', 'p'), items: [{ ...blankItem('f'), signers }] }
}

function notesOf({ row, problems, duplicateOf, alikeSentAt }: BulkRow, zone: string): string[] {
  return [
    ...problems.map(({ column, message }) => `Row ${row}: ${column === undefined ? '' : `${column}: `}${message}`),
    ...(duplicateOf
      ? [
          'row' in duplicateOf
            ? `Row ${row}: Same as row ${duplicateOf.row}.`
            : `Row ${row}: The same package was sent in the last 30 days.`
        ]
      : []),
    // No one is there to ask, as a bulk send does.
    ...(alikeSentAt === undefined ? [] : [`Row ${row}: ${alikeReason(alikeSentAt, zone)}`])
  ]
}
