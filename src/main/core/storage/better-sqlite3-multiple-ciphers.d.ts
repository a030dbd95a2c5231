/**
 * The parts of the database package that are used. Its own declarations can't be imported: its `exports` don't list
 * them.
 */
declare module 'better-sqlite3-multiple-ciphers' {
  /** Members of a row are numbers, strings, `Buffer`s or null. `Parameters`: a tuple for `?`, an object for `@name`. */
  export interface Statement<Parameters extends unknown[] | object = unknown[], Row = unknown> {
    run(...parameters: Parameters extends unknown[] ? Parameters : [Parameters]): RunResult
    get(...parameters: Parameters extends unknown[] ? Parameters : [Parameters]): Row | undefined
    all(...parameters: Parameters extends unknown[] ? Parameters : [Parameters]): Row[]
    iterate(...parameters: Parameters extends unknown[] ? Parameters : [Parameters]): IterableIterator<Row>
    /** Returns the first column's value instead of rows. */
    pluck(): this
  }

  export interface RunResult {
    changes: number
    lastInsertRowid: number | bigint
  }

  export type Transaction<Arguments extends unknown[], Result> = ((...given: Arguments) => Result) &
    Record<'deferred' | 'immediate' | 'exclusive', (...given: Arguments) => Result>

  export interface Database {
    readonly open: boolean
    readonly inTransaction: boolean
    readonly memory: boolean
    readonly name: string
    prepare<Parameters extends unknown[] | object = unknown[], Row = unknown>(sql: string): Statement<Parameters, Row>
    transaction<Arguments extends unknown[], Result>(
      work: (...given: Arguments) => Result
    ): Transaction<Arguments, Result>
    exec(sql: string): this
    pragma(source: string, options?: { simple?: boolean }): unknown
    key(key: Buffer): number
    /** Changes the file's key; not possible in WAL mode. */
    rekey(key: Buffer): number
    function(name: string, options: { deterministic?: boolean }, work: (...values: unknown[]) => unknown): this
    close(): this
  }

  export interface Options {
    readonly?: boolean
    fileMustExist?: boolean
    /** How long to wait for another connection's lock, in milliseconds. */
    timeout?: number
  }

  const Sqlite: { new (path: string, options?: Options): Database }
  namespace Sqlite {
    type Database = import('better-sqlite3-multiple-ciphers').Database
  }
  export default Sqlite
}
