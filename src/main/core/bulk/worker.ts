/**
 * Holds the open sheets while they are matched and checked. It runs in its own thread: a sheet never leaves it whole,
 * and its answers are sent in small pieces.
 */

import type { Composition } from '../../../shared/composition/index.ts'
import type {
  BulkCheck,
  BulkCorrection,
  BulkCorrectionResult,
  BulkRow,
  BulkSheet
} from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import type { LeftOutRow, PackageRow, Plan } from './dry-run.ts'
import {
  type CheckContext,
  correctionsOf,
  type DryRun,
  dryRun,
  FILTERS,
  isError,
  leftOutReasons,
  ownColumns,
  type Repeats,
  type RowFilter,
  rowComposer
} from './dry-run.ts'
import { firstFilledSheet, openTable, pastedTable, readFileBytes, type TableFile } from './open-file.ts'
import { practiceFile, sampleFile } from './sample-file.ts'
import { type Corrections, correctedRow, type FirstRow, type Sheet, type SheetRow } from './sheet.ts'
import { type TableFormat, tableFile, withProblems } from './table-file.ts'

/** The questions about sheets, and their answers. */
export interface BulkQuestions {
  /** Opens a file by its path or content, or rows copied from a spreadsheet. */
  open: {
    ask: { id: string; fileName: string } & ({ path: string } | { bytes: Uint8Array } | { pasted: string })
    answer: BulkSheet
  }
  /** Switches to a sheet. Corrections made in it before are kept. */
  sheet: { ask: { id: string; sheet: string; firstRow?: FirstRow | undefined }; answer: BulkSheet }
  check: {
    ask: { id: string } & Plan & CheckContext
    answer: BulkCheck
  }
  rows: {
    ask: { id: string; show: RowFilter; offset: number; limit: number }
    answer: { rows: BulkRow[]; total: number }
  }
  /** Replaces the text of a cell, or restores it with null; only that row is tried again. */
  correct: {
    ask: { id: string; row: number; column: number; value: string | null }
    answer: BulkCorrectionResult
  }
  /** The next row with an error after a given one, among those shown, with its index there; wraps around. */
  nextError: { ask: { id: string; show: RowFilter; after: number }; answer: { index: number; row: BulkRow } | null }
  /** The JSON of a row's `Composition`, whether or not it can be sent. */
  package: { ask: { id: string; row: number }; answer: string }
  /** Checks again, as time has passed, and settles which rows are sent: none that the last check left out. */
  prepare: { ask: { id: string } & Repeats & CheckContext; answer: Prepared }
  /** Rows to send, each as the JSON of a `PackageRow`, from an offset. */
  take: { ask: { id: string; offset: number; limit: number }; answer: string[] }
  /** As `take`, but for all checked rows, including those that can't be sent. */
  every: { ask: { id: string; offset: number; limit: number }; answer: string[] }
  /** Marks the prepared rows as taken over: they can't be taken a second time. */
  taken: { ask: { id: string }; answer: null }
  failed: { ask: { id: string; format: TableFormat }; answer: Uint8Array }
  /** All rows as they are now, including corrections. */
  corrected: { ask: { id: string; format: TableFormat }; answer: Uint8Array }
  /** A file with made-up people, for practising with a package. */
  practice: { ask: { composition: Composition; now: number }; answer: Uint8Array }
  sample: { ask: { composition: Composition; format: TableFormat; now: number }; answer: Uint8Array }
  close: { ask: { id: string }; answer: null }
}

/** Asks the worker, in whichever thread it runs. @throws AppFailure */
export type Ask<Questions extends QuestionShapes<Questions>> = <Name extends keyof Questions>(
  name: Name,
  ask: Questions[Name]['ask']
) => Promise<Questions[Name]['answer']>

export type Answers<Questions extends QuestionShapes<Questions>> = {
  [Name in keyof Questions]: (ask: Questions[Name]['ask']) => Promise<Questions[Name]['answer']>
}

/** Asks answers in this same thread. */
export const askOf =
  <Questions extends QuestionShapes<Questions>>(answers: Answers<Questions>): Ask<Questions> =>
  (name, ask) =>
    answers[name](ask)

type QuestionShapes<Questions> = Record<keyof Questions, { ask: unknown; answer: unknown }>

interface Prepared {
  columns: string[]
  /** How many rows will be sent. */
  count: number
  leftOut: LeftOutRow[]
}

interface OpenSheet {
  fileName: string
  table: TableFile
  name: string
  sheet: Sheet
  /** Corrections, by the sheet's name. They are never written to the file. */
  corrections: Map<string, Corrections>
  checked?: DryRun
  /** The rows that a person saw last, if they were prepared again since. */
  seen?: readonly BulkRow[]
  /** Which of the checked rows are sent, by their index in the sheet, and why the others aren't. */
  prepared?: { toSend: number[]; leftOut: LeftOutRow[] }
  leftOut?: LeftOutRow[]
}

const SAMPLE_ROWS = 5
const SAMPLE_TEXT = 200
const MASK = '••••••'

export function bulkAnswers(): Answers<BulkQuestions> {
  const open = new Map<string, OpenSheet>()

  const requireOpen = (id: string): OpenSheet =>
    open.get(id) ?? fail('gone', 'This file is no longer open.', { next: 'Choose it again.' })
  const requireChecked = (one: OpenSheet): DryRun => one.checked ?? fail('gone', 'Check the rows first.')

  return {
    async open({ id, fileName, ...file }) {
      const table =
        'pasted' in file
          ? pastedTable(file.pasted)
          : openTable('bytes' in file ? file.bytes : await readFileBytes(file.path), fileName)
      const { name, sheet } = await firstFilledSheet(table, (sheet, name) => ({ name, sheet }))
      const one = { fileName, table, name, sheet, corrections: new Map() }
      open.set(id, one)
      return viewOf(id, one)
    },

    async sheet({ id, sheet: name, firstRow }) {
      const { fileName, table } = requireOpen(id)
      const read = await table.sheet(name, firstRow)
      // It may have been closed during the read.
      const { corrections } = requireOpen(id)
      const one = { fileName, table, name, sheet: withCorrections(read, corrections.get(name)), corrections }
      open.set(id, one)
      return viewOf(id, one)
    },

    async check({ id, now, recent, ...plan }) {
      const { fileName, table, name, sheet, corrections } = requireOpen(id)
      const checked = dryRun(sheet, plan, { now, recent })
      open.set(id, { fileName, table, name, sheet, corrections, checked })
      return checked.check
    },

    async rows({ id, show, offset, limit }) {
      const matching = filteredRows(requireChecked(requireOpen(id)), show)
      return { rows: matching.slice(offset, offset + limit), total: matching.length }
    },

    async correct({ id, row: number, column, value }) {
      const one = requireOpen(id)
      refuseSent(one)
      const { sheet, name, corrections } = one
      const before = requireChecked(one)
      const index = indexOfRow(sheet, number)
      const row = sheet.rows[index] as SheetRow
      const read = (row.original ?? row).cells[column]
      if (column >= sheet.columns.length) fail('invalid', 'This sheet has no such column.')
      const sheetCorrections: Corrections = corrections.get(name) ?? new Map()
      const rowCorrections = new Map<number, string>(sheetCorrections.get(number))
      if (value === null || value.trim() === read) rowCorrections.delete(column)
      else rowCorrections.set(column, value.trim())
      corrections.set(name, sheetCorrections.set(number, rowCorrections))
      const corrected = correctedRow(row, rowCorrections)
      const checked = before.recheck(corrected, index)
      one.sheet = { ...sheet, rows: sheet.rows.with(index, corrected) }
      one.checked = checked
      delete one.seen
      const cells = [...corrections.values()].flatMap((rows) => [...rows.values()])
      const inAllSheets = cells.reduce((sum, ofRow) => sum + ofRow.size, 0)
      return { check: checked.check, row: checked.rows[index] as BulkRow, inAllSheets }
    },

    async nextError({ id, show, after }) {
      const matching = filteredRows(requireChecked(requireOpen(id)), show)
      const withErrors = matching.flatMap((row, index) => (row.problems.some(isError) ? [{ index, row }] : []))
      return withErrors.find(({ row }) => row.row > after) ?? withErrors[0] ?? null
    },

    async package({ id, row }) {
      const one = requireOpen(id)
      const { sheet } = one
      const { plan } = requireChecked(one)
      return JSON.stringify(rowComposer(sheet, plan)(sheet.rows[indexOfRow(sheet, row)] as SheetRow).composition)
    },

    async prepare({ id, duplicates, alike, now, recent }) {
      const one = requireOpen(id)
      refuseSent(one)
      const previous = requireChecked(one)
      const seen = one.seen ?? previous.rows
      const rechecked = dryRun(one.sheet, previous.plan, { now, recent })
      const checked = {
        ...rechecked,
        rows: rechecked.rows.map((row, index) => keepShownProblems(row, previous.rows[index]))
      }
      const { columns, of } = ownColumns(one.sheet, checked.plan.mapping)
      const toSend: number[] = []
      const leftOut: LeftOutRow[] = []
      checked.rows.forEach((row, index) => {
        const problems = leftOutReasons(row, decisionOn(row, seen[index], { duplicates, alike }), checked.plan.zone)
        if (problems.length === 0) toSend.push(index)
        else leftOut.push({ row: row.row, cells: of(one.sheet.rows[index]?.cells ?? []), problems })
      })
      one.checked = checked
      one.seen = seen
      one.prepared = { toSend, leftOut }
      return { columns, count: toSend.length, leftOut }
    },

    async take({ id, offset, limit }) {
      const one = requireOpen(id)
      return packagesOf(one, requireChecked(one), (one.prepared?.toSend ?? []).slice(offset, offset + limit))
    },

    async every({ id, offset, limit }) {
      const one = requireOpen(id)
      const indexes = one.sheet.rows.slice(offset, offset + limit).map((_, index) => offset + index)
      return packagesOf(one, requireChecked(one), indexes)
    },

    async taken({ id }) {
      const one = requireOpen(id)
      one.leftOut = one.prepared?.leftOut ?? []
      delete one.prepared
      return null
    },

    async failed({ id, format }) {
      const one = requireOpen(id)
      const { plan, rows } = requireChecked(one)
      const { columns, of } = ownColumns(one.sheet, plan.mapping)
      const failedRows = rows.flatMap((row, index) => {
        const problems = leftOutReasons(row, { duplicates: 'send', alike: 'send' }, plan.zone)
        return problems.length > 0 ? [{ row: row.row, cells: of(one.sheet.rows[index]?.cells ?? []), problems }] : []
      })
      const table = withProblems(columns, one.leftOut ?? failedRows)
      return tableFile(format, table.columns, table.rows)
    },

    async corrected({ id, format }) {
      const { sheet } = requireOpen(id)
      const headings = sheet.firstRow === 'headings' ? [sheet.columns] : []
      const [first = [], ...rows] = [...headings, ...sheet.rows.map(({ cells }) => cells)]
      return tableFile(format, first, rows)
    },

    practice: async ({ composition, now }) => practiceFile(composition, now),

    sample: async ({ composition, format, now }) => sampleFile(composition, format, now),

    async close({ id }) {
      open.delete(id)
      return null
    }
  }
}

/**
 * Combines a row's new check with the one that the user saw. Earlier problems still apply, though they may be gone by
 * now: only rows that the user saw as ready are sent, minus those with new problems.
 */
function keepShownProblems(row: BulkRow, shown: BulkRow | undefined): BulkRow {
  const problems = !row.problems.some(isError) && shown?.problems.some(isError) ? shown.problems : row.problems
  const duplicateOf = row.duplicateOf ?? shown?.duplicateOf
  const alikeSentAt = row.alikeSentAt ?? shown?.alikeSentAt
  return { ...row, problems, ...defined({ duplicateOf, alikeSentAt }) }
}

/** The user wasn't asked about a row that was sent, or whose people got the package, only since they saw it. */
function decisionOn(row: BulkRow, seen: BulkRow | undefined, { duplicates, alike }: Repeats): Repeats {
  const wasSent = ({ duplicateOf }: BulkRow) => duplicateOf !== undefined && 'sentAt' in duplicateOf
  return {
    duplicates: wasSent(row) && !(seen && wasSent(seen)) ? 'leave-out' : duplicates,
    alike: seen?.alikeSentAt === undefined ? 'leave-out' : alike
  }
}

/**
 * Returns the rows to show. A corrected row stays in the list of errors, so that the list doesn't jump while it is
 * being corrected.
 */
function filteredRows({ rows, hadErrors }: DryRun, show: RowFilter): BulkRow[] {
  return rows.filter((row, index) => FILTERS[show](row) || (show === 'errors' && hadErrors.has(index)))
}

/** Returns a row's index in the sheet. @throws AppFailure `gone` */
function indexOfRow({ rows }: Sheet, number: number): number {
  const index = rows.findIndex(({ row }) => row === number)
  return index < 0 ? fail('gone', 'This row is no longer there.') : index
}

function withCorrections(sheet: Sheet, corrections: Corrections | undefined): Sheet {
  if (!corrections) return sheet
  const rows = sheet.rows.map((row) => correctedRow(row, corrections.get(row.row) ?? new Map()))
  return { ...sheet, rows }
}

/** Refuses changes to a sheet that went to the outbox. @throws AppFailure `busy` */
function refuseSent({ leftOut }: OpenSheet): void {
  if (!leftOut) return
  fail('busy', 'These rows are already in the Outbox.', { next: 'To send them again, check them again.' })
}

/** Returns rows by their index in the sheet, each as the JSON of a `PackageRow`. */
function packagesOf({ sheet }: OpenSheet, { plan }: DryRun, indexes: readonly number[]): string[] {
  const make = rowComposer(sheet, plan)
  const { of } = ownColumns(sheet, plan.mapping)
  // Identity answers are hidden in the Outbox, as they are in the composer.
  const answers = plan.mapping.filter(({ target }) => /\.IDData\..*\.Value$/.test(target))
  const masked = (one: BulkCorrection): BulkCorrection =>
    answers.some(({ column }) => column === one.column) ? { ...one, was: MASK, now: MASK } : one
  return indexes.flatMap((index) => {
    const row = sheet.rows[index]
    if (!row) return []
    const corrected = correctionsOf(sheet, row)?.map(masked)
    const made: PackageRow = {
      row: row.row,
      cells: of(row.cells),
      composition: make(row).composition,
      ...(corrected && { corrected })
    }
    return [JSON.stringify(made)]
  })
}

function viewOf(id: string, { fileName, table, name, sheet }: OpenSheet): BulkSheet {
  return {
    id,
    fileName,
    sheets: table.sheets,
    sheet: name,
    columns: sheet.columns,
    firstRow: sheet.firstRow,
    dateDoubts: sheet.dateDoubts.map(({ column, example }) => ({ column, example: example.slice(0, SAMPLE_TEXT) })),
    rows: sheet.rows.length,
    sample: sheet.rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells.map((cell) => cell.slice(0, SAMPLE_TEXT))),
    notes: sheet.notes
  }
}
