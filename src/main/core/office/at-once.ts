/**
 * Batches queries to the office's server that are made at the same moment into one transaction. Without it, fifty
 * workstations with four queries a minute each would cost the server as much as two hundred with one each. Each query
 * is answered as if it had been made alone.
 */
import { DatabaseError, escapeLiteral } from 'pg'

/** Anything that can run a query: a connection, a pool, or a batcher. */
export interface Asking {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>
}

interface Question {
  readonly text: string
  readonly values: unknown[] | undefined
  readonly answer: (answer: { rows: never[] }) => void
  readonly fail: (error: unknown) => void
}

/**
 * Batches queries. Each must be safe to run twice, and must not wait for a lock that another of them holds. Values can
 * be strings, numbers or buffers.
 * @param server a connection or a pool.
 */
export function askedAtOnce(server: Asking): Asking {
  let waiting: Question[] = []

  async function askAlone({ text, values, answer, fail }: Question): Promise<void> {
    await server.query<never>(text, values).then(answer, fail)
  }

  async function ask(): Promise<void> {
    const questions = waiting
    waiting = []
    const [first, second] = questions
    if (first && !second) return await askAlone(first)
    try {
      const answers: unknown = await server.query(questions.map(written).join('; '))
      for (const [index, { answer }] of questions.entries()) answer((answers as { rows: never[] }[])[index] ?? NOTHING)
    } catch (error) {
      // One query was refused, so none was answered. Each runs alone and gets its own answer or error.
      if (error instanceof DatabaseError && !isGone(error)) await Promise.all(questions.map(askAlone))
      else for (const { fail } of questions) fail(error)
    }
  }

  return {
    query: (text, values) =>
      new Promise((answer, fail) => {
        // Queries from other timers that fire at this moment join the batch.
        if (waiting.length === 0) setTimeout(() => void ask(), 0)
        waiting.push({ text, values, answer, fail })
      })
  }
}

/** Whether the server is shutting down, or ended the connection. */
const isGone = ({ code = '' }: DatabaseError) => code.startsWith('57P')

const NOTHING: { rows: never[] } = { rows: [] }

/** Inlines the values, because a batch of statements can't have parameters. */
function written({ text, values = [] }: Question): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]))
}

function literal(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (Buffer.isBuffer(value)) return escapeLiteral(`\\x${value.toString('hex')}`)
  if (typeof value === 'string') return escapeLiteral(value)
  throw new TypeError('Only text, numbers and bytes can be asked together with others.')
}
