/**
 * SQL statements as functions: each is prepared once and takes its parameters (`[id: string]`). Those of a table return
 * its records.
 */
import type { Row, Rows } from '../lib/rows.ts'
import type { Db } from './connection.ts'

export class Statements {
  protected readonly db: Db

  constructor(db: Db) {
    this.db = db
  }

  /** A write; returns the number of changed rows. */
  run<Given extends unknown[]>(sql: string): (...given: Given) => number {
    const statement = this.db.prepare<unknown[]>(sql)
    return (...given) => statement.run(...given).changes
  }

  /** Returns the first column of the first row. */
  value<Given extends unknown[], Value>(sql: string): (...given: Given) => Value | undefined {
    const statement = this.db.prepare<unknown[], Value>(sql).pluck()
    return (...given) => statement.get(...given)
  }

  /** Returns the first column of every row. */
  values<Given extends unknown[], Value>(sql: string): (...given: Given) => Value[] {
    const statement = this.db.prepare<unknown[], Value>(sql).pluck()
    return (...given) => statement.all(...given)
  }
}

/** Statements of one table. Pass what follows its name in a SELECT: `WHERE id = ?`. */
export class TableStatements<Shape extends object> extends Statements {
  readonly #rows: Rows<Shape>
  readonly #select: string

  constructor(db: Db, table: string, rows: Rows<Shape>) {
    super(db)
    this.#rows = rows
    this.#select = `SELECT ${rows.columns} FROM ${table}`
  }

  /** Returns the first matching record. */
  one<Given extends unknown[]>(which: string): (...given: Given) => Shape | undefined {
    const statement = this.db.prepare<unknown[], Row>(`${this.#select} ${which}`)
    return (...given) => this.#rows.find(statement.get(...given))
  }

  /** Returns every matching record. */
  all<Given extends unknown[]>(which: string): (...given: Given) => Shape[] {
    const statement = this.db.prepare<unknown[], Row>(`${this.#select} ${which}`)
    return (...given) => statement.all(...given).map(this.#rows.read)
  }
}
