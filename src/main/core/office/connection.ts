/**
 * Connections to the office's server. They use TLS with a verified certificate, unless the server is this computer. An
 * idle connection that breaks is dropped, without any other effect.
 */
import { randomUUID } from 'node:crypto'
import { Client, type ClientBase, type ClientConfig, type Notification, Pool } from 'pg'

/** The address of the office's database, and the credentials. */
export interface OfficePlace {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
  /** Certificates of authorities to trust instead of the system's, as PEM. */
  readonly ca?: string
}

/** Timeouts for connecting and for a query, in milliseconds. */
const CONNECT_TIMEOUT = 10_000
const QUERY_TIMEOUT = 20_000
/** The only address that can't be intercepted. A name, even `localhost`, could resolve to something else. */
const THIS_COMPUTER = '127.0.0.1'

export function openPool(place: OfficePlace, maxConnections = 4): Pool {
  const pool = new Pool({
    ...configOf(place),
    max: maxConnections,
    idleTimeoutMillis: 60_000,
    onConnect: setStatementTimeout
  })
  // Without a listener, a server restart would crash the application.
  pool.on('error', () => undefined)
  // The pool listens only to idle clients. One in use fails with its next query.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Opens one connection for the duration of `work`. */
export async function withConnection<Done>(place: OfficePlace, work: (client: Client) => Promise<Done>): Promise<Done> {
  const client = new Client(configOf(place))
  client.on('error', () => undefined)
  await client.connect()
  try {
    await setStatementTimeout(client)
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Cancels on the server what nobody waits for any more. It isn't a startup parameter, because poolers refuse parameters
 * that they don't know.
 */
const setStatementTimeout = (client: ClientBase): Promise<unknown> =>
  client.query(`SET statement_timeout = ${QUERY_TIMEOUT}`)

/** The channel on which a workstation tests whether it receives notifications. */
const TEST_CHANNEL = 'countersign_hearing'

/** The server is a pooler that gives each query to another connection, and doesn't deliver notifications. */
class Pooled extends Error {
  override name = 'Pooled'
}

/**
 * Checks that `listener` receives notifications: behind a connection pooler in transaction mode a workstation would
 * silently receive none.
 * @param listener the connection that is to receive notifications.
 * @param other any other connection to the same server.
 * @throws Pooled if a test notification doesn't arrive.
 */
export async function assertNotificationsArrive(listener: ClientBase, other: Pick<ClientBase, 'query'>): Promise<void> {
  const token = randomUUID()
  let isReceived = false
  const receive = ({ payload }: Notification) => {
    isReceived ||= payload === token
  }
  listener.on('notification', receive)
  try {
    await listener.query(`LISTEN ${TEST_CHANNEL}`)
    await other.query('SELECT pg_notify($1, $2)', [TEST_CHANNEL, token])
    // PostgreSQL delivers notifications before the answer to the next query, so there is nothing to wait for.
    await listener.query(`UNLISTEN ${TEST_CHANNEL}`)
  } finally {
    listener.off('notification', receive)
  }
  if (!isReceived) throw new Pooled()
}

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

/** Sets everything explicitly: otherwise pg would read the user's environment variables and files. */
export function configOf({ host, port, database, user, password, ca }: OfficePlace): ClientConfig {
  return {
    host,
    port,
    database,
    user,
    password,
    // By default pg would compare the certificate of an IP address with `localhost`.
    ssl: host === THIS_COMPUTER ? false : { host, rejectUnauthorized: true, minVersion: 'TLSv1.2', ...(ca && { ca }) },
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
    keepAlive: true,
    application_name: 'Countersign'
  }
}
