// The office's server answers, and is sick: it is read-only, its disk is full, or it has no connection left. Nothing goes twice, nothing is lost, each says what is wrong, and each is back by itself.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { connected } from '../../src/main/core/office/connection.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { type Cluster, openCluster } from '../fixtures/office-cluster.ts'
import { areBack, arrived, OutboxStation, pass, serverSays, twoStations, until } from '../fixtures/outbox-station.ts'

let cluster: Cluster
let office: TestOffice
beforeAll(async () => {
  cluster = await openCluster({ megabytes: 120 })
})
afterAll(() => cluster.close())
beforeEach(async () => {
  office = await openTestOffice(cluster.place, { look: '0 s' })
})

/** Once, as one of these has claimed something at the server, and before it is told so. */
async function asOneClaims(stations: readonly OutboxStation[], happens: () => unknown): Promise<void> {
  let isOver = false
  for (const station of stations) {
    await station.claims(async (claim) => {
      const claims = await claim()
      if (isOver || claims.length === 0) return claims
      isOver = true
      await happens()
      return claims
    })
  }
  await areBack(stations)
}

/** Once it is so for those who connect, too. */
async function setReadOnly(to: 'on' | 'off'): Promise<void> {
  await office.sql(`ALTER SYSTEM SET default_transaction_read_only = ${to}`)
  await office.sql('SELECT pg_reload_conf()')
  const asNow = () =>
    connected(office.administrator, async (client) => (await client.query('SHOW default_transaction_read_only')).rows)
  await expect.poll(asNow, { interval: 5 }).toEqual([{ default_transaction_read_only: to }])
}
const readOnly = { begins: () => setReadOnly('on'), ends: () => setReadOnly('off') }
/** Where no small disk can be mounted, the server says of each new package what it would say of a full one. */
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
])('a server that %s: what is on its way ends, what waits waits, and each says so', async (_name, sick) => {
  const both = await twoStations(office)
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
  // A claim whose answer takes long doesn't leave: from here on no time passes.
  await until(both, () => isSick)
  await expect.poll(() => arrived(front)).toEqual(['On its way'])
  const waits = [front.put('Waits'), back.put('Waits, too')]
  await until(both, () => both.every(({ says }) => says.join() === 'unwritable,away'))
  // As long as it is so: nobody takes it for back, nothing leaves.
  for (let minute = 0; minute < 2; minute++) {
    await pass(both, 60_000)
    // Each has greeted it since.
    for (const { desk } of both) await desk.look()
    await until(both, () => both.every(({ says }) => says.join() === 'unwritable,away'))
  }
  expect(arrived(front)).toEqual(['On its way'])
  // What fits into a page that is there already is written on a full disk, too.
  if (sick === readOnly) {
    await expect(front.pause(true)).rejects.toThrow('offline')
    expect(await serverSays(office, onItsWay)).toBe('sending')
  }
  await ends()
  await areBack(both)
  await until(both, () => both.every((one) => [onItsWay, ...waits].every((id) => one.state(id) === 'sent')))
  expect(await serverSays(office, onItsWay)).toBe('sent')
  expect(arrived(front)).toEqual(['On its way', 'Waits', 'Waits, too'])
})

test('a server that can’t write down who has a package: that waits, and who would have sent it says so', async () => {
  const both = await twoStations(office)
  const [front] = both
  await front.pause(true)
  const waits = front.put('Waits')
  await until(both, async () => (await serverSays(office, waits)) === 'ready')
  await office.sql(`CREATE FUNCTION office.is_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER is_full BEFORE UPDATE ON office.send FOR EACH ROW WHEN (NEW.state = 'sending') EXECUTE FUNCTION office.is_full()`)
  await front.pause(false)
  await until(both, () => front.says.join() === 'unwritable,away')
  // All that it is asked besides goes well.
  await front.work.parts.outbox.shared.settled(front.work.accountId)
  expect(front.says).toEqual(['unwritable', 'away'])
  // Where nothing is to leave, nothing is known to be wrong.
  await front.pause(true)
  await areBack(both)
  await office.sql('DROP FUNCTION office.is_full CASCADE')
  await front.pause(false)
  await until(both, () => both.every((one) => one.state(waits) === 'sent'))
  await areBack(both)
  expect(arrived(front)).toEqual(['Waits'])
})

test('a server that has no connection left: who has one goes on, and who hasn’t says so', async () => {
  const both = await twoStations(office)
  const [front, back] = both
  const most = (count: number) =>
    office.sql(`ALTER DATABASE ${office.administrator.database} CONNECTION LIMIT ${count}`)
  await most(1)
  await back.desk.resumed()
  await expect.poll(() => back.says).toEqual(['crowded', 'away'])
  const waits = back.put('Waits')
  const goes = front.put('Goes')
  await until(both, () => front.state(goes) === 'sent')
  expect(back.says).toEqual(['crowded', 'away'])
  await expect(OutboxStation.joined(office, 'Counter', { beside: front })).rejects.toMatchObject({
    appError: { code: 'offline', message: expect.stringContaining('can’t take in') }
  })
  await most(-1)
  await areBack(both)
  await until(both, () => both.every((one) => [waits, goes].every((id) => one.state(id) === 'sent')))
  expect(arrived(front)).toEqual(['Goes', 'Waits'])
})
