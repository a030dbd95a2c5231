/** A workstation that reads for its office, and has more to hand over than it can while its lease lasts. */
import { expect, test } from 'vitest'
import { SharedPolling } from '../../../../src/main/core/documents/polling/shared-polling.ts'
import type { AskDocuments } from '../../../../src/main/core/documents/questions.ts'
import { increasingClock } from '../../../../src/main/core/lib/time.ts'
import { feedIdOf, type OfficeFeed, sealForFeed, tagOf } from '../../../../src/main/core/office/feed.ts'
import { testTime } from '../../../fixtures/own-time.ts'
import { lease, workerOffice } from '../worker-office.ts'

const SECOND = 1_000
const ACCOUNT = { id: 'account', name: 'Harbour Law', baseUrl: 'https://sign.example/', folders: ['InBox'] }
const PAGES = 100

test('the reader keeps its lease, and hands over each page once', async () => {
  const time = testTime()
  const its = time.run()
  const lease = { epoch: 0, until: -1 }
  const has = (epoch: number) => lease.epoch === epoch && lease.until >= time.elapsed()
  const handedOver: number[] = []
  let dropped = 0
  const feed: Partial<OfficeFeed> = {
    async poll(_feedId, { ms }) {
      const now = time.elapsed()
      if (ms !== undefined)
        Object.assign(lease, { epoch: has(lease.epoch) ? lease.epoch : lease.epoch + 1, until: now + ms })
      const isHeld = has(lease.epoch)
      return {
        requestedUpTo: 0,
        answeredUpTo: 0,
        seq: handedOver.length,
        troubles: [],
        isLookedAt: false,
        ...(isHeld && { lease: { ...lease }, holder: { name: 'Counter 1', since: 0, remaining: lease.until - now } })
      }
    },
    // Takes two seconds, as over a slow connection.
    publish: (_feedId, epoch, changes) =>
      new Promise((resolve) => {
        its.after(2 * SECOND, () => {
          if (has(epoch)) handedOver.push(changes[0]?.tag[0] ?? -1)
          resolve(has(epoch))
        })
      }),
    finishRead: async (_feedId, epoch) => has(epoch),
    changes: async () => [],
    liveTags: async () => new Uint8Array()
  }
  const kept: Record<string, unknown> = { cursor: 0, provenAt: 0 }
  const comparisons: unknown[] = []
  const troubles: unknown[] = []
  const answers: Partial<Record<string, (ask: Record<string, unknown>) => unknown>> = {
    shareFeed: ({ cursor = kept.cursor, provenAt = kept.provenAt }) => Object.assign(kept, { cursor, provenAt }),
    compareShared: (comparison) => comparisons.push(comparison) && { here: [], there: [] },
    toShare: () => ({
      changes: dropped < PAGES ? [{ tag: Buffer.from([dropped]), sealed: undefined }] : [],
      upTo: dropped + 1
    }),
    shared: ({ upTo }) => {
      dropped = Number(upTo)
    }
  }
  const together = new SharedPolling({
    ask: (async (name: string, what: Record<string, unknown>) => answers[name]?.(what)) as AskDocuments,
    time: its,
    moment: time.clock,
    accounts: () => [ACCOUNT],
    isLookedAt: () => false,
    troubleOf: () => ({}),
    startReading(accountId) {
      together.roundStarted(accountId)
      its.after(SECOND, () => void together.roundEnded(accountId, { round: undefined }))
    },
    changed: () => undefined,
    readByOther: () => undefined,
    readerChanged: () => undefined,
    onOfficeError: (error) => troubles.push(error)
  })
  together.connect(feed as OfficeFeed, Buffer.alloc(32, 7), 2)
  await time.pass(0)
  await time.pass(3 * PAGES * SECOND)
  expect(troubles).toEqual([])
  expect(handedOver).toEqual(Array.from({ length: PAGES }, (_, page) => page))
  expect({ epoch: lease.epoch, comparisons: comparisons.length }).toEqual({ epoch: 1, comparisons: 1 })
})

const KEY = Buffer.alloc(32, 7)
const READ = { documents: 1, unreadable: { count: 0, documents: [] }, isComplete: true }

/** A workstation at an office where somebody has read already; it takes the lease as soon as it may. */
async function openAtOffice() {
  const time = testTime()
  const mirror = workerOffice()
  const poll = { requestedUpTo: 0, answeredUpTo: 0, seq: 1 }
  const tags: Buffer[] = []
  const sent = { answered: [] as number[], gone: 0 }
  /** What to do before the office's answers arrive, by question. */
  const before: Partial<Record<'poll' | 'changes', () => Promise<void>>> = {}
  let accounts = [ACCOUNT]
  let heldUntil = -1
  let isHeldByOther = false
  const moment = increasingClock(time.clock)
  const feed: Partial<OfficeFeed> = {
    async poll(_feedId, { ms }) {
      if (ms !== undefined && !isHeldByOther) heldUntil = time.elapsed() + ms
      const answer = {
        ...poll,
        troubles: [],
        isLookedAt: false,
        lookedAgo: 0,
        report: sealForFeed(KEY, FEED, 'report', { InBox: { ...READ, documents: 0 } }),
        holder: { name: 'Counter 1', since: 0, remaining: 30 * SECOND },
        ...(heldUntil >= time.elapsed() && { lease: { epoch: 1, until: heldUntil } })
      }
      await before.poll?.()
      return answer
    },
    async changes(_feedId, after) {
      await before.changes?.()
      return tags.flatMap((tag, at) => (at + 1 > after ? [{ tag, seq: at + 1, sealed: sealedOf(tag) }] : []))
    },
    async publish(_feedId, _epoch, changes) {
      sent.gone += changes.filter(({ sealed }) => !sealed).length
      return true
    },
    async finishRead(_feedId, _epoch, answered) {
      sent.answered.push(answered)
      return true
    },
    requestRead: async () => ++poll.requestedUpTo,
    // Such a request may be lost.
    releaseLease: async () => undefined,
    liveTags: async () => Buffer.concat(tags)
  }
  const sealedOf = (tag: Buffer) =>
    sealForFeed(KEY, FEED, tag, {
      document: lease('Elsewhere'),
      folder: 'InBox',
      isPlaced: true,
      logsAreOld: true,
      hashes: {}
    })
  const together = new SharedPolling({
    ask: mirror.ask,
    time: time.run(),
    moment,
    accounts: () => accounts,
    isLookedAt: () => false,
    troubleOf: () => ({}),
    startReading: () => undefined,
    changed: () => undefined,
    readByOther: () => undefined,
    readerChanged: () => undefined
  })
  const round = () => ({
    reads: [
      { folder: 'InBox', requestedAt: 0, monotonicAt: 0, result: { kind: 'taken' as const, changed: 0, ...READ } }
    ],
    failures: [],
    isComplete: true
  })
  return {
    ...{ time, moment, mirror, poll, tags, sent, before, together, round },
    follow: () => {
      isHeldByOther = true
    },
    connect: async () => {
      together.connect(feed as OfficeFeed, KEY, 2)
      for (let second = 0; second < 5; second++) await time.pass(SECOND)
    },
    removeAccount: () => {
      accounts = []
    },
    proven: () => mirror.ask('shareFeed', { accountId: ACCOUNT.id, feed: FEED, provenAt: time.now })
  }
}
const FEED = feedIdOf(KEY, ACCOUNT)

/** A gate that is shut until it is opened; `arrived` once somebody waits at it. */
function gate() {
  const { promise, resolve: open } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  return {
    open,
    arrived,
    wait: () => {
      arrive()
      return promise
    }
  }
}

test('a sign-in that changes while the lease is renewed is compared before it reads for the office', async () => {
  const { time, together, before, connect, proven } = await openAtOffice()
  await proven()
  await connect()
  expect(together.view()).toMatchObject([{ by: { isMe: true } }])
  const renewal = gate()
  before.poll = renewal.wait
  await time.pass(10 * SECOND)
  await renewal.arrived
  together.accountChanged(ACCOUNT.id)
  delete before.poll
  renewal.open()
  for (let second = 0; second < 40; second++) await time.pass(SECOND)
  expect(together.view()).toMatchObject([{ how: 'alone', by: { isMe: false } }])
})

test('a round answers only what was requested before it began, although a later one has begun too', async () => {
  const { time, poll, sent, together, round, connect, proven } = await openAtOffice()
  await proven()
  await connect()
  const first = together.roundStarted(ACCOUNT.id)
  poll.requestedUpTo = 1
  await time.pass(10 * SECOND)
  const second = together.roundStarted(ACCOUNT.id)
  await together.roundEnded(ACCOUNT.id, { round: round(), start: first })
  expect(sent.answered).toEqual([0])
  await together.roundEnded(ACCOUNT.id, { round: round(), start: second })
  expect(sent.answered).toEqual([0, 1])
})

test('nothing of an account that is removed while changes are fetched returns to the mirror', async () => {
  const { mirror, tags, before, connect, proven, removeAccount, time } = await openAtOffice()
  await proven()
  tags.push(tagOf(KEY, 'Elsewhere'))
  const fetching = gate()
  before.changes = fetching.wait
  void connect()
  await fetching.arrived
  removeAccount()
  await mirror.ask('erase', { accountId: ACCOUNT.id })
  fetching.open()
  for (let second = 0; second < 5; second++) await time.pass(SECOND)
  const key = { accountId: ACCOUNT.id, reference: 'Elsewhere' }
  expect(await mirror.ask('get', key)).toBeUndefined()
})

test('a wrong clock while it follows doesn’t stop it from reading after the clock was corrected', async () => {
  const { time, moment, mirror, connect, proven, follow } = await openAtOffice()
  await proven()
  follow()
  const right = time.now
  time.now += 3_600_000
  await connect()
  time.now = right
  expect((await mirror.ask('lookedAt', { accountId: ACCOUNT.id, folders: ['InBox'] })).InBox).toBeDefined()
  expect(await mirror.read('InBox', [lease('D-1')], { accountId: ACCOUNT.id, begun: moment() })).toMatchObject({
    documents: 1,
    changed: 1
  })
})

test('one that was off during a restore tells nobody that what others have handed over since is gone', async () => {
  const { mirror, tags, sent, connect, proven } = await openAtOffice()
  await proven()
  await mirror.ask('shareFeed', { accountId: ACCOUNT.id, feed: FEED, cursor: -1 })
  tags.push(tagOf(KEY, 'Elsewhere'))
  await connect()
  expect(sent.gone).toBe(0)
  expect(await mirror.ask('get', { accountId: ACCOUNT.id, reference: 'Elsewhere' })).toBeDefined()
})
