/** A file with a column for each target and one row that shows how they are filled in. */
import type { ColumnMapping } from '../../../shared/composition/bulk-columns.ts'
import type { BulkTarget } from '../../../shared/composition/bulk-fields.ts'
import { rowOf } from '../../../shared/composition/bulk-rows.ts'
import { bulkTargets } from '../../../shared/composition/bulk-targets.ts'
import type { Composition } from '../../../shared/composition/index.ts'
import { DAY } from '../lib/calendar.ts'
import { type TableFormat, tableFile } from './table-file.ts'

const MADE_UP = 'Example'
const people = [
  { FirstName: 'Aroha', LastName: MADE_UP, Email: 'aroha@example.com' },
  { FirstName: 'Tama', LastName: MADE_UP, Email: 'tama@example.com' },
  { FirstName: 'Lena', LastName: MADE_UP, Email: 'lena@example.com' }
]

/** The headings are the targets' labels; what the composition leaves blank and needs is made up. */
function sampleTable(composition: Composition, now: number): { columns: string[]; row: string[] } {
  const targets = bulkTargets(composition)
  const cells = rowOf(composition, targets)
  return {
    columns: targets.map(({ label }) => label),
    row: targets.map((target, index) => cells[index] || made(composition, target, now))
  }
}

/**
 * Tells the sample's example row from a row that is meant, by the made-up people in it: dates depend on the day on which the
 * sample was saved.
 */
export function exampleRowOf(composition: Composition, mapping: ColumnMapping, now: number) {
  const { row } = sampleTable(composition, now)
  const example = new Map(bulkTargets(composition).map(({ target }, index) => [target, row[index]]))
  const people = mapping.filter(({ target }) => /\.(?:FirstName|LastName|Email)$/.test(target))
  const isMadeUp = people.some(({ target }) => target.endsWith('.LastName') && example.get(target) === MADE_UP)
  return (cells: readonly string[]): boolean =>
    isMadeUp && people.every(({ target, column }) => cells[column] === example.get(target))
}

/** The bytes of the file. `now` is milliseconds since 1970 UTC. */
export function sampleFile(composition: Composition, format: TableFormat, now: number): Uint8Array {
  const { columns, row } = sampleTable(composition, now)
  return tableFile(format, columns, [row])
}

function made(composition: Composition, target: BulkTarget, now: number): string {
  const name = String(target.path.at(-1))
  const isShared = target.path.includes('ShareUsers')
  const number = (target.person ?? 1) - 1
  const person = people[(isShared ? number + 1 : number) % people.length]
  if (person && name in person) return unlike(person[name as keyof typeof person], Math.floor(number / people.length))
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
      return answerFor(composition, target)
    default:
      return target.required ? 'Example' : ''
  }
}

function answerFor(composition: Composition, { path }: BulkTarget): string {
  const [, item, , signer, , question] = path as [string, number, string, number, string, number]
  const type = composition.items[item]?.signers[signer]?.IDData[question]?.DataType
  return type === 'date' ? '1990-12-31' : type === 'email' ? 'aroha@example.com' : 'Example'
}

/** The fourth person's address isn't the first one's. */
function unlike(text: string, round: number): string {
  return round === 0 ? text : text.replace('@', `${round + 1}@`)
}
