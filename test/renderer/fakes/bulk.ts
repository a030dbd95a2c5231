/** The made-up office's sheets: the "chosen" one, the result of checking it, and the batch made from it. */
import { type Composition, withSigners } from '../../../src/shared/composition/composition.ts'
import type { BulkRow, BulkSheet } from '../../../src/shared/contract/views.ts'
import type { FakeState } from '../fake-api.ts'
import { people } from '../people.ts'
import { byId, Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'
import { countsOf } from './outbox.ts'

export function fakeBulk({ state, emit, chosen, newId }: FakeOffice): HandlersOf<'bulk'> {
  const { bulk } = state
  const opened = (): BulkSheet => {
    if (!bulk.sheet) throw new Failure('gone')
    return bulk.sheet
  }
  const packageOf = (): Composition => {
    const [preset] = state.presets
    if (!preset) throw new Failure('gone')
    return preset.composition
  }
  const shown = (show: string) =>
    bulk.rows.filter(
      (row) =>
        show === 'all' ||
        (show === 'errors' && (has(row, 'error') || row.corrected)) ||
        (show === 'warnings' && has(row, 'warning')) ||
        (show === 'duplicates' && row.duplicateOf !== undefined) ||
        (show === 'alike' && row.alikeSentAt !== undefined) ||
        (show === 'corrected' && row.corrected)
    )

  return {
    'bulk.open': () => bulk.sheet as never,
    'bulk.openDropped': ({ fileName }) => ({ ...opened(), fileName, sheets: [''], sheet: '' }),
    'bulk.paste': () => ({ ...opened(), fileName: 'Pasted rows', sheets: [''], sheet: '' }),
    'bulk.openLeftOut': ({ batchId }) => {
      const { name } = byId(state.batches, batchId)
      return { ...opened(), fileName: `${name}, rows left out.csv`, sheets: [''], sheet: '' }
    },
    'bulk.trySample': ({ composition }) => ({
      sheet: { ...opened(), fileName: 'Sample clients.csv', sheets: [''], sheet: '' },
      name: 'Client engagement letter',
      composition: composition ? { ...composition, zone: composition.zone ?? '' } : packageOf()
    }),
    'bulk.sheet': ({ sheet, firstRow = 'headings' }) => {
      const other = { ...opened(), sheet, firstRow }
      if (firstRow === 'headings') return other
      const columns = other.columns.map((_, column) => String.fromCharCode(65 + column))
      return { ...other, columns, rows: other.rows + 1, sample: [other.columns, ...other.sample] }
    },
    'bulk.remembered': () => (bulk.remembered ?? null) as never,
    'bulk.check': () => bulk.check,
    'bulk.rows': ({ show, ...page }) => {
      const fitting = shown(show)
      return { rows: pageOf(fitting, page), total: fitting.length }
    },
    'bulk.correct': ({ row: number, column, value }) => {
      const before = bulk.rows.find(({ row }) => row === number)
      if (!before) throw new Failure('gone')
      const row = correctedRow(before, column, value)
      bulk.rows = bulk.rows.map((one) => (one === before ? row : one))
      const withErrors = bulk.rows.filter((one) => has(one, 'error')).length
      const corrected = bulk.rows.filter((one) => one.corrected).length
      bulk.check = { ...bulk.check, withErrors, corrected, ready: bulk.check.rows - withErrors }
      return { check: bulk.check, row, inAllSheets: corrected }
    },
    'bulk.nextError': ({ show, after }) => {
      const bad = shown(show).flatMap((row, index) => (has(row, 'error') ? [{ index, row }] : []))
      return bad.find(({ row }) => row.row > after) ?? bad[0] ?? (null as never)
    },
    'bulk.package': ({ row: number }) => {
      const [FirstName = '', LastName = '', Email = ''] = cellsOf(number)
      const base = packageOf()
      const made = withSigners(base, (signer, index) =>
        index === 0 ? { ...signer, FirstName, LastName, Email } : signer
      )
      return { ...base, items: made.items }
    },
    'bulk.send': ({ name }) => {
      const batch = {
        id: newId('batch'),
        accountId: chosen().id,
        name,
        createdAt: state.now(),
        state: 'going' as const,
        counts: { ...countsOf([]), ready: bulk.check.ready },
        leftOut: bulk.check.withErrors,
        total: bulk.check.ready
      }
      state.batches = [batch, ...state.batches]
      emit('batches.changed', { id: batch.id })
      return byId(state.batches, batch.id)
    },
    'bulk.exportFailed': () => ({ label: 'Rows to fix.csv' }),
    'bulk.exportCorrected': () => ({ label: 'Tenants corrected.xlsx' }),
    'bulk.saveSample': ({ format }) => ({ label: `Sample.${format}` }),
    'bulk.close': () => null as never
  }
}

/**
 * Checks like the worker: an address needs an @, a name must not be empty, and anything else is fine once its text has
 * changed.
 */
function correctedRow({ corrected = [], ...row }: BulkRow, column: number, value: string | null): BulkRow {
  const existing = corrected.find((one) => one.column === column)
  const problem = row.problems.find(({ cell }) => cell?.column === column)
  const was = existing?.was ?? problem?.cell?.value ?? ''
  const now = value ?? was
  const isRight = column === 2 ? now.includes('@') : now !== was && now !== ''
  const others = row.problems.filter(({ cell }) => cell?.column !== column)
  const still = problem ?? emailWrong
  const problems = isRight ? others : [{ ...still, cell: { column, value: now } }, ...others]
  const rest = corrected.filter((one) => one.column !== column)
  const all = now === was ? rest : [...rest, { column, name: columns[column] ?? '', was, now }]
  return { ...row, problems, ...(all.length > 0 && { corrected: all }) }
}

const columns = ['First name', 'Surname', 'E-mail', 'Mobile', 'Sign by', 'Address', 'Matter', 'Notes']
const emailWrong = {
  severity: 'error' as const,
  at: 'email',
  column: 'E-mail',
  message: 'This isn’t an e-mail address. Write it like name@example.com.'
}

const streets = ['Kauri Road', 'Beach Street', 'Station Lane', 'Mill Terrace', 'Harbour View']

/** Returns a sheet of tenants: 200 rows, of which 5 have errors, 9 have warnings and 4 are duplicates. */
export function madeUpBulk(now: number, count = 200): FakeState['bulk'] {
  const rows = Array.from({ length: count }, (_, index) => rowOf(index + 1, now))
  const withErrors = rows.filter((row) => has(row, 'error')).length
  return {
    sheet: madeUpSheet(count),
    check: {
      rows: count,
      withErrors,
      withWarnings: rows.filter((row) => has(row, 'warning')).length,
      duplicates: rows.filter((row) => row.duplicateOf).length,
      alike: 0,
      alikeDuplicates: 0,
      withoutCountry: 0,
      corrected: 0,
      ready: count - withErrors,
      unused: ['Notes']
    },
    rows
  }
}

function madeUpSheet(count: number): BulkSheet {
  return {
    id: 'sheet-1',
    fileName: 'Tenants May.xlsx',
    sheets: ['May', 'June'],
    sheet: 'May',
    columns,
    firstRow: 'headings',
    dateDoubts: [],
    rows: count,
    sample: Array.from({ length: Math.min(count, 8) }, (_, index) => cellsOf(index + 1)),
    notes: ['Dates in “Sign by” are read with the day first: 04/12/2026 is 4 December 2026.']
  }
}

function nameOf(row: number): readonly [string, string] {
  const [first] = people[row % people.length] as (typeof people)[number]
  const [, last] = people[(row * 3 + 1) % people.length] as (typeof people)[number]
  return [first, last]
}

function cellsOf(row: number): string[] {
  const [first, last] = nameOf(row)
  const street = streets[row % streets.length] ?? ''
  const email = `${first}.${last}${row}@example.com`.toLowerCase()
  return [first, last, email, `021 555 0${100 + row}`, '12/12/2026', `${row} ${street}`, `M-${400 + row}`, '']
}

function rowOf(row: number, now: number): BulkRow {
  const [first, last] = nameOf(row)
  const bulkRow: BulkRow = { row, title: 'Residential tenancy agreement', who: `${first} ${last}`, problems: [] }
  if (row === 17 || row === 94)
    bulkRow.problems.push({ ...emailWrong, cell: { column: 2, value: `${first}.${last}.example.com`.toLowerCase() } })
  if (row === 58)
    bulkRow.problems.push(
      {
        severity: 'error',
        at: 'last',
        column: 'Surname',
        message: 'Enter the last name.',
        cell: { column: 1, value: '' }
      },
      { ...emailWrong, message: 'Enter an e-mail address.', cell: { column: 2, value: '' } }
    )
  if (row === 121)
    bulkRow.problems.push({
      severity: 'error',
      at: 'due',
      column: 'Sign by',
      message: 'Choose a date in the future.',
      cell: { column: 4, value: '12/12/2024' }
    })
  if (row === 176)
    bulkRow.problems.push({
      severity: 'error',
      at: 'due',
      column: 'Sign by',
      message: '“next friday” isn’t a date. Write it as 31/12/2026 or 2026-12-31.',
      cell: { column: 4, value: 'next friday' }
    })
  if (row % 23 === 0 || row === 2)
    bulkRow.problems.push({
      severity: 'warning',
      at: 'mobile',
      column: 'Mobile',
      message: 'This number seems too short for New Zealand (+64).',
      cell: { column: 3, value: `021 555 0${100 + row}` }
    })
  if (row === 63 || row === 140) bulkRow.duplicateOf = { row: row - 40 }
  if (row === 31 || row === 199) bulkRow.duplicateOf = { sentAt: now - 12 * 86_400_000 }
  return bulkRow
}

function has(row: BulkRow, severity: 'error' | 'warning'): boolean {
  return row.problems.some((problem) => problem.severity === severity)
}
