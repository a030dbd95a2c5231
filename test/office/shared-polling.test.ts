// Two and three workstations of an office, each with its own mirror, share a PostgreSQL server and a signing service:
// one polls the folders, and the others get from it what is in them.
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { OfficeMembership } from '../../src/main/core/office/membership.ts'
import { memoryKeychain } from '../../src/main/core/storage/keychain.ts'
import { forms } from '../fixtures/compositions.ts'
import { openMembership, openTestOffice, serverOf, type TestOffice } from '../fixtures/office.ts'
import { openWorkplace, type Workplace } from '../fixtures/workplace.ts'

interface Workstation {
  work: Workplace
  membership: OfficeMembership
  /** As if the process had been killed or frozen: it does nothing more, and releases nothing. */
  halt: () => void
}

let office: TestOffice
let workstations: Workstation[]
beforeEach(async () => {
  office = await openTestOffice(inject('cluster'))
  workstations = []
})

/** A workstation that has joined, at the first one's service. */
async function opened(
  name: string,
  before: (work: Workplace) => void = () => undefined,
  first = workstations[0]?.work
): Promise<Workstation> {
  const work = await openWorkplace('demo', first)
  before(work)
  const time = work.time.run()
  const membership = openMembership(work, { time })
  const workstation: Workstation = {
    work,
    membership,
    halt() {
      time.end()
      work.parts.kill()
      workstations = workstations.filter((one) => one !== workstation)
    }
  }
  onTestFinished(async () => {
    await membership.close()
    await work.close()
  })
  workstations.push(workstation)
  work.parts.polling.start()
  await membership.join(serverOf(office), await office.invite(name))
  return workstation
}

/** How often these requested a folder from the service. */
const folderRequests = (...some: Workstation[]) =>
  some.flatMap(({ work }) => work.line.requests.filter((one) => one.includes('GetActiveDocuments'))).length

const viewOf = ({ work }: Workstation) => work.parts.together.view()[0]
const follows = (workstation: Workstation) =>
  viewOf(workstation)?.how === 'together' && viewOf(workstation)?.by?.isMe === false
const connectionOf = ({ work }: Workstation) => work.parts.polling.connectionOf(work.accountId).state
const reads = (workstation: Workstation) => viewOf(workstation)?.by?.isMe === true

/** Each document as a workstation's list shows it. */
async function listed({ work }: Workstation): Promise<string[]> {
  const { accountId } = work
  const query = { search: '', sort: { by: 'reference', descending: false }, grouped: false } as const
  const ask = { accountId, query, expanded: [], offset: 0, limit: 1_000, now: work.time.now, zone: 'UTC' }
  const { rows } = await work.parts.ask('list', ask)
  return rows.map((row) => JSON.stringify(row, (name, value) => (LOCAL.has(name) ? undefined : value))).sort()
}
/** Fields that differ between workstations. */
const LOCAL = new Set(['accountId', 'changedAt', 'arrivedAt', 'unread', 'seenAt', 'completedAt'])

const areEqual = async () => {
  const [one, ...others] = await Promise.all(workstations.map(listed))
  return one && one.length > 0 && others.every((other) => JSON.stringify(other) === JSON.stringify(one))
}

/** Lets everyone's time pass, second by second, until the condition holds. */
async function until(isSo: () => unknown): Promise<void> {
  await expect
    .poll(
      async () => {
        for (const { work } of workstations) await work.time.pass(1_000)
        return (await isSo()) ? true : JSON.stringify(workstations.map(viewOf))
      },
      { timeout: 60_000, interval: 10 }
    )
    .toBe(true)
}

/** Queues a package at a workstation until it is sent. On a busy machine that waits for a sync, so its time passes. */
async function sendAt({ work }: Workstation): Promise<void> {
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
const expireLeases = () => office.sql(`UPDATE office.lease SET until = now() - interval '1 ms'`)

test('a workstation that quits while it is given the lease gives it up, so that another can read at once', async () => {
  let quitting: Promise<void> | undefined
  await opened('Front desk', ({ parts: { together } }) => {
    const connect = together.connect.bind(together)
    together.connect = (feed, ...more) => {
      const poll: typeof feed.poll = async (...asked) => {
        const state = await feed.poll(...asked)
        // Its answer is still on its way.
        if (state.lease) quitting ??= together.disconnect({ isPolite: true })
        return state
      }
      connect({ ...feed, poll }, ...more)
    }
  })
  await until(() => quitting !== undefined)
  await quitting
  expect(await office.sql('SELECT name FROM office.lease WHERE until > now()')).toEqual([])
})

async function two(): Promise<[Workstation, Workstation]> {
  const one = await opened('Front desk')
  await until(() => reads(one))
  const other = await opened('Back room')
  await until(() => follows(other))
  return [one, other]
}

/** Changes something at the service without notifying any workstation. */
async function changeAtService(): Promise<void> {
  const reply = await fetch(`${workstations[0]?.work.serviceUrl}/FormDirect/SendForms2`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(workstations[0]?.work.receivedRequests('SendForms2')[0]?.body)
  })
  expect(reply.ok).toBe(true)
}

describe('when one workstation polls for all', () => {
  test('the others send no requests to the service, and show equal lists', async () => {
    const [one, other] = await two()
    const third = await opened('Counter')
    await until(() => follows(third))
    expect(viewOf(third)?.by).toMatchObject({ name: 'Front desk' })
    await until(areEqual)
    // Polls that a workstation began before it knew that it needn't have ended.
    for (let second = 0; second < 20; second++) await until(() => true)
    const [othersBefore, before] = [folderRequests(other, third), folderRequests(one)]
    await sendAt(one)
    await until(() => folderRequests(one) - before > 30)
    expect(folderRequests(other, third) - othersBefore).toBe(0)
    await until(areEqual)
  })

  test('a change at the service is announced once at each', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    const newest = async ({ work }: Workstation) => (await work.parts.ask('newestChange', null)).change
    const before = [await newest(one), await newest(other)]
    await changeAtService()
    const news = async (workstation: Workstation, after = 0) =>
      (await workstation.work.parts.ask('changesAfter', { after, limit: 100 })).map(({ kind, isOwn }) => ({
        kind,
        isOwn
      }))
    await until(async () => (await news(other, before[1])).length > 0 && (await areEqual()))
    for (let second = 0; second < 30; second++) await until(() => true)
    expect(await news(other, before[1])).toEqual(await news(one, before[0]))
    expect((await news(other, before[1]))[0]).toMatchObject({ kind: 'arrived', isOwn: false })
  })

  test('a package counts as own where it was sent, and as news at the other', async () => {
    const [one, other] = await two()
    await until(areEqual)
    const [mine, theirs] = await Promise.all(
      [other, one].map(async ({ work }) => (await work.parts.ask('newestChange', null)).change)
    )
    await sendAt(other)
    await until(areEqual)
    const news = async ({ work }: Workstation, after = 0) =>
      (await work.parts.ask('changesAfter', { after, limit: 100 })).map(({ isOwn }) => isOwn)
    await until(async () => (await news(one, theirs)).length > 0 && (await news(other, mine)).length > 0)
    // Whichever of them was free has sent it.
    const isOwn = [await news(one, theirs), await news(other, mine)].map((all) => new Set(all))
    expect(isOwn).toEqual(expect.arrayContaining([new Set([true]), new Set([false])]))
  })

  test('a refresh at another is done by the poller immediately', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    for (let second = 0; second < 3; second++) await until(() => true)
    await changeAtService()
    const before = [folderRequests(one), folderRequests(other)]
    await other.work.parts.polling.refresh(other.work.accountId)
    expect(await areEqual()).toBe(true)
    expect(folderRequests(one)).toBeGreaterThan(before[0] ?? 0)
    expect(folderRequests(other)).toBe(before[1])
  })

  test('a new workstation gets everything, none of it as news', async () => {
    const [one] = await two()
    await until(areEqual)
    const lateWorkstation = await opened('Counter')
    await until(() => follows(lateWorkstation))
    await until(areEqual)
    expect((await lateWorkstation.work.parts.ask('newestChange', null)).change).toBe(
      (await lateWorkstation.work.parts.ask('changesAfter', { after: 0, limit: 100 })).length
    )
    expect(folderRequests(lateWorkstation)).toBeLessThanOrEqual(folderRequests(one))
  })

  test('a document that no folder has any more disappears at each', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    one.work.line.spoil((body) => (body.startsWith('[{') ? withoutTheFirst(body) : body))
    const removedRows = async ({ work }: Workstation) =>
      (await work.parts.ask('changesAfter', { after: 0, limit: 200 })).filter(({ kind }) => kind === 'gone').length
    await until(async () => (await removedRows(one)) > 0)
    await until(async () => (await removedRows(other)) === (await removedRows(one)) && (await areEqual()))
  })
})

const withoutTheFirst = (body: string) => JSON.stringify((JSON.parse(body) as unknown[]).slice(1))

describe('handing over the polling', () => {
  test('happens immediately when the poller is closed', async () => {
    const [one, other] = await two()
    await one.membership.close()
    one.halt()
    await other.work.time.pass(0)
    await until(() => reads(other))
    const before = folderRequests(other)
    await until(() => folderRequests(other) > before)
  })

  test('happens once a killed poller’s lease has expired, not before', async () => {
    const [one, other] = await two()
    one.halt()
    for (let second = 0; second < 25; second++) await until(() => true)
    expect(reads(other)).toBe(false)
    await expireLeases()
    await until(() => reads(other))
  })

  test('happens when the poller’s key is refused, which all show until it is accepted again', async () => {
    const [one, other] = await two()
    one.work.line.setFault({ status: 401 })
    await until(() => reads(other))
    await until(() => viewOf(one)?.how === 'alone')
    await until(() => viewOf(other)?.troubles.length === 1)
    expect(viewOf(other)?.troubles).toMatchObject([{ name: 'Front desk', kind: 'refused' }])
    // It polls on its own, less and less often.
    const before = folderRequests(one)
    for (let second = 0; second < 120; second++) await until(() => true)
    expect(folderRequests(one) - before).toBeLessThan(60)
    one.work.line.setFault('pass')
    await until(() => follows(one))
    await until(() => viewOf(other)?.troubles.length === 0)
    await until(areEqual)
  })

  test('happens when the poller can’t reach the service', async () => {
    const [one, other] = await two()
    one.work.line.setFault('cut')
    await until(() => reads(other))
    await until(() => follows(one) && viewOf(one)?.troubles.length === 1)
    expect(viewOf(one)?.troubles).toMatchObject([{ name: 'Front desk', kind: 'unreachable' }])
    expect(connectionOf(one)).toBe('offline')
    one.work.line.setFault('pass')
    await until(() => follows(one) && viewOf(one)?.troubles.length === 0)
    expect(connectionOf(one)).toBe('online')
    await until(areEqual)
  })

  test('stops a poller that was suspended from polling with its expired lease', async () => {
    const [one, other] = await two()
    // Its monotonic clock stood still with it; the wall clock didn't.
    one.work.time.now += 40_000
    const before = folderRequests(one)
    await one.work.parts.polling.soon(one.work.accountId)
    await one.work.time.pass(0)
    expect(folderRequests(one)).toBe(before)
    await until(() => reads(one) || reads(other))
  })
})

describe('a workstation that joins after the only poller has gone', () => {
  /** A workstation that has polled for the office and is gone. */
  async function oneWasThere(): Promise<Workplace> {
    const one = await opened('Front desk')
    await until(() => reads(one))
    await until(async () => Number((await live())[0]?.count) > 3)
    await one.membership.close()
    one.halt()
    return one.work
  }
  const live = () => office.sql<{ count: string }>('SELECT count(*) FROM office.mirror WHERE sealed IS NOT NULL')

  test('polls for all if it sees the same documents', async () => {
    const lateWorkstation = await opened('Back room', undefined, await oneWasThere())
    await until(() => reads(lateWorkstation))
  })

  test('polls for all if it sees others, once the stored ones are old, and replaces them', async () => {
    const work = await oneWasThere()
    const before = Number((await live())[0]?.count)
    const spoilt = ({ line }: Workplace) => line.spoil((body) => (body.startsWith('[{') ? withoutTheFirst(body) : body))
    const lateWorkstation = await opened('Back room', spoilt, work)
    const first = folderRequests(lateWorkstation)
    await until(() => folderRequests(lateWorkstation) > first + 10)
    expect(viewOf(lateWorkstation)).toEqual({ accountName: 'Test office', how: 'alone', troubles: [] })
    await office.sql(`UPDATE office.poll SET read_at = now() - interval '25 hours'`)
    await office.sql(`UPDATE office.lease SET since = now() - interval '25 hours'`)
    await until(() => reads(lateWorkstation))
    await until(async () => Number((await live())[0]?.count) === (await listed(lateWorkstation)).length)
    expect(Number((await live())[0]?.count)).toBeLessThan(before)
  })
})

describe('a restored server', () => {
  const storedCount = async () =>
    Number((await office.sql<{ count: string }>('SELECT count(*) FROM office.mirror'))[0]?.count)

  test('gets everything again from the poller, and each workstation reads that', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    const before = await storedCount()
    const [feed] = await office.sql<{ seq: string }>('SELECT max(seq) AS seq FROM office.feed')
    await office.sql('SELECT office.begin_life(now())')
    const allAfresh = async () =>
      (await office.sql('SELECT FROM office.mirror WHERE seq <= $1', [feed?.seq])).length === 0
    await until(
      async () =>
        (await storedCount()) === before &&
        (await allAfresh()) &&
        workstations.some(reads) &&
        workstations.some(follows)
    )
    await changeAtService()
    await until(async () => (await storedCount()) > before && (await areEqual()))
    expect(folderRequests(one) > 0 && folderRequests(other) > 0).toBe(true)
  })

  test('gets what it lost from a workstation that takes over after it has followed another', async () => {
    const [one, other] = await two()
    await sendAt(other)
    await until(areEqual)
    // As if the first reader since the restore had stopped before it had published everything.
    const [lost] = await office.sql<{ tag: Buffer }>(
      'DELETE FROM office.mirror WHERE seq = (SELECT max(seq) FROM office.mirror) RETURNING tag'
    )
    one.halt()
    await expireLeases()
    await until(() => reads(other))
    await until(async () => (await office.sql('SELECT FROM office.mirror WHERE tag = $1', [lost?.tag])).length === 1)
    await opened('Counter', undefined, other.work)
    await until(areEqual)
  })
})

describe('while the office’s server is unreachable', () => {
  test('each polls on its own, rarely; afterwards one does, and differences are resolved', async () => {
    const [one, other] = await two()
    await sendAt(one)
    await until(areEqual)
    const before = [folderRequests(one), folderRequests(other)]
    // Greetings fail, too.
    await office.sql('ALTER FUNCTION office.hello() RENAME TO hello_of_before')
    for (const { work } of [one, other]) {
      await work.parts.together.disconnect()
      work.parts.outbox.shared.disconnect()
    }
    expect(viewOf(one)).toMatchObject({ how: 'away' })
    await changeAtService()
    // Only one of them sees this: it is there for a moment, and gone before any other polls.
    other.work.line.spoil((body) => (body.startsWith('[{') ? withOneMore(body) : body))
    for (let second = 0; second < 150; second++) {
      for (const { work } of workstations) await work.time.pass(1_000)
      await new Promise((resume) => setImmediate(resume))
    }
    for (const [index, workstation] of [one, other].entries()) {
      const rounds = (folderRequests(workstation) - (before[index] ?? 0)) / 8
      expect(rounds).toBeGreaterThan(0)
      expect(rounds).toBeLessThan(4)
    }
    expect((await listed(other)).some((row) => row.includes('only-here'))).toBe(true)
    other.work.line.spoil((body) => body)
    await office.sql('ALTER FUNCTION office.hello_of_before() RENAME TO hello')
    for (const { membership } of [one, other]) await membership.checkNow()
    await until(() => reads(one) && follows(other))
    await until(areEqual)
    expect((await listed(one)).some((row) => row.includes('only-here'))).toBe(false)
  })

  test('each polls less often the more workstations there are, even after a restart', async () => {
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
    const membership = openMembership(work, { slot })
    onTestFinished(() => membership.close())
    const workstation: Workstation = { work, membership, halt: () => undefined }
    workstations = [workstation]
    work.parts.polling.start()
    membership.start()
    const folders = work.parts.polling.foldersOf(work.accountId).length
    await until(() => folderRequests(workstation) === folders && viewOf(workstation)?.how === 'away')
    // All fifty together poll twice as often as the single poller usually does, which is every ten seconds.
    for (let second = 0; second < 600; second++) await work.time.pass(1_000)
    await expect.poll(() => folderRequests(workstation) / folders).toBe(3)
    for (let second = 0; second < 140; second++) await work.time.pass(1_000)
    expect(folderRequests(workstation) / folders).toBe(3)
  })
})

function withOneMore(body: string): string {
  const all = JSON.parse(body) as Record<string, unknown>[]
  return JSON.stringify([...all, { ...all[0], Reference: `only-here-${all[0]?.Reference}` }])
}

describe('a workstation that can’t read while no other reads for it', () => {
  async function cutOff({ work }: Workstation, fault: 'cut' | { status: number }): Promise<void> {
    await work.parts.together.disconnect()
    work.line.setFault(fault)
    work.parts.polling.soon()
    await work.time.pass(0)
    // Resolves once the round in progress has ended, too.
    await expect(work.parts.polling.refresh(work.accountId)).rejects.toThrow()
  }

  test('shows that it is online again, although another reads for it by then', async () => {
    const [, other] = await two()
    await cutOff(other, 'cut')
    expect(connectionOf(other)).toBe('offline')
    other.work.line.setFault('pass')
    await other.membership.resumed()
    await until(() => follows(other) && connectionOf(other) === 'online')
    await until(areEqual)
  })

  test('shows that it is online again after a refresh that neither another nor it could do', async () => {
    const [, other] = await two()
    // The reader takes too long.
    other.work.parts.together.awaitRead = async () => false
    other.work.line.setFault('cut')
    await expect(other.work.parts.polling.refresh(other.work.accountId)).rejects.toThrow()
    expect(connectionOf(other)).toBe('offline')
    other.work.line.setFault('pass')
    await until(() => follows(other) && connectionOf(other) === 'online')
  })

  test('takes nothing from the others if its key was refused, until that is accepted again', async () => {
    const [, other] = await two()
    await cutOff(other, { status: 401 })
    expect(connectionOf(other)).toBe('refused')
    await other.membership.resumed()
    await until(() => viewOf(other)?.how !== 'away')
    for (let second = 0; second < 60; second++) {
      await until(() => true)
      expect(viewOf(other)?.how).toBe('alone')
    }
    other.work.line.setFault('pass')
    await until(() => follows(other) && connectionOf(other) === 'online')
  })
})

describe('a workstation that sees other documents at the service', () => {
  test('polls on its own, shows that, and takes nothing from the others', async () => {
    const one = await opened('Front desk')
    await until(() => reads(one))
    await until(async () => (await listed(one)).length > 3)
    const other = await opened('Back room', ({ line }) =>
      line.spoil((body) => (body.startsWith('[{') ? withoutTheFirst(body) : body))
    )
    await until(() => viewOf(other)?.how === 'other')
    expect((await listed(other)).length).toBeLessThan((await listed(one)).length)
    const before = folderRequests(other)
    await until(() => folderRequests(other) > before)
  })
})
