/**
 * How the rows of a table are read and written: for each member of a record its column, and what that holds. The record's type
 * follows from it, so that neither the row nor the way from one to the other is written down again.
 */

/** A column, named as its member unless it is given a name, and how its value is read and written. */
interface Column<Value> {
  readonly name: string | undefined
  readonly isOptional?: true
  read(stored: unknown): Value
  write(value: Value): unknown
}

/** A row as the database gives it, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** What is kept as it is, NULL as null. */
export function value<Value extends string | number | null>(name?: string): Column<Value> {
  return { name, read: (stored) => stored as Value, write: (kept) => kept }
}

/** Yes or no, kept as 1 or 0. */
export function flag(name?: string): Column<boolean> {
  return { name, read: (stored) => stored === 1, write: (kept) => (kept ? 1 : 0) }
}

/** What is kept as JSON. */
export function json<Value>(name?: string): Column<Value> {
  return { name, read: (stored) => JSON.parse(stored as string) as Value, write: (kept) => JSON.stringify(kept) }
}

/** What may be missing: undefined here, and NULL there. */
export function optional<Value>({ name, read, write }: Column<Value>): Column<Value | undefined> {
  return {
    name,
    isOptional: true,
    read: (stored) => (stored === null ? undefined : read(stored)),
    write: (kept) => (kept === undefined ? null : write(kept))
  }
}

/** The rows of a table, with members in the order in which they are read. */
export class Rows<Shape extends object> {
  /** The columns' names, as a SELECT lists them. */
  readonly columns: string
  readonly #columns: readonly (Column<unknown> & { member: string; name: string })[]

  constructor(columns: { [Name in keyof Shape]: Column<Shape[Name]> }) {
    this.#columns = Object.entries(columns as Record<string, Column<unknown>>).map(([member, column]) => ({
      ...column,
      member,
      name: column.name ?? member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    }))
    this.columns = this.#columns.map(({ name }) => name).join(', ')
  }

  /** The record of a row. @throws SyntaxError for what should be JSON and isn't. */
  readonly read = (row: Row): Shape => {
    const record: Record<string, unknown> = {}
    for (const { member, name, read } of this.#columns) record[member] = read(row[name])
    return record as Shape
  }

  /** As `read`, of a row that may not be there. */
  readonly find = (row: Row | undefined): Shape | undefined => row && this.read(row)

  /** Members as a statement takes them: by their own names, those that may be missing all there. */
  write(record: { readonly [Name in keyof Shape]?: Shape[Name] | undefined }): Record<string, unknown> {
    const given = record as Record<string, unknown>
    const written = this.#columns.filter(({ member, isOptional }) => isOptional || given[member] !== undefined)
    return Object.fromEntries(written.map(({ member, write }) => [member, write(given[member])]))
  }
}

export type RecordOf<Table> = Table extends Rows<infer Shape> ? Shape : never
