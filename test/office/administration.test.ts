// The administrator's command makes an office in which a workstation can do what it is there for, and nothing else.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  asOwnerOf,
  checkOffice,
  initOffice,
  upgradeOffice,
  workstationFunctions
} from '../../src/main/core/office/administration.ts'
import { configOf, openPool, withConnection } from '../../src/main/core/office/connection.ts'
import { joinOffice, newCode } from '../../src/main/core/office/joining.ts'
import { steps } from '../../src/main/core/office/migrations.ts'
import { aCertificate } from '../contract/certificates.ts'
import { type JoinedWorkstation, openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { openCluster } from '../fixtures/office-cluster.ts'

const run = promisify(execFile)
const SCRIPT = new URL('../../scripts/office.ts', import.meta.url).pathname

let office: TestOffice
let workstation: JoinedWorkstation
beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  workstation = await office.join('Front desk')
})

/** What the server answers to a workstation's query: `done`, or the five-character code of the refusal. */
async function answerTo(sql: string, { place } = workstation): Promise<string> {
  return await withConnection(place, async (client) => {
    try {
      await client.query(sql)
      return 'done'
    } catch (error) {
      return (error as { code: string }).code
    }
  })
}

describe('the command', () => {
  const folders: string[] = []
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

  test('creates an office, checks it and invites, and can be repeated without harm', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-office-'))
    folders.push(folder)
    const { host, port, user, password } = inject('cluster')
    const file = join(folder, 'office.key')
    const outputOf = async (...args: string[]) => {
      const connection = ['--server', `${host}:${port}`, '--user', user, '--database', 'by_command', ...args]
      const { stdout } = await run(process.execPath, [SCRIPT, ...connection], {
        env: { ...process.env, PGPASSWORD: password }
      })
      return stdout
    }
    expect(await outputOf('init', '--key-file', file)).toContain(`Steps applied: ${steps.length}.`)
    const key = await readFile(file, 'utf8')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await outputOf('init', '--key-file', file)).toContain('Steps applied: 0.')
    expect(await readFile(file, 'utf8')).toBe(key)
    expect(await outputOf('upgrade')).toContain('Steps applied: 0.')
    const code = (await outputOf('join-code', '--key-file', file, '--name', 'Counter 1')).trim()
    expect(await outputOf('check')).toContain('0 joined, 1 invited')
    const joined = await joinOffice({ host, port, database: 'by_command' }, code)
    expect(joined.key.toString('base64url')).toBe(key.trim())
    expect(await outputOf('check')).toContain('1 joined, 0 invited')
    await expect(outputOf('reset-pin', '--key-file', file, '--name', 'Grace Okafor')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The office has no staff with names.')
    })
    // It never connected, so it couldn't be given another key.
    await expect(outputOf('rotate-key', '--key-file', file)).rejects.toMatchObject({ code: 1 })
    expect(await outputOf('revoke', '--name', 'Counter 1', '--key-file', file)).toContain('will receive it: 0.')
    expect((await readFile(file, 'utf8')).split('\n').slice(0, 1)).toEqual([key.trim()])
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(2)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('leaves no incomplete key file if it is stopped while writing it, and can be run again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-office-'))
    folders.push(folder)
    const { host, port, user, password } = inject('cluster')
    const file = join(folder, 'office.key')
    const args = [
      'init',
      '--server',
      `${host}:${port}`,
      '--user',
      user,
      '--database',
      'interrupted',
      '--key-file',
      file
    ]
    const env = { ...process.env, PGPASSWORD: password }
    // As on a full disk: no file may have any content.
    const limited = ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, SCRIPT, ...args]
    await expect(run('sh', limited, { env })).rejects.toThrow()
    const { stdout } = await run(process.execPath, [SCRIPT, ...args], { env })
    expect(stdout).toContain('The office’s key was created')
    expect(Buffer.from((await readFile(file, 'utf8')).trim(), 'base64url')).toHaveLength(32)
  })

  test('lets the second of two simultaneous upgrades wait and find nothing to do', async () => {
    const fresh = { ...office.administrator, database: `${office.administrator.database}_2` }
    await initOffice(fresh)
    await office.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${fresh.database}'`)
    await withConnection(fresh, (client) => client.query('DROP SCHEMA office CASCADE'))
    const applied = await Promise.all([upgradeOffice(fresh), upgradeOffice(fresh)])
    expect(applied.sort()).toEqual([0, steps.length])
  })

  test('upgrades an older database completely or not at all, and keeps what is in it', async () => {
    const fresh = { ...office.administrator, database: `${office.administrator.database}_4` }
    await initOffice(fresh)
    const rowOf = (sql: string) => withConnection(fresh, async (client) => (await client.query(sql)).rows[0])
    const before = await rowOf('SELECT incarnation FROM office.office')
    const later = [
      ...steps,
      {
        name: 'notes',
        sql: `CREATE TABLE note AS SELECT incarnation FROM office; CREATE FUNCTION note() RETURNS void LANGUAGE sql AS ''`,
        forWorkstations: ['note']
      }
    ]
    const broken = { name: 'broken', sql: 'CREATE TABLE one (); CREATE TABLE one ()', forWorkstations: [] }
    await expect(upgradeOffice(fresh, [...later, broken])).rejects.toMatchObject({ code: '42P07' })
    expect(
      await rowOf(`SELECT to_regclass('office.note') AS note, count(*)::integer AS steps FROM office.step`)
    ).toEqual({
      note: null,
      steps: steps.length
    })
    expect(await upgradeOffice(fresh, later)).toBe(1)
    expect(await upgradeOffice(fresh, later)).toBe(0)
    expect(await rowOf('SELECT * FROM office.note')).toEqual(before)
    expect(await rowOf('SELECT incarnation FROM office.office')).toEqual(before)
    // The version before this one still says what it lacks, but changes nothing.
    expect(await checkOffice(fresh)).toMatchObject({ schema: steps.length + 1, known: steps.length, excess: ['note'] })
    await expect(upgradeOffice(fresh)).rejects.toThrow('newer than this version')
  })

  test('has an older database upgraded before it does anything else', async () => {
    const fresh = { ...office.administrator, database: `${office.administrator.database}_5` }
    await initOffice(fresh)
    await withConnection(fresh, (client) => client.query('UPDATE office.step SET number = number - 1'))
    expect(await checkOffice(fresh)).toMatchObject({ schema: steps.length - 1, known: steps.length })
    await expect(asOwnerOf(fresh, async () => undefined)).rejects.toThrow('Run upgrade first')
  })

  test('leaves a database of a later version unchanged', async () => {
    const fresh = { ...office.administrator, database: `${office.administrator.database}_3` }
    await initOffice(fresh)
    await withConnection(fresh, (client) => client.query(`INSERT INTO office.step VALUES (1000, 'later')`))
    await expect(upgradeOffice(fresh)).rejects.toThrow('newer than this version')
    const { schema } = await checkOffice(fresh)
    expect(schema).toBe(1000)
  })
})

describe('a join code', () => {
  const placeOf = ({ host, port, database } = office.administrator) => ({ host, port, database })

  test('works only once', async () => {
    const code = await office.invite('Counter 2')
    const joined = await joinOffice(placeOf(), code)
    expect(joined.key.equals(office.key)).toBe(true)
    await expect(joinOffice(placeOf(), code)).rejects.toMatchObject({ code: '28P01' })
  })

  test('lets only one of two join at the same time', async () => {
    const code = await office.invite('Counter 3')
    const ends = await Promise.allSettled([joinOffice(placeOf(), code), joinOffice(placeOf(), code)])
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('expires, and its role is removed when the next one is made', async () => {
    const code = await office.invite('Counter 4')
    await office.sql(`UPDATE office.station SET invited_until = now() - interval '1 s' WHERE name = 'Counter 4'`)
    await expect(joinOffice(placeOf(), code)).rejects.toMatchObject({ code: '42501' })
    await office.invite('Counter 4')
    await expect(joinOffice(placeOf(), code)).rejects.toMatchObject({ code: '28P01' })
  })

  test('of another office, or mistyped, is refused', async () => {
    await expect(joinOffice(placeOf(), newCode())).rejects.toMatchObject({ code: '28P01' })
    await expect(joinOffice(placeOf(), 'too short')).rejects.toThrow('whole join code')
  })

  test('isn’t readable on the server, nor are the office’s key and passwords', async () => {
    const code = await office.invite('Counter 5')
    const storedWorkstations = JSON.stringify(await office.sql('SELECT * FROM office.station'))
    const roles = JSON.stringify(await office.sql('SELECT rolpassword FROM pg_authid'))
    for (const secret of [
      code,
      office.key.toString('hex'),
      office.key.toString('base64'),
      workstation.joined.password
    ]) {
      expect(storedWorkstations).not.toContain(secret)
      expect(roles).not.toContain(secret)
    }
  })

  test('is refused for a name that another workstation has', async () => {
    await expect(office.join('FRONT DESK')).rejects.toMatchObject({ code: '23505' })
  })
})

describe('a workstation', () => {
  test('can call only the functions meant for it', async () => {
    expect((await checkOffice(office.administrator)).excess).toEqual([])
    const functions = await office.sql<{ name: string }>(
      `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'office'::regnamespace
       AND has_function_privilege('${workstation.joined.user}', oid, 'EXECUTE')`
    )
    expect(functions.map(({ name }) => name).sort()).toEqual([...workstationFunctions].sort())
  })

  test('with an excessive permission is found by the check', async () => {
    await office.sql(`GRANT SELECT ON office.send TO ${office.administrator.database}_stations`)
    expect((await checkOffice(office.administrator)).excess).toEqual(['send'])
    await office.sql(`REVOKE SELECT ON office.send FROM ${office.administrator.database}_stations`)
  })

  test.each([
    ['a column', (role: string) => [`GRANT SELECT (sealed) ON office.send TO ${role}`, 'send']],
    ['another role', (role: string) => [`GRANT pg_signal_backend TO ${role}`, 'pg_signal_backend']],
    ['the server', (role: string) => [`ALTER ROLE ${role} CREATEROLE`, 'the server']]
  ])('that alone has an excessive permission, on %s, is found by the check', async (_on, excessOf) => {
    const { joined } = await office.join(`Counter ${randomUUID()}`)
    const [sql = '', what] = excessOf(joined.user)
    await office.sql(sql)
    expect((await checkOffice(office.administrator)).excess).toEqual([what])
    await office.sql('UPDATE office.station SET revoked_at = now() WHERE role_name = $1', [joined.user])
    expect((await checkOffice(office.administrator)).excess).toEqual([])
  })

  test.each([
    'SELECT * FROM office.send',
    'SELECT * FROM office.station',
    `UPDATE office.send SET state = 'ready'`,
    'DELETE FROM office.answer',
    'TRUNCATE office.attempt CASCADE',
    'SELECT office.me()',
    'SELECT office.join_office()',
    'CREATE TABLE office.mine ()',
    'CREATE TEMPORARY TABLE outbox ()',
    'CREATE FUNCTION office.claim(text) RETURNS text LANGUAGE sql AS $$ SELECT $1 $$',
    'CREATE ROLE another',
    'DROP OWNED BY CURRENT_USER; SET ROLE administrator',
    'ALTER FUNCTION office.me() OWNER TO CURRENT_USER',
    `COPY (SELECT 1) TO PROGRAM 'true'`
  ])('is refused: %s', async (sql) => expect(await answerTo(sql)).toBe('42501'))

  test('that was only invited can do nothing', async () => {
    const code = await office.invite('Counter 6')
    const { credentialsOfCode } = await import('../../src/main/core/office/joining.ts')
    const { role, password } = credentialsOfCode(code, office.administrator.database)
    const invited = { ...workstation, place: { ...workstation.place, user: role, password } }
    expect(await answerTo('SELECT office.cancel_send(gen_random_uuid())', invited)).toBe('42501')
  })

  test('that was revoked is refused from its next query on', async () => {
    const other = await office.join('Counter 7')
    expect(await answerTo('SELECT office.cancel_send(gen_random_uuid())', other)).toBe('done')
    await office.sql(`UPDATE office.station SET revoked_at = now() WHERE name = 'Counter 7'`)
    expect(await answerTo('SELECT office.cancel_send(gen_random_uuid())', other)).toBe('42501')
  })

  test('has its answers and attempts stored append-only, even for the administrator', async () => {
    await expect(office.sql('DELETE FROM office.answer')).rejects.toMatchObject({ code: '23001' })
    await expect(office.sql('UPDATE office.attempt SET epoch = 1')).rejects.toMatchObject({ code: '23001' })
  })
})

describe('the connection to the server', () => {
  test('without TLS is accepted only to this computer’s own address', async () => {
    for (const host of ['localhost', hostname()]) {
      await expect(withConnection({ ...workstation.place, host }, async () => 'connected')).rejects.toThrow()
    }
    await expect(withConnection({ ...workstation.place, host: 'localhost' }, async () => 'connected')).rejects.toThrow(
      'does not support SSL'
    )
  })

  test('requires a certificate of the trusted authority and for the right name', async () => {
    const right = aCertificate({ name: 'localhost' })
    const cluster = await openCluster({ tls: right })
    try {
      const place = { ...cluster.place, database: 'postgres', host: 'localhost' }
      const isEncrypted = (client: Client) =>
        client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      const { rows } = await withConnection({ ...place, ca: right.cert }, isEncrypted)
      expect(rows).toEqual([{ ssl: true }])
      await expect(withConnection(place, isEncrypted)).rejects.toThrow(/self-signed|self signed/)
      const other = aCertificate({ name: 'localhost' })
      await expect(withConnection({ ...place, ca: other.cert }, isEncrypted)).rejects.toThrow()
    } finally {
      await cluster.close()
    }
    const ofAnother = aCertificate({ name: 'elsewhere.example' })
    const wrong = await openCluster({ tls: ofAnother })
    try {
      const place = { ...wrong.place, database: 'postgres', host: 'localhost', ca: ofAnother.cert }
      await expect(withConnection(place, async () => 'connected')).rejects.toMatchObject({
        code: 'ERR_TLS_CERT_ALTNAME_INVALID'
      })
    } finally {
      await wrong.close()
    }
  })

  test('checks an IP address as itself, not as localhost', () => {
    expect(configOf({ ...workstation.place, host: '192.0.2.7' }).ssl).toMatchObject({ host: '192.0.2.7' })
  })

  test('is replaced after the server ended it while it was idle', async () => {
    const pool = openPool(workstation.place)
    try {
      const one = async () => (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
      const first = await one()
      await office.sql('SELECT pg_terminate_backend($1)', [first])
      await expect.poll(() => pool.totalCount).toBe(0)
      expect(await one()).not.toBe(first)
    } finally {
      await pool.end()
    }
  })

  test('is replaced after the server ended it while it was in use', async () => {
    const pool = openPool(workstation.place)
    try {
      const client = await pool.connect()
      const ended = new Promise<void>((end) => client.once('end', () => end()))
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await office.sql('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
      await ended
      await expect(client.query('SELECT 1')).rejects.toThrow()
      client.release(true)
      expect((await pool.query('SELECT 1')).rowCount).toBe(1)
    } finally {
      await pool.end()
    }
  })
})

test('a key file without a key is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-office-'))
  const file = join(folder, 'office.key')
  try {
    await writeFile(file, 'not a key')
    const { host, port, user } = inject('cluster')
    const args = [SCRIPT, 'join-code', '--server', `${host}:${port}`, '--user', user, '--key-file', file, '--name', 'X']
    await expect(run(process.execPath, args)).rejects.toMatchObject({ code: 1 })
    await expect(run(process.execPath, [SCRIPT, 'join-code'])).rejects.toMatchObject({ code: 2 })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
