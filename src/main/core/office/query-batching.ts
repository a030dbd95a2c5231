/**
 * Batches queries to the office's server that are made at the same moment into one transaction. Without it, fifty
 * workstations with four queries a minute each would cost the server as much as two hundred with one each. Each query
 * is answered as if it had been made alone.
 */
import { DatabaseError, escapeLiteral } from 'pg'

/** Anything that can run a query: a connection, a pool, or a batcher. */
export interface Queryable {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>
}

interface PendingQuery {
  readonly text: string
  readonly values: unknown[] | undefined
  readonly resolve: (answer: { rows: never[] }) => void
  readonly reject: (error: unknown) => void
}

/**
 * Batches queries. Each must be safe to run twice, and must not wait for a lock that another of them holds. Values can
 * be strings, numbers, buffers or null.
 * @param server a pool; or a single connection, which takes one query after the other.
 */
export function batchQueries(server: Queryable, { isConnection = false } = {}): Queryable {
  let pending: PendingQuery[] = []
  let lastQuery: Promise<unknown> = Promise.resolve()

  function run(text: string, values?: unknown[]): Promise<{ rows: never[] }> {
    if (!isConnection) return server.query<never>(text, values)
    const answer = lastQuery.then(() => server.query<never>(text, values))
    lastQuery = answer.catch(() => undefined)
    return answer
  }

  async function runAlone({ text, values, resolve, reject }: PendingQuery): Promise<void> {
    await run(text, values).then(resolve, reject)
  }

  async function flush(): Promise<void> {
    const batch = pending
    pending = []
    const [first, second] = batch
    if (first && !second) return await runAlone(first)
    try {
      const answers: unknown = await run(batch.map(inlineValues).join('; '))
      for (const [index, { resolve }] of batch.entries()) resolve((answers as { rows: never[] }[])[index] ?? NO_ROWS)
    } catch (error) {
      // One query was refused, so none was answered. Each runs alone and gets its own answer or error.
      if (error instanceof DatabaseError && !isConnectionLost(error)) await Promise.all(batch.map(runAlone))
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    query: (text, values) =>
      new Promise((resolve, reject) => {
        // Queries from other timers that fire at this moment join the batch.
        if (pending.length === 0) setTimeout(() => void flush(), 0)
        pending.push({ text, values, resolve, reject })
      })
  }
}

/** Whether the server is shutting down, or ended the connection. */
const isConnectionLost = ({ code = '' }: DatabaseError) => code.startsWith('57P')

const NO_ROWS: { rows: never[] } = { rows: [] }

/** Inlines the values, because a batch of statements can't have parameters. */
function inlineValues({ text, values = [] }: PendingQuery): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]))
}

function literal(value: unknown): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (Buffer.isBuffer(value)) return escapeLiteral(`\\x${value.toString('hex')}`)
  if (typeof value === 'string') return escapeLiteral(value)
  throw new TypeError('Only text, numbers, bytes and null can be asked together with others.')
}
