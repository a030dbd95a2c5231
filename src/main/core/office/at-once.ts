/**
 * Questions to the office's server that are asked at the same moment go there together, as one transaction: fifty workstations that ask
 * four things a minute would else cost it as much as two hundred that ask one. Each is answered as if it had been asked alone.
 */
import { DatabaseError, escapeLiteral } from 'pg'

/** What can be asked: a connection, several of them, or what puts questions together. */
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
 * For questions of which any may be asked twice, and that wait for nothing which another of them has. Their values are text, numbers or bytes.
 * @param server a connection, or several.
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
      // One of them was refused, and none was answered: the server says of each by itself what it has to say.
      if (error instanceof DatabaseError && !isGone(error)) await Promise.all(questions.map(askAlone))
      else for (const { fail } of questions) fail(error)
    }
  }

  return {
    query: (text, values) =>
      new Promise((answer, fail) => {
        // What others ask as their timers run out at this moment goes along.
        if (waiting.length === 0) setTimeout(() => void ask(), 0)
        waiting.push({ text, values, answer, fail })
      })
  }
}

/** The server ends, or ended the connection. */
const isGone = ({ code = '' }: DatabaseError) => code.startsWith('57P')

const NOTHING: { rows: never[] } = { rows: [] }

/** With its values in it, as several that are asked together can have none beside them. */
function written({ text, values = [] }: Question): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]))
}

function literal(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (Buffer.isBuffer(value)) return escapeLiteral(`\\x${value.toString('hex')}`)
  if (typeof value === 'string') return escapeLiteral(value)
  throw new TypeError('Only text, numbers and bytes can be asked together with others.')
}
