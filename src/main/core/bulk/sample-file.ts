/** A sample file with a column for each target and one example row. */
import type { ColumnMapping } from '../../../shared/composition/bulk-columns.ts'
import type { BulkTarget } from '../../../shared/composition/bulk-fields.ts'
import { cellsOf } from '../../../shared/composition/bulk-rows.ts'
import { bulkTargets, valueAt } from '../../../shared/composition/bulk-targets.ts'
import type { Composition } from '../../../shared/composition/index.ts'
import { DAY } from '../lib/calendar.ts'
import { type TableFormat, tableFile } from './table-file.ts'

const EXAMPLE_NAME = 'Example'
const examplePeople = [
  { FirstName: 'Aroha', LastName: EXAMPLE_NAME, Email: 'aroha@example.com' },
  { FirstName: 'Tama', LastName: EXAMPLE_NAME, Email: 'tama@example.com' },
  { FirstName: 'Lena', LastName: EXAMPLE_NAME, Email: 'lena@example.com' }
]

/** Builds the sample's table. Headings are the targets' labels; missing required values are made up. */
function sampleTable(composition: Composition, now: number): { columns: string[]; row: string[] } {
  const targets = bulkTargets(composition)
  const cells = cellsOf(composition, targets)
  return {
    columns: targets.map(({ label }) => label),
    row: targets.map((target, index) => cells[index] || exampleValue(composition, target, now))
  }
}

/**
 * Returns a check for the sample's example row. It compares the made-up people only, since dates depend on when the
 * sample was saved.
 */
export function exampleRowCheck(composition: Composition, mapping: ColumnMapping, now: number) {
  const { row } = sampleTable(composition, now)
  const example = new Map(bulkTargets(composition).map(({ target }, index) => [target, row[index]]))
  const personColumns = mapping.filter(({ target }) => /\.(?:FirstName|LastName|Email)$/.test(target))
  const isMadeUp = personColumns.some(
    ({ target }) => target.endsWith('.LastName') && example.get(target) === EXAMPLE_NAME
  )
  return (cells: readonly string[]): boolean =>
    isMadeUp && personColumns.every(({ target, column }) => cells[column] === example.get(target))
}

/** Returns the bytes of the file. `now` is milliseconds since 1970 UTC. */
export function sampleFile(composition: Composition, format: TableFormat, now: number): Uint8Array {
  const { columns, row } = sampleTable(composition, now)
  return tableFile(format, columns, [row])
}

const PRACTICE_PEOPLE = [
  { FirstName: 'Hana', LastName: 'Weka', Email: 'hana.weka@practice.example' },
  { FirstName: 'Tama', LastName: 'Tui', Email: 'tama.tui@practice.example' },
  { FirstName: 'Priya', LastName: 'Nair', Email: 'priya.nair@example.com' },
  { FirstName: 'Oliver', LastName: 'Grant', Email: 'oliver.grant.example.com' },
  { FirstName: 'Leilani', LastName: 'Fonoti', Email: 'leilani.fonoti@example.com' },
  { FirstName: 'Wiremu', LastName: '', Email: 'wiremu.parata@example.com' },
  { FirstName: 'Mei', LastName: 'Chen', Email: 'mei.chen@example.com' },
  { FirstName: 'Sione', LastName: 'Vake', Email: 'sione.vake@example.com' }
]

/**
 * Builds a practice sheet: the people that a package still lacks, due dates, and other required values. The first two
 * people are the practice office's volunteers, who sign automatically; two rows have an error to correct.
 */
export function practiceFile(composition: Composition, now: number): Uint8Array {
  const isPerson = ({ path }: BulkTarget) =>
    !path.includes('ShareUsers') && String(path.at(-1)) in (PRACTICE_PEOPLE[0] as object)
  const hasOneSigner = composition.items.length === 1 && composition.items[0]?.signers.length === 1
  const targets = bulkTargets(composition).filter(
    (one) =>
      one.target === 'due' || (one.required && !valueAt(composition, one.path)) || (hasOneSigner && isPerson(one))
  )
  const rows = PRACTICE_PEOPLE.map((_, row) =>
    targets.map((target) => {
      const name = String(target.path.at(-1))
      // Rotates people, so that each row combines different ones.
      const person = PRACTICE_PEOPLE[(row + 3 * ((target.person ?? 1) - 1)) % PRACTICE_PEOPLE.length]
      if (isPerson(target) && person) return person[name as keyof typeof person]
      return target.kind === 'due' ? shortDate(now + (14 + row) * DAY) : exampleValue(composition, target, now)
    })
  )
  const headings = targets.map(({ label }) =>
    hasOneSigner ? label.replace(/^Signer 1: (.)/, (_, letter: string) => letter.toUpperCase()) : label
  )
  return tableFile('csv', headings, rows)
}

/** Formats a date like "14 December 2026", which is unambiguous. */
function shortDate(at: number): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}

function exampleValue(composition: Composition, target: BulkTarget, now: number): string {
  const name = String(target.path.at(-1))
  const isShared = target.path.includes('ShareUsers')
  const number = (target.person ?? 1) - 1
  const person = examplePeople[(isShared ? number + 1 : number) % examplePeople.length]
  if (person && name in person)
    return distinctEmail(person[name as keyof typeof person], Math.floor(number / examplePeople.length))
  switch (target.kind) {
    case 'due':
      return new Date(now + 14 * DAY).toISOString().slice(0, 10)
    case 'time':
      return '17:00'
    case 'date':
      return new Date(now + DAY).toISOString().slice(0, 10)
    case 'number':
      return '1'
    case 'answer':
      return exampleAnswer(composition, target)
    default:
      return target.required ? 'Example' : ''
  }
}

function exampleAnswer(composition: Composition, { path }: BulkTarget): string {
  const [, item, , signer, , question] = path as [string, number, string, number, string, number]
  const type = composition.items[item]?.signers[signer]?.IDData[question]?.DataType
  return type === 'date' ? '1990-12-31' : type === 'email' ? 'aroha@example.com' : 'Example'
}

/** Makes the fourth person's address differ from the first one's. */
function distinctEmail(text: string, repeat: number): string {
  return repeat === 0 ? text : text.replace('@', `${repeat + 1}@`)
}
