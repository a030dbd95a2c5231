/**
 * What conditions ask of rows, in arrays by the rows' ids: a look at 100,000 of them is then a walk through memory
 * rather than a visit to as many objects.
 */
import { IDENTITY_STATES, STATUS_FAMILIES } from '../../../../shared/contract/index.ts'
import { hasEnded, type IndexRow, waitsHere, writtenDay } from './row.ts'

/** Bits of `flags`. */
export const FLAG = { unread: 1, hasFile: 2, waitsHere: 4, gone: 8, ended: 16 } as const

/**
 * Times are milliseconds since 1970 UTC, and NaN, which is in no order with any, where there is none. A due date without
 * a time has no `due` but a `dueDay`: that day's midnight as if it were UTC, since where the day begins is for who asks.
 */
const TIMES = ['due', 'dueDay', 'idleSince', 'arrivedAt', 'completedAt', 'signed', 'of'] as const

export type Columns = ReturnType<typeof openColumns>

export function openColumns(capacity: number) {
  const folderNumbers = new Map<string, number>()
  const packages = packageNumbers()
  const numbers = Object.fromEntries(TIMES.map((name) => [name, new Float64Array(capacity)])) as Record<
    (typeof TIMES)[number],
    Float64Array
  >
  const columns = {
    ...numbers,
    flags: new Uint8Array(capacity),
    family: new Uint8Array(capacity),
    /** By `IDENTITY_STATES`. */
    identity: new Uint8Array(capacity),
    folder: new Uint32Array(capacity),
    /** Documents of one package have one number; nought where a document has none. */
    package: new Uint32Array(capacity),
    rows: [] as (IndexRow | undefined)[],

    /** The number that stands for a folder; one that no row is in has one of its own. */
    numberOf: (folder: string): number => folderNumbers.get(folder) ?? folderNumbers.size,

    /** No package has a number above this. */
    packages: packages.highest,

    put(rowId: number, row: IndexRow): void {
      if (rowId >= columns.flags.length) grow()
      const { due, progress, folder, packageReference } = row
      if (!folderNumbers.has(folder)) folderNumbers.set(folder, folderNumbers.size)
      const before = columns.rows[rowId]?.packageReference
      if (before !== packageReference) {
        if (packageReference !== undefined) columns.package[rowId] = packages.join(packageReference)
        else columns.package[rowId] = 0
        if (before !== undefined) packages.leave(before)
      }
      columns.rows[rowId] = row
      columns.due[rowId] = due?.precision === 'time' ? due.at : Number.NaN
      columns.dueDay[rowId] = due?.precision === 'day' ? writtenDay(due, row.gmt) : Number.NaN
      columns.idleSince[rowId] = idleSince(row)
      columns.arrivedAt[rowId] = row.arrivedAt
      columns.completedAt[rowId] = row.completedAt ?? Number.NaN
      columns.signed[rowId] = progress?.signed ?? Number.NaN
      columns.of[rowId] = progress?.of ?? Number.NaN
      columns.family[rowId] = STATUS_FAMILIES.indexOf(row.status.family)
      columns.identity[rowId] = IDENTITY_STATES.indexOf(row.identity)
      columns.folder[rowId] = columns.numberOf(folder)
      columns.flags[rowId] =
        (row.unread ? FLAG.unread : 0) |
        (row.hasFileUploaded ? FLAG.hasFile : 0) |
        (waitsHere(row) ? FLAG.waitsHere : 0) |
        (row.goneAt === undefined ? 0 : FLAG.gone) |
        (hasEnded(row) ? FLAG.ended : 0)
    },

    remove(rowId: number): void {
      const before = columns.rows[rowId]?.packageReference
      if (before !== undefined) packages.leave(before)
      columns.rows[rowId] = undefined
      columns.package[rowId] = 0
    }
  }

  function grow(): void {
    for (const name of TIMES) columns[name] = larger(columns[name], new Float64Array(columns[name].length * 2))
    columns.folder = larger(columns.folder, new Uint32Array(columns.folder.length * 2))
    columns.package = larger(columns.package, new Uint32Array(columns.package.length * 2))
    columns.flags = larger(columns.flags, new Uint8Array(columns.flags.length * 2))
    columns.family = larger(columns.family, new Uint8Array(columns.family.length * 2))
    columns.identity = larger(columns.identity, new Uint8Array(columns.identity.length * 2))
  }

  return columns
}

/** A number for each package that has documents; the number of one without any goes to another. */
function packageNumbers() {
  const numbers = new Map<string, number>()
  const free: number[] = []
  const documents: number[] = [0]
  return {
    highest: (): number => documents.length - 1,

    join(reference: string): number {
      const number = numbers.get(reference) ?? free.pop() ?? documents.length
      numbers.set(reference, number)
      documents[number] = (documents[number] ?? 0) + 1
      return number
    },

    leave(reference: string): void {
      const number = numbers.get(reference)
      if (number === undefined) return
      const left = (documents[number] as number) - 1
      documents[number] = left
      if (left > 0) return
      numbers.delete(reference)
      free.push(number)
    }
  }
}

/** When it was last signed or changed. */
function idleSince({ lastSigned, changedAt }: IndexRow): number {
  return Math.max(lastSigned?.at ?? changedAt, changedAt)
}

function larger<List extends Float64Array | Uint32Array | Uint8Array>(list: List, into: List): List {
  into.set(list)
  return into
}
