/** The made-up office's sheets: one that is "chosen", what checking it finds, the batch made of it. */
import type { BulkRow, BulkSheet } from '../../../src/shared/contract/views.ts'
import type { FakeState } from '../fake-api.ts'
import { people } from '../people.ts'
import { byId, Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'
import { countsOf } from './outbox.ts'

export function fakeBulk({ state, emit, chosen, newId }: FakeOffice): HandlersOf<'bulk'> {
  const { bulk } = state
  return {
    'bulk.open': () => bulk.sheet as never,
    'bulk.sheet': ({ sheet }) => {
      if (!bulk.sheet) throw new Failure('gone')
      return { ...bulk.sheet, sheet }
    },
    'bulk.remembered': () => (bulk.remembered ?? null) as never,
    'bulk.check': () => bulk.check,
    'bulk.rows': ({ show, ...page }) => {
      const fitting = bulk.rows.filter(
        (row) =>
          show === 'all' ||
          (show === 'errors' && row.problems.some((problem) => problem.severity === 'error')) ||
          (show === 'warnings' && row.problems.some((problem) => problem.severity === 'warning')) ||
          (show === 'duplicates' && row.duplicateOf !== undefined) ||
          (show === 'alike' && row.alikeSentAt !== undefined)
      )
      return { rows: pageOf(fitting, page), total: fitting.length }
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
    'bulk.exportFailed': () => ({ label: 'Rows to mend.csv' }),
    'bulk.saveSample': ({ format }) => ({ label: `Sample.${format}` }),
    'bulk.close': () => null as never
  }
}

const streets = ['Kauri Road', 'Beach Street', 'Station Lane', 'Mill Terrace', 'Harbour View']

/** A sheet of tenants: 200 rows, of which 5 have errors, 9 have warnings and 4 repeat others. */
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
      withoutCountry: 0,
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
    columns: ['First name', 'Surname', 'E-mail', 'Mobile', 'Sign by', 'Address', 'Matter', 'Notes'],
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
  const told: BulkRow = { row, title: 'Residential tenancy agreement', who: `${first} ${last}`, problems: [] }
  const email = { severity: 'error' as const, at: 'email', column: 'E-mail' }
  if (row === 17 || row === 94)
    told.problems.push({ ...email, message: 'This isn’t an e-mail address. Write it like name@example.com.' })
  if (row === 58)
    told.problems.push(
      { severity: 'error', at: 'last', column: 'Surname', message: 'Enter the last name.' },
      { ...email, message: 'Enter an e-mail address.' }
    )
  if (row === 121)
    told.problems.push({ severity: 'error', at: 'due', column: 'Sign by', message: 'Choose a date in the future.' })
  if (row === 176)
    told.problems.push({
      severity: 'error',
      at: 'due',
      column: 'Sign by',
      message: '“next friday” can’t be read as a date. Write it as 4 December 2026.'
    })
  if (row % 23 === 0 || row === 2)
    told.problems.push({
      severity: 'warning',
      at: 'mobile',
      column: 'Mobile',
      message: 'This number seems too short for New Zealand (+64).'
    })
  if (row === 63 || row === 140) told.duplicateOf = { row: row - 40 }
  if (row === 31 || row === 199) told.duplicateOf = { sentAt: now - 12 * 86_400_000 }
  return told
}

function has(row: BulkRow, severity: 'error' | 'warning'): boolean {
  return row.problems.some((problem) => problem.severity === severity)
}
