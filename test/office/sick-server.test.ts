// The office's server answers but is sick: it is read-only, its disk is full, or it has no connections left. Nothing
// may be sent twice or lost; each workstation says what is wrong, and recovers automatically.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { withConnection } from '../../src/main/core/office/connection.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { type Cluster, openCluster } from '../fixtures/office-cluster.ts'
import {
  OutboxWorkstation,
  passTime,
  sentNames,
  serverState,
  twoWorkstations,
  waitUntil,
  whenReconnected
} from '../fixtures/outbox-workstation.ts'

let cluster: Cluster
let office: TestOffice
beforeAll(async () => {
  cluster = await openCluster({ megabytes: 120 })
})
afterAll(() => cluster.close())
beforeEach(async () => {
  office = await openTestOffice(cluster.place, { search: '0 s' })
})

/** Runs `happens` once, between a claim by one of these at the server and its answer. */
async function asOneClaims(workstations: readonly OutboxWorkstation[], happens: () => unknown): Promise<void> {
  let hasRun = false
  for (const workstation of workstations) {
    await workstation.wrapClaims(async (claim) => {
      const claims = await claim()
      if (hasRun || claims.length === 0) return claims
      hasRun = true
      await happens()
      return claims
    })
  }
  await whenReconnected(workstations)
}

/** Resolves once it applies to new connections, too. */
async function setReadOnly(to: 'on' | 'off'): Promise<void> {
  await office.sql(`ALTER SYSTEM SET default_transaction_read_only = ${to}`)
  await office.sql('SELECT pg_reload_conf()')
  const asNow = () =>
    withConnection(
      office.administrator,
      async (client) => (await client.query('SHOW default_transaction_read_only')).rows
    )
  await expect.poll(asNow, { interval: 5 }).toEqual([{ default_transaction_read_only: to }])
}
const readOnly = { begins: () => setReadOnly('on'), ends: () => setReadOnly('off') }
/** If no small disk can be mounted, the server refuses each new package as a full one would. */
const full = {
  begins: () =>
    cluster.disk
      ? cluster.disk.fill()
      : office.sql(`CREATE FUNCTION office.is_full() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER is_full BEFORE INSERT ON office.send EXECUTE FUNCTION office.is_full()`),
  ends: () => (cluster.disk ? cluster.disk.empty() : office.sql('DROP FUNCTION office.is_full CASCADE'))
}

test.each([
  ['is read-only', readOnly],
  ['has a full disk', full]
])(
  'when the server %s, a send in progress finishes, others wait, and each workstation shows it',
  async (_name, sick) => {
    const both = await twoWorkstations(office)
    const [front, back] = both
    let isSick = false
    const ends = async () => {
      if (isSick) await sick.ends()
      isSick = false
    }
    onTestFinished(ends)
    await asOneClaims(both, async () => {
      isSick = true
      await sick.begins()
    })
    const onItsWay = front.put('On its way')
    // A claim whose answer takes long isn't sent, so no time passes from here on.
    await waitUntil(both, () => isSick)
    await expect.poll(() => sentNames(front)).toEqual(['On its way'])
    const waitingSends = [front.put('Waits'), back.put('Waits, too')]
    await waitUntil(both, () => both.every(({ officeStates }) => officeStates.join() === 'unwritable,away'))
    // As long as it lasts, nobody takes the server for recovered, and nothing is sent.
    for (let minute = 0; minute < 2; minute++) {
      await passTime(both, 60_000)
      // Each checks it again.
      for (const { membership } of both) await membership.checkNow()
      await waitUntil(both, () => both.every(({ officeStates }) => officeStates.join() === 'unwritable,away'))
    }
    expect(sentNames(front)).toEqual(['On its way'])
    // On a full disk, what fits into an existing page is still written.
    if (sick === readOnly) {
      await expect(front.pause(true)).rejects.toThrow('offline')
      expect(await serverState(office, onItsWay)).toBe('sending')
    }
    await ends()
    await whenReconnected(both)
    await waitUntil(both, () =>
      both.every((one) => [onItsWay, ...waitingSends].every((id) => one.state(id) === 'sent'))
    )
    expect(await serverState(office, onItsWay)).toBe('sent')
    expect(sentNames(front)).toEqual(['On its way', 'Waits', 'Waits, too'])
  }
)

test('when the server can’t store a claim, the package waits, and the claiming workstation shows it', async () => {
  const both = await twoWorkstations(office)
  const [front] = both
  await front.pause(true)
  const waitingSend = front.put('Waits')
  await waitUntil(both, async () => (await serverState(office, waitingSend)) === 'ready')
  await office.sql(`CREATE FUNCTION office.is_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER is_full BEFORE UPDATE ON office.send FOR EACH ROW WHEN (NEW.state = 'sending') EXECUTE FUNCTION office.is_full()`)
  await front.pause(false)
  await waitUntil(both, () => front.officeStates.join() === 'unwritable,away')
  // All other requests to it succeed.
  await front.work.parts.outbox.shared.syncNow(front.work.accountId)
  expect(front.officeStates).toEqual(['unwritable', 'away'])
  // As long as nothing is to be sent, nothing is known to be wrong.
  await front.pause(true)
  await whenReconnected(both)
  await office.sql('DROP FUNCTION office.is_full CASCADE')
  await front.pause(false)
  await waitUntil(both, () => both.every((one) => one.state(waitingSend) === 'sent'))
  await whenReconnected(both)
  expect(sentNames(front)).toEqual(['Waits'])
})

test('when the server has no connections left, connected workstations continue, and others show it', async () => {
  const both = await twoWorkstations(office)
  const [front, back] = both
  const limitConnections = (count: number) =>
    office.sql(`ALTER DATABASE ${office.administrator.database} CONNECTION LIMIT ${count}`)
  await limitConnections(1)
  await back.membership.resumed()
  await expect.poll(() => back.officeStates).toEqual(['crowded', 'away'])
  const waitingSend = back.put('Waits')
  const sentAtOnce = front.put('Goes')
  await waitUntil(both, () => front.state(sentAtOnce) === 'sent')
  expect(back.officeStates).toEqual(['crowded', 'away'])
  await expect(OutboxWorkstation.joined(office, 'Counter', { first: front })).rejects.toMatchObject({
    appError: { code: 'offline', message: expect.stringContaining('can’t add a workstation') }
  })
  await limitConnections(-1)
  await whenReconnected(both)
  await waitUntil(both, () => both.every((one) => [waitingSend, sentAtOnce].every((id) => one.state(id) === 'sent')))
  expect(sentNames(front)).toEqual(['Goes', 'Waits'])
})
