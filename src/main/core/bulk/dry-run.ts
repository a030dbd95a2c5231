/** Tries the rows of a sheet on a composition: problems of each row, duplicates, and what would be sent. */

import type { ColumnMapping, DateOrders } from '../../../shared/composition/bulk-columns.ts'
import { type AppliedRow, rowMapper, unknownTargets } from '../../../shared/composition/bulk-rows.ts'
import {
  type ComposedSigner,
  type Composition,
  certainMobile,
  fingerprintOf,
  looseFingerprintOf,
  type Problem,
  problemsOf,
  signersInWords,
  titleOf,
  toFormDirectRequest,
  toFormFillerRequest
} from '../../../shared/composition/index.ts'
import type { BulkCheck, BulkCorrection, BulkRow } from '../../../shared/contract/index.ts'
import { formatPath, SendFormDirectRequest, SendFormFillerRequest } from '../../../shared/model/index.ts'
import { DAY } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { shortened } from '../lib/text-folding.ts'
import { exampleRowCheck } from './sample-file.ts'
import type { Sheet, SheetRow } from './sheet.ts'
import { PROBLEM_COLUMN } from './table-file.ts'

const EXAMPLE_LEFT: Problem = {
  severity: 'error',
  at: 'items',
  message: 'This is the sample’s example row. Replace or delete it.'
}

/** How rows are turned into packages. */
export interface Plan {
  composition: Composition
  mapping: ColumnMapping
  /** The user's answers for columns with ambiguous dates. */
  dateOrders?: DateOrders | undefined
  /** The time zone of due dates if the composition has none. */
  zone: string
  /** The calling code for mobile numbers without one; absent to leave them as they are. */
  countryCode?: string | undefined
}

export interface CheckContext {
  /** When the rows are sent, in milliseconds since 1970 UTC. */
  now: number
  /** When packages of the last 30 days were sent, by fingerprint. */
  recent: ReadonlyMap<string, number>
}

export type RowFilter = 'all' | 'errors' | 'warnings' | 'duplicates' | 'alike' | 'corrected'

/** Which rows a person can have shown. */
export const FILTERS: Readonly<Record<RowFilter, (row: BulkRow) => boolean>> = {
  all: () => true,
  errors: ({ problems }) => problems.some(isError),
  warnings: ({ problems }) => problems.some(({ severity }) => severity === 'warning'),
  duplicates: ({ duplicateOf }) => duplicateOf !== undefined,
  alike: ({ alikeSentAt }) => alikeSentAt !== undefined,
  corrected: ({ corrected }) => corrected !== undefined
}

/** How many characters of a wrong cell are shown. Longer cells can't be corrected there. */
const MAX_SHOWN_LENGTH = 500
/** How long it is worth asking whether people should get the same package again with other data. */
const RECENT_PERIOD = DAY

/** The user's decision about rows that were sent before, or seem to have been. */
export interface Repeats {
  /** Rows that are the same as another row, or as a package already sent. */
  duplicates: 'leave-out' | 'send'
  /** Rows whose people recently got the same package with other data. */
  alike: 'leave-out' | 'send'
}

export interface DryRun {
  plan: Plan
  rows: BulkRow[]
  check: BulkCheck
  /** Indexes of rows that had errors in the full check. A row corrected since stays among them. */
  hadErrors: ReadonlySet<number>
  /** Tries a corrected row again. Duplicates are recomputed without trying the other rows. */
  recheck: (row: SheetRow, index: number) => DryRun
}

export interface PackageRow {
  /** As the spreadsheet counts. */
  row: number
  /** As in the sheet. */
  cells: string[]
  composition: Composition
  /** Corrections made before it was sent; absent if there were none. */
  corrected?: BulkCorrection[]
}

/** A row that isn't sent, with the reasons in the user's words. */
export interface LeftOutRow {
  row: number
  cells: string[]
  problems: string[]
}

/** A row by itself, before it is compared with others. */
interface CheckedRow {
  view: BulkRow
  /** Absent if it has errors: a row that can't be sent is no duplicate of anything. */
  fingerprint?: string
  /** The sent package that it repeats, independent of the other rows. */
  sent: Pick<BulkRow, 'duplicateOf' | 'alikeSentAt'>
  lacksCountry: boolean
}

/** @throws AppFailure `invalid` if the mapping isn't one of this composition and this sheet. */
export function dryRun(sheet: Sheet, plan: Plan, { now, recent }: CheckContext): DryRun {
  const { composition, mapping } = plan
  if (unknownTargets(composition, mapping).length > 0 || mapping.some(({ column }) => column >= sheet.columns.length)) {
    fail('invalid', 'The columns no longer match the package.', { next: 'Match them again.' })
  }
  const make = rowComposer(sheet, plan)
  const columnOf = columnLookup(mapping)
  const alike = looseFingerprintsOf(recent, now - RECENT_PERIOD)
  const isExample = exampleRowCheck(composition, mapping, now)

  function checkRow(row: SheetRow): CheckedRow {
    const { composition: made, cellProblems } = make(row)
    const problems = [
      ...(isExample(row.cells) ? [EXAMPLE_LEFT] : []),
      ...cellProblems.map(({ column, ...problem }) => withCell(problem, column, sheet, row)),
      ...problemsOfPackage(made, now)
        .filter(({ at }) => !cellProblems.some((cell) => cell.at === at && cell.severity === 'error'))
        .map((problem) => withCell(problem, columnOf(problem.at), sheet, row))
    ]
    const corrected = correctionsOf(sheet, row)
    const view = {
      row: row.row,
      title: titleOf(made),
      who: signersInWords(made),
      problems,
      ...(corrected && { corrected })
    }
    const base = { view, lacksCountry: lacksCountry(made) }
    if (problems.some(isError)) return { ...base, sent: {} }
    const fingerprint = fingerprintOf(made)
    const sentAt = recent.get(fingerprint)
    const alikeSentAt = alike.get(looseFingerprintOf(fingerprint) ?? '')
    const sent = sentAt !== undefined ? { duplicateOf: { sentAt } } : defined({ alikeSentAt })
    return { ...base, fingerprint, sent }
  }

  function compareRows(all: readonly CheckedRow[], before?: DryRun): DryRun {
    const earlier = new Map<string, number>()
    const rows = all.map(({ view, fingerprint, sent }): BulkRow => {
      if (fingerprint === undefined) return view
      const repeated = earlier.get(fingerprint)
      if (repeated === undefined) earlier.set(fingerprint, view.row)
      if (sent.duplicateOf || repeated === undefined) return { ...view, ...sent }
      // Its people got the same with other data as those of the row it repeats.
      return { ...view, ...sent, duplicateOf: { row: repeated } }
    })
    const withoutCountry = all.filter((row) => row.lacksCountry).length
    return {
      plan,
      rows,
      check: { ...summarise(rows, sheet.columns, mapping), withoutCountry },
      hadErrors: before?.hadErrors ?? new Set(rows.flatMap((row, at) => (row.problems.some(isError) ? [at] : []))),
      recheck(row, index) {
        return compareRows(all.with(index, checkRow(row)), this)
      }
    }
  }

  return compareRows(sheet.rows.map(checkRow))
}

export function rowComposer(sheet: Sheet, { composition, mapping, dateOrders = [], zone, countryCode = '' }: Plan) {
  // A remembered order only applies to ambiguous columns: it may come from another sheet with these headings, and what
  // this sheet proves takes precedence.
  const ambiguous = new Set(sheet.dateDoubts.map(({ column }) => column))
  const chosenOrders = new Map(
    dateOrders.filter(({ column }) => ambiguous.has(column)).map(({ column, order }) => [column, order])
  )
  const make = rowMapper(composition, mapping, {
    dateOrder: (column) => chosenOrders.get(column) ?? sheet.dateOrders[column] ?? 'day-first',
    epoch: sheet.epoch,
    zone
  })
  return (row: SheetRow): AppliedRow => {
    const made = make(row.cells, row.flaws)
    return { ...made, composition: withSettledMobiles(made.composition, countryCode) }
  }
}

/** Normalises unambiguous mobile numbers for the service, as the composer does when a field is left. */
function withSettledMobiles(composition: Composition, countryCode: string): Composition {
  const items = composition.items.map((item) => ({
    ...item,
    signers: item.signers.map((signer) => ({ ...signer, ...certainMobile(signer, countryCode) }))
  }))
  return { ...composition, items }
}

function lacksCountry({ items }: Composition): boolean {
  const isWithout = ({ MobileCountry, MobileNumber }: ComposedSigner) =>
    MobileNumber.trim() !== '' && !MobileCountry.trim()
  return items.some(({ signers }) => signers.some(isWithout))
}

/** Returns when packages were last sent, by which forms or templates went to whom (see looseFingerprintOf). */
function looseFingerprintsOf(recent: ReadonlyMap<string, number>, since: number): Map<string, number> {
  const found = new Map<string, number>()
  for (const [fingerprint, at] of recent) {
    const loose = at >= since ? looseFingerprintOf(fingerprint) : undefined
    if (loose !== undefined && at > (found.get(loose) ?? 0)) found.set(loose, at)
  }
  return found
}

/** Returns why a row isn't sent, in the user's words; empty if it is. */
export function leftOutReasons(row: BulkRow, { duplicates, alike }: Repeats, zone: string): string[] {
  const errors = row.problems.filter(isError)
  if (errors.length > 0) {
    return errors.map(({ column, message }) => (column ? `${column}: ${message}` : message))
  }
  if (row.duplicateOf && duplicates === 'leave-out') {
    return [
      'row' in row.duplicateOf
        ? `Same as row ${row.duplicateOf.row}.`
        : `Already sent on ${dayOf(row.duplicateOf.sentAt, zone)}.`
    ]
  }
  if (row.alikeSentAt === undefined || alike === 'send') return []
  return [alikeReason(row.alikeSentAt, zone)]
}

/** Says that a row's people recently got the same forms or templates, in the user's words. */
export function alikeReason(sentAt: number, zone: string): string {
  return `The same people got this on ${dayOf(sentAt, zone)}, with other data.`
}

/** Returns the columns as they are exported: without the problem column of an earlier export, unless it is mapped. */
export function ownColumns(
  sheet: Pick<Sheet, 'columns'>,
  mapping: ColumnMapping
): { columns: string[]; of: (cells: readonly string[]) => string[] } {
  const kept = sheet.columns.map(
    (name, index) => name !== PROBLEM_COLUMN || mapping.some(({ column }) => column === index)
  )
  const of = (cells: readonly string[]) => cells.filter((_, index) => kept[index])
  return { columns: of(sheet.columns), of }
}

export function isError({ severity }: Problem): boolean {
  return severity === 'error'
}

/** Returns a package's problems. The strict model's messages are used only if ours report no error. */
function problemsOfPackage(made: Composition, now: number): Problem[] {
  const problems = problemsOf(made, now)
  if (problems.some(isError)) return problems
  const mark = (index: number) => `check-${index}`
  const checked =
    made.kind === 'form-direct'
      ? SendFormDirectRequest.safeParse(toFormDirectRequest(made, mark))
      : SendFormFillerRequest.safeParse(toFormFillerRequest(made, mark))
  if (checked.success) return problems
  const refused = checked.error.issues.map((issue): Problem => {
    const at = formatPath(issue.path)
    return { severity: 'error', at, message: `The service would refuse ${at}: ${issue.message}.` }
  })
  return [...problems, ...refused]
}

/** Returns which column a package's problem comes from, by the problem's place. */
function columnLookup(mapping: ColumnMapping): (at: string) => number | undefined {
  const columnAt = new Map(mapping.map(({ target, column }) => [target, column]))
  const due = columnAt.get('due') ?? columnAt.get('due.time')
  return (at) => columnAt.get(at) ?? (at.startsWith('due') ? due : undefined)
}

function withCell(
  problem: Problem,
  column: number | undefined,
  sheet: Sheet,
  { cells }: SheetRow
): BulkRow['problems'][number] {
  if (column === undefined) return problem
  const text = cells[column] ?? ''
  const isCut = text.length > MAX_SHOWN_LENGTH
  const cell = {
    column,
    value: isCut ? shortened(text, MAX_SHOWN_LENGTH) : text,
    ...(isCut && { isCut: true as const })
  }
  return { ...problem, column: sheet.columns[column] as string, cell }
}

/** Returns a row's corrections, in column order; undefined if there are none. */
export function correctionsOf({ columns }: Sheet, { cells, original }: SheetRow): BulkCorrection[] | undefined {
  if (!original) return undefined
  return cells.flatMap((now, column) => {
    const was = original.cells[column] ?? ''
    if (now === was) return []
    const name = columns[column] as string
    return [{ column, name, was: shortened(was, MAX_SHOWN_LENGTH), now: shortened(now, MAX_SHOWN_LENGTH) }]
  })
}

function summarise(
  rows: readonly BulkRow[],
  columns: readonly string[],
  mapping: ColumnMapping
): Omit<BulkCheck, 'withoutCountry'> {
  const used = new Set(mapping.map(({ column }) => column))
  const count = (shown: RowFilter) => rows.filter(FILTERS[shown]).length
  const withErrors = count('errors')
  return {
    rows: rows.length,
    withErrors,
    withWarnings: count('warnings'),
    duplicates: count('duplicates'),
    alike: count('alike'),
    alikeDuplicates: rows.filter((row) => FILTERS.alike(row) && FILTERS.duplicates(row)).length,
    ready: rows.length - withErrors,
    corrected: count('corrected'),
    unused: columns.filter((name, index) => !used.has(index) && name !== PROBLEM_COLUMN)
  }
}

function dayOf(at: number, zone: string): string {
  return new Date(at).toLocaleDateString('en-GB', { timeZone: zone, day: 'numeric', month: 'long', year: 'numeric' })
}
