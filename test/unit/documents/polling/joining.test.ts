/** A workstation joins an office of many documents, which its own round has just shown: it takes from the office only what has become other since. */
import { expect, test } from 'vitest'
import { ReadingTogether } from '../../../../src/main/core/documents/polling/reading-together.ts'
import type { Round } from '../../../../src/main/core/documents/polling/rounds.ts'
import {
  type FeedChange,
  feedIdOf,
  type OfficeFeed,
  sealForFeed,
  tagOf
} from '../../../../src/main/core/office/feed.ts'
import { ownTime } from '../../../fixtures/own-time.ts'
import { lease, type Members, workerOffice } from '../worker-office.ts'

const SECOND = 1_000
const KEY = Buffer.alloc(32, 7)
const ACCOUNT = { id: 'office', name: 'Harbour Law', baseUrl: 'https://sign.example/', folders: ['InBox', 'Signed'] }
const FEED = feedIdOf(KEY, ACCOUNT)
const READ = { documents: 3, unreadable: { count: 0, documents: [] }, isComplete: true }
/** More than a page of them. */
const COUNT = 600

const documents = (changed: Record<string, Members> = {}): Members[] =>
  Array.from({ length: COUNT }, (_, at) => lease(`D-${at}`, changed[`D-${at}`]))

/** What the one who reads has handed over, and what the office was asked for by the one who joins. */
async function openOffice() {
  const reader = workerOffice()
  const mirror = new Map<string, FeedChange & { rev: number }>()
  const gone = new Set<string>()
  const poll = { wished: 0, answered: 0, rev: 0 }
  const asked: { changesAfter: number[]; documents: number } = { changesAfter: [], documents: 0 }
  await reader.ask('shareFeed', { accountId: ACCOUNT.id, feed: FEED })

  async function handsOver(some: Members[]): Promise<void> {
    await reader.look('InBox', some)
    for (;;) {
      const share = await reader.ask('toShare', { accountId: ACCOUNT.id, feed: FEED, key: KEY, most: 500 })
      if (share.changes.length === 0) return
      for (const one of share.changes) mirror.set(Buffer.from(one.tag).toString('hex'), { ...one, rev: ++poll.rev })
      await reader.ask('shared', { accountId: ACCOUNT.id, upTo: share.upTo })
    }
  }
  const feed: Partial<OfficeFeed> = {
    watch: async () => ({
      ...{ ...poll, troubles: [], isWatched: true, lookedAgo: 0 },
      holder: { name: 'Counter 1', since: 0, left: 30 * SECOND },
      report: sealForFeed(KEY, FEED, 'report', { InBox: READ, Signed: READ })
    }),
    async wish() {
      poll.wished++
      return poll.wished
    },
    liveTags: async () => Buffer.concat([...mirror].flatMap(([hex, { tag }]) => (gone.has(hex) ? [] : [tag]))),
    async changes(_feedId, after) {
      asked.changesAfter.push(after)
      const rest = [...mirror.values()].filter(({ rev }) => rev > after)
      return rest.sort((one, other) => one.rev - other.rev).slice(0, 500)
    },
    async documents() {
      asked.documents++
      return []
    }
  }
  /** The folders have it no more, and the one who reads is sure of that. */
  async function handsOverGone(reference: string, rest: Members[]): Promise<void> {
    gone.add(tagOf(KEY, reference).toString('hex'))
    const since = reader.tick()
    for (const folder of ACCOUNT.folders) await reader.look(folder, folder === 'InBox' ? rest : [])
    for (const folder of ACCOUNT.folders) await reader.look(folder, folder === 'InBox' ? rest : [])
    expect(await reader.ask('markGone', { accountId: ACCOUNT.id, since, now: reader.tick() })).toBe(1)
    await handsOver(rest)
  }
  return { poll, asked, handsOver, handsOverGone, feed: feed as OfficeFeed }
}

/** One that joins. `round`: its folders are read, all of them unless it is said. */
function openJoining() {
  const time = ownTime()
  const here = workerOffice()
  const wanted: string[] = []
  const together = new ReadingTogether({
    ...{ ask: here.ask, time: time.run(), moment: () => here.tick(1), accounts: () => [ACCOUNT] },
    ...{ isLookedAt: () => true, troubleOf: () => ({}), read: (accountId) => wanted.push(accountId) },
    ...{ changed: () => undefined, looked: () => undefined, told: () => undefined },
    officeTrouble(error) {
      throw error
    }
  })
  async function ended(folders: readonly string[], some: Members[]): Promise<void> {
    const looks: Round['looks'] = []
    for (const folder of folders) {
      const taken = await here.look(folder, folder === 'InBox' ? some : [])
      if (taken.kind === 'taken') looks.push({ folder, begun: 0, at: 0, taken })
    }
    await together.ended(ACCOUNT.id, { round: { looks, failures: [], isComplete: true } })
  }
  const unshared = async () =>
    (await here.ask('unshared', { accountId: ACCOUNT.id, key: KEY, most: 10_000 })).tags.map((tag) => String(tag))
  return { time, here, together, wanted, ended, unshared }
}
const statusOf = async ({ here }: ReturnType<typeof openJoining>, reference: string) =>
  (await here.get(reference))?.document.Status

test('it reads no further back than its own round, and what that has shown isn’t taken back by what was read before', async () => {
  const { poll, asked, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const joining = openJoining()
  const { time, here, together, wanted, ended, unshared } = joining
  together.connect(feed, KEY, 2)
  await expect.poll(() => wanted.length).toBe(1)
  // It is in no folder yet.
  await here.acts(lease('Sent here'))
  together.begins(ACCOUNT.id)
  await ended(ACCOUNT.folders, documents({ 'D-5': { Status: '1 of 1' } }))
  // Someone has changed it meanwhile, and the one who reads had looked before.
  await handsOver(documents({ 'D-5': { DueDate: '2027-04-01' }, 'D-7': { Status: '1 of 1' } }))
  await time.pass(60 * SECOND)
  expect([await statusOf(joining, 'D-5'), await statusOf(joining, 'D-7')]).toEqual(['1 of 1', '0 of 1'])
  expect(poll.wished).toBe(1)
  await handsOver(documents({ 'D-5': { Status: '1 of 1' }, 'D-7': { Status: '1 of 1' } }))
  poll.answered = poll.wished
  await expect
    .poll(async () => {
      await time.pass(10 * SECOND)
      return await statusOf(joining, 'D-7')
    })
    .toBe('1 of 1')
  expect(await statusOf(joining, 'D-5')).toBe('1 of 1')
  expect((await here.changes()).filter((change) => /D-\d/.test(change))).toEqual(['D-7 changed'])
  expect(asked.changesAfter.filter((after) => after < COUNT)).toEqual([])
  expect(await unshared()).toEqual([String(tagOf(KEY, 'Sent here'))])
  expect(asked.documents).toBe(0)
})

test('a round that began before it was known how far the office is says nothing of that: the next one does', async () => {
  const { poll, asked, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { time, together, wanted, ended, unshared } = openJoining()
  together.begins(ACCOUNT.id)
  together.connect(feed, KEY, 2)
  await expect.poll(() => wanted.length).toBe(1)
  await ended(ACCOUNT.folders, documents())
  await time.pass(60 * SECOND)
  expect(together.view()).toMatchObject([{ how: 'alone' }])
  together.begins(ACCOUNT.id)
  await ended(ACCOUNT.folders, documents())
  poll.answered = poll.wished
  await expect
    .poll(async () => {
      await time.pass(10 * SECOND)
      return (await unshared()).length
    })
    .toBe(0)
  expect(together.view()).toMatchObject([{ how: 'together' }])
  expect(asked.changesAfter).toEqual([])
})

test('a round over some of the folders doesn’t either: all is read from the office', async () => {
  const { asked, handsOver, feed } = await openOffice()
  await handsOver(documents())
  const { time, together, wanted, ended, here } = openJoining()
  await here.look('InBox', documents())
  together.connect(feed, KEY, 2)
  await expect.poll(() => wanted.length).toBe(1)
  together.begins(ACCOUNT.id)
  await ended(['Signed'], [])
  await expect
    .poll(async () => {
      await time.pass(10 * SECOND)
      return asked.changesAfter
    })
    .toEqual([0, 500])
})

test('what is gone since it was here last is gone here, though its own round only lacks it', async () => {
  const { poll, handsOver, handsOverGone, feed } = await openOffice()
  await handsOver(documents())
  const joining = openJoining()
  const { time, here, together, wanted, ended } = joining
  for (const folder of ACCOUNT.folders) await here.look(folder, folder === 'InBox' ? documents() : [])
  const rest = documents().slice(1)
  await handsOverGone('D-0', rest)
  together.connect(feed, KEY, 2)
  await expect.poll(() => wanted.length).toBe(1)
  together.begins(ACCOUNT.id)
  await ended(ACCOUNT.folders, rest)
  poll.answered = poll.wished
  const isHere = async () => {
    await time.pass(10 * SECOND)
    return (await here.changes()).includes('D-0 gone')
  }
  await expect.poll(isHere).toBe(true)
})
