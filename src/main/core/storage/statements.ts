/**
 * Statements as functions: each is prepared once, where it is named, and takes what stands in its places (`[id: string]`).
 * Those of a table answer its records.
 */
import type { Row, Rows } from '../lib/rows.ts'
import type { Db } from './connection.ts'

export class Statements {
  protected readonly db: Db

  constructor(db: Db) {
    this.db = db
  }

  /** Writes; the function answers how many rows it has changed. */
  run<Given extends unknown[]>(sql: string): (...given: Given) => number {
    const statement = this.db.prepare<unknown[]>(sql)
    return (...given) => statement.run(...given).changes
  }

  /** The first column of the first row that is found. */
  value<Given extends unknown[], Value>(sql: string): (...given: Given) => Value | undefined {
    const statement = this.db.prepare<unknown[], Value>(sql).pluck()
    return (...given) => statement.get(...given)
  }

  /** The first column of every row that is found. */
  values<Given extends unknown[], Value>(sql: string): (...given: Given) => Value[] {
    const statement = this.db.prepare<unknown[], Value>(sql).pluck()
    return (...given) => statement.all(...given)
  }
}

/** Of one table. What is asked for is what follows its name in a SELECT: `WHERE id = ?`. */
export class TableStatements<Shape extends object> extends Statements {
  readonly #rows: Rows<Shape>
  readonly #select: string

  constructor(db: Db, table: string, rows: Rows<Shape>) {
    super(db)
    this.#rows = rows
    this.#select = `SELECT ${rows.columns} FROM ${table}`
  }

  /** The first record that is found. */
  one<Given extends unknown[]>(which: string): (...given: Given) => Shape | undefined {
    const statement = this.db.prepare<unknown[], Row>(`${this.#select} ${which}`)
    return (...given) => this.#rows.find(statement.get(...given))
  }

  /** Every record that is found. */
  all<Given extends unknown[]>(which: string): (...given: Given) => Shape[] {
    const statement = this.db.prepare<unknown[], Row>(`${this.#select} ${which}`)
    return (...given) => statement.all(...given).map(this.#rows.read)
  }
}
