/**
 * Fifty workstations of an office whose server is unavailable: how often all of them together poll the service, then
 * and once the server is back.
 */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openPolling, type PollingDeps } from '../../../../src/main/core/documents/polling/polling.ts'
import { SharedPolling } from '../../../../src/main/core/documents/polling/shared-polling.ts'
import type { AskDocuments } from '../../../../src/main/core/documents/questions.ts'
import type { OfficeFeed } from '../../../../src/main/core/office/feed.ts'
import { type TestTime, testTime } from '../../../fixtures/own-time.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const ACCOUNT = { id: 'account', name: 'Harbour Law', baseUrl: 'https://sign.example/', folders: ['InBox', 'Signed'] }
const KEY = Buffer.alloc(32, 7)
const TAG = Buffer.alloc(32, 1)

/** Returns a repeatable random sequence, a different one for each workstation. */
function chance(index: number): () => number {
  let turn = 0
  return () => createHash('sha256').update(`${index} ${turn++}`).digest().readUInt32BE() / 2 ** 32
}

/** The office server's part in reading the folders together, in memory. */
function officeServer(time: TestTime) {
  const poll = { wished: 0, answered: 0, seq: 1, lookedAtUntil: 0, sealed: undefined as Uint8Array | undefined }
  let lookedAt: number | undefined
  let lease = { holder: -1, epoch: 0, until: 0, since: 0 }
  const bells: ((channel: 'feed' | 'read', feedId: string) => void)[] = []
  const ring = (channel: 'feed' | 'read', feedId: string) => {
    for (const bell of bells) bell(channel, feedId)
  }
  const has = (who: number, epoch: number) =>
    lease.holder === who && lease.epoch === epoch && lease.until >= time.elapsed()

  const feedOf = (who: number): OfficeFeed => ({
    async poll(_feedId, { ms, isShown }) {
      const now = time.elapsed()
      if (isShown) poll.lookedAtUntil = now + 90 * SECOND
      if (ms !== undefined && (lease.until < now || lease.holder === who)) {
        const isMine = lease.holder === who && lease.until >= now
        lease = isMine
          ? { ...lease, until: now + ms }
          : { holder: who, epoch: lease.epoch + 1, until: now + ms, since: now }
      }
      const isHeld = lease.until >= now
      const { wished: requestedUpTo, answered: answeredUpTo, seq, sealed } = poll
      return {
        requestedUpTo,
        answeredUpTo,
        seq,
        troubles: [],
        isLookedAt: poll.lookedAtUntil >= now,
        ...(isHeld && lease.holder === who && { lease: { epoch: lease.epoch, until: lease.until } }),
        ...(isHeld && {
          holder: { name: `Counter ${lease.holder}`, since: now - lease.since, remaining: lease.until - now }
        }),
        ...(lookedAt !== undefined && { lookedAgo: now - lookedAt }),
        ...(sealed && { report: sealed })
      }
    },
    async releaseLease(_feedId, epoch) {
      if (has(who, epoch)) lease.until = 0
    },
    async requestRead(feedId) {
      poll.wished++
      ring('read', feedId)
      return poll.wished
    },
    publish: async (_feedId, epoch) => has(who, epoch),
    async finishRead(feedId, epoch, answered, report) {
      if (!has(who, epoch)) return false
      const isNews = answered > poll.answered
      lookedAt = time.elapsed()
      poll.answered = Math.max(poll.answered, answered)
      poll.sealed = report ?? poll.sealed
      if (isNews) ring('feed', feedId)
      return true
    },
    changes: async () => [],
    documents: async () => [],
    liveTags: async () => new Uint8Array(),
    raiseSeq: async () => undefined
  })
  return {
    bells,
    /** @param isThere whether the server can be reached at the moment */
    feedOf(who: number, isThere: () => boolean): OfficeFeed {
      const feed = feedOf(who)
      const polled: OfficeFeed['poll'] = async (...args) => {
        if (!isThere()) throw new Error('No answer came.')
        return feed.poll(...args)
      }
      return { ...feed, poll: polled }
    }
  }
}

/** Opens `count` workstations of one office on one clock. */
function openOffice(count: number, isShown: boolean) {
  const time = testTime()
  const server = officeServer(time)
  /** Whether the server leaves requests for the current reader unanswered. */
  const how = { isSilent: false }
  /** When the service was asked for a folder, and by which workstation. */
  const requests: { at: number; who: number }[] = []

  const workstations = Array.from({ length: count }, (_, index) => {
    const random = chance(index)
    const its = time.run({ random })
    const base = { cursor: 1, provenAt: time.now }
    /** Whether it knows something that the office doesn't. */
    const own = { isThere: false }
    const answers: Partial<Record<string, (ask: Record<string, unknown>) => unknown>> = {
      counts: () => ({ folders: {} }),
      lookedAt: ({ folders }) => Object.fromEntries((folders as string[]).map((folder) => [folder, 1])),
      markGone: () => 0,
      shareFeed: ({ cursor, provenAt }) =>
        Object.assign(base, cursor !== undefined && { cursor }, provenAt !== undefined && { provenAt }) && {
          ...base
        },
      compareShared: () => ({ here: [], there: [], upTo: 0, areSeen: true }),
      toShare() {
        // The reader hands over what it knows.
        own.isThere = false
        return { changes: [], upTo: 0 }
      },
      unshared: () => ({ tags: own.isThere ? [TAG] : [], upTo: 1 }),
      takeShared({ settles }) {
        if (settles !== undefined) own.isThere = false
        return 0
      },
      takeReport: () => null
    }
    const ask = (async (name: string, what: Record<string, unknown>) => {
      const answer = answers[name]
      if (!answer) throw new Error(`Nobody was to ask for ${name}.`)
      return answer(what)
    }) as AskDocuments
    const read = async () => {
      requests.push({ at: time.elapsed(), who: index })
      return {
        kind: 'taken' as const,
        changed: 0,
        documents: 3,
        isComplete: true,
        unreadable: { count: 0, documents: [] }
      }
    }
    const client = { readActiveDocuments: read } as unknown as Awaited<ReturnType<PollingDeps['clientOf']>>
    const moment = time.clock
    const polling = openPolling({
      ask,
      moment,
      time: its,
      accounts: () => [ACCOUNT],
      shown: () => [ACCOUNT.id],
      clientOf: async () => client,
      dateFormatOf: async () => undefined,
      changed: () => undefined,
      accountRead: () => undefined,
      connectionChanged: () => undefined
    })
    const together = new SharedPolling({
      ask,
      moment,
      time: its,
      accounts: () => [ACCOUNT],
      isLookedAt: polling.isLookedAt,
      troubleOf: polling.troubleOf,
      startReading: polling.startReading,
      changed: () => undefined,
      readByOther: polling.readByOther,
      readerChanged: () => undefined
    })
    polling.setSharedPolling(together)
    polling.setShown(isShown)
    server.bells[index] = (channel, feedId) => together.notified(channel, feedId)
    const comes = () =>
      together.connect(
        server.feedOf(index, () => !how.isSilent),
        KEY,
        count
      )
    return { polling, together, own, comes, random, its }
  })

  /** Returns how often the service is asked for a folder in that many milliseconds. */
  async function during(milliseconds: number): Promise<number> {
    const before = requests.length
    await time.pass(milliseconds)
    return requests.length - before
  }

  /** Each reconnects at its next attempt, which is within a minute. */
  function areBack(): void {
    for (const { its, random, comes } of workstations) its.after(random() * MINUTE, comes)
  }

  return { time, workstations, requests, how, during, areBack }
}

describe.each([
  { sickness: 'away', viewers: 'someone', isShown: true },
  { sickness: 'away', viewers: 'nobody', isShown: false },
  { sickness: 'silent', viewers: 'someone', isShown: true },
  { sickness: 'silent', viewers: 'nobody', isShown: false }
])('a server that is $sickness', ({ sickness, viewers, isShown }) => {
  // The load is highest while someone is looking.
  const tags = isShown ? [] : ['full']
  test(`at fifty workstations where ${viewers} is looking`, { tags }, async () => {
    const { time, workstations, requests, how, during, areBack } = openOffice(50, isShown)
    for (const { polling } of workstations) polling.start()
    areBack()
    await time.pass(10 * MINUTE)
    const usual = (await during(HOUR)) / 60
    expect(new Set(requests.filter(({ at }) => at > 11 * MINUTE).map(({ who }) => who)).size).toBe(1)

    // Nobody can find out who the reader is, so each polls separately, all together hardly more often than the one did.
    if (sickness === 'silent') how.isSilent = true
    else for (const { together } of workstations) void together.disconnect()
    const since = time.elapsed()
    const rates = [await during(HOUR), await during(HOUR)].map((count) => count / 60 / usual)
    for (const rate of rates) expect(rate).toBeLessThanOrEqual(2.5)
    const readSince = (from: number) => new Set(requests.filter(({ at }) => at >= from).map(({ who }) => who)).size
    expect(readSince(since + HOUR)).toBe(50)

    // A requested read is made immediately.
    expect(await during(0)).toBe(0)
    await workstations[7]?.polling.refresh(ACCOUNT.id)
    expect(requests.slice(-2)).toEqual(Array(2).fill({ at: time.elapsed(), who: 7 }))

    // The server is back, and each workstation has seen something that the office hasn't.
    for (const { own } of workstations) own.isThere = true
    if (sickness === 'silent') how.isSilent = false
    else areBack()
    const back = (await during(5 * MINUTE)) / 5 / usual
    expect(back).toBeLessThanOrEqual(2.5)
    expect(workstations.filter(({ own }) => own.isThere)).toHaveLength(0)
    const backSince = time.elapsed()
    expect((await during(HOUR)) / 60 / usual).toBeCloseTo(1, 1)
    expect(readSince(backSince)).toBe(1)
  })
})

describe.each([
  { viewers: 'someone', isShown: true, minutes: 1 },
  { viewers: 'nobody', isShown: false, minutes: 5 }
])('after an outage longer than the comparison is valid, with $looks looking', ({ isShown, minutes }) => {
  const tags = isShown ? [] : ['full']
  test('workstations compare one after another', { tags }, async () => {
    const { time, workstations, requests, during, areBack } = openOffice(50, isShown)
    for (const { polling } of workstations) polling.start()
    areBack()
    await time.pass(10 * MINUTE)
    const usual = ((await during(HOUR)) / 60) * minutes
    for (const { together } of workstations) void together.disconnect()
    await time.pass(25 * HOUR)
    areBack()
    const since = time.elapsed()
    const each: number[] = []
    for (let at = 0; at < 60; at += minutes) each.push((await during(minutes * MINUTE)) / usual)
    expect(Math.max(...each)).toBeLessThan(5)
    // Each has read, and one continues.
    expect(new Set(requests.filter(({ at }) => at >= since).map(({ who }) => who)).size).toBe(50)
    const after = time.elapsed()
    expect(((await during(HOUR)) / 60) * (minutes / usual)).toBeCloseTo(1, 1)
    expect(new Set(requests.filter(({ at }) => at >= after).map(({ who }) => who)).size).toBe(1)
  })
})
