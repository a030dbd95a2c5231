// A workstation that the administrator's command revokes can do nothing more, and nothing that it queued is lost.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import type { Pool } from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { revokeWorkstation } from '../../src/main/core/office/administration.ts'
import { openPool, withConnection } from '../../src/main/core/office/connection.ts'
import { openOfficeSends } from '../../src/main/core/office/sends.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'

const run = promisify(execFile)
const SCRIPT = new URL('../../scripts/office.ts', import.meta.url).pathname
const time = { elapsed: () => performance.now() }

let office: TestOffice
let pools: Pool[]
beforeEach(async () => {
  office = await openTestOffice(inject('cluster'))
  const workstations = await Promise.all(['Front desk', 'Back room'].map((name) => office.join(name)))
  pools = workstations.map(({ place }) => openPool(place))
})
afterEach(() => Promise.all(pools.map((pool) => pool.end())))

async function revoke(name: string): Promise<string> {
  const { host, port, user, password, database } = office.administrator
  const args = [SCRIPT, 'revoke', '--server', `${host}:${port}`, '--user', user, '--database', database, '--name', name]
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, PGPASSWORD: password } })
  return stdout
}

test('its role and connections are gone, its name is free, and the others send what it queued', async () => {
  const [front, back] = pools.map((pool) => openOfficeSends({ pool, key: office.key, time }))
  if (!front || !back) throw new Error('There are no workstations.')
  const accountId = randomUUID()
  await front.configure(accountId, { concurrency: 2, perMinute: null })
  const [waitingId, leavingId] = [randomUUID(), randomUUID()]
  await front.put(accountId, leavingId, Buffer.from('{}'))
  expect(await front.claim(accountId, 1)).toHaveLength(1)
  await front.put(accountId, waitingId, Buffer.from('{}'))

  expect(await revoke('front DESK')).toContain('revoked')

  await expect(front.claim(accountId, 1)).rejects.toThrow()
  await expect(front.finish(accountId, { id: leavingId, epoch: 1 }, 'nothing-left', {})).rejects.toThrow()
  expect(
    await office.sql('SELECT FROM pg_roles WHERE starts_with(rolname, $1)', [`${office.administrator.database}_s_`])
  ).toHaveLength(1)
  expect((await back.claim(accountId, 1)).map(({ id }) => id)).toEqual([waitingId])
  // What it was sending may have arrived.
  await office.sql(`UPDATE office.send SET lease_until = now() - interval '1 ms' WHERE id = $1`, [leavingId])
  await back.expireClaims(accountId)
  expect(await back.stateOf(leavingId)).toBe('uncertain')
  expect(await office.join('Front desk')).toBeDefined()
})

test('an unknown name revokes nothing, and the command exits with 1', async () => {
  await expect(revoke('Nobody')).rejects.toMatchObject({ code: 1 })
  expect(await office.sql('SELECT FROM office.station WHERE revoked_at IS NOT NULL')).toEqual([])
})

test('one that a restored backup brings back is revoked again, although the server has dropped its role', async () => {
  await revoke('Front desk')
  // As in a backup from before, restored on the same server.
  await office.sql('UPDATE office.station SET revoked_at = NULL')
  expect(await revoke('Front desk')).toContain('revoked')
  expect(await office.join('Front desk')).toBeDefined()
})

test('revoking one that was stopped halfway is finished by running the command again', async () => {
  await office.sql(`UPDATE office.station SET revoked_at = now() WHERE name = 'Front desk'`)
  expect(await revoke('Front desk')).toContain('revoked')
  expect(
    await office.sql('SELECT FROM pg_roles WHERE starts_with(rolname, $1)', [`${office.administrator.database}_s_`])
  ).toHaveLength(1)
})

test('an administrator who may only create databases and roles revokes one that is connected', async () => {
  const [user, password] = [`manager_${randomUUID()}`, randomUUID()]
  await office.sql(`CREATE ROLE "${user}" LOGIN CREATEDB CREATEROLE PASSWORD '${password}'`)
  const managed = await openTestOffice({ ...inject('cluster'), user, password })
  const { place } = await managed.join('Front desk')
  await withConnection(place, async (client) => {
    await client.query('SELECT FROM office.hello()')
    expect(await revokeWorkstation(managed.administrator, 'Front desk')).toBe(true)
    await expect(client.query('SELECT FROM office.hello()')).rejects.toThrow()
  })
  expect(await office.sql('SELECT FROM pg_roles WHERE rolname = $1', [place.user])).toEqual([])
})

test('one that was given the administrator’s own role is revoked, too', async () => {
  const { place } = await office.join('Side door')
  await office.sql(`GRANT "${office.administrator.user}" TO "${place.user}"`)
  expect(await revokeWorkstation(office.administrator, 'Side door')).toBe(true)
  expect(await office.sql('SELECT FROM pg_roles WHERE rolname = $1', [place.user])).toEqual([])
})
