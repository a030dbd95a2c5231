/**
 * What the administrator's command does: makes the office's database and its roles, brings it to this version's schema, looks whether
 * all is as it should be, and invites or revokes workstations. Each may be stopped anywhere and begun again.
 */
import { type Client, escapeIdentifier as named, escapeLiteral as text } from 'pg'
import { connected, inTransaction, type OfficePlace } from './connection.ts'
import { keyFor, meaningOf, newCode, verifierOf } from './joining.ts'
import { sends, sendsForStations } from './migrations/001-sends.ts'
import { feed, feedForStations } from './migrations/002-feed.ts'
import { desks, desksForStations } from './migrations/003-desks.ts'
import { rejoining } from './migrations/004-rejoining.ts'
import { watching, watchingForStations } from './migrations/005-watching.ts'
import { restoring, restoringForStations } from './migrations/006-restoring.ts'
import { tasks, tasksForStations } from './migrations/007-tasks.ts'
import { things, thingsForStations } from './migrations/008-things.ts'
import { keys, keysForStations } from './migrations/009-keys.ts'
import { heads, headsForStations } from './migrations/010-heads.ts'
import { records, recordsForStations } from './migrations/011-records.ts'
import { release, releaseForStations } from './migrations/012-release.ts'
import { counters, countersForStations } from './migrations/013-counters.ts'
import { keyId, newestOf, seal } from './sealing.ts'

/** The oldest server that is taken, as PostgreSQL numbers itself. */
const OLDEST_SERVER = 150_000
/** Held while the schema is made: any number that nothing else in this database locks. */
const SCHEMA_LOCK = 17_1118
/** Held by an administrator's command. Who may do nothing but call functions can't have it, as it could have any number. */
const ALONE = 'LOCK TABLE office.step IN SHARE ROW EXCLUSIVE MODE'

/** One step, frozen once it was released; the next is added after it. */
interface Step {
  readonly name: string
  readonly sql: string
  /** The functions of it that a workstation may call. */
  readonly forStations: readonly string[]
}

const steps: readonly Step[] = [
  { name: 'sends', sql: sends, forStations: sendsForStations },
  { name: 'feed', sql: feed, forStations: feedForStations },
  { name: 'desks', sql: desks, forStations: desksForStations },
  { name: 'rejoining', sql: rejoining, forStations: [] },
  { name: 'watching', sql: watching, forStations: watchingForStations },
  { name: 'restoring', sql: restoring, forStations: restoringForStations },
  { name: 'tasks', sql: tasks, forStations: tasksForStations },
  { name: 'things', sql: things, forStations: thingsForStations },
  { name: 'keys', sql: keys, forStations: keysForStations },
  { name: 'heads', sql: heads, forStations: headsForStations },
  { name: 'records', sql: records, forStations: recordsForStations },
  { name: 'release', sql: release, forStations: releaseForStations },
  { name: 'counters', sql: counters, forStations: countersForStations }
]

/** From which steps on the office's key turns, and heads of trails are told. */
const KEYS_STEP = steps.findIndex(({ name }) => name === 'keys') + 1
const HEADS_STEP = steps.findIndex(({ name }) => name === 'heads') + 1

/** All that a workstation may call. */
export const allowed: readonly string[] = steps.flatMap((step) => step.forStations)

/**
 * Makes the database and its roles where they are not there yet, and its schema.
 * @param administrator who may make databases and roles; of `database`, the name that the office's is to have.
 * @returns how many steps of the schema were applied now.
 */
export async function initOffice(administrator: OfficePlace): Promise<number> {
  const { database } = administrator
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(database)) {
    throw new Error('A database is called by small letters, digits and underscores, 31 at most.')
  }
  const { owner, stations } = rolesOf(database)
  await connected({ ...administrator, database: 'postgres' }, async (client) => {
    const { rows: versions } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::integer AS version`
    )
    if (Number(versions[0]?.version) < OLDEST_SERVER) throw new Error('This server is older than PostgreSQL 15.')
    const isThere = async (sql: string, name: string) => (await client.query(sql, [name])).rowCount === 1
    for (const role of [owner, stations]) {
      if (await isThere('SELECT FROM pg_roles WHERE rolname = $1', role)) continue
      await client.query(`CREATE ROLE ${named(role)} NOLOGIN`)
    }
    await client.query(`GRANT ${named(owner)} TO CURRENT_USER`)
    if (!(await isThere('SELECT FROM pg_database WHERE datname = $1', database))) {
      await client.query(`CREATE DATABASE ${named(database)} OWNER ${named(owner)} ENCODING 'UTF8' TEMPLATE template0`)
    }
    // Neither connect to it nor make tables of a session there, but those who are invited.
    await client.query(`REVOKE ALL ON DATABASE ${named(database)} FROM PUBLIC`)
    await client.query(`GRANT CONNECT ON DATABASE ${named(database)} TO ${named(stations)}`)
  })
  return await upgradeOffice(administrator)
}

/**
 * Applies the steps that are still to do, all or none; of two who do at once, one waits and finds nothing to do.
 * @throws Error if the database has steps that this version doesn't know.
 */
export async function upgradeOffice(administrator: OfficePlace): Promise<number> {
  const { owner, stations } = rolesOf(administrator.database)
  return await connected(administrator, (client) =>
    inTransaction(client, async () => {
      await client.query(`SET LOCAL ROLE ${named(owner)}`)
      const [its] = await rowsOf<{ isThere: boolean }>(
        client,
        `SELECT to_regclass('office.step') IS NOT NULL AS "isThere"`
      )
      if (!its?.isThere) await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
      await client.query(`
        CREATE SCHEMA IF NOT EXISTS office;
        SET LOCAL search_path = office;
        CREATE TABLE IF NOT EXISTS step (
          number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
      await client.query(ALONE)
      const found = await schemaOf(client)
      if (found > steps.length) throw new Error('The office’s database is of a later version than this one.')
      for (const [index, { name, sql }] of steps.entries()) {
        if (index < found) continue
        await client.query(sql)
        await client.query('INSERT INTO step (number, name) VALUES ($1, $2)', [index + 1, name])
      }
      // Everyone may call a function that is new, unless that is taken away.
      await client.query('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA office FROM PUBLIC')
      await client.query(`GRANT USAGE ON SCHEMA office TO ${named(stations)}`)
      await client.query(`GRANT EXECUTE ON FUNCTION ${allowed.map(named).join(', ')} TO ${named(stations)}`)
      return steps.length - found
    })
  )
}

/**
 * Does something as the schema's owner, in one transaction: of two administrators one waits, and finds what the other has left.
 * @throws Error where the schema is of another version.
 */
export async function asOwnerOf<Done>(
  administrator: OfficePlace,
  work: (client: Client) => Promise<Done>
): Promise<Done> {
  const { owner } = rolesOf(administrator.database)
  return await connected(administrator, (client) =>
    inTransaction(client, async () => {
      await client.query(`SET LOCAL ROLE ${named(owner)}; SET LOCAL search_path = office; ${ALONE}`)
      if ((await schemaOf(client)) !== steps.length) {
        throw new Error('The office’s database is of another version. Run upgrade first, by the newest version.')
      }
      return await work(client)
    })
  )
}

/** How the office stands, for its administrator. */
export interface OfficeCheck {
  readonly server: string
  readonly isEncrypted: boolean
  readonly schema: number
  /** The schema that this version knows. */
  readonly known: number
  readonly stations: { joined: number; invited: number }
  /** Those that haven't taken the office's key as it turned last. */
  readonly behind: readonly string[]
  /** Trails that lack what was told of them before, in order; `why` as their workstation says. Times in milliseconds since 1970 UTC. */
  readonly trails: readonly { name: string; why: string; at: number }[]
  /** The first head that doesn't follow from the one before it: someone changed what the server keeps. */
  readonly brokenAt?: number
  /** What workstations may do that they should not; empty where all is well. */
  readonly excess: readonly string[]
}

/** @param headsAtOnce so many heads of audit trails are followed by one statement. */
export async function checkOffice(administrator: OfficePlace, headsAtOnce = HEADS): Promise<OfficeCheck> {
  const { owner, stations } = rolesOf(administrator.database)
  return await connected(administrator, (client) =>
    inTransaction(client, async () => {
      await client.query(`SET LOCAL ROLE ${named(owner)}; SET LOCAL search_path = office`)
      const [server] = await rowsOf<{ server: string; ssl: boolean | null }>(
        client,
        `SELECT current_setting('server_version') AS server, (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS ssl`
      )
      const [counts] = await rowsOf<{ joined: number; invited: number }>(
        client,
        `SELECT (count(*) FILTER (WHERE joined_at IS NOT NULL AND revoked_at IS NULL))::integer AS joined,
           (count(*) FILTER (WHERE joined_at IS NULL AND invited_until >= now()))::integer AS invited FROM station`
      )
      const schema = await schemaOf(client)
      const behind =
        schema < KEYS_STEP
          ? []
          : await rowsOf<{ name: string }>(
              client,
              `SELECT name FROM station WHERE joined_at IS NOT NULL AND revoked_at IS NULL
                 AND key_number <> (SELECT key_number FROM office) ORDER BY lower(name)`
            )
      const { trails, brokenAt } =
        schema < HEADS_STEP ? { trails: [], brokenAt: undefined } : await trailsOf(client, headsAtOnce)
      const excess = await rowsOf<{ what: string }>(
        client,
        `SELECT relname::text AS what FROM pg_class WHERE relnamespace = 'office'::regnamespace AND relkind IN ('r', 'v', 'S')
           AND (CASE WHEN relkind = 'S' THEN has_sequence_privilege($1, oid, 'USAGE, SELECT, UPDATE')
             ELSE has_table_privilege($1, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') END)
         UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = 'office'::regnamespace
           AND has_function_privilege($1, oid, 'EXECUTE') AND proname::text <> ALL ($2)
         UNION ALL SELECT 'the schema' WHERE has_schema_privilege($1, 'office', 'CREATE')
         UNION ALL SELECT 'the database' WHERE has_database_privilege($1, current_database(), 'CREATE, TEMPORARY')`,
        [stations, allowed]
      )
      return {
        server: server?.server ?? '',
        isEncrypted: server?.ssl === true,
        ...{ schema, trails, ...(brokenAt !== undefined && { brokenAt }) },
        known: steps.length,
        stations: { joined: counts?.joined ?? 0, invited: counts?.invited ?? 0 },
        behind: behind.map(({ name }) => name),
        excess: excess.map(({ what }) => what)
      }
    })
  )
}

/** So many heads are read at a time. */
const HEADS = 10_000

interface HeadRow {
  number: number
  station: string
  name: string
  seq: number
  hash: string
  at: number
  cause: string | null
  chained: string
  follows: boolean
}

/** What the heads of trails show, followed from the first to the newest, some at a time. @param most so many at a time. */
async function trailsOf(
  client: Client,
  most: number
): Promise<{ trails: OfficeCheck['trails']; brokenAt: number | undefined }> {
  const trails: { name: string; why: string; at: number }[] = []
  /** The newest that each workstation has said of its trail. */
  const newest = new Map<string, Pick<HeadRow, 'seq' | 'hash'>>()
  let brokenAt: number | undefined
  for (let [last, chained] = [0, '']; ; ) {
    const rows = await rowsOf<HeadRow>(
      client,
      `SELECT it.number::double precision AS number, it.station, station.name, it.seq::double precision AS seq, it.hash,
         it.at_ms::double precision AS at, it.cause, it.chained,
         it.chained = chain_head(lag(it.chained, 1, $2) OVER (ORDER BY it.number),
           ROW(it.number, it.station, it.seq, it.hash, it.at_ms, it.cause, '')::head) AS follows
       FROM (SELECT * FROM head WHERE number > $1 ORDER BY number LIMIT $3) it JOIN station ON station.id = it.station
       ORDER BY it.number`,
      [last, chained, most]
    )
    for (const { number, station, name, seq, hash, at, cause, follows } of rows) {
      if (!follows || number !== last + 1) brokenAt ??= number
      last = number
      const before = newest.get(station)
      const isCut = before !== undefined && (seq < before.seq || (seq === before.seq && hash !== before.hash))
      const why = cause ?? (isCut ? 'cut' : undefined)
      if (why !== undefined) trails.push({ name, why, at })
      newest.set(station, { seq, hash })
    }
    chained = rows.at(-1)?.chained ?? chained
    if (rows.length < most) return { trails, brokenAt }
  }
}

/** All heads of the office's chain, in order, each as a line of JSON: for a check that needs nothing of Countersign's. */
export async function* headLines(administrator: OfficePlace): AsyncGenerator<string> {
  for (let last = 0; ; ) {
    const { owner } = rolesOf(administrator.database)
    const rows = await connected(administrator, (client) =>
      inTransaction(client, async () => {
        await client.query(`SET LOCAL ROLE ${named(owner)}; SET LOCAL search_path = office`)
        return await rowsOf<{ number: number }>(
          client,
          `SELECT it.number::double precision AS number, it.station, station.name, it.seq::double precision AS seq, it.hash,
             it.at_ms::double precision AS at, it.cause, it.chained
           FROM head it JOIN station ON station.id = it.station WHERE it.number > $1 ORDER BY it.number LIMIT ${HEADS}`,
          [last]
        )
      })
    )
    for (const row of rows) yield `${JSON.stringify(row)}\n`
    last = rows.at(-1)?.number ?? last
    if (rows.length < HEADS) return
  }
}

/**
 * Invites a workstation, and takes back invitations that nobody followed.
 * @param key the office's, all that it has had.
 * @param minutes for which the code holds.
 * @returns the code, which is nowhere else.
 * @throws Error where another key counts.
 */
export async function inviteStation(
  administrator: OfficePlace,
  { name, key, minutes }: { name: string; key: Buffer; minutes: number }
): Promise<string> {
  const { database } = administrator
  const { owner, stations } = rolesOf(database)
  const code = newCode()
  const { role, password, key: codeKey } = meaningOf(code, database)
  return await connected(administrator, (client) =>
    inTransaction(client, async () => {
      const asOwner = async (sql: string, values: unknown[] = []) => {
        await client.query(`SET LOCAL ROLE ${named(owner)}`)
        const { rows } = await client.query<{ role_name: string }>(sql, values)
        await client.query('RESET ROLE')
        return rows
      }
      await asOwner(ALONE)
      const old = await asOwner(
        'DELETE FROM office.station WHERE joined_at IS NULL AND invited_until < now() RETURNING role_name'
      )
      const counts = await asOwner(
        'UPDATE office.office SET key_id = coalesce(key_id, $1) WHERE coalesce(key_id, $1) = $1 RETURNING key_number',
        [keyId(newestOf(key))]
      )
      if (counts.length === 0)
        throw new Error(
          'Another key counts in this office. Take the newest copy of the key file, or run rotate-key again if it was stopped.'
        )
      for (const { role_name } of old) await dropRole(client, role_name)
      await client.query(
        `CREATE ROLE ${named(role)} LOGIN CONNECTION LIMIT 10 PASSWORD ${text(verifierOf(password))} IN ROLE ${named(stations)}`
      )
      await asOwner(
        `INSERT INTO office.station (name, role_name, invited_until, sealed_key, key_number)
         SELECT $1, $2, now() + $3 * interval '1 min', $4, key_number FROM office.office`,
        [name, role, minutes, seal(codeKey, keyFor(role), key)]
      )
      return code
    })
  )
}

/**
 * A workstation that is to have no part in the office any more: its role is gone, and its lines end. What it put in the outbox stays, and
 * is sent by the others; what it was sending is in doubt once its claim is over.
 * @returns whether there was a workstation of that name; small and capital letters are the same.
 */
export async function revokeStation(administrator: OfficePlace, name: string): Promise<boolean> {
  const { stations } = rolesOf(administrator.database)
  return await connected(administrator, async (client) => {
    const [station] = await rowsOf<{ id: string; role_name: string }>(
      client,
      'SELECT id, role_name FROM office.station WHERE lower(name) = lower($1) AND revoked_at IS NULL',
      [name]
    )
    if (!station) return false
    const { id, role_name: role } = station
    // It can't come back from here on, nor call anything; and what it has open ends first, or it could keep this waiting by what it holds.
    await client.query(`REVOKE ${named(stations)} FROM ${named(role)}`)
    await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1', [role])
    await inTransaction(client, async () => {
      await client.query('UPDATE office.station SET revoked_at = now(), sealed_key = NULL WHERE id = $1', [id])
      await client.query(`ALTER ROLE ${named(role)} NOLOGIN PASSWORD NULL`)
    })
    await inTransaction(client, () => dropRole(client, role))
    return true
  })
}

/**
 * In a transaction. Anyone may leave something of theirs, such as a large object, by which a role can't go: in this database that goes along. Of
 * what is in another the role stays, as which nobody can sign in.
 */
export async function dropRole(client: Client, role: string): Promise<void> {
  const roles = await rowsOf<{ id: number }>(client, 'SELECT oid AS id FROM pg_roles WHERE rolname = $1', [role])
  for (const { id } of roles) {
    await client.query(`GRANT ${named(role)} TO CURRENT_USER`)
    await client.query(`DROP OWNED BY ${named(role)}`)
    const left = await rowsOf(
      client,
      `SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = $1`,
      [id]
    )
    await client.query(
      left.length === 0 ? `DROP ROLE ${named(role)}` : `ALTER ROLE ${named(role)} NOLOGIN PASSWORD NULL`
    )
  }
}

/** The owner of everything, as whom nobody signs in, and what all workstations are members of. */
function rolesOf(database: string): { owner: string; stations: string } {
  return { owner: `${database}_owner`, stations: `${database}_stations` }
}

async function rowsOf<Row extends object>(client: Client, sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await client.query<Row>(sql, values)).rows
}

async function schemaOf(client: Client): Promise<number> {
  const [row] = await rowsOf<{ number: number }>(
    client,
    'SELECT coalesce(max(number), 0)::integer AS number FROM office.step'
  )
  return row?.number ?? 0
}
