// On the office's server a compromised workstation can do with its own sign-in what it is there for, and nothing else.
// Most attacks are generated from the database's own catalogue, so that new tables and functions are attacked without a
// change here.
import { randomBytes, randomUUID } from 'node:crypto'
import { Client, escapeIdentifier as named, escapeLiteral as text } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import {
  checkOffice,
  initOffice,
  revokeWorkstation,
  workstationFunctions
} from '../../src/main/core/office/administration.ts'
import { configOf, openPool } from '../../src/main/core/office/connection.ts'
import { openOfficeCounters } from '../../src/main/core/office/counters.ts'
import { openFromFeed, sealForFeed, tagOf } from '../../src/main/core/office/feed.ts'
import { credentialsOfCode, joinOffice } from '../../src/main/core/office/joining.ts'
import { openOfficeDrafts } from '../../src/main/core/office/office-drafts.ts'
import { openOfficeRecords } from '../../src/main/core/office/records.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { type JoinedWorkstation, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'

/**
 * `sql` as the workstation runs it. It has to be refused with one of `codes`; if that is `none`, answered without
 * effect.
 */
interface Attack {
  readonly sql: string
  readonly values?: unknown[]
  readonly codes?: readonly string[]
}

const DENIED = ['42501']
const NOTHING = 'none'
let tried = 0

let office: TestOffice
let workstations: string
let owner: string
let attacker: JoinedWorkstation
let victim: JoinedWorkstation
let line: Client
let account: string
const time = { elapsed: () => performance.now() }
const sends = { ready: randomUUID(), sending: randomUUID(), uncertain: randomUUID(), awaitingRelease: randomUUID() }
const draft = { id: randomUUID(), version: randomUUID() }
const staff = { id: 'staff', version: randomUUID() }
const preset = { id: randomUUID(), version: randomUUID() }
const task = { id: randomUUID(), done: randomUUID(), tag: randomBytes(32), doneTag: randomBytes(32) }
const askedBy = randomBytes(32)
const document: { tag: Buffer; other: Buffer } = { tag: Buffer.alloc(32), other: Buffer.alloc(32) }
let pool: ReturnType<typeof openPool>
const as = () => ({ pool, key: office.key, time })

/** Runs as the compromised workstation. */
async function resultOf(sql: string, values: unknown[] = [], client = line): Promise<string> {
  try {
    await client.query(sql, values)
    return NOTHING
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}
/** Runs as another, ordinary workstation. */
const asVictim = (sql: string, ...values: unknown[]) => pool.query<Record<string, unknown>>(sql, values)
const answerToVictim = async () => (await asVictim('SELECT name FROM office.hello()')).rows

/** Everything in the office that isn't the attacker's own, one line each, without what changes with time alone. */
async function rowsOfOthers(): Promise<Set<string>> {
  const tables = await office.sql<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'office'::regnamespace AND relkind = 'r'`
  )
  const passing = `'{last_seen,alive_at,watched_until,seq,body_seq,reported_at,since,until,expires_at}'::text[]`
  const of = ({ name }: { name: string }) =>
    `SELECT ${text(name)} || (to_jsonb(it) - ${passing})::text AS row FROM office.${named(name)} it
     WHERE NOT it::text LIKE '%${attacker.joined.station}%'`
  const rows = await office.sql<{ row: string }>(tables.map(of).join(' UNION ALL '))
  return new Set(rows.map(({ row }) => row))
}
/** Lines that are gone or changed. */
const missingFrom = (before: Set<string>, now: Set<string>) => [...before].filter((row) => !now.has(row))

/** Who may do what: roles with their passwords and members, and the schema's objects with their permissions. */
async function rights(): Promise<unknown> {
  return await office.sql(
    `SELECT to_jsonb(it)::text FROM pg_authid it WHERE starts_with(rolname, $1)
     UNION ALL SELECT concat(relname, relacl, relowner, relkind) FROM pg_class WHERE relnamespace = 'office'::regnamespace
     UNION ALL SELECT concat(proname, proacl, proowner, proconfig, prosrc) FROM pg_proc WHERE pronamespace = 'office'::regnamespace
     UNION ALL SELECT concat(tgname, tgenabled, tgrelid) FROM pg_trigger
     UNION ALL SELECT concat(nspname, nspacl, nspowner) FROM pg_namespace WHERE nspname !~ '^pg_'
     UNION ALL SELECT concat(datname, datacl) FROM pg_database WHERE datname = current_database() ORDER BY 1`,
    [office.administrator.database]
  )
}

async function expectRefused(attacks: readonly Attack[]): Promise<void> {
  tried += attacks.length
  const [before, rightsBefore] = [await rowsOfOthers(), await rights()]
  const succeeded: string[] = []
  for (const { sql, values, codes = DENIED } of attacks) {
    const code = await resultOf(sql, values)
    if (!codes.includes(code)) succeeded.push(`${code}: ${sql}`)
  }
  expect(missingFrom(before, await rowsOfOthers())).toEqual([])
  expect(await rights()).toEqual(rightsBefore)
  expect(succeeded, succeeded.join('\n')).toEqual([])
}

beforeAll(async () => {
  office = await openTestOffice(inject('cluster'), { search: '0 s' })
  const { database } = office.administrator
  workstations = named(`${database}_stations`)
  owner = named(`${database}_owner`)
  attacker = await office.join('Taken over')
  victim = await office.join('Front desk')
  pool = openPool(victim.place)
  line = new Client(configOf(attacker.place))
  line.on('error', () => undefined)
  await line.connect()
  const store = openOfficeSends(as())
  account = await store.account('Harbour Law', { concurrency: 10, perMinute: null })
  await store.put(account, sends.sending, Buffer.from('under way'))
  await store.put(account, sends.uncertain, Buffer.from('in doubt'))
  for (const { id, epoch } of await store.claim(account, 2))
    if (id === sends.uncertain) await store.finish(account, { id, epoch }, 'uncertain', {})
  await asVictim('SELECT office.require_release($1, $2)', sends.awaitingRelease, askedBy)
  await store.put(account, sends.awaitingRelease, Buffer.from('for someone else to release'))
  await store.put(account, sends.ready, Buffer.from('ready'))
  const drafts = openOfficeDrafts(as())
  await drafts.save(account, { id: draft.id, basedOn: [], revision: 0 }, draft.version, Buffer.from('typed'), false)
  const records = openOfficeRecords(as())
  await records.put('staff', account, [{ ...staff, basedOn: [], content: ['Grace Okafor'] }])
  await records.put('preset', account, [{ ...preset, basedOn: [], content: 'Lease' }])
  const claim = 'SELECT FROM office.claim_tasks($1, $2, $3, $4, 600000, NULL, 0, 0, false)'
  await asVictim(claim, 'action', account, [task.tag], task.id)
  await asVictim(claim, 'action', account, [task.doneTag], task.done)
  await asVictim(
    `SELECT FROM office.finish_task('action', $1, $2, $3, 1, 'done', 0, NULL)`,
    account,
    task.doneTag,
    task.done
  )
  document.tag = tagOf(office.key, 'D-1')
  document.other = tagOf(office.key, 'D-2')
  await asVictim('SELECT FROM office.watch($1, 600000, false, NULL)', account)
  const bodies = [document.tag, document.other].map((tag, at) => sealForFeed(office.key, account, tag, { at }))
  await asVictim('SELECT office.publish($1, 1, $2, $3)', account, [document.tag, document.other], bodies)
  await asVictim('SELECT office.report_head(7, $1, NULL)', 'a'.repeat(64))
  await openOfficeCounters(as()).publish({ free: true }, { ms: 600_000, isNews: false })
})
afterAll(async () => {
  await line.end()
  await pool.end()
})

test('no table, view or sequence can be read, written, locked or changed', async () => {
  const all = await office.sql<{ name: string; first: string }>(
    `SELECT relname AS name, (SELECT attname FROM pg_attribute WHERE attrelid = it.oid AND attnum = 1) AS first
     FROM pg_class it WHERE relnamespace = 'office'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')`
  )
  const attacks = all.flatMap(({ name, first }) => {
    const [it, column] = [`office.${named(name)}`, named(first)]
    return [
      `SELECT * FROM ${it}`,
      `SELECT count(*) FROM ${it}`,
      `SELECT * FROM ${it} FOR UPDATE`,
      `EXPLAIN ANALYZE SELECT * FROM ${it}`,
      `INSERT INTO ${it} DEFAULT VALUES`,
      `UPDATE ${it} SET ${column} = ${column}`,
      `DELETE FROM ${it}`,
      `TRUNCATE ${it} CASCADE`,
      `DO $$ BEGIN LOCK TABLE ${it} IN ACCESS SHARE MODE; END $$`,
      `DO $$ BEGIN LOCK TABLE ${it} IN ACCESS EXCLUSIVE MODE; END $$`,
      `COPY ${it} TO STDOUT`,
      `COPY ${it} FROM STDIN`,
      `CREATE TRIGGER t BEFORE INSERT ON ${it} EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
      `CREATE RULE r AS ON INSERT TO ${it} DO INSTEAD NOTHING`,
      `CREATE INDEX ON ${it} (${column})`,
      `CREATE POLICY p ON ${it}`,
      `CREATE VIEW public.v AS SELECT * FROM ${it}`,
      `CREATE TABLE office.mine (x uuid REFERENCES ${it})`,
      `CREATE TEMPORARY TABLE ${named(name)} (LIKE ${it})`,
      `ALTER TABLE ${it} DISABLE TRIGGER ALL`,
      `ALTER TABLE ${it} OWNER TO CURRENT_USER`,
      `ALTER TABLE ${it} ADD COLUMN mine text`,
      `GRANT ALL ON ${it} TO PUBLIC`,
      `COMMENT ON TABLE ${it} IS 'mine'`,
      `REINDEX TABLE ${it}`,
      `DROP TABLE ${it} CASCADE`
    ]
  })
  await expectRefused(attacks.map((sql) => ({ sql })))
})

test('only the workstations’ own functions can be called, and no function can be changed', async () => {
  const all = await office.sql<{ name: string; call: string; its: string }>(
    `SELECT proname AS name, oid::regprocedure::text AS its, format('%s(%s)', oid::regproc,
       (SELECT string_agg(format('(SELECT NULL::%s)', format_type(t, NULL)), ', ' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n))) AS call
     FROM pg_proc WHERE pronamespace = 'office'::regnamespace`
  )
  const attacks = all.flatMap(({ name, call, its }) => [
    ...(workstationFunctions.includes(name) ? [] : [`SELECT ${call}`]),
    `ALTER FUNCTION ${its} RESET ALL`,
    `ALTER FUNCTION ${its} OWNER TO CURRENT_USER`,
    `GRANT EXECUTE ON FUNCTION ${its} TO PUBLIC`,
    `DROP FUNCTION ${its} CASCADE`
  ])
  // Granting what one may use but not pass on only gives a warning, so the rights are compared.
  await expectRefused(
    attacks.map((sql) => ({ sql, codes: [...DENIED, ...(sql.startsWith('GRANT') ? [NOTHING] : [])] }))
  )
})

test('each function ignores the caller’s search path', async () => {
  const all = await office.sql<{ call: string }>(
    `SELECT format('%s(%s)', oid::regproc,
       (SELECT string_agg(format('(SELECT NULL::%s)', format_type(t, NULL)), ', ' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n))) AS call
     FROM pg_proc WHERE pronamespace = 'office'::regnamespace AND proname = ANY ($1)`,
    [workstationFunctions]
  )
  tried += all.length
  const succeeded: string[] = []
  for (const { call } of all) {
    await line.query('SET search_path = office, pg_catalog')
    const ever = await resultOf(`SELECT ${call}`)
    await line.query('SET search_path = pg_temp, public')
    const now = await resultOf(`SELECT ${call}`)
    if (now !== ever) succeeded.push(`${now}, not ${ever}: ${call}`)
  }
  await line.query('RESET search_path')
  expect(succeeded).toEqual([])
  // The declarations are checked, too, as a call with only NULLs may not get far enough.
  const bare = await office.sql(
    `SELECT proname FROM pg_proc WHERE pronamespace = 'office'::regnamespace
       AND proconfig IS DISTINCT FROM ARRAY['search_path=office, pg_temp']`
  )
  expect(bare).toEqual([])
})

test('nothing of the server’s administration is accessible', async () => {
  const functions = await office.sql<{ call: string }>(
    `SELECT format('pg_catalog.%I(%s)', proname,
       (SELECT string_agg(format('(SELECT NULL::%s)', format_type(t, NULL)), ', ' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n))) AS call
     FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f'
       AND NOT has_function_privilege('public', oid, 'EXECUTE')`
  )
  const relations = await office.sql<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')
       AND NOT has_table_privilege('public', oid, 'SELECT') AND NOT has_any_column_privilege('public', oid, 'SELECT')`
  )
  const settings = await office.sql<{ name: string }>(
    `SELECT name FROM pg_settings WHERE context IN ('superuser', 'superuser-backend')`
  )
  expect(functions.length).toBeGreaterThan(30)
  const attacks: Attack[] = [
    ...functions.map(({ call }) => ({ sql: `SELECT ${call}` })),
    ...relations.map(({ name }) => ({ sql: `SELECT * FROM ${name}` })),
    // Settings that can only be made when a connection starts are refused as such.
    ...settings.map(({ name }) => ({ sql: `SET ${named(name)} TO DEFAULT`, codes: ['42501', '55P02'] })),
    ...settings.map(({ name }) => ({ sql: `ALTER SYSTEM RESET ${named(name)}` }))
  ]
  await expectRefused(attacks)
})

test('no role can be assumed, changed, created or disconnected, and no object created', async () => {
  const other = named(victim.joined.user)
  const { database, user } = office.administrator
  const pids = await office.sql<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE usename = $1`, [
    victim.joined.user
  ])
  const roles = [
    owner,
    named(user),
    other,
    'pg_read_all_data',
    'pg_read_server_files',
    'pg_execute_server_program',
    'pg_signal_backend'
  ]
  const attacks = [
    ...roles.flatMap((role) => [
      `SET ROLE ${role}`,
      `SET SESSION AUTHORIZATION ${role}`,
      `GRANT ${role} TO CURRENT_USER`,
      `ALTER ROLE ${role} PASSWORD 'mine'`,
      `ALTER ROLE ${role} SET search_path = pg_temp`,
      `ALTER ROLE ${role} NOLOGIN`,
      `REASSIGN OWNED BY ${role} TO CURRENT_USER`,
      `DROP OWNED BY ${role}`,
      `DROP ROLE ${role}`
    ]),
    ...[
      'SUPERUSER',
      'CREATEROLE',
      'CREATEDB',
      'REPLICATION',
      'BYPASSRLS',
      'CONNECTION LIMIT -1',
      `VALID UNTIL 'infinity'`
    ].map((what) => `ALTER ROLE CURRENT_USER ${what}`),
    ...['office', 'public', 'pg_catalog', 'information_schema'].flatMap((schema) => [
      `CREATE TABLE ${schema}.mine ()`,
      `CREATE VIEW ${schema}.mine AS SELECT 1`,
      `CREATE SEQUENCE ${schema}.mine`,
      `CREATE TYPE ${schema}.mine AS (x text)`,
      `CREATE DOMAIN ${schema}.mine AS text`,
      `CREATE FUNCTION ${schema}.now() RETURNS timestamptz LANGUAGE sql AS $$ SELECT 'infinity'::timestamptz $$`,
      `CREATE FUNCTION ${schema}.me() RETURNS uuid LANGUAGE sql AS $$ SELECT gen_random_uuid() $$`,
      `CREATE PROCEDURE ${schema}.mine() LANGUAGE sql AS $$ SELECT 1 $$`,
      `CREATE OPERATOR ${schema}.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = uuid_ne)`,
      `CREATE COLLATION ${schema}.mine FROM "C"`,
      `CREATE AGGREGATE ${schema}.mine(integer) (SFUNC = int4pl, STYPE = integer)`,
      `DROP SCHEMA ${schema} CASCADE`,
      `ALTER SCHEMA ${schema} OWNER TO CURRENT_USER`,
      `GRANT CREATE ON SCHEMA ${schema} TO PUBLIC`
    ]),
    ...pids.flatMap(({ pid }) => [`SELECT pg_terminate_backend(${pid})`, `SELECT pg_cancel_backend(${pid})`]),
    `CREATE ROLE mine SUPERUSER`,
    `CREATE DATABASE mine`,
    `ALTER DATABASE ${named(database)} SET search_path = pg_temp`,
    `ALTER DATABASE ${named(database)} OWNER TO CURRENT_USER`,
    `DROP DATABASE template1`,
    `CREATE SCHEMA mine`,
    `CREATE TABLESPACE mine LOCATION '/tmp'`,
    `CREATE EXTENSION dblink`,
    `CREATE EXTENSION file_fdw`,
    `CREATE LANGUAGE plpgsql`,
    `CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION office.append_only()`,
    `CREATE FOREIGN DATA WRAPPER mine`,
    `CREATE PUBLICATION mine FOR ALL TABLES`,
    `CREATE PUBLICATION mine`,
    `CREATE SUBSCRIPTION mine CONNECTION 'host=127.0.0.1' PUBLICATION mine WITH (connect = false)`,
    `CREATE CAST (uuid AS text) WITH INOUT`,
    `CREATE ACCESS METHOD mine TYPE INDEX HANDLER bthandler`,
    `CREATE TRANSFORM FOR integer LANGUAGE sql (FROM SQL WITH FUNCTION int4in(cstring))`,
    `COPY (SELECT 1) TO PROGRAM 'true'`,
    `COPY (SELECT 1) TO '/tmp/countersign-attack'`,
    `COPY pg_class FROM '/etc/passwd'`,
    `COPY pg_class FROM PROGRAM 'true'`,
    `SELECT pg_read_file('/etc/passwd')`,
    `SELECT pg_ls_dir('/')`,
    `SELECT lo_import('/etc/passwd')`,
    `SELECT lo_export(1, '/tmp/countersign-attack')`,
    `LOAD '/tmp/countersign-attack.so'`,
    `DO LANGUAGE internal 'mine'`,
    `SET session_replication_role = replica`,
    `SELECT set_config('session_replication_role', 'replica', false)`,
    `ALTER SYSTEM SET log_statement = 'none'`,
    `SELECT rolpassword FROM pg_authid`,
    `SELECT * FROM pg_shadow`,
    `SELECT pg_create_physical_replication_slot('mine')`,
    `SELECT pg_create_logical_replication_slot('mine', 'pgoutput')`,
    `CHECKPOINT`
  ]
  const codes = ['42501', '42939', '42704', '42710', '42P17', '2BP01', '55006', '0LP01', '42883', '42809', '42601']
  await expectRefused(attacks.map((sql) => ({ sql, codes: sql.startsWith('GRANT CREATE') ? [NOTHING] : codes })))
})

test('what is open to everyone doesn’t affect others, and reveals nothing about them', async () => {
  const free = [
    'DISCARD ALL',
    'RESET ALL',
    'VACUUM',
    'ANALYZE',
    'SELECT pg_stat_clear_snapshot()',
    `SELECT pg_logical_emit_message(false, 'mine', repeat('x', 100000))`,
    `ALTER ROLE CURRENT_USER SET search_path = pg_temp`,
    `ALTER ROLE CURRENT_USER RESET ALL`,
    // The role that all workstations are members of has only their rights, and nobody can sign in as it.
    `SET ROLE ${workstations}`,
    'RESET ROLE',
    ...['feed', 'sends', 'life', 'counters', 'items', 'tasks', 'read', 'mine'].flatMap((which) => [
      `LISTEN countersign_${which}`,
      `DO $$ BEGIN FOR n IN 1..200 LOOP PERFORM pg_notify('countersign_${which}', n::text); END LOOP; END $$`,
      `NOTIFY countersign_${which}, 'not an id'`
    ])
  ]
  await expectRefused(free.map((sql) => ({ sql, codes: [NOTHING] })))
  const { rows } = await line.query(
    `SELECT query FROM pg_stat_activity WHERE usename IS DISTINCT FROM session_user AND query NOT IN ('', '<insufficient privilege>')
     UNION ALL SELECT tablename FROM pg_stats WHERE schemaname = 'office'`
  )
  expect(rows).toEqual([])
  expect(await answerToVictim()).toEqual([{ name: 'Front desk' }])
  tried++
  const more: Client[] = []
  const codes: unknown[] = []
  for (let n = 0; n < 12; n++) {
    const client = new Client(configOf(attacker.place))
    client.on('error', () => undefined)
    more.push(client)
    codes.push(
      await client.connect().then(
        () => NOTHING,
        (error: { code: string }) => error.code
      )
    )
  }
  await Promise.all(more.map((client) => client.end().catch(() => undefined)))
  expect(codes.filter((code) => code === '53300')).toHaveLength(3)
})

/** Runs a query; returns its only value, or the code with which it was refused. */
async function answered(sql: string, ...values: unknown[]): Promise<unknown> {
  try {
    const { rows } = await line.query<Record<string, unknown>>(`SELECT (${sql}) AS it`, values)
    return rows[0]?.it
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('the office’s functions can’t be misused on sends, tasks, leases and items of others', async () => {
  const body = Buffer.from('made up')
  const { id: item } = draft
  const rows: [sql: string, values: unknown[], answer: unknown][] = [
    // Someone else's claim.
    ['office.finish($1, 1, $2, $3)', [sends.sending, 'accepted', body], '42501'],
    ['office.finish($1, 1, $2, $3)', [sends.sending, 'refused', body], '42501'],
    ['office.finish($1, 1, $2, $3)', [sends.sending, 'nothing-left', body], '42501'],
    ['office.finish($1, 1, $2, $3)', [sends.sending, 'stopped', body], '42501'],
    ['office.finish($1, 1, $2, $3)', [sends.sending, null, body], '42501'],
    ['office.finish($1, 2, $2, $3)', [sends.sending, 'accepted', body], '42501'],
    ['office.finish($1, 1, $2, $3)', [sends.uncertain, 'accepted', body], '42501'],
    ...['accepted', 'refused', 'nothing-left', 'stopped'].map((kind): [string, unknown[], unknown] => [
      '(office.finish_and_claim($1, $2, $3, $4, $5, 0)).state',
      [account, [sends.sending], [1], [kind], [body]],
      undefined
    ]),
    ['office.cancel_send($1)', [sends.sending], false],
    ['office.cancel_send($1)', [sends.uncertain], false],
    ['office.withhold($1, $2, 9, $3, 1)', [sends.sending, account, 'held'], null],
    ['office.withhold($1, $2, 9, $3, 1)', [sends.uncertain, account, 'cancelled'], null],
    ['office.withhold($1, $2, 9, $3, 1)', [sends.ready, account, 'sent'], '22023'],
    ['office.withhold($1, $2, 9, $3, 1)', [sends.ready, randomUUID(), 'held'], null],
    ['office.report_concluded($1, $2, 9, $3)', [sends.sending, account, 'cancelled'], false],
    ['office.report_concluded($1, $2, 0, $3)', [sends.ready, account, 'cancelled'], false],
    ['office.report_concluded($1, $2, 9, $3)', [sends.ready, account, 'ready'], '22023'],
    ['office.conclude($1, 1, $2)', [sends.sending, 'ready'], false],
    ['office.conclude($1, 0, $2)', [sends.uncertain, 'ready'], false],
    ['office.conclude($1, 2, $2)', [sends.uncertain, 'refused'], false],
    ['office.conclude($1, 1, $2)', [sends.uncertain, 'sending'], '22023'],
    ['office.conclude($1, 1, $2)', [sends.uncertain, 'sent'], '22023'],
    ['office.conclude($1, 1, $2)', [sends.uncertain, null], '23502'],
    ['office.record_found($1, 1, $2)', [sends.sending, body], false],
    ['office.record_found($1, 7, $2)', [sends.uncertain, body], false],
    ['office.reclaim_sends($1)', [account], 0],
    // In the last round that there can be.
    ['(office.push_send($1, $2, 0, $3, 2147483647, false)).state', [sends.ready, account, body], '23514'],
    ['office.withhold($1, $2, 2147483647, $3, 1)', [sends.ready, account, 'held'], '23514'],
    ['office.report_concluded($1, $2, 2147483647, $3)', [sends.ready, account, 'held'], '23514'],
    ['office.report_time($1, $2, 0, $3, 2147483647)', [sends.ready, account, body], '23514'],
    [
      'office.decide_send($1, $2, $3, $4, false, 0, $5, 2147483647)',
      [sends.awaitingRelease, account, askedBy, randomBytes(32), body],
      '23514'
    ],
    ['(office.restore_item($1, $2, $3, 2147483647, $4)).outcome', [item, account, randomUUID(), body], '23514'],
    [
      '(office.put_records($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)).outcome',
      [
        ...['preset', account, [preset.id], [randomUUID()], [preset.version]],
        [body],
        [false],
        [2147483647],
        [true],
        [null],
        [null]
      ],
      '23514'
    ],
    [
      '(office.finish_task($1, $2, $3, $4, 2147483647, $5, 0, NULL)).state',
      ['action', account, randomBytes(32), randomUUID(), 'free'],
      '23514'
    ],
    // A release by the one who asked for it, by nobody, or without a decision.
    ['office.release_send($1, $2)', [sends.awaitingRelease, askedBy], false],
    ['office.release_send($1, $2)', [sends.awaitingRelease, null], false],
    ['office.release_send($1, $2)', [sends.awaitingRelease, body], '23514'],
    ['office.decide_send($1, $2, $3, $3, true, 0, $4, 2)', [sends.awaitingRelease, account, askedBy, body], false],
    [
      'office.decide_send($1, $2, $3, $4, true, 0, $5, 2)',
      [sends.awaitingRelease, account, randomBytes(32), askedBy, body],
      false
    ],
    [
      'office.decide_send($1, $2, $3, $4, true, 0, $5, 1)',
      [sends.awaitingRelease, account, askedBy, randomBytes(32), body],
      false
    ],
    [
      'office.decide_send($1, $2, $3, $4, NULL, 0, $5, 2)',
      [sends.awaitingRelease, account, askedBy, randomBytes(32), body],
      '22023'
    ],
    ['office.require_release($1, $2)', [sends.ready, randomBytes(32)], ''],
    // Someone else's action, or one that is done.
    [
      '(SELECT bool_or(is_granted) FROM office.claim_tasks($1, $2, $3, $4, 1000, NULL, 0, 0, false))',
      ['action', account, [task.tag], randomUUID()],
      false
    ],
    [
      '(SELECT bool_or(is_granted) FROM office.claim_tasks($1, $2, $3, $4, 1000, NULL, 0, 0, true))',
      ['action', account, [task.tag], task.id],
      false
    ],
    [
      '(SELECT bool_or(is_granted) FROM office.claim_tasks($1, $2, $3, $4, 1000, NULL, 0, NULL, false))',
      ['action', account, [task.doneTag], randomUUID()],
      false
    ],
    [
      '(SELECT bool_or(is_granted) FROM office.claim_tasks($1, $2, $3, $4, 1000, NULL, NULL, 0, NULL))',
      ['action', account, [task.doneTag], randomUUID()],
      false
    ],
    [
      '(SELECT bool_or(is_granted) FROM office.claim_tasks($1, $2, $3, $4, 1000, NULL, 0, 0, false))',
      ['turn', account, [task.tag], null],
      '23502'
    ],
    [
      '(office.finish_task($1, $2, $3, $4, 1, $5, 0, NULL)).state',
      ['action', account, task.tag, task.id, 'free'],
      '42501'
    ],
    [
      '(office.finish_task($1, $2, $3, $4, 1, $5, 0, NULL)).state',
      ['action', account, task.tag, task.id, 'done'],
      '42501'
    ],
    [
      '(office.finish_task($1, $2, $3, $4, 9, $5, 0, NULL)).state',
      ['action', account, task.doneTag, task.done, 'free'],
      'done'
    ],
    // Someone else's lease, and what only its holder may report.
    [`(office.hold_lease('poll:' || $1::text, 1000)).epoch`, [account], undefined],
    [`office.release_lease('poll:' || $1::text, 1)`, [account], ''],
    ['office.publish($1, 1, $2, $3)', [account, [document.tag], [body]], false],
    ['office.publish($1, 2, $2, $3)', [account, [document.tag], [null]], false],
    ['office.finish_read($1, 1, 9, $2)', [account, body], false],
    ['office.raise_feed($1, 1, 9)', [account], ''],
    // A draft, preset or staff list changed without naming its current version, or as if it were a draft.
    ['(office.save_item($1, $2, $3, NULL, $4, NULL)).outcome', [item, account, randomUUID(), body], 'conflict'],
    [
      '(office.save_item($1, $2, $3, $5, $4, NULL)).outcome',
      [item, account, randomUUID(), body, [randomUUID()]],
      'conflict'
    ],
    ['(office.save_item($1, $2, $3, $5, $4, NULL)).outcome', [item, account, null, body, [draft.version]], '23502'],
    ['office.move_item($1, $2, NULL, 0, $3)', [item, account, 'trash'], false],
    ['office.move_item($1, $2, $4, 0, $3)', [item, account, 'trash', '{NULL}'], false],
    ['office.move_item($1, $2, $4, 0, $3)', [item, account, 'trash', [randomUUID()]], false],
    ['office.move_item($1, $2, $4, 0, $3)', [item, account, 'gone', [draft.version]], false],
    ['office.move_item($1, $2, $4, 0, $3)', [item, account, 'maker', [draft.version]], false],
    ['office.move_item($1, $2, $4, 0, $3)', [staff.id, account, 'trash', [staff.version]], false],
    ['office.restore_conflict($1, $2, $3, $4)', [staff.id, account, randomUUID(), body], false],
    ['(office.hold_item($1, $2, 1000, true)).is_me', [staff.id, account], undefined],
    ['(office.hold_item($1, $2, NULL, true)).is_me', [item, account], '22023'],
    ['office.remove_sent_draft($1, $2, $3)', [item, account, sends.ready], false],
    ['office.remove_sent_draft($1, $2, $3, NULL)', [item, account, sends.uncertain], false],
    [
      '(office.push_send_of_draft($1, NULL, $2, $3, 0, $4, 1, false)).state',
      [item, randomUUID(), account, body],
      'changed'
    ],
    [
      '(office.push_send_of_draft($1, $5, $2, $3, 0, $4, 1, false)).state',
      [item, randomUUID(), account, body, '{NULL}'],
      'changed'
    ],
    ...(
      [
        ['staff', staff, null, null, '22023'],
        ['staff', staff, body, 1, '22023'],
        ['staff', { ...staff, version: randomUUID() }, body, null, 'conflict'],
        ['preset', { ...preset, version: randomUUID() }, body, null, 'conflict'],
        ['preset', { ...preset, version: randomUUID() }, null, null, 'conflict'],
        ['draft', draft, body, null, '42501']
      ] as const
    ).map(([kind, { id, version }, sealed, until, answer]): [string, unknown[], unknown] => [
      '(office.put_records($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)).outcome',
      [...[kind, account, [id], [randomUUID()], [version], [sealed]], [false], [null], [false], [until], [null]],
      answer
    ]),
    // Malformed heads, and a key that isn't the current one.
    ['office.report_head(0, $1, NULL)', ['a'.repeat(64)], '23514'],
    ['office.report_head(1, $1, NULL)', ['A'.repeat(64)], '23514'],
    ['office.report_head(1, $1, $2)', ['a'.repeat(64), 'nothing'], '23514'],
    ['office.confirm_key(9)', [], ''],
    ['office.start_new_life(0)', [], ''],
    ['office.join_office()::text', [], '42501']
  ]
  tried += rows.length
  const before = await rowsOfOthers()
  const succeeded: string[] = []
  for (const [sql, values, answer] of rows) {
    const its = await answered(sql, ...values)
    if ((its ?? undefined) !== (answer ?? undefined))
      succeeded.push(`${String(its)}, not ${String(answer)}: ${sql} ${JSON.stringify(values).slice(0, 100)}`)
    for (const row of missingFrom(before, await rowsOfOthers())) {
      succeeded.push(`${sql} changed ${row}`)
      before.delete(row)
    }
  }
  expect(succeeded, succeeded.join('\n')).toEqual([])
})

test('claiming everything that is ready returns nothing that waits for a release', async () => {
  tried++
  const { rows } = await line.query<{ id: string }>(
    `SELECT id FROM office.finish_and_claim($1, '{}', '{}', '{}', '{}', 100)`,
    [account]
  )
  expect(rows).toEqual([{ id: sends.ready }])
})

test('a feed can’t be raised so far that it accepts nothing new', async () => {
  const feed = randomUUID()
  tried++
  await resultOf('SELECT FROM office.watch($1, 600000, false, NULL)', [feed])
  expect(await resultOf('SELECT office.raise_feed($1, 1, 9223372036854775807)', [feed])).toBe('22023')
  expect(await answered('office.publish($1, 1, $2, $3)', feed, [randomBytes(32)], [Buffer.from('new')])).toBe(true)
})

/** Values to put in the place of one argument. */
const NASTY: Record<string, readonly unknown[]> = {
  uuid: [null, '00000000-0000-0000-0000-000000000000'],
  integer: [null, 2147483647, -2147483648],
  'office.safe_count': [null, 2147483647, -2147483648],
  bigint: [null, '9223372036854775807', '-9223372036854775808'],
  'double precision': [null, 'NaN', 'Infinity', '-Infinity', 1e308],
  boolean: [null],
  text: [null, '', 'x'.repeat(20_000), "'; DROP SCHEMA office CASCADE; --"],
  bytea: [null, Buffer.alloc(0), Buffer.alloc(20_000)],
  'uuid[]': [null, '{}', '{NULL}'],
  'text[]': [null, '{}', '{NULL}'],
  'bytea[]': [null, '{}', '{NULL}'],
  'boolean[]': [null, '{}', '{NULL}'],
  'office.safe_count[]': [null, '{}', '{NULL}', '{2147483647}'],
  'double precision[]': [null, '{}', '{NULL}', '{NaN}', '{-Infinity}']
}
/** Functions that any workstation may use on others' records, by a rule in their migrations: no attack. */
const ANYONE = new Set(
  'finish_and_claim hold_item set_outbox pause_outbox resume_outbox cancel_send conclude record_found report_sent report_concluded report_draft_sent withhold start_new_life'.split(
    ' '
  )
)

test('null, empty and extreme arguments change nothing of others', async () => {
  const all = await office.sql<{ name: string; names: string[]; types: string[] }>(
    `SELECT proname AS name, (proargnames::text[])[1:pronargs] AS names,
       (SELECT array_agg(format_type(t, NULL) ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY AS a (t, n)) AS types
     FROM pg_proc WHERE pronamespace = 'office'::regnamespace AND proname = ANY ($1) AND pronargs > 0 ORDER BY oid`,
    [workstationFunctions.filter((name) => !ANYONE.has(name))]
  )
  const succeeded: string[] = []
  let before = await rowsOfOthers()
  for (const { name, names, types } of all) {
    const sql = `SELECT office.${name}(${types.map((type, n) => `$${n + 1}::${type}`).join(', ')})`
    for (const [at, type] of types.entries()) {
      for (const value of NASTY[type] ?? expect.fail(`There is nothing for ${type}.`)) {
        tried++
        // The other arguments refer to the victim's own records.
        const code = await resultOf(
          sql,
          names.map((argument, n) => (n === at ? value : aimed(name, argument, types[n] ?? '')))
        )
        if (code === NOTHING) {
          const now = await rowsOfOthers()
          for (const row of missingFrom(before, now))
            succeeded.push(`${name}: ${names[at]} ${String(value).slice(0, 40)}: ${row}`)
          before = now
        } else if (code.startsWith('XX') || code.startsWith('57') || code.length !== 5)
          succeeded.push(`${code}: ${name}`)
      }
    }
  }
  expect(succeeded, succeeded.join('\n')).toEqual([])
})

function aimed(called: string, argument: string, type: string): unknown {
  const isItem = /item|conflict|draft/.test(called)
  const values: Record<string, unknown> = {
    p_account: account,
    p_id: type === 'text' ? draft.id : called.includes('task') ? task.id : sends.ready,
    p_ids: [preset.id],
    p_send: sends.ready,
    p_draft: draft.id,
    p_kind: isItem ? 'draft' : called === 'put_records' ? 'preset' : called === 'finish' ? 'nothing-left' : 'action',
    p_state: 'free',
    p_to: 'trash',
    p_tag: task.tag,
    p_tags: called === 'publish' ? [document.tag] : [task.tag],
    p_name: `poll:${account}`,
    p_version: randomUUID(),
    p_versions: [randomUUID()],
    p_hash: 'b'.repeat(64),
    p_ms: 1_000,
    p_takes_over: false
  }
  if (argument in values) return values[argument]
  if (type.endsWith('[]')) return type === 'uuid[]' ? [] : '{NULL}'
  return {
    integer: 1,
    bigint: 1,
    'double precision': 0,
    boolean: false,
    text: 'x',
    bytea: Buffer.alloc(32, 1),
    uuid: randomUUID()
  }[type]
}

test('altered or swapped bodies are never accepted', async () => {
  tried += 8
  const [store, drafts, records] = [openOfficeSends(as()), openOfficeDrafts(as()), openOfficeRecords(as())]
  const ids: string[] = [randomUUID(), randomUUID()]
  for (const id of ids) {
    await store.push(account, { id, content: Buffer.from(id), inMs: 9e6, revision: 1, mayHaveArrived: false })
    await drafts.save(account, { id, basedOn: [], revision: 0 }, randomUUID(), Buffer.from(id), false)
    await records.put('view', account, [{ id, version: randomUUID(), basedOn: [], content: id }])
  }
  const bodies = async () => [
    ...(await store.changes(account, 0, 0)).filter(({ id }) => ids.includes(id)).map(({ content }) => content),
    ...(await drafts.changes(account, 0, 0)).filter(({ id }) => ids.includes(id)).map(({ content }) => content),
    ...(await records.changes('view', account, 0, 10)).map(({ content }) => content),
    ...(await asVictim('SELECT * FROM office.documents_now($1, $2)', account, [document.tag, document.other])).rows.map(
      ({ tag, sealed }) => openFromFeed(office.key, account, tag as Buffer, sealed as Buffer)
    ),
    ...(await openOfficeCounters({ ...as(), pool: line }).others()).map(({ content }) => content)
  ]
  expect(await bodies()).toHaveLength(9)
  expect(await bodies()).not.toContain(undefined)
  const nothing = Array.from({ length: 9 })
  // Done as the server: a workstation can't swap two bodies.
  const each = (column: string, change: string) =>
    [`send WHERE id::text = ANY ($1)`, `shared_item WHERE id = ANY ($1)`, 'mirror', 'counter'].map((its) => {
      const [table, where] = its.split(' WHERE ')
      const isOfIds = where !== undefined
      return office.sql(
        `UPDATE office.${table} SET ${column} = ${change}${isOfIds ? ` WHERE ${where}` : ''}`,
        isOfIds ? [ids] : []
      )
    })
  const alter = 'set_byte(sealed, length(sealed) - 1, get_byte(sealed, length(sealed) - 1) # 1)'
  await Promise.all(each('sealed', alter))
  expect(await bodies()).toEqual(nothing)
  await Promise.all(each('sealed', alter))
  expect(await bodies()).not.toContain(undefined)
  for (const [table, id] of [
    ['send', 'id::text'],
    ['shared_item', `id`],
    ['mirror', `encode(tag, 'hex')`]
  ] as const) {
    const which = table === 'mirror' ? [document.tag, document.other].map((tag) => tag.toString('hex')) : ids
    await office.sql(
      `UPDATE office.${table} it SET sealed = other.sealed FROM office.${table} other WHERE it.${id} = ANY ($1) AND other.${id} = ANY ($1)
         AND it.${id} <> other.${id}${table === 'shared_item' ? ' AND it.kind = other.kind' : ''}`
        .replaceAll('it.encode(', 'encode(it.')
        .replaceAll('other.encode(', 'encode(other.'),
      [which]
    )
  }
  expect((await bodies()).slice(0, 8)).toEqual(nothing.slice(0, 8))
})

test('rows moved to another account are never accepted', async () => {
  tried += 7
  const [store, drafts, records] = [openOfficeSends(as()), openOfficeDrafts(as()), openOfficeRecords(as())]
  const [from, to] = await Promise.all(
    ['Sales', 'Estates'].map((name) => store.account(name, { concurrency: 10, perMinute: null }))
  )
  if (!from || !to) throw new Error('The office has no accounts.')
  const [id, sent, version] = [randomUUID(), randomUUID(), randomUUID()]
  for (const one of [id, sent]) await store.put(from, one, Buffer.from(one))
  await store.reportSent(from, { id: sent, epoch: 1 }, { kind: 'accepted', response: { Documents: [] } })
  await drafts.save(from, { id, basedOn: [], revision: 0 }, version, Buffer.from(id), false)
  await drafts.save(from, { id, basedOn: [], revision: 0 }, randomUUID(), Buffer.from('beside'), false)
  await records.put('view', from, [{ id, version, basedOn: [], content: id }])
  const bodiesOf = async (of: string) => [
    ...(await store.changes(of, 0, 0)).flatMap(({ content, answer, state }) => [
      content,
      ...(state === 'sent' ? [answer] : [])
    ]),
    ...(await drafts.changes(of, 0, 0)).map(({ content }) => content),
    ...(await drafts.conflicts(of, id, [])).map(({ content }) => content),
    ...(await records.changes('view', of, 0, 10)).map(({ content }) => content)
  ]
  expect(await bodiesOf(from)).toHaveLength(6)
  expect(await bodiesOf(from)).not.toContain(undefined)
  // The other account has a feed of each kind as soon as it has anything.
  await office.sql(
    'INSERT INTO office.shared_item_feed SELECT kind, $2, 1 FROM office.shared_item_feed WHERE account = $1',
    [from, to]
  )
  for (const table of ['send', 'send_change', 'shared_item'])
    await office.sql(`UPDATE office.${table} SET account = $2 WHERE account = $1`, [from, to])
  expect(await bodiesOf(to)).toEqual(Array.from({ length: 6 }))
  expect(await store.claim(to, 5)).toEqual([])
  await expect.poll(() => store.stateOf(id), { timeout: 60_000 }).toBe('refused')
})

test('a workstation never takes another account’s id for its own', async () => {
  tried += 1
  const store = openOfficeSends(as())
  const idOf = (name: string) => store.account(name, { concurrency: 10, perMinute: null })
  const [one, two] = [await idOf('Wills'), await idOf('Trusts')]
  expect([await idOf('Wills'), await idOf('Trusts')]).toEqual([one, two])
  const swap = [
    'UPDATE office.account SET tag = set_byte(tag, 0, 255 - get_byte(tag, 0)) WHERE id IN ($1, $2)',
    `UPDATE office.account it SET tag = set_byte(other.tag, 0, 255 - get_byte(other.tag, 0)) FROM office.account other
       WHERE it.id IN ($1, $2) AND other.id IN ($1, $2) AND it.id <> other.id`
  ]
  for (const sql of swap) await office.sql(sql, [one, two])
  for (const name of ['Wills', 'Trusts']) await expect(idOf(name)).rejects.toThrow('another account')
})

test('a used join code lets nobody in', async () => {
  tried += 2
  const code = await office.invite('Counter 2')
  const { user } = await joinOffice(serverOf(office), code)
  await expect(joinOffice(serverOf(office), code)).rejects.toMatchObject({ code: '28P01' })
  const { password } = credentialsOfCode(code, office.administrator.database)
  await expect(openPool({ ...attacker.place, user, password }).query('SELECT 1')).rejects.toMatchObject({
    code: '28P01'
  })
})

test('nothing that a workstation locks or leaves behind blocks the administrator', async () => {
  const held = [
    // The key of the administrator's own lock, as it used to be.
    'SELECT pg_advisory_lock(171118)',
    'SELECT lo_create(0)',
    'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC',
    'ALTER ROLE CURRENT_USER SET search_path = pg_temp',
    `SET ROLE ${workstations}`,
    'RESET ROLE',
    'BEGIN',
    'SELECT FROM office.hello()',
    `SELECT office.report_head(1, '${'c'.repeat(64)}', NULL)`,
    `SELECT FROM office.finish_and_claim('${account}', '{}', '{}', '{}', '{}', 1)`,
    `ALTER ROLE CURRENT_USER PASSWORD 'another'`
  ]
  tried += held.length + 1
  for (const sql of held) expect([sql, await resultOf(sql)]).toEqual([sql, NOTHING])
  const otherDatabase = new Client(configOf({ ...attacker.place, database: 'postgres' }))
  await otherDatabase.connect()
  expect(await resultOf('SELECT lo_create(0)', [], otherDatabase)).toBe(NOTHING)
  await otherDatabase.end()
  await office.invite('Counter 3')
  expect((await checkOffice(office.administrator)).excess).toEqual([])
  expect(await initOffice(office.administrator)).toBe(0)
  expect(await revokeWorkstation(office.administrator, 'Taken over')).toBe(true)
  expect(await office.sql('SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin', [attacker.joined.user])).toEqual(
    []
  )
  const reconnecting = new Client(configOf(attacker.place))
  reconnecting.on('error', () => undefined)
  await expect(reconnecting.connect()).rejects.toMatchObject({ code: '28P01' })
  expect(await resultOf('SELECT office.hello()')).not.toBe(NOTHING)
  expect(await answerToVictim()).toEqual([{ name: 'Front desk' }])
})
test('more than 300 attacks were tried', () => expect(tried).toBeGreaterThan(300))
