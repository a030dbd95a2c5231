/**
 * A workstation joins an office with many documents just after its own round: it fetches from the office only what has
 * changed since.
 */
import { expect, test } from 'vitest'
import { documentsInMemory } from '../../../../src/main/core/documents/mirror/database.ts'
import type { Round } from '../../../../src/main/core/documents/polling/rounds.ts'
import type { RoundStart } from '../../../../src/main/core/documents/polling/shared-account.ts'
import { SharedPolling } from '../../../../src/main/core/documents/polling/shared-polling.ts'
import { openDocumentsWorker } from '../../../../src/main/core/documents/worker.ts'
import { nextTurn } from '../../../../src/main/core/lib/slices.ts'
import {
  type FeedChange,
  feedIdOf,
  type OfficeFeed,
  sealForFeed,
  tagOf
} from '../../../../src/main/core/office/feed.ts'
import { testTime } from '../../../fixtures/own-time.ts'
import { lease, type Members, workerOffice } from '../worker-office.ts'

const SECOND = 1_000
const KEY = Buffer.alloc(32, 7)
const ACCOUNT = { id: 'office', name: 'Harbour Law', baseUrl: 'https://sign.example/', folders: ['InBox', 'Signed'] }
const FEED = feedIdOf(KEY, ACCOUNT)
const READ = { documents: 3, unreadable: { count: 0, documents: [] }, isComplete: true }
/** More documents than fit on a page. */
const COUNT = 600

const documents = (changed: Record<string, Members> = {}): Members[] =>
  Array.from({ length: COUNT }, (_, at) => lease(`D-${at}`, changed[`D-${at}`]))

/** An office with what its reader has handed over, and a record of what the joining workstation asked it for. */
async function openOffice() {
  const reader = workerOffice()
  const mirror = new Map<string, FeedChange & { seq: number }>()
  const gone = new Set<string>()
  const poll = { requestedUpTo: 0, answeredUpTo: 0, seq: 0 }
  const requests: { changesAfter: number[]; documents: number } = { changesAfter: [], documents: 0 }
  await reader.ask('shareFeed', { accountId: ACCOUNT.id, feed: FEED })

  async function handsOver(some: Members[]): Promise<void> {
    await reader.read('InBox', some)
    for (;;) {
      const share = await reader.ask('toShare', { accountId: ACCOUNT.id, feed: FEED, key: KEY, limit: 500 })
      if (share.changes.length === 0) return
      for (const one of share.changes) mirror.set(Buffer.from(one.tag).toString('hex'), { ...one, seq: ++poll.seq })
      await reader.ask('shared', { accountId: ACCOUNT.id, upTo: share.upTo })
    }
  }
  const feed: Partial<OfficeFeed> = {
    poll: async () => ({
      ...poll,
      troubles: [],
      isLookedAt: true,
      lookedAgo: 0,
      holder: { name: 'Counter 1', since: 0, remaining: 30 * SECOND },
      report: sealForFeed(KEY, FEED, 'report', { InBox: READ, Signed: READ })
    }),
    async requestRead() {
      poll.requestedUpTo++
      return poll.requestedUpTo
    },
    liveTags: async () => Buffer.concat([...mirror].flatMap(([hex, { tag }]) => (gone.has(hex) ? [] : [tag]))),
    async changes(_feedId, after) {
      requests.changesAfter.push(after)
      const rest = [...mirror.values()].filter(({ seq }) => seq > after)
      return rest.sort((one, other) => one.seq - other.seq).slice(0, 500)
    },
    async documents() {
      requests.documents++
      return []
    }
  }
  /** Hands over that the folders no longer have the document, once the reader is sure of it. */
  async function handsOverGone(reference: string, rest: Members[]): Promise<void> {
    gone.add(tagOf(KEY, reference).toString('hex'))
    const since = reader.tick()
    for (const folder of ACCOUNT.folders) await reader.read(folder, folder === 'InBox' ? rest : [])
    for (const folder of ACCOUNT.folders) await reader.read(folder, folder === 'InBox' ? rest : [])
    expect(await reader.ask('markGone', { accountId: ACCOUNT.id, since, now: reader.tick() })).toBe(1)
    await handsOver(rest)
  }
  return { poll, requests, handsOver, handsOverGone, feed: feed as OfficeFeed }
}

/** Opens a workstation that joins. Its `round` reads the given folders, or all of them. */
function openJoining() {
  const time = testTime()
  const office = workerOffice()
  const startedReads: string[] = []
  let account = ACCOUNT
  const changesTo = (folders: string[]) => {
    account = { ...ACCOUNT, folders }
  }
  const together = new SharedPolling({
    ask: office.ask,
    time: time.run(),
    moment: () => office.tick(1),
    accounts: () => [account],
    isLookedAt: () => true,
    troubleOf: () => ({}),
    startReading: (accountId) => startedReads.push(accountId),
    changed: () => undefined,
    readByOther: () => undefined,
    readerChanged: () => undefined,
    onOfficeError(error) {
      throw error
    }
  })
  async function ended(start: RoundStart | undefined, folders: readonly string[], some: Members[]): Promise<void> {
    const reads: Round['reads'] = []
    for (const folder of folders) {
      const result = await office.read(folder, folder === 'InBox' ? some : [])
      if (result.kind === 'taken') reads.push({ folder, requestedAt: 0, monotonicAt: 0, result })
    }
    await together.roundEnded(ACCOUNT.id, { start, round: { reads, failures: [], isComplete: true } })
  }
  const unshared = async () =>
    (await office.ask('unshared', { accountId: ACCOUNT.id, key: KEY, limit: 10_000 })).tags.map((tag) => String(tag))
  /** Polls the value while time passes. */
  const comes = (what: () => unknown) =>
    expect.poll(async () => {
      await time.pass(10 * SECOND)
      return await what()
    })
  return { time, here: office, together, startedReads, ended, unshared, changesTo, comes }
}
const statusOf = async ({ here: office }: ReturnType<typeof openJoining>, reference: string) =>
  (await office.get(reference))?.document.Status

test('it reads back no further than its own round, and older changes don’t undo what that round showed', async () => {
  const { poll, requests, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const joining = openJoining()
  const { time, here: office, together, startedReads, ended, unshared, comes } = joining
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  // It isn't in any folder yet.
  await office.acts(lease('Sent here'))
  const round = together.roundStarted(ACCOUNT.id)
  await ended(round, ACCOUNT.folders, documents({ 'D-5': { Status: '1 of 1' } }))
  // Someone has changed it since, but the reader had looked before that.
  await handsOver(documents({ 'D-5': { DueDate: '2027-04-01' }, 'D-7': { Status: '1 of 1' } }))
  await time.pass(60 * SECOND)
  expect([await statusOf(joining, 'D-5'), await statusOf(joining, 'D-7')]).toEqual(['1 of 1', '0 of 1'])
  expect(poll.requestedUpTo).toBe(1)
  await handsOver(documents({ 'D-5': { Status: '1 of 1' }, 'D-7': { Status: '1 of 1' } }))
  poll.answeredUpTo = poll.requestedUpTo
  await comes(() => statusOf(joining, 'D-7')).toBe('1 of 1')
  expect(await statusOf(joining, 'D-5')).toBe('1 of 1')
  expect((await office.changes()).filter((change) => /D-\d/.test(change))).toEqual(['D-7 changed'])
  expect(requests.changesAfter.filter((after) => after < COUNT)).toEqual([])
  expect(await unshared()).toEqual([String(tagOf(KEY, 'Sent here'))])
  expect(requests.documents).toBe(0)
})

test('a round begun before the office’s position was known doesn’t count; the next one does', async () => {
  const { poll, requests, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { time, together, startedReads, ended, unshared, comes } = openJoining()
  const round = together.roundStarted(ACCOUNT.id)
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  await ended(round, ACCOUNT.folders, documents())
  await time.pass(60 * SECOND)
  expect(together.view()).toMatchObject([{ how: 'alone' }])
  const next = together.roundStarted(ACCOUNT.id)
  await ended(next, ACCOUNT.folders, documents())
  poll.answeredUpTo = poll.requestedUpTo
  await comes(async () => (await unshared()).length).toBe(0)
  expect(together.view()).toMatchObject([{ how: 'together' }])
  expect(requests.changesAfter).toEqual([])
})

test('a round over only some of the folders doesn’t count: everything is read from the office', async () => {
  const { requests, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { together, startedReads, ended, here: office, comes } = openJoining()
  await office.read('InBox', documents())
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  const round = together.roundStarted(ACCOUNT.id)
  await ended(round, ['Signed'], [])
  await comes(() => requests.changesAfter).toEqual([0, 500])
})

test('a document gone since the last visit is gone, although its own round merely lacks it', async () => {
  const { poll, handsOver, handsOverGone, feed } = await openOffice()
  await handsOver(documents())
  const joining = openJoining()
  const { here: office, together, startedReads, ended, comes } = joining
  for (const folder of ACCOUNT.folders) await office.read(folder, folder === 'InBox' ? documents() : [])
  const rest = documents().slice(1)
  await handsOverGone('D-0', rest)
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  const round = together.roundStarted(ACCOUNT.id)
  await ended(round, ACCOUNT.folders, rest)
  poll.answeredUpTo = poll.requestedUpTo
  await comes(async () => (await office.changes()).includes('D-0 gone')).toBe(true)
})

test('a document in no folder yet, and not only known locally, is requested from the office, too', async () => {
  const { handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { here: office } = openJoining()
  await office.ask('shareFeed', { accountId: ACCOUNT.id, feed: FEED })
  const areSeen = async () =>
    (await office.ask('compareShared', { accountId: ACCOUNT.id, key: KEY, tags: await feed.liveTags(FEED) })).areSeen
  await office.read('InBox', documents())
  await office.acts(lease('Sent here'))
  expect(await areSeen()).toBe(true)
  const { upTo } = await office.ask('unshared', { accountId: ACCOUNT.id, key: KEY, limit: 10_000 })
  await office.ask('shared', { accountId: ACCOUNT.id, upTo })
  expect(await areSeen()).toBe(false)
})

test('a round that ends during a later one counts only up to the office’s position when it began', async () => {
  const { poll, requests, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const joining = openJoining()
  const { time, together, startedReads, ended, comes } = joining
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  const round = together.roundStarted(ACCOUNT.id)
  await handsOver(documents({ 'D-7': { Status: '1 of 1' } }))
  await time.pass(60 * SECOND)
  expect(together.roundStarted(ACCOUNT.id)).toMatchObject({ seq: COUNT + 1 })
  await ended(round, ACCOUNT.folders, documents())
  poll.answeredUpTo = poll.requestedUpTo
  await comes(() => statusOf(joining, 'D-7')).toBe('1 of 1')
  expect(requests.changesAfter).toEqual([COUNT])
})

test('a workstation whose damaged mirror was replaced reads by itself, and everything from the office', async () => {
  const { requests, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const joining = openJoining()
  const { here: office, together, startedReads, ended, comes } = joining
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  await ended(together.roundStarted(ACCOUNT.id), ACCOUNT.folders, documents())
  await comes(() => together.view()[0]?.how).toBe('together')
  office.startAgain(openDocumentsWorker({ db: documentsInMemory(), time: { now: office.clock } }))
  await comes(() => startedReads.length).toBe(2)
  expect(together.view()).toMatchObject([{ how: 'alone' }])
  await ended(together.roundStarted(ACCOUNT.id), ACCOUNT.folders, documents())
  await comes(() => together.view()[0]?.how).toBe('together')
  await comes(() => requests.changesAfter).toEqual([0, 500])
})

test('an office restored to an earlier state is read from its beginning, whatever a round has shown', async () => {
  const { requests, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { here: office, together, startedReads, ended, comes } = openJoining()
  await office.ask('shareFeed', { accountId: ACCOUNT.id, feed: FEED, cursor: -1 })
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  const round = together.roundStarted(ACCOUNT.id)
  await ended(round, ACCOUNT.folders, documents())
  await comes(() => requests.changesAfter).toEqual([0, 500])
})

test.for([
  ['liveTags', ACCOUNT.folders],
  ['liveTags', ['InBox']],
  ['requestRead', ACCOUNT.folders]
] as const)('the same if this is discovered while a round is being compared: %s, %j', async ([name, folders]) => {
  const { handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { here: office, together, startedReads, ended } = openJoining()
  const { promise: isPutBack, resolve } = Promise.withResolvers<void>()
  let isCompared = false
  async function slowly(feedId: string) {
    isCompared = true
    await isPutBack
    return await feed[name](feedId)
  }
  together.connect({ ...feed, [name]: slowly }, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  const compared = ended(together.roundStarted(ACCOUNT.id), folders, documents())
  await expect.poll(() => isCompared).toBe(true)
  await together.restored(KEY)
  resolve()
  await compared
  expect(await office.ask('shareFeed', { accountId: ACCOUNT.id, feed: FEED })).toEqual({ cursor: -1, provenAt: 0 })
})

test('a round begun in another feed doesn’t count for this one', async () => {
  const { requests, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { time, together, startedReads, ended, changesTo } = openJoining()
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  const round = together.roundStarted(ACCOUNT.id)
  changesTo(['InBox'])
  await time.pass(60 * SECOND)
  await ended(round, ['InBox'], documents())
  await time.pass(60 * SECOND)
  expect(together.view()).toMatchObject([{ how: 'alone' }])
  expect(requests.changesAfter).toEqual([])
})

test('a request made in another feed isn’t waited for', async () => {
  const { requests, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { time, here: office, together, startedReads, ended, changesTo, comes } = openJoining()
  together.connect(feed, KEY, 2)
  await expect.poll(() => startedReads.length).toBe(1)
  await ended(together.roundStarted(ACCOUNT.id), ACCOUNT.folders, documents())
  await time.pass(60 * SECOND)
  expect(together.view()).toMatchObject([{ how: 'together' }])
  expect(requests.changesAfter).toEqual([])
  changesTo(['InBox', 'Archive'])
  await office.read('InBox', documents())
  await time.pass(60 * SECOND)
  await ended(together.roundStarted(ACCOUNT.id), ['Archive'], [])
  await comes(() => requests.changesAfter).toEqual([0, 500])
})

test('what is learned here while older knowledge is settled stays until it is settled, too', async () => {
  const { handsOver, feed } = await openOffice()
  const some = documents().slice(0, 500)
  await handsOver(some)
  const { here: office } = openJoining()
  const its = { accountId: ACCOUNT.id, feed: FEED, key: KEY }
  await office.ask('shareFeed', its)
  await office.read('InBox', some)
  const { upTo, tags } = await office.ask('unshared', { ...its, limit: 500 })
  const changes = await feed.changes(FEED, 0)
  const taking = office.ask('takeShared', { ...its, changes, begun: office.tick(), now: office.tick(), settles: upTo })
  await nextTurn()
  await office.acts(lease('D-499', { DueDate: '2027-05-01' }))
  await taking
  expect((await office.get('D-499'))?.document.DueDate).toBe('2027-05-01')
  expect(tags).toHaveLength(500)
  expect((await office.ask('unshared', { ...its, limit: 500 })).tags).toHaveLength(1)
})

test('a document that the office had, and the folder lacks again, is gone although the answer is the same as before', async () => {
  const { handsOver, feed } = await openOffice()
  await handsOver([lease('D-1')])
  const { here: office } = openJoining()
  const its = { accountId: ACCOUNT.id, feed: FEED, key: KEY }
  await office.ask('shareFeed', its)
  await office.read('InBox', [lease('D-0')])
  const changes = await feed.changes(FEED, 0)
  expect(await office.ask('takeShared', { ...its, changes, begun: office.tick(), now: office.tick() })).toBe(1)
  await office.read('InBox', [lease('D-0')])
  const since = office.tick()
  await office.read('InBox', [lease('D-0')])
  expect(await office.ask('markGone', { accountId: ACCOUNT.id, since, now: office.tick() })).toBe(1)
})
