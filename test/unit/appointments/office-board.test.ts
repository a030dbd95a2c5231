// What a workstation reports to its office about its counter, and what it shows of others, with the connection and
// clocks under the test's control.
import { expect, onTestFinished, test } from 'vitest'
import { OfficeBoard } from '../../../src/main/core/appointments/office-board.ts'
import type { CounterReport, OfficeCounters } from '../../../src/main/core/office/counters.ts'
import type { BoardCounter, OfficeMembershipState } from '../../../src/shared/contract/index.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { MEMBERSHIP_STATES } from '../../renderer/fakes/membership.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const SAID = { name: 'Counter 2', staff: '', state: 'free', wantsStaff: false, hasOtherDisplay: false } as const
const HELP = { state: 'covered', wantsStaff: true } as const

const newsOf = (content: object = {}, { left: remaining = 60 * SECOND, ago = 0 } = {}): CounterReport => ({
  station: 'other',
  name: 'Back room',
  ago,
  remaining,
  content: { ...SAID, ...content }
})

function workstation() {
  const clock = testTime(1_800_000_000_000)
  const time = clock.run()
  let isOpen = false
  let own: BoardCounter = { ...SAID, id: 'here' }
  let stands: OfficeMembershipState = 'connected'
  const board: OfficeBoard = new OfficeBoard({
    time,
    state: () => stands,
    accounts: () => new Map(),
    onError: () => undefined,
    // As the screen does, asks again when notified.
    changed: () => void setImmediate(() => isOpen && board.view())
  })
  board.setOwnCounter(() => ({ counter: own, isCounter: true, accountId: undefined }))
  onTestFinished(() => time.end())

  /** A connection to a server whose answers can be delayed; each answer has the state at the time of the request. */
  function line(...its: CounterReport[]) {
    const server = {
      its,
      reads: 0,
      published: [] as { content: object | null; isNews: boolean }[],
      waits: undefined as Promise<void> | undefined
    }
    const made: OfficeCounters = {
      async publish(content, { isNews }) {
        server.published.push({ content: content as object | null, isNews })
        await server.waits
      },
      async others() {
        server.reads++
        const { its: reports } = server
        await server.waits
        return reports
      }
    }
    return { server, made }
  }

  return {
    board,
    clock,
    line,
    pass: clock.pass,
    setMembershipState: (state: OfficeMembershipState) => {
      stands = state
    },
    becomes(change: Partial<BoardCounter>) {
      own = { ...SAID, id: 'here', ...change }
      board.localChanged()
    },
    open() {
      isOpen = true
      board.view()
    },
    firstCounter: () => board.view()?.counters[0]
  }
}

/** Delays the server's answers until the returned function is called. */
function hold(server: { waits: Promise<void> | undefined }): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.waits = promise
  return () => {
    server.waits = undefined
    resolve()
  }
}

/** Returns a workstation whose board is being looked at, and has been read. */
async function looking(...its: CounterReport[]) {
  const one = workstation()
  const { server, made } = one.line(...its)
  one.board.connect(made)
  one.open()
  // Requests made at once are answered before time passes.
  await one.pass(0)
  await one.pass(5 * SECOND)
  return { ...one, server, made }
}

test('a notification during a read causes another read a second later', async () => {
  const { board, firstCounter, pass, server } = await looking(newsOf())
  const release = hold(server)
  board.notified()
  await pass(1)
  server.its = [newsOf(HELP)]
  board.notified()
  await pass(50)
  release()
  await pass(0)
  expect(firstCounter()).toMatchObject({ wantsStaff: false })
  await pass(SECOND)
  expect(firstCounter()).toMatchObject({ wantsStaff: true })
  // That was all: it doesn't keep reading every second.
  const { reads } = server
  await pass(18 * SECOND)
  expect(server.reads).toBe(reads)
})

test('with many notifications, others are read at most once a second, then every 20 seconds', async () => {
  const { board, pass, server } = await looking(newsOf())
  const before = server.reads
  for (let bell = 0; bell < 100; bell++) {
    board.notified()
    await pass(30)
  }
  expect(server.reads - before).toBeGreaterThanOrEqual(3)
  expect(server.reads - before).toBeLessThanOrEqual(4)
  await pass(SECOND)
  const after = server.reads
  await pass(18 * SECOND)
  expect(server.reads).toBe(after)
  await pass(2 * SECOND)
  expect(server.reads).toBe(after + 1)
})

test('reports that expire soon don’t cause more than one read a second', async () => {
  const { pass, server } = await looking(newsOf({}, { left: 40 }))
  const before = server.reads
  await pass(10 * SECOND)
  expect(server.reads - before).toBeLessThanOrEqual(10)
})

test('a change reverted while it was being reported is reported within a second', async () => {
  const { becomes, pass, server } = await looking()
  const release = hold(server)
  becomes(HELP)
  await pass(100)
  becomes({})
  await pass(100)
  release()
  await pass(0)
  expect(server.published.at(-1)?.content).toMatchObject(HELP)
  await pass(SECOND)
  expect(server.published.at(-1)).toMatchObject({ content: { state: 'free', wantsStaff: false }, isNews: true })
  const publishedBefore = server.published.length
  await pass(30 * SECOND)
  expect(server.published).toHaveLength(publishedBefore)
})

test('a new connection is always told the current state as news', async () => {
  const { board, line, made, pass, server } = await looking()
  const next = line()
  board.disconnect()
  board.connect(next.made)
  await pass(0)
  expect(next.server.published).toMatchObject([{ isNews: true }])
  board.connect(made)
  await pass(0)
  const release = hold(server)
  await pass(60 * SECOND)
  const last = line()
  board.connect(last.made)
  release()
  await pass(0)
  expect(last.server.published).toMatchObject([{ isNews: true }])
})

test('after the computer slept, old reports are shown as outdated', async () => {
  const { board, clock, firstCounter } = await looking(newsOf(HELP))
  board.disconnect()
  expect(firstCounter()?.office).not.toHaveProperty('isSilent')
  clock.now += HOUR
  expect(firstCounter()?.office).toMatchObject({ isSilent: true })
  // Setting the wall clock back doesn't make it count as newer, either.
  clock.now -= 2 * HOUR
  await clock.pass(61 * SECOND)
  expect(firstCounter()?.office).toMatchObject({ isSilent: true })
})

test('reports older than a day aren’t shown', async () => {
  const { board, firstCounter, pass } = await looking(newsOf({}, { ago: DAY - 60 * SECOND }))
  board.disconnect()
  expect(firstCounter()).toBeDefined()
  await pass(60 * SECOND)
  expect(firstCounter()).toBeUndefined()
})

test('a read in progress when an office is left isn’t shown in the next', async () => {
  const { board, line, pass, server } = await looking(newsOf())
  expect(board.view()?.counters).toHaveLength(1)
  const release = hold(server)
  board.notified()
  await pass(1)
  const left = board.leftOffice()
  await pass(SECOND)
  await left
  board.disconnect()
  release()
  await pass(0)
  board.connect({ ...line().made, others: () => new Promise(() => undefined) })
  await pass(0)
  expect(board.view()?.counters).toEqual([])
})

test('a future time is reported as now, and one long ago as a day', async () => {
  const { becomes, clock, pass, server } = await looking()
  becomes({ state: 'signing', since: clock.now + HOUR, coveredSince: clock.now - 3 * DAY })
  await pass(SECOND)
  expect(server.published.at(-1)?.content).toMatchObject({ sinceAgo: 0, coveredAgo: DAY })
})

test.each([
  ['connected', 'connecting'],
  ['connecting', 'connecting'],
  ['away', 'away'],
  ...MEMBERSHIP_STATES.filter((state) => !['connected', 'connecting', 'away'].includes(state)).map(
    (state) => [state, 'apart'] as const
  )
] as const)('without a connection, a workstation whose membership is %s is shown as %s', async (stands, expected) => {
  const one = await looking(newsOf())
  expect(one.board.view()?.office).toMatchObject({ state: 'connected', readAt: expect.any(Number) })
  one.setMembershipState(stands)
  one.board.disconnect()
  expect(one.board.view()?.office).toMatchObject({ state: expected, readAt: expect.any(Number) })
})
