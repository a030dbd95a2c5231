// Two and three workstations of an office, each with its own mirror, share a PostgreSQL server and a signing service:
// one reads the folders, and the others get what is in them.
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { OfficeMembership } from '../../src/main/core/office/membership.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { forms } from '../fixtures/compositions.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'

interface Station {
  work: Workplace
  desk: OfficeMembership
  /** As if the process had been killed or frozen: it does nothing more, and gives up nothing. */
  halt: () => void
}

let office: TestOffice
let stations: Station[]
beforeEach(async () => {
  office = await openTestOffice(inject('cluster'))
  stations = []
})

/** A workstation that has joined, at the first one's service. */
async function opened(
  name: string,
  before: (work: Workplace) => void = () => undefined,
  beside = stations[0]?.work
): Promise<Station> {
  const work = await openWorkplace('demo', beside)
  before(work)
  const time = work.time.run()
  const desk = openMembership(work, { time })
  const station: Station = {
    work,
    desk,
    halt() {
      time.end()
      work.parts.kill()
      stations = stations.filter((one) => one !== station)
    }
  }
  onTestFinished(async () => {
    await desk.close()
    await work.close()
  })
  stations.push(station)
  work.parts.polling.start()
  await desk.join(serverOf(office), await office.invite(name))
  return station
}

/** How often these asked the service for a folder. */
const asked = (...some: Station[]) =>
  some.flatMap(({ work }) => work.line.seen.filter((one) => one.includes('GetActiveDocuments'))).length

const viewOf = ({ work }: Station) => work.parts.together.view()[0]
const follows = (station: Station) => viewOf(station)?.how === 'together' && viewOf(station)?.by?.isMe === false
const reads = (station: Station) => viewOf(station)?.by?.isMe === true

/** Each document as a workstation's list shows it. */
async function listed({ work }: Station): Promise<string[]> {
  const { accountId } = work
  const query = { search: '', sort: { by: 'reference', descending: false }, grouped: false } as const
  const ask = { accountId, query, expanded: [], offset: 0, limit: 1_000, now: work.time.now, zone: 'UTC' }
  const { rows } = await work.parts.ask('list', ask)
  return rows.map((row) => JSON.stringify(row, (name, value) => (LOCAL.has(name) ? undefined : value))).sort()
}
/** Fields that differ between workstations. */
const LOCAL = new Set(['accountId', 'changedAt', 'arrivedAt', 'unread', 'seenAt', 'completedAt'])

const areEqual = async () => {
  const [one, ...others] = await Promise.all(stations.map(listed))
  return one && one.length > 0 && others.every((other) => JSON.stringify(other) === JSON.stringify(one))
}

/** Lets everyone's time pass, one second after the other, until it is so. */
async function until(isSo: () => unknown): Promise<void> {
  await expect
    .poll(
      async () => {
        for (const { work } of stations) await work.time.pass(1_000)
        return (await isSo()) ? true : JSON.stringify(stations.map(viewOf))
      },
      { timeout: 60_000, interval: 10 }
    )
    .toBe(true)
}

/** Queues a package at a workstation until it is sent. On a busy machine that waits for a sync, so its time passes. */
async function sendAt({ work }: Station): Promise<void> {
  let hasEnded = false
  const sending = work.send(forms()).finally(() => {
    hasEnded = true
  })
  const ends = async () => {
    await work.time.pass(1_000)
    return hasEnded
  }
  await expect.poll(ends, { timeout: 60_000, interval: 10 }).toBe(true)
  await sending
}

/** Expires every lease by the server's clock. */
const lapse = () => office.sql(`UPDATE office.lease SET until = now() - interval '1 ms'`)

async function two(): Promise<[Station, Station]> {
  const one = await opened('Front desk')
  await until(() => reads(one))
  const other = await opened('Back room')
  await until(() => follows(other))
  return [one, other]
}

/** Changes something at the service without notifying any workstation. */
async function happens(): Promise<void> {
  const reply = await fetch(`${stations[0]?.work.serviceUrl}/FormDirect/SendForms2`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(stations[0]?.work.receivedRequests('SendForms2')[0]?.body)
  })
  expect(reply.ok).toBe(true)
}

describe('one reads for all', () => {
  test('the others ask the service nothing, and their lists are equal', async () => {
    const [one, other] = await two()
    const third = await opened('Counter')
    await until(() => follows(third))
    expect(viewOf(third)?.by).toMatchObject({ name: 'Front desk' })
    await until(areEqual)
    // Rounds that a workstation began by itself, before it knew that it needn't, have ended.
    for (let second = 0; second < 20; second++) await until(() => true)
    const [others, his] = [asked(other, third), asked(one)]
    await sendAt(one)
    await until(() => asked(one) - his > 30)
    expect(asked(other, third) - others).toBe(0)
    await until(areEqual)
  })

  test('what happens at the service is news at each of them, once', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    const newest = async ({ work }: Station) => (await work.parts.ask('newestChange', null)).change
    const before = [await newest(one), await newest(other)]
    await happens()
    const news = async (station: Station, after = 0) =>
      (await station.work.parts.ask('changesAfter', { after, limit: 100 })).map(({ kind, isOwn }) => ({ kind, isOwn }))
    await until(async () => (await news(other, before[1])).length > 0 && (await areEqual()))
    for (let second = 0; second < 30; second++) await until(() => true)
    expect(await news(other, before[1])).toEqual(await news(one, before[0]))
    expect((await news(other, before[1]))[0]).toMatchObject({ kind: 'arrived', isOwn: false })
  })

  test('what one has sent is no news to it, and is to the others', async () => {
    const [one, other] = await two()
    await until(areEqual)
    const [mine, theirs] = await Promise.all(
      [other, one].map(async ({ work }) => (await work.parts.ask('newestChange', null)).change)
    )
    await sendAt(other)
    await until(areEqual)
    const news = async ({ work }: Station, after = 0) =>
      (await work.parts.ask('changesAfter', { after, limit: 100 })).map(({ isOwn }) => isOwn)
    await until(async () => (await news(one, theirs)).length > 0 && (await news(other, mine)).length > 0)
    // Whichever of them was free has sent it.
    const isOwn = [await news(one, theirs), await news(other, mine)].map((all) => new Set(all))
    expect(isOwn).toEqual(expect.arrayContaining([new Set([true]), new Set([false])]))
  })

  test('“look now” is answered by who reads, at once: no time passes, and nothing else is asked', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    for (let second = 0; second < 3; second++) await until(() => true)
    await happens()
    const before = [asked(one), asked(other)]
    await other.work.parts.polling.refresh(other.work.accountId)
    expect(await areEqual()).toBe(true)
    expect(asked(one)).toBeGreaterThan(before[0] ?? 0)
    expect(asked(other)).toBe(before[1])
  })

  test('who has nothing reads all of it, and none of that is news', async () => {
    const [one] = await two()
    await until(areEqual)
    const late = await opened('Counter')
    await until(() => follows(late))
    await until(areEqual)
    expect((await late.work.parts.ask('newestChange', null)).change).toBe(
      (await late.work.parts.ask('changesAfter', { after: 0, limit: 100 })).length
    )
    expect(asked(late)).toBeLessThanOrEqual(asked(one))
  })

  test('a document that no folder has any more is gone at each', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    one.work.line.spoil((body) => (body.startsWith('[{') ? withoutTheFirst(body) : body))
    const gone = async ({ work }: Station) =>
      (await work.parts.ask('changesAfter', { after: 0, limit: 200 })).filter(({ kind }) => kind === 'gone').length
    await until(async () => (await gone(one)) > 0)
    await until(async () => (await gone(other)) === (await gone(one)) && (await areEqual()))
  })
})

const withoutTheFirst = (body: string) => JSON.stringify((JSON.parse(body) as unknown[]).slice(1))

describe('another takes over', () => {
  test('where the one who reads is closed, at once', async () => {
    const [one, other] = await two()
    await one.desk.close()
    one.halt()
    await other.work.time.pass(0)
    await until(() => reads(other))
    const before = asked(other)
    await until(() => asked(other) > before)
  })

  test('where it is killed, once its lease is over, and not before', async () => {
    const [one, other] = await two()
    one.halt()
    for (let second = 0; second < 25; second++) await until(() => true)
    expect(reads(other)).toBe(false)
    await lapse()
    await until(() => reads(other))
  })

  test('where its key is refused; and it says so to all, until it is taken again', async () => {
    const [one, other] = await two()
    one.work.line.setFault({ status: 401 })
    await until(() => reads(other))
    await until(() => viewOf(one)?.how === 'alone')
    await until(() => viewOf(other)?.troubles.length === 1)
    expect(viewOf(other)?.troubles).toMatchObject([{ name: 'Front desk', kind: 'refused' }])
    // It asks on its own, less and less often.
    const before = asked(one)
    for (let second = 0; second < 120; second++) await until(() => true)
    expect(asked(one) - before).toBeLessThan(60)
    one.work.line.setFault('pass')
    await until(() => follows(one))
    await until(() => viewOf(other)?.troubles.length === 0)
    await until(areEqual)
  })

  test('where the service can’t be reached from there', async () => {
    const [one, other] = await two()
    one.work.line.setFault('cut')
    await until(() => reads(other))
    await until(() => follows(one) && viewOf(one)?.troubles.length === 1)
    expect(viewOf(one)?.troubles).toMatchObject([{ name: 'Front desk', kind: 'unreachable' }])
  })

  test('one that stood still reads nothing more by a lease that is over', async () => {
    const [one, other] = await two()
    // Its monotonic clock stood still with it; the wall clock didn't.
    one.work.time.now += 40_000
    const before = asked(one)
    await one.work.parts.polling.soon(one.work.accountId)
    await one.work.time.pass(0)
    expect(asked(one)).toBe(before)
    await until(() => reads(one) || reads(other))
  })
})

describe('where only those are left who haven’t seen that they see the same', () => {
  /** A workstation that has read for the office and is gone. */
  async function oneWasThere(): Promise<Workplace> {
    const one = await opened('Front desk')
    await until(() => reads(one))
    await until(async () => Number((await live())[0]?.count) > 3)
    await one.desk.close()
    one.halt()
    return one.work
  }
  const live = () => office.sql<{ count: string }>('SELECT count(*) FROM office.mirror WHERE sealed IS NOT NULL')

  test('one of them reads for all as soon as it has', async () => {
    const late = await opened('Back room', undefined, await oneWasThere())
    await until(() => reads(late))
  })

  test('one that sees others does once what was seen is old, and what it sees is the office’s then', async () => {
    const work = await oneWasThere()
    const before = Number((await live())[0]?.count)
    const spoilt = ({ line }: Workplace) => line.spoil((body) => (body.startsWith('[{') ? withoutTheFirst(body) : body))
    const late = await opened('Back room', spoilt, work)
    const first = asked(late)
    await until(() => asked(late) > first + 10)
    expect(viewOf(late)).toEqual({ accountName: 'Test office', how: 'alone', troubles: [] })
    await office.sql(`UPDATE office.poll SET read_at = now() - interval '25 hours'`)
    await office.sql(`UPDATE office.lease SET since = now() - interval '25 hours'`)
    await until(() => reads(late))
    await until(async () => Number((await live())[0]?.count) === (await listed(late)).length)
    expect(Number((await live())[0]?.count)).toBeLessThan(before)
  })
})

describe('a server that was put back to an earlier moment', () => {
  test('is given all that the one who reads has, and each reads that', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    const there = async () =>
      Number((await office.sql<{ count: string }>('SELECT count(*) FROM office.mirror'))[0]?.count)
    const before = await there()
    const [feed] = await office.sql<{ seq: string }>('SELECT max(seq) AS seq FROM office.feed')
    await office.sql('SELECT office.begin_life(now())')
    const allAfresh = async () =>
      (await office.sql('SELECT FROM office.mirror WHERE seq <= $1', [feed?.seq])).length === 0
    await until(
      async () => (await there()) === before && (await allAfresh()) && stations.some(reads) && stations.some(follows)
    )
    await happens()
    await until(async () => (await there()) > before && (await areEqual()))
    expect(asked(one) > 0 && asked(other) > 0).toBe(true)
  })
})

describe('while the office’s server is away', () => {
  test('each reads by itself, seldom; afterwards one does, and what differs is settled', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    const before = [asked(one), asked(other)]
    // Greetings aren't answered either.
    await office.sql('ALTER FUNCTION office.hello() RENAME TO hello_of_before')
    for (const { work } of [one, other]) {
      await work.parts.together.disconnect()
      work.parts.outbox.shared.disconnect()
    }
    expect(viewOf(one)).toMatchObject({ how: 'away' })
    await happens()
    // Only one of them sees this: it is there for a moment, and gone before any other looks.
    other.work.line.spoil((body) => (body.startsWith('[{') ? withOneMore(body) : body))
    for (let second = 0; second < 150; second++) {
      for (const { work } of stations) await work.time.pass(1_000)
      await new Promise((resume) => setImmediate(resume))
    }
    for (const [index, station] of [one, other].entries()) {
      const rounds = (asked(station) - (before[index] ?? 0)) / 8
      expect(rounds).toBeGreaterThan(0)
      expect(rounds).toBeLessThan(4)
    }
    expect((await listed(other)).some((row) => row.includes('only-here'))).toBe(true)
    other.work.line.spoil((body) => body)
    await office.sql('ALTER FUNCTION office.hello_of_before() RENAME TO hello')
    for (const { desk } of [one, other]) await desk.checkNow()
    await until(() => reads(one) && follows(other))
    await until(areEqual)
    expect((await listed(one)).some((row) => row.includes('only-here'))).toBe(false)
  })

  test('the more workstations belong to the office, the more seldom does each, also one that starts meanwhile', async () => {
    const work = await openWorkplace('demo')
    const { office: slot } = memoryKeychain()
    const first = work.time.run()
    const before = openMembership(work, { time: first, slot })
    onTestFinished(() => work.close())
    await before.join(serverOf(office), await office.invite('Front desk'))
    await office.sql(`INSERT INTO office.station (name, role_name, invited_until, joined_at)
      SELECT 'Counter ' || n, 'counter_' || n, now(), now() FROM generate_series(1, 49) n`)
    await before.checkNow()
    await office.sql('ALTER FUNCTION office.hello() RENAME TO hello_of_before')
    first.end()
    await before.close()
    work.restart()
    const desk = openMembership(work, { slot })
    onTestFinished(() => desk.close())
    const station: Station = { work, desk, halt: () => undefined }
    stations = [station]
    work.parts.polling.start()
    desk.open()
    const folders = work.parts.polling.foldersOf(work.accountId).length
    await until(() => asked(station) === folders && viewOf(station)?.how === 'away')
    // All fifty together read twice as often as the single reader usually does, which is every ten seconds.
    for (let second = 0; second < 600; second++) await work.time.pass(1_000)
    await expect.poll(() => asked(station) / folders).toBe(3)
    for (let second = 0; second < 140; second++) await work.time.pass(1_000)
    expect(asked(station) / folders).toBe(3)
  })
})

function withOneMore(body: string): string {
  const all = JSON.parse(body) as Record<string, unknown>[]
  return JSON.stringify([...all, { ...all[0], Reference: `only-here-${all[0]?.Reference}` }])
}

describe('who sees other documents at the service', () => {
  test('reads by itself, says so, and takes nothing of the others', async () => {
    const one = await opened('Front desk')
    await until(() => reads(one))
    await until(async () => (await listed(one)).length > 3)
    const other = await opened('Back room', ({ line }) =>
      line.spoil((body) => (body.startsWith('[{') ? withoutTheFirst(body) : body))
    )
    await until(() => viewOf(other)?.how === 'other')
    expect((await listed(other)).length).toBeLessThan((await listed(one)).length)
    const before = asked(other)
    await until(() => asked(other) > before)
  })
})
