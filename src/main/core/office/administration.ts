/**
 * The work behind the administrator's command: creates the office's database and roles, upgrades its schema, checks its
 * state, and invites or revokes workstations. Each can be interrupted at any point and run again.
 */
import { type Client, escapeIdentifier as quoteIdentifier, escapeLiteral as quoteLiteral } from 'pg'
import { inTransaction, type OfficePlace, withConnection } from './connection.ts'
import { credentialsOfCode, keyIdentityOf, newCode, verifierOf } from './joining.ts'
import { type Step, steps } from './migrations.ts'
import { keyId, newestOf, seal } from './sealing.ts'

/** The oldest supported server, in PostgreSQL's own numbering. */
const MIN_SERVER_VERSION = 150_000
/** Held while the schema is created. Any number that nothing else in this database locks will do. */
const SCHEMA_LOCK = 17_1118
/**
 * Held by every administrator's command. Roles that may only call functions can't take a table lock; an advisory lock
 * with any number would be open to them.
 */
const LOCK_STEPS = 'LOCK TABLE office.step IN SHARE ROW EXCLUSIVE MODE'

export const workstationFunctions: readonly string[] = functionsOf(steps)

/**
 * Creates the database and its roles if they are missing, and its schema.
 * @param administrator a user who may create databases and roles; `database` is the name for the office's database.
 * @returns how many steps of the schema were applied.
 */
export async function initOffice(administrator: OfficePlace): Promise<number> {
  const { database } = administrator
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(database)) {
    throw new Error('A database’s name has only small letters, digits and underscores, 31 at most.')
  }
  const { owner, workstations } = rolesOf(database)
  await withConnection({ ...administrator, database: 'postgres' }, async (client) => {
    const { rows: versions } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::integer AS version`
    )
    if (Number(versions[0]?.version) < MIN_SERVER_VERSION) throw new Error('This server is older than PostgreSQL 15.')
    const exists = async (sql: string, name: string) => (await client.query(sql, [name])).rowCount === 1
    for (const role of [owner, workstations]) {
      if (await exists('SELECT FROM pg_roles WHERE rolname = $1', role)) continue
      await client.query(`CREATE ROLE ${quoteIdentifier(role)} NOLOGIN`)
    }
    await client.query(`GRANT ${quoteIdentifier(owner)} TO CURRENT_USER`)
    if (!(await exists('SELECT FROM pg_database WHERE datname = $1', database))) {
      await client.query(
        `CREATE DATABASE ${quoteIdentifier(database)} OWNER ${quoteIdentifier(owner)} ENCODING 'UTF8' TEMPLATE template0`
      )
    }
    // Only invited workstations may connect, or create temporary tables.
    await client.query(`REVOKE ALL ON DATABASE ${quoteIdentifier(database)} FROM PUBLIC`)
    await client.query(`GRANT CONNECT ON DATABASE ${quoteIdentifier(database)} TO ${quoteIdentifier(workstations)}`)
  })
  return await upgradeOffice(administrator)
}

/**
 * Applies the pending steps, all or none. If two administrators do this at once, one waits and finds nothing left to
 * do.
 * @param known all steps of the version that is upgraded to.
 * @throws Error if the database has steps that this version doesn't know.
 */
export async function upgradeOffice(administrator: OfficePlace, known: readonly Step[] = steps): Promise<number> {
  const { owner, workstations } = rolesOf(administrator.database)
  return await withConnection(administrator, (client) =>
    inTransaction(client, async () => {
      await client.query(`SET LOCAL ROLE ${quoteIdentifier(owner)}`)
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
      await client.query(LOCK_STEPS)
      const found = await schemaOf(client)
      if (found > known.length) throw new Error('The office’s database is newer than this version of Countersign.')
      for (const [index, { name, sql }] of known.entries()) {
        if (index < found) continue
        await client.query(sql)
        await client.query('INSERT INTO step (number, name) VALUES ($1, $2)', [index + 1, name])
      }
      // By default everyone may call a new function.
      await client.query('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA office FROM PUBLIC')
      await client.query(`GRANT USAGE ON SCHEMA office TO ${quoteIdentifier(workstations)}`)
      await client.query(
        `GRANT EXECUTE ON FUNCTION ${functionsOf(known).map(quoteIdentifier).join(', ')} TO ${quoteIdentifier(workstations)}`
      )
      return known.length - found
    })
  )
}

/**
 * Does `work` as the schema's owner, in one transaction. Of two concurrent administrators one waits and then sees the
 * other's result.
 * @throws Error if the schema is of another version.
 */
export function asOwnerOf<Done>(administrator: OfficePlace, work: (client: Client) => Promise<Done>): Promise<Done> {
  return readAsOwner(administrator, async (client) => {
    await client.query(LOCK_STEPS)
    if ((await schemaOf(client)) !== steps.length) {
      throw new Error(
        'The office’s database is from another version of Countersign. Run upgrade first, with the newest version.'
      )
    }
    return await work(client)
  })
}

/** The same without waiting for others, and whatever the schema's version is. */
async function readAsOwner<Done>(administrator: OfficePlace, read: (client: Client) => Promise<Done>): Promise<Done> {
  const { owner } = rolesOf(administrator.database)
  return await withConnection(administrator, (client) =>
    inTransaction(client, async () => {
      await client.query(`SET LOCAL ROLE ${quoteIdentifier(owner)}; SET LOCAL search_path = office`)
      return await read(client)
    })
  )
}

/** The state of the office, for its administrator. */
export interface OfficeCheck {
  readonly server: string
  readonly isEncrypted: boolean
  readonly schema: number
  /** The schema version that this version of Countersign knows. */
  readonly known: number
  readonly workstations: { joined: number; invited: number }
  /** The workstations that haven't taken the key of the last rotation yet. */
  readonly behind: readonly string[]
  /**
   * Audit trails that lack entries reported earlier, in order; `why` is what their workstation says. Times are in
   * milliseconds since 1970 UTC.
   */
  readonly trails: readonly { name: string; why: string; at: number }[]
  /** The first head that doesn't follow from the one before it: someone changed the server's data. */
  readonly brokenAt?: number
  /** Rights that workstations, or one of them, have but shouldn't; empty if all is well. */
  readonly excess: readonly string[]
}

/**
 * Checks the office's database for its administrator.
 * @param headsAtOnce how many heads of audit trails one query verifies.
 */
export async function checkOffice(administrator: OfficePlace, headsAtOnce = HEADS_PAGE): Promise<OfficeCheck> {
  const { workstations } = rolesOf(administrator.database)
  return await readAsOwner(administrator, async (client) => {
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
    const behind = await rowsOf<{ name: string }>(
      client,
      `SELECT name FROM station WHERE joined_at IS NOT NULL AND revoked_at IS NULL
           AND key_number <> (SELECT key_number FROM office) ORDER BY lower(name)`
    )
    const { trails, brokenAt } = await trailsOf(client, headsAtOnce)
    const excess = await rowsOf<{ what: string }>(
      client,
      `WITH who AS (
           SELECT oid, rolname, rolsuper, rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS has_more FROM pg_roles
             WHERE rolname = $1 OR rolname IN (SELECT role_name FROM station WHERE revoked_at IS NULL))
         SELECT relname::text AS what FROM pg_class it, who WHERE relnamespace = 'office'::regnamespace AND relkind IN ('r', 'v', 'S')
           AND (CASE WHEN relkind = 'S' THEN has_sequence_privilege(who.oid, it.oid, 'USAGE, SELECT, UPDATE')
             ELSE has_table_privilege(who.oid, it.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
               OR has_any_column_privilege(who.oid, it.oid, 'SELECT, INSERT, UPDATE, REFERENCES') END)
         UNION SELECT proname::text FROM pg_proc it, who WHERE pronamespace = 'office'::regnamespace
           AND has_function_privilege(who.oid, it.oid, 'EXECUTE') AND proname::text <> ALL ($2)
         UNION SELECT 'the schema' FROM who WHERE has_schema_privilege(oid, 'office', 'CREATE')
         UNION SELECT 'the database' FROM who WHERE has_database_privilege(oid, current_database(), 'CREATE, TEMPORARY')
         UNION SELECT 'the server' FROM who WHERE has_more
         UNION SELECT other.rolname::text FROM pg_roles other, who
           WHERE NOT who.rolsuper AND other.rolname NOT IN (who.rolname, $1) AND pg_has_role(who.oid, other.oid, 'MEMBER')
         ORDER BY what`,
      [workstations, workstationFunctions]
    )
    return {
      server: server?.server ?? '',
      isEncrypted: server?.ssl === true,
      schema,
      trails,
      ...(brokenAt !== undefined && { brokenAt }),
      known: steps.length,
      workstations: { joined: counts?.joined ?? 0, invited: counts?.invited ?? 0 },
      behind: behind.map(({ name }) => name),
      excess: excess.map(({ what }) => what)
    }
  })
}

/** How many heads are read at a time. */
const HEADS_PAGE = 10_000

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

/**
 * Verifies the chain of heads from first to last, and collects what it shows about the trails.
 * @param headsAtOnce how many heads are read at a time.
 */
async function trailsOf(
  client: Client,
  headsAtOnce: number
): Promise<{ trails: OfficeCheck['trails']; brokenAt: number | undefined }> {
  const trails: { name: string; why: string; at: number }[] = []
  /** The newest head of each workstation. */
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
      [last, chained, headsAtOnce]
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
    if (rows.length < headsAtOnce) return { trails, brokenAt }
  }
}

/**
 * Yields all heads of the office's chain in order, each as a line of JSON, so that they can be verified without
 * Countersign.
 */
export async function* headLines(administrator: OfficePlace): AsyncGenerator<string> {
  for (let last = 0; ; ) {
    const rows = await readAsOwner(administrator, (client) =>
      rowsOf<{ number: number }>(
        client,
        `SELECT it.number::double precision AS number, it.station, station.name, it.seq::double precision AS seq, it.hash,
           it.at_ms::double precision AS at, it.cause, it.chained
         FROM head it JOIN station ON station.id = it.station WHERE it.number > $1 ORDER BY it.number LIMIT ${HEADS_PAGE}`,
        [last]
      )
    )
    for (const row of rows) yield `${JSON.stringify(row)}\n`
    last = rows.at(-1)?.number ?? last
    if (rows.length < HEADS_PAGE) return
  }
}

/**
 * Invites a workstation, and removes expired invitations.
 * @param key all keys that the office has had.
 * @param minutes how long the code is valid.
 * @returns the code, which isn't stored anywhere.
 * @throws Error if the office uses another key.
 */
export async function inviteWorkstation(
  administrator: OfficePlace,
  { name, key, minutes }: { name: string; key: Buffer; minutes: number }
): Promise<string> {
  const { database } = administrator
  const { owner, workstations } = rolesOf(database)
  const code = newCode()
  const { role, password, key: codeKey } = credentialsOfCode(code, database)
  return await withConnection(administrator, (client) =>
    inTransaction(client, async () => {
      const asOwner = async (sql: string, values: unknown[] = []) => {
        await client.query(`SET LOCAL ROLE ${quoteIdentifier(owner)}`)
        const { rows } = await client.query<{ role_name: string }>(sql, values)
        await client.query('RESET ROLE')
        return rows
      }
      await asOwner(LOCK_STEPS)
      const expired = await asOwner(
        'DELETE FROM office.station WHERE joined_at IS NULL AND invited_until < now() RETURNING role_name'
      )
      const matching = await asOwner(
        'UPDATE office.office SET key_id = coalesce(key_id, $1) WHERE coalesce(key_id, $1) = $1 RETURNING key_number',
        [keyId(newestOf(key))]
      )
      if (matching.length === 0)
        throw new Error(
          'This office uses a different key. Use the newest copy of the key file, or run rotate-key again if it was stopped.'
        )
      for (const { role_name } of expired) await dropRole(client, role_name)
      await client.query(
        `CREATE ROLE ${quoteIdentifier(role)} LOGIN CONNECTION LIMIT 10 PASSWORD ${quoteLiteral(verifierOf(password))} IN ROLE ${quoteIdentifier(workstations)}`
      )
      await asOwner(
        `INSERT INTO office.station (name, role_name, invited_until, sealed_key, key_number)
         SELECT $1, $2, now() + $3 * interval '1 min', $4, key_number FROM office.office`,
        [name, role, minutes, seal(codeKey, keyIdentityOf(role), key)]
      )
      return code
    })
  )
}

/**
 * Revokes a workstation: removes its role and ends its connections. What it put in the outbox stays, and the others
 * send it; what it was sending becomes uncertain once its claim expires.
 * @returns whether there is or was a workstation of that name, ignoring case.
 */
export async function revokeWorkstation(administrator: OfficePlace, name: string): Promise<boolean> {
  const { workstations } = rolesOf(administrator.database)
  return await withConnection(administrator, async (client) => {
    // One that is revoked already may be left from a command that was interrupted.
    const [station] = await rowsOf<{ id: string; role_name: string }>(
      client,
      `SELECT id, role_name FROM office.station WHERE lower(name) = lower($1)
         ORDER BY coalesce(revoked_at, 'infinity') DESC LIMIT 1`,
      [name]
    )
    if (!station) return false
    const { id, role_name: role } = station
    // A restored backup may name one that was revoked since, and whose role the server has dropped.
    const hasRole = (await rowsOf(client, 'SELECT FROM pg_roles WHERE rolname = $1', [role])).length > 0
    // From here on it can't reconnect or call anything. Its open sessions end first, or the locks they hold could block
    // this.
    if (hasRole) {
      await client.query(`REVOKE ${quoteIdentifier(workstations)} FROM ${quoteIdentifier(role)}`)
      await becomeMember(client, role)
    }
    await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1', [role])
    await inTransaction(client, async () => {
      await client.query(
        'UPDATE office.station SET revoked_at = coalesce(revoked_at, now()), sealed_key = NULL WHERE id = $1',
        [id]
      )
      if (hasRole) await client.query(`ALTER ROLE ${quoteIdentifier(role)} NOLOGIN PASSWORD NULL`)
    })
    await inTransaction(client, () => dropRole(client, role))
    return true
  })
}

/** Makes the administrator a member of a role. Otherwise only a superuser could end its sessions or drop what it owns. */
async function becomeMember(client: Client, role: string): Promise<void> {
  // Two roles can't be members of each other, so one that was given the administrator's loses it first.
  const given = await rowsOf<{ name: string }>(
    client,
    `SELECT DISTINCT own.rolname::text AS name FROM pg_auth_members
       JOIN pg_roles own ON own.oid = roleid JOIN pg_roles other ON other.oid = member
       WHERE own.rolname = current_user AND other.rolname = $1`,
    [role]
  )
  for (const { name } of given) await client.query(`REVOKE ${quoteIdentifier(name)} FROM ${quoteIdentifier(role)}`)
  await client.query(`GRANT ${quoteIdentifier(role)} TO CURRENT_USER`)
}

/**
 * Drops a role, inside a transaction. A role may own objects that prevent this, such as a large object. Those in this
 * database are dropped too; if there are some in other databases, the role stays but can't sign in any more.
 */
export async function dropRole(client: Client, role: string): Promise<void> {
  const roles = await rowsOf<{ id: number }>(client, 'SELECT oid AS id FROM pg_roles WHERE rolname = $1', [role])
  for (const { id } of roles) {
    await becomeMember(client, role)
    await client.query(`DROP OWNED BY ${quoteIdentifier(role)}`)
    const dependents = await rowsOf(
      client,
      `SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = $1`,
      [id]
    )
    await client.query(
      dependents.length === 0
        ? `DROP ROLE ${quoteIdentifier(role)}`
        : `ALTER ROLE ${quoteIdentifier(role)} NOLOGIN PASSWORD NULL`
    )
  }
}

/**
 * Names the role that owns everything, which nobody can sign in as, and the role that all workstations are members of.
 */
function rolesOf(database: string): { owner: string; workstations: string } {
  return { owner: `${database}_owner`, workstations: `${database}_stations` }
}

function functionsOf(some: readonly Step[]): string[] {
  return some.flatMap(({ forWorkstations }) => forWorkstations)
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
