// Counters of one office, each with its own sessions and a connection to one PostgreSQL server. What happens at one is
// on the others' boards as it was reported, with its age, and never shown as current once its reports have stopped.
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { CounterBoard } from '../../src/main/core/appointments/board.ts'
import { OfficeBoard } from '../../src/main/core/appointments/office-board.ts'
import { openOfficeCounters } from '../../src/main/core/office/counters.ts'
import type { BoardCounter, ConnectionView, OfficeMembershipState } from '../../src/shared/contract/index.ts'
import { openPools } from '../fixtures/acting-workstations.ts'
import { openTestOffice, type TestOffice } from '../fixtures/office.ts'
import { OfficeWorkstation, openOfficeWorkstation } from '../fixtures/office-workstation.ts'
import { openOffice as openCounter, PIN, signer } from '../unit/counter/office.ts'

const NAMES = ['Front desk', 'Back room', 'Counter 3']
const HOUR = 3_600_000
let office: TestOffice
let pools: Pool[]
beforeAll(async () => {
  office = await openTestOffice(inject('cluster'))
  pools = await openPools(office, NAMES)
})
afterAll(() => Promise.all(pools.map((pool) => pool.end())))

const SHARED = new Map([['office', randomUUID()]])
const OFFLINE: ConnectionView = { state: 'offline', since: 0 }

/** A workstation's connection, its counter with sessions, and its board. */
async function counterAt(index: number, { name = `Counter ${index + 1}`, accounts = SHARED, ahead = 0 } = {}) {
  const pool = pools[index] ?? expect.fail('There is no such line.')
  const its = openCounter({ will: [signer('Planted Person')] })
  its.place = 'other-display'
  // No session becomes idle while a test lasts.
  its.settings.idle = { warnAfter: 7_200, coverAfter: 7_200, endAfter: 7_200 }
  its.time.now += ahead
  const time = its.time.run()
  const calls: string[] = []
  let isBroken = false
  let asking = 0
  const line = openOfficeCounters({
    key: office.key,
    pool: {
      async query(text: string, values: unknown[]) {
        calls.push(/office\.(\w+)/.exec(text)?.[1] ?? '')
        if (isBroken) throw new Error('The line broke.')
        asking += 1
        return await pool.query(text, values).finally(() => {
          asking -= 1
        })
      }
    } as unknown as Pool
  })
  let state: OfficeMembershipState = 'connected'
  let connection: ConnectionView = { state: 'online', since: 0 }
  let changeCount = 0
  let notifications = 0
  const officeBoard: OfficeBoard = new OfficeBoard({
    time,
    state: () => state,
    accounts: () => accounts,
    onError: () => undefined,
    changed: () => {
      changeCount += 1
      // While it is open, the screen reads the board again after each notification.
      setImmediate(() => {
        if (isOpen) board.board()
      })
    }
  })
  const counter = its.runs({
    ...its.deps,
    changed() {
      board.sessionChanged()
      officeBoard.localChanged()
    }
  })
  let isOpen = false
  const board: CounterBoard = new CounterBoard({
    time,
    office: officeBoard,
    appointments: { ofToday: () => [] },
    session: () => counter.state(),
    staff: () => (name === '' ? '' : 'Planted Clerk'),
    counterName: () => name,
    connection: () => connection,
    hasOtherDisplay: () => name !== '',
    accountId: () => counter.sessionAccountId()
  })
  officeBoard.setOwnCounter(() => board.ownCounter())
  const listener = await pool.connect()
  const ring = () => {
    notifications += 1
    officeBoard.notified()
  }
  listener.on('notification', ring)
  await listener.query('LISTEN countersign_counters')
  officeBoard.connect(line)
  const hangUp = () => {
    listener.off('notification', ring)
    time.end()
    officeBoard.disconnect()
  }
  onTestFinished(() => {
    hangUp()
    listener.release(true)
  })
  return {
    its,
    officeBoard,
    line,
    calls,
    hangUp,
    changeCount: () => changeCount,
    /** Resolves once every request to the server has been answered. */
    quiet: () => expect.poll(() => asking).toBe(0),
    /** How many have arrived, once those sent before are there: the server delivers them with its next answer. */
    async notifications() {
      await listener.query('SELECT')
      return notifications
    },
    pass: its.time.pass,
    now: () => its.time.now,
    /** Opens the board, or closes it. */
    setBoardOpen(isLooking: boolean) {
      isOpen = isLooking
      board.board()
    },
    board: () => board.board(),
    others: () => board.board().counters.slice(1),
    disconnect() {
      state = 'away'
      officeBoard.disconnect()
    },
    connect() {
      state = 'connected'
      officeBoard.connect(line)
    },
    breaks: (isSo: boolean) => {
      isBroken = isSo
    },
    goesOffline() {
      connection = OFFLINE
      officeBoard.localChanged()
    },
    async signs() {
      await its.start(['will', 0])
      await its.opens()
    },
    help: () => counter.cover(its.state().id, 'help'),
    async ends() {
      const { id } = its.state()
      let hasEnded = false
      const ending = counter
        .unlock(id, PIN)
        .then(() => counter.staff(id, 'end', 'office'))
        .finally(() => {
          hasEnded = true
        })
      // The service is asked for the result repeatedly.
      while (!hasEnded) await its.time.pass(1_000)
      await ending
    }
  }
}
type Place = Awaited<ReturnType<typeof counterAt>>

let here: Place
let there: Place
beforeEach(async () => {
  await office.sql('DELETE FROM office.counter')
})
async function two(its: { here?: Parameters<typeof counterAt>[1]; there?: Parameters<typeof counterAt>[1] } = {}) {
  here = await counterAt(0, its.here)
  there = await counterAt(1, its.there)
}
/** Lets time pass at both until the board there shows this of the counter here. */
const shows = (expected: Partial<BoardCounter> | undefined, pass = 1_000) =>
  expect
    .poll(
      async () => {
        await here.pass(pass)
        await there.pass(pass)
        return there.others().find(({ office: its }) => its?.workstation === 'Front desk')
      },
      { timeout: 30_000, interval: 20 }
    )
    .toEqual(expected === undefined ? undefined : expect.objectContaining(expected))
const row = async () =>
  (
    await office.sql<{ reported_at: number; left: number; sealed: Buffer }>(
      `SELECT extract(epoch FROM now() - reported_at)::float AS reported_at, extract(epoch FROM until - now())::float AS "left", sealed
        FROM office.counter it JOIN office.station who ON who.id = it.station WHERE who.name = 'Front desk'`
    )
  )[0]
/** Makes the counter's last report that many seconds old, with its lease expired. */
const wasHeard = (seconds: number) =>
  office.sql(`UPDATE office.counter SET reported_at = now() - $1 * interval '1 s', until = now() - interval '1 ms'`, [
    seconds
  ])

describe('the board of another counter', () => {
  test('shows who is signing, that the page is hidden, that help is wanted, and that it is free again', async () => {
    await two()
    await shows({ name: 'Counter 1', staff: 'Planted Clerk', state: 'free', wantsStaff: false })
    expect(there.board()).toMatchObject({
      counters: [{ id: 'here', name: 'Counter 2' }, {}],
      office: { state: 'connected' }
    })
    await here.its.start(['will', 0])
    await shows({ state: 'between', signer: 'Planted Person', document: 'The will' })
    await here.its.opens()
    await shows({ state: 'signing', wantsStaff: false })
    await here.help()
    await shows({ state: 'covered', wantsStaff: true })
    const [counter] = there.others()
    expect(counter?.office).not.toHaveProperty('isSilent')
    expect(Math.abs((counter?.coveredSince ?? 0) - there.now())).toBeLessThan(60_000)
    here.goesOffline()
    await shows({ wantsStaff: true, downSince: expect.any(Number) })
    await here.ends()
    await shows({ state: 'free', wantsStaff: false })
    expect(there.others()[0]).not.toHaveProperty('signer')
  })

  test('shows times by its own clock, even if the other counter’s clock is wrong', async () => {
    await two({ here: { ahead: 5 * HOUR } })
    await here.signs()
    await shows({ state: 'signing' })
    const { since = 0, office: its } = there.others()[0] ?? {}
    for (const at of [since, its?.heardAt ?? 0]) expect(Math.abs(at - there.now())).toBeLessThan(5 * 60_000)
  })

  test('doesn’t show the last report of a killed workstation as current', async () => {
    await two()
    await here.signs()
    await shows({ state: 'signing' })
    here.hangUp()
    await wasHeard(300)
    await shows({ state: 'signing', office: expect.objectContaining({ isSilent: true }) })
    const { heardAt = 0 } = there.others()[0]?.office ?? {}
    expect(Math.abs(there.now() - heardAt - 300_000)).toBeLessThan(30_000)
    await wasHeard(86_401)
    await shows(undefined)
  })

  test('doesn’t show reports as current while the office’s server is unreachable, and says so', async () => {
    await two()
    await here.signs()
    await shows({ state: 'signing' })
    there.setBoardOpen(true)
    await there.pass(20_000)
    there.disconnect()
    expect(there.board().office).toMatchObject({ state: 'away', readAt: expect.any(Number) })
    await there.quiet()
    const before = there.changeCount()
    for (let step = 0; step < 7; step++) await there.pass(10_000)
    // The screen is notified without a request, and no request is made to an unreachable server.
    expect(there.changeCount()).toBeGreaterThan(before)
    expect(there.changeCount()).toBeLessThan(before + 10)
    expect(there.others()).toMatchObject([{ office: { isSilent: true } }])
    there.setBoardOpen(false)
    there.connect()
    await shows({ state: 'signing' })
    await expect.poll(() => there.others()[0]?.office?.isSilent).toBeUndefined()
  })

  test('shows a counter whose application has ended as closed, and omits one that left', async () => {
    await two()
    await shows({ state: 'free' })
    await here.officeBoard.close()
    await shows({ state: 'closed', staff: '' })
    await wasHeard(300)
    // Once it has been read again.
    await expect
      .poll(async () => {
        await there.pass(1_000)
        return there.now() - (there.others()[0]?.office?.heardAt ?? 0)
      })
      .toBeGreaterThan(200_000)
    await shows({ state: 'closed' })
    expect(there.others()[0]?.office).not.toHaveProperty('isSilent')
    here.disconnect()
    here.connect()
    await shows({ state: 'free' })
    await here.officeBoard.leftOffice()
    await shows(undefined)
  })

  test('omits a workstation without a counter name until someone has signed there', async () => {
    await two({ here: { name: '' } })
    // As if an earlier run had been killed in the middle.
    const killed = openOfficeCounters({ pool: pools[0] as Pool, key: office.key })
    here.disconnect()
    await here.quiet()
    await killed.publish({ ...SAID, state: 'signing' }, { ms: 60_000, isNews: true })
    await shows({ state: 'signing' })
    here.connect()
    await shows(undefined)
    await here.signs()
    await shows({ state: 'signing', name: '', signer: 'Planted Person' })
    await here.ends()
    await shows({ state: 'free' })
  })
})

const SAID = { name: 'Counter 1', staff: '', state: 'free', wantsStaff: false, hasOtherDisplay: false }

describe('the name of the signer', () => {
  test('isn’t published for an account that isn’t shared, only that someone is signing', async () => {
    await two({ here: { accounts: new Map() } })
    await here.signs()
    await shows({ state: 'signing' })
    expect(there.others()[0]).not.toHaveProperty('signer')
    const counters = await openOfficeCounters({ pool: pools[2] as Pool, key: office.key }).others()
    expect(JSON.stringify(counters)).toContain('signing')
    expect(JSON.stringify(counters)).not.toContain('Planted Person')
  })

  test('isn’t shown at a workstation that doesn’t have the account', async () => {
    await two({ there: { accounts: new Map([['office', randomUUID()]]) } })
    await here.signs()
    await shows({ state: 'signing' })
    expect(there.others()[0]).not.toHaveProperty('signer')
    expect(there.others()[0]).not.toHaveProperty('document')
  })

  test('isn’t readable on the server', async () => {
    await two()
    await here.signs()
    await shows({ signer: 'Planted Person' })
    const rows = JSON.stringify(await office.sql('SELECT counter::text AS text FROM office.counter'))
    expect(rows).not.toMatch(/planted|will|signing/i)
    expect(rows).not.toContain(Buffer.from('Planted').toString('hex'))
  })

  test.each(['publishes', 'reads'] as const)('is erased after a day when another counter %s', async (what) => {
    const [reporting, other] = pools.map((pool) => openOfficeCounters({ pool, key: office.key }))
    const way = { ms: 60_000, isNews: false }
    // So that it already knows its own id, and makes no other request when it publishes.
    await other?.publish(null, way)
    await reporting?.publish(SAID, way)
    await wasHeard(86_399)
    const does = () => (what === 'publishes' ? other?.publish(SAID, way) : other?.others())
    await does()
    expect(await row()).toBeDefined()
    await wasHeard(86_401)
    await does()
    expect(await row()).toBeUndefined()
  })
})

describe('a report', () => {
  test.each([
    ['altered', `UPDATE office.counter SET sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1)`],
    [
      'of another counter',
      `UPDATE office.counter SET sealed = (SELECT sealed FROM office.counter it JOIN office.station who ON who.id = it.station
        WHERE who.name = 'Back room')`
    ]
  ])('that is %s shows an unknown state and only the workstation’s name', async (_name, sql) => {
    await two()
    await here.signs()
    await shows({ state: 'signing' })
    await expect.poll(() => office.sql('SELECT FROM office.counter')).toHaveLength(2)
    await office.sql(sql)
    await there.pass(20_000)
    await shows({ state: 'unknown', name: '', staff: '', wantsStaff: false })
    expect(there.others()[0]).not.toHaveProperty('signer')
  })

  test.each([
    ['a state of a later version', { ...SAID, state: 'dancing' }],
    ['invalid times', { ...SAID, sinceAgo: 1e300 }],
    ['times in the future', { ...SAID, coveredAgo: -1 }],
    ['an overlong name', { ...SAID, signer: 'x'.repeat(10_000) }],
    ['another structure', [SAID]],
    ['only a number', 7]
  ])('with %s shows an unknown state', async (_name, content) => {
    there = await counterAt(1)
    here = there
    await openOfficeCounters({ pool: pools[0] as Pool, key: office.key }).publish(content, { ms: 60_000, isNews: true })
    await shows({ state: 'unknown', name: '' })
  })

  test.each([9_999, 600_001, null])('can’t have a lease of %s milliseconds', async (ms) => {
    const sql = 'SELECT office.publish_counter($1, $2, false)'
    await expect(pools[0]?.query(sql, [ms, Buffer.from('x')])).rejects.toMatchObject({ code: '22023' })
    expect(await row()).toBeUndefined()
    for (const held of [10_000, 600_000]) await pools[0]?.query(sql, [held, Buffer.from('x')])
  })

  test('can’t be longer than 16 KiB', async () => {
    const sql = 'SELECT office.publish_counter(60000, $1, false)'
    await pools[0]?.query(sql, [Buffer.alloc(16_384)])
    await expect(pools[0]?.query(sql, [Buffer.alloc(16_385)])).rejects.toMatchObject({ code: '23514' })
  })

  test('isn’t read if its workstation was revoked or never joined', async () => {
    const [reporting, other] = pools.map((pool) => openOfficeCounters({ pool, key: office.key }))
    const read = async () => (await other?.others())?.map(({ name }) => name)
    await reporting?.publish(SAID, { ms: 60_000, isNews: false })
    expect(await read()).toEqual(['Front desk'])
    for (const [column, usual] of [
      ['revoked_at', 'NULL'],
      ['joined_at', 'now()']
    ] as const) {
      const change = (to: string) => office.sql(`UPDATE office.station SET ${column} = ${to} WHERE name = 'Front desk'`)
      onTestFinished(() => void change(usual))
      await change(column === 'revoked_at' ? 'now()' : 'NULL')
      expect(await read()).toEqual([])
      await change(usual)
      expect(await read()).toEqual(['Front desk'])
    }
  })

  test('with impossible values is omitted or limited, and each counter appears once', async () => {
    const one = { station: 'a', name: 'A', is_me: false, reported_ms: 5, left_ms: 5, sealed: Buffer.from('x') }
    const rows = [
      ...[
        { ...one, station: 'x', reported_ms: Number.NaN },
        { ...one, station: 'y', left_ms: Number.POSITIVE_INFINITY },
        { ...one, station: 'z', sealed: null }
      ],
      ...[one, one, { ...one, station: 'b', reported_ms: -5, left_ms: 1e15, name: 'x'.repeat(1_000) }],
      ...Array.from({ length: 5_000 }, (_, index) => ({ ...one, station: `c${index}` }))
    ]
    const pool = { query: async () => ({ rows }) } as unknown as Pool
    const others = await openOfficeCounters({ pool, key: office.key }).others()
    expect(others.slice(0, 2)).toMatchObject([
      { station: 'a', content: undefined },
      { station: 'b', ago: 0, remaining: 600_000 }
    ])
    expect(others[1]?.name.length).toBeLessThan(200)
    expect(others.length).toBeLessThan(1_000)
    expect(new Set(others.map(({ station }) => station)).size).toBe(others.length)
  })
})

describe('the number of requests', () => {
  test('renews a free counter every minute, a busy one every 20 seconds, and notifies nobody', async () => {
    await two()
    await shows({ state: 'free' })
    const publishCount = () => here.calls.filter((name) => name === 'publish_counter').length
    /** How often in ten minutes, waiting for each report to be answered. */
    async function inTenMinutes() {
      const before = publishCount()
      for (let step = 0; step < 60; step++) {
        await here.pass(10_000)
        await here.quiet()
      }
      return publishCount() - before
    }
    const free = await inTenMinutes()
    expect(free).toBeGreaterThanOrEqual(9)
    expect(free).toBeLessThanOrEqual(11)
    const before = await there.notifications()
    await here.signs()
    await shows({ state: 'signing' })
    await here.quiet()
    // The steps by which a session begins are reported together or one after the other.
    const begun = await there.notifications()
    expect(begun).toBeGreaterThan(before)
    const signing = await inTenMinutes()
    expect(signing).toBeGreaterThanOrEqual(28)
    expect(signing).toBeLessThanOrEqual(31)
    expect(await there.notifications()).toBe(begun)
    await office.sql(`UPDATE office.counter SET until = now() + interval '5 s'`)
    await here.pass(20_000)
    await expect.poll(async () => (await row())?.left).toBeGreaterThan(30)
  })

  test('reads others only while the board is open, every 20 seconds, even if the server fails', async () => {
    await two()
    await shows({ state: 'free' })
    const reads = () => there.calls.filter((name) => name === 'counters').length
    await there.pass(200_000)
    await there.quiet()
    const before = reads()
    await here.signs()
    await here.pass(2_000)
    await expect.poll(async () => (await row())?.left).toBeLessThan(60.1)
    const minutes = async (count: number) => {
      for (let step = 0; step < count * 6; step++) {
        await there.pass(10_000)
        await there.quiet()
      }
    }
    await minutes(5)
    expect(reads()).toBe(before)
    there.breaks(true)
    there.setBoardOpen(true)
    await minutes(5)
    expect(reads() - before).toBeGreaterThanOrEqual(10)
    expect(reads() - before).toBeLessThanOrEqual(17)
  })

  test('publishes frequent changes once a second', async () => {
    await two()
    await here.signs()
    await shows({ state: 'signing' })
    const publishCount = () => here.calls.filter((name) => name === 'publish_counter').length
    await here.pass(5_000)
    await here.quiet()
    const before = publishCount()
    for (let round = 0; round < 20; round++) {
      await here.help()
      await here.its.counter.resume(here.its.state().id)
      await here.quiet()
    }
    await here.help()
    expect(publishCount() - before).toBeLessThanOrEqual(2)
    await shows({ state: 'covered', wantsStaff: true })
  })

  test('publishes again what the server refused', async () => {
    await two()
    await shows({ state: 'free' })
    here.breaks(true)
    await here.signs()
    await here.pass(6_000)
    here.breaks(false)
    await shows({ state: 'signing' })
  })
})

describe('a workstation', () => {
  test('publishes and reads over its own connection, even after a reconnect, and disappears when it leaves', async () => {
    const boards: OfficeBoard[] = []
    /** How often each has read the others, or tried to. */
    const heard: number[] = []
    let state: 'free' | 'between' = 'free'
    class Workstation extends OfficeWorkstation {
      constructor(work: OfficeWorkstation['work'], its: TestOffice) {
        super(work, its, ({ parts, time }) => {
          const counters: OfficeBoard = new OfficeBoard({
            time: time.run(),
            state: () => 'connected',
            onError: () => undefined,
            changed: () => {
              heard[index - 1] = (heard[index - 1] ?? 0) + 1
            },
            accounts: () => parts.outbox.shared.accounts()
          })
          const index = boards.push(counters)
          counters.setOwnCounter(() => ({
            counter: { ...SAID, id: 'here', name: `Counter ${index}`, state: index === 1 ? state : 'free' },
            isCounter: true,
            accountId: undefined
          }))
          return { counters }
        })
      }
    }
    const own = await openTestOffice(inject('cluster'))
    const first = await openOfficeWorkstation(Workstation, own)
    const second = await openOfficeWorkstation(Workstation, own, first)
    await first.join('Front desk')
    await second.join('Back room')
    const shownOn = (index: number) => boards[index]?.view()?.counters.map(({ name, state }) => `${name}: ${state}`)
    const becomes = (index: number, expected: string[]) =>
      expect
        .poll(
          async () => {
            await first.work.time.pass(1_000)
            await second.work.time.pass(1_000)
            return shownOn(index)
          },
          { timeout: 60_000, interval: 20 }
        )
        .toEqual(expected)
    await becomes(0, ['Counter 2: free'])
    await becomes(1, ['Counter 1: free'])
    await second.reconnect()
    await becomes(1, ['Counter 1: free'])
    // It has just read, so anything it hears of within 20 seconds is due to a notification.
    const before = heard[1] ?? 0
    await expect
      .poll(
        async () => {
          await second.work.time.pass(200)
          shownOn(1)
          return heard[1]
        },
        { timeout: 30_000, interval: 20 }
      )
      .toBeGreaterThan(before)
    state = 'between'
    boards[0]?.localChanged()
    await expect
      .poll(
        async () => {
          await first.work.time.pass(1_000)
          await second.work.time.pass(20)
          return shownOn(1)
        },
        { timeout: 15_000, interval: 20 }
      )
      .toEqual(['Counter 1: between'])
    await first.powerOff()
    await becomes(1, ['Counter 1: closed'])
    await second.leave()
    expect(await own.sql('SELECT FROM office.counter')).toHaveLength(1)
  })
})
