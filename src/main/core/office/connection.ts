/**
 * The line to the office's server. It speaks TLS, and the certificate is verified, unless the server is this computer. A connection that
 * breaks while nothing is asked of it is let go, and ends nothing else.
 */
import { randomUUID } from 'node:crypto'
import { Client, type ClientBase, type ClientConfig, type Notification, Pool } from 'pg'

/** Where the office's database is, and who asks. */
export interface OfficePlace {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
  /** The certificates of authorities that are trusted in place of the system's, as PEM. */
  readonly ca?: string
}

/** How long a connection may take to begin, and a question to be answered, in milliseconds. */
const CONNECTING = 10_000
const ANSWERING = 20_000
/** The only address that nobody can listen in on. A name, `localhost` too, can lead elsewhere. */
const THIS_COMPUTER = '127.0.0.1'

/** Several connections, made as they are wanted. */
export function openPool(place: OfficePlace, most = 4): Pool {
  const pool = new Pool({ ...configOf(place), max: most, idleTimeoutMillis: 60_000, onConnect: limit })
  // Without a listener a server that restarts would end the whole application.
  pool.on('error', () => undefined)
  // The pool listens to what lies idle alone; one that someone has is given up by its next question.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** One connection, for as long as `work` takes. */
export async function connected<Done>(place: OfficePlace, work: (client: Client) => Promise<Done>): Promise<Done> {
  const client = new Client(configOf(place))
  client.on('error', () => undefined)
  await client.connect()
  try {
    await limit(client)
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** What nobody waits for any more isn't done after all. As the connection begins, a pooler would refuse what it doesn't know. */
const limit = (client: ClientBase): Promise<unknown> => client.query(`SET statement_timeout = ${ANSWERING}`)

/** What a workstation's line is rung by to find out whether it hears. */
const HEARING = 'countersign_hearing'

/** What answers here gives each question to another connection, and hands no bell on. */
class Pooled extends Error {
  override name = 'Pooled'
}

/**
 * Rings once, and listens: a connection pooler in transaction mode would leave a workstation deaf, without a word.
 * @param bell the connection that others' bells are to come by; `other` any other of the same server.
 * @throws Pooled where the bell isn't heard.
 */
export async function mustHear(bell: ClientBase, other: Pick<ClientBase, 'query'>): Promise<void> {
  const word = randomUUID()
  let isHeard = false
  const hear = ({ payload }: Notification) => {
    isHeard ||= payload === word
  }
  bell.on('notification', hear)
  try {
    await bell.query(`LISTEN ${HEARING}`)
    await other.query('SELECT pg_notify($1, $2)', [HEARING, word])
    // PostgreSQL hands over what was rung before it answers the next question, so nothing has to be waited for.
    await bell.query(`UNLISTEN ${HEARING}`)
  } finally {
    bell.off('notification', hear)
  }
  if (!isHeard) throw new Pooled()
}

/** Does all of `work` or nothing of it. */
export async function inTransaction<Done>(client: Client, work: () => Promise<Done>): Promise<Done> {
  await client.query('BEGIN')
  try {
    const done = await work()
    await client.query('COMMIT')
    return done
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** Everything is given, so that nothing is taken from the surroundings: pg would read variables and files of the user. */
export function configOf({ host, port, database, user, password, ca }: OfficePlace): ClientConfig {
  return {
    ...{ host, port, database, user, password },
    // pg itself would compare the certificate of an address with `localhost`.
    ssl: host === THIS_COMPUTER ? false : { host, rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(ca && { ca }) },
    connectionTimeoutMillis: CONNECTING,
    query_timeout: ANSWERING,
    keepAlive: true,
    application_name: 'Countersign'
  }
}
