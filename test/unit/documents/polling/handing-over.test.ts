/** A workstation that reads for its office, and has more to hand over than it can while its lease lasts. */
import { expect, test } from 'vitest'
import { SharedPolling } from '../../../../src/main/core/documents/polling/shared-polling.ts'
import type { AskDocuments } from '../../../../src/main/core/documents/questions.ts'
import type { OfficeFeed } from '../../../../src/main/core/office/feed.ts'
import { testTime } from '../../../fixtures/own-time.ts'

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
  const comparisons: unknown[] = []
  const troubles: unknown[] = []
  const answers: Partial<Record<string, (ask: Record<string, unknown>) => unknown>> = {
    shareFeed: ({ cursor = 0, provenAt = 0 }) => ({ cursor, provenAt }),
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
