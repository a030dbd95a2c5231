/** Tries the rows of a sheet on a composition: what is wrong with each, which repeat what, and what would be sent. */

import type { ColumnMapping, DateOrders } from '../../../shared/composition/bulk-columns.ts'
import { type AppliedRow, rowsOnto, unknownTargets } from '../../../shared/composition/bulk-rows.ts'
import {
  type ComposedSigner,
  type Composition,
  fingerprintOf,
  looseFingerprintOf,
  type Problem,
  problemsOf,
  settledMobile,
  titleOf,
  toFormDirectRequest,
  toFormFillerRequest,
  whoOf
} from '../../../shared/composition/index.ts'
import type { BulkCheck, BulkCorrection, BulkRow } from '../../../shared/contract/index.ts'
import { SendFormDirectRequest, SendFormFillerRequest, spell } from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import { shortened } from '../lib/text-folding.ts'
import { exampleRowOf } from './sample-file.ts'
import type { Sheet, SheetRow } from './sheet.ts'
import { PROBLEM_COLUMN } from './table-file.ts'

const EXAMPLE_LEFT: Problem = {
  severity: 'error',
  at: 'items',
  message: 'This is the sample’s example row. Replace or delete it.'
}

/** How rows are made into packages. */
export interface Plan {
  composition: Composition
  mapping: ColumnMapping
  /** What a person said of columns whose dates could be read either way. */
  dateOrders?: DateOrders | undefined
  /** The time zone of due dates where the composition has none. */
  zone: string
  /** The calling code of mobile numbers that have none; absent to leave them as they are. */
  countryCode?: string | undefined
}

/** What a row is compared with. */
export interface Moment {
  /** Milliseconds since 1970 UTC at which the rows go. */
  now: number
  /** When packages of the last 30 days were sent, by their fingerprints. */
  recent: ReadonlyMap<string, number>
}

/** Characters of a cell that are shown where it is wrong: more can't be corrected there. */
const MOST_SHOWN = 500
/** For so long it is worth a question whether people should get the same again with other data. */
const RECENTLY = 86_400_000

/** What a person has decided of rows that were sent before, or seem so. */
export interface Repeats {
  /** Rows that are the same as another, or as what was sent. */
  duplicates: 'leave-out' | 'send'
  /** Rows whose people got the same lately, with other data. */
  alike: 'leave-out' | 'send'
}

export interface DryRun {
  plan: Plan
  rows: BulkRow[]
  check: BulkCheck
  /** Rows, by their places, that had errors when all were tried: one that was corrected since stays among them. */
  hadErrors: ReadonlySet<number>
  /** Tries a row again that was corrected. What it repeats, and what repeats it, is settled again without trying the others. */
  again: (row: SheetRow, index: number) => DryRun
}

/** A row, and the package that was composed of it. */
export interface PackageRow {
  /** As the spreadsheet counts. */
  row: number
  /** As they were in the sheet. */
  cells: string[]
  composition: Composition
  /** What was corrected before it was sent; absent where nothing was. */
  corrected?: BulkCorrection[]
}

/** A row that stays, and why, in the user's words. */
export interface LeftOutRow {
  row: number
  cells: string[]
  problems: string[]
}

/** A row by itself, before it is compared with others. */
interface TriedRow {
  told: BulkRow
  /** None where it has errors: what can't be sent repeats nothing, and is repeated by nothing. */
  fingerprint?: string
  /** What was sent that it repeats, whatever the other rows are. */
  sent: Pick<BulkRow, 'duplicateOf' | 'alikeSentAt'>
  lacksCountry: boolean
}

/** @throws AppFailure `invalid` if the mapping isn't one of this composition and this sheet. */
export function dryRun(sheet: Sheet, plan: Plan, { now, recent }: Moment): DryRun {
  const { composition, mapping } = plan
  if (unknownTargets(composition, mapping).length > 0 || mapping.some(({ column }) => column >= sheet.columns.length)) {
    fail('invalid', 'The columns no longer match the package.', { next: 'Match them again.' })
  }
  const make = compositionsOf(sheet, plan)
  const columnOf = columnsOf(mapping)
  const alike = looseFingerprintsOf(recent, now - RECENTLY)
  const isExample = exampleRowOf(composition, mapping, now)

  function tried(row: SheetRow): TriedRow {
    const { composition: made, cellProblems } = make(row)
    const problems = [
      ...(isExample(row.cells) ? [EXAMPLE_LEFT] : []),
      ...cellProblems.map(({ column, ...problem }) => withCell(problem, column, sheet, row)),
      ...problemsOfMade(made, now)
        .filter(({ at }) => !cellProblems.some((cell) => cell.at === at && cell.severity === 'error'))
        .map((problem) => withCell(problem, columnOf(problem.at), sheet, row))
    ]
    const corrected = correctionsOf(sheet, row)
    const told = { row: row.row, title: titleOf(made), who: whoOf(made), problems, ...(corrected && { corrected }) }
    const sum = { told, lacksCountry: lacksCountry(made) }
    if (problems.some(isError)) return { ...sum, sent: {} }
    const fingerprint = fingerprintOf(made)
    const sentAt = recent.get(fingerprint)
    const alikeSentAt = alike.get(looseFingerprintOf(fingerprint) ?? '')
    const sent = sentAt !== undefined ? { duplicateOf: { sentAt } } : defined({ alikeSentAt })
    return { ...sum, fingerprint, sent }
  }

  function compared(all: readonly TriedRow[], before?: DryRun): DryRun {
    const earlier = new Map<string, number>()
    const rows = all.map(({ told, fingerprint, sent }): BulkRow => {
      if (fingerprint === undefined) return told
      const repeated = earlier.get(fingerprint)
      if (repeated === undefined) earlier.set(fingerprint, told.row)
      if (sent.duplicateOf || repeated === undefined) return { ...told, ...sent }
      return { ...told, duplicateOf: { row: repeated } }
    })
    const withoutCountry = all.filter((row) => row.lacksCountry).length
    return {
      plan,
      rows,
      check: { ...summed(rows, sheet.columns, mapping), withoutCountry },
      hadErrors: before?.hadErrors ?? new Set(rows.flatMap((row, at) => (row.problems.some(isError) ? [at] : []))),
      again(row, index) {
        return compared(all.with(index, tried(row)), this)
      }
    }
  }

  return compared(sheet.rows.map(tried))
}

/** Makes the compositions of a sheet's rows. */
export function compositionsOf(sheet: Sheet, { composition, mapping, dateOrders = [], zone, countryCode = '' }: Plan) {
  // What the sheet itself proves is not overridden: the order may be remembered from another sheet with these headings.
  const doubtful = new Set(sheet.dateDoubts.map(({ column }) => column))
  const said = new Map(
    dateOrders.filter(({ column }) => doubtful.has(column)).map(({ column, order }) => [column, order])
  )
  const make = rowsOnto(composition, mapping, {
    dateOrder: (column) => said.get(column) ?? sheet.dateOrders[column] ?? 'day-first',
    epoch: sheet.epoch,
    zone
  })
  return (row: SheetRow): AppliedRow => {
    const made = make(row.cells, row.flaws)
    return { ...made, composition: withSettledMobiles(made.composition, countryCode) }
  }
}

/** Numbers that are certain take the service's shape, as in the composer when their field is left. */
function withSettledMobiles(composition: Composition, countryCode: string): Composition {
  const items = composition.items.map((item) => ({
    ...item,
    signers: item.signers.map((signer) => ({ ...signer, ...settledMobile(signer, countryCode) }))
  }))
  return { ...composition, items }
}

function lacksCountry({ items }: Composition): boolean {
  const isWithout = ({ MobileCountry, MobileNumber }: ComposedSigner) =>
    MobileNumber.trim() !== '' && !MobileCountry.trim()
  return items.some(({ signers }) => signers.some(isWithout))
}

/** When packages went since then, by which forms or templates went to whom (see looseFingerprintOf). */
function looseFingerprintsOf(recent: ReadonlyMap<string, number>, since: number): Map<string, number> {
  const found = new Map<string, number>()
  for (const [fingerprint, at] of recent) {
    const loose = at >= since ? looseFingerprintOf(fingerprint) : undefined
    if (loose !== undefined && at > (found.get(loose) ?? 0)) found.set(loose, at)
  }
  return found
}

/** Why a row stays here, in the user's words; none where it goes. */
export function reasonsAgainst(row: BulkRow, { duplicates, alike }: Repeats, zone: string): string[] {
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
  return [`The same people got this on ${dayOf(row.alikeSentAt, zone)}, with other data.`]
}

/** The columns as they are exported: without an earlier export's word on what is wrong, which fills nothing. */
export function ownColumns(
  sheet: Sheet,
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

/** The strict model has the last word; where our own words say nothing, its are better than none. */
function problemsOfMade(made: Composition, now: number): Problem[] {
  const problems = problemsOf(made, now)
  if (problems.some(isError)) return problems
  const mark = (index: number) => `check-${index}`
  const checked =
    made.kind === 'form-direct'
      ? SendFormDirectRequest.safeParse(toFormDirectRequest(made, mark))
      : SendFormFillerRequest.safeParse(toFormFillerRequest(made, mark))
  if (checked.success) return problems
  const refused = checked.error.issues.map((issue): Problem => {
    const at = spell(issue.path)
    return { severity: 'error', at, message: `The service would refuse ${at}: ${issue.message}.` }
  })
  return [...problems, ...refused]
}

/** Which column a problem of a package comes from, by its place. */
function columnsOf(mapping: ColumnMapping): (at: string) => number | undefined {
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
  const isCut = text.length > MOST_SHOWN
  const cell = { column, value: isCut ? shortened(text, MOST_SHOWN) : text, ...(isCut && { isCut: true as const }) }
  return { ...problem, column: sheet.columns[column] as string, cell }
}

/** What was corrected in a row, in the order of the columns; undefined where nothing was. */
export function correctionsOf({ columns }: Sheet, { cells, asRead }: SheetRow): BulkCorrection[] | undefined {
  if (!asRead) return undefined
  return cells.flatMap((now, column) => {
    const was = asRead.cells[column] ?? ''
    if (now === was) return []
    const name = columns[column] as string
    return [{ column, name, was: shortened(was, MOST_SHOWN), now: shortened(now, MOST_SHOWN) }]
  })
}

function summed(
  rows: readonly BulkRow[],
  columns: readonly string[],
  mapping: ColumnMapping
): Omit<BulkCheck, 'withoutCountry'> {
  const used = new Set(mapping.map(({ column }) => column))
  const withErrors = rows.filter(({ problems }) => problems.some(isError)).length
  return {
    rows: rows.length,
    withErrors,
    withWarnings: rows.filter(({ problems }) => problems.some(({ severity }) => severity === 'warning')).length,
    duplicates: rows.filter(({ duplicateOf }) => duplicateOf !== undefined).length,
    alike: rows.filter(({ alikeSentAt }) => alikeSentAt !== undefined).length,
    ready: rows.length - withErrors,
    corrected: rows.filter(({ corrected }) => corrected !== undefined).length,
    unused: columns.filter((name, index) => !used.has(index) && name !== PROBLEM_COLUMN)
  }
}

function dayOf(at: number, zone: string): string {
  return new Date(at).toLocaleDateString('en-GB', { timeZone: zone, day: 'numeric', month: 'long', year: 'numeric' })
}
