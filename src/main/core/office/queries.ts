/**
 * Queries to the office's server as the code reads them: columns are named like members (`is_mine` is `isMine`), and
 * those that are NULL are absent.
 */
import type { Queryable } from './query-batching.ts'

export function queriesOf(server: Queryable) {
  async function rows<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    const answer = await server.query<Record<string, unknown>>(sql, values)
    const columns = Object.keys(answer.rows[0] ?? {}).map((column) => ({ column, member: memberOf(column) }))
    return answer.rows.map((row) => {
      const present = columns.filter(({ column }) => row[column] !== null)
      return Object.fromEntries(present.map(({ column, member }) => [member, row[column]])) as Row
    })
  }
  /** Returns the only column of the first row. */
  async function value<Value>(sql: string, ...values: unknown[]): Promise<Value | undefined> {
    const [row = {}] = await rows<Record<string, Value>>(sql, ...values)
    return Object.values(row)[0]
  }
  return {
    rows,
    value,
    /** Returns whether the server answers that it is so, or was done. */
    isTrue: async (sql: string, ...values: unknown[]): Promise<boolean> => (await value(sql, ...values)) === true
  }
}

function memberOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
