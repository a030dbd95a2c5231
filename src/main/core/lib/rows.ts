/**
 * Maps table rows to records: a column, with its conversion, for each member. The record's type is inferred, so that
 * neither the row type nor the conversion needs to be written twice.
 */

/** How a column is read and written; its name derives from the member's unless given. */
interface Column<Value> {
  readonly name: string | undefined
  readonly isOptional?: true
  read(stored: unknown): Value
  write(value: Value): unknown
}

/** A row as the database returns it, by column name. */
export type Row = Readonly<Record<string, unknown>>

/** A column stored unchanged; NULL is null. */
export function value<Value extends string | number | null>(name?: string): Column<Value> {
  return { name, read: (stored) => stored as Value, write: (kept) => kept }
}

/** A boolean, stored as 1 or 0. */
export function flag(name?: string): Column<boolean> {
  return { name, read: (stored) => stored === 1, write: (kept) => (kept ? 1 : 0) }
}

export function json<Value>(name?: string): Column<Value> {
  return { name, read: (stored) => JSON.parse(stored as string) as Value, write: (kept) => JSON.stringify(kept) }
}

/** A value that may be missing: undefined in the record, NULL in the database. */
export function optional<Value>({ name, read, write }: Column<Value>): Column<Value | undefined> {
  return {
    name,
    isOptional: true,
    read: (stored) => (stored === null ? undefined : read(stored)),
    write: (kept) => (kept === undefined ? null : write(kept))
  }
}

/** Converts a table's rows, with members in the order in which they are read. */
export class Rows<Shape extends object> {
  /** Column names for a SELECT. */
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

  /** Converts a row to a record. @throws SyntaxError if a JSON column is invalid. */
  readonly read = (row: Row): Shape => {
    const record: Record<string, unknown> = {}
    for (const { member, name, read } of this.#columns) record[member] = read(row[name])
    return record as Shape
  }

  /** As `read`, for a row that may be missing. */
  readonly find = (row: Row | undefined): Shape | undefined => row && this.read(row)

  /**
   * Converts members to a statement's parameters, under the members' own names. Optional members are always included.
   */
  write(record: { readonly [Name in keyof Shape]?: Shape[Name] | undefined }): Record<string, unknown> {
    const given = record as Record<string, unknown>
    const written = this.#columns.filter(({ member, isOptional }) => isOptional || given[member] !== undefined)
    return Object.fromEntries(written.map(({ member, write }) => [member, write(given[member])]))
  }
}

export type RecordOf<Table> = Table extends Rows<infer Shape> ? Shape : never
