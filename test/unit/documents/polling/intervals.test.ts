/** The pause between reads of an account's folders, and when a missing document may be called gone. */
import { describe, expect, test } from 'vitest'
import { type RoundOutcome, restAfter } from '../../../../src/main/core/documents/polling/account-state.ts'
import { type CompleteRound, trackMissing } from '../../../../src/main/core/documents/polling/rounds.ts'
import { throttled } from '../../../../src/main/core/lib/time.ts'
import { testTime } from '../../../fixtures/own-time.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const well: RoundOutcome = { isLookedAt: true, failures: 0, isOffline: false, took: 200 }

describe('the interval', () => {
  test.each<[string, Partial<RoundOutcome>, number]>([
    ['seconds while someone is looking', {}, 10 * SECOND],
    ['minutes while nobody is', { isLookedAt: false }, 2 * MINUTE],
    ['at least as long as when workstations read separately', { atLeast: 40 * MINUTE }, 40 * MINUTE],
    ['no shorter than that after a failure', { atLeast: 40 * MINUTE, failures: 1 }, 40 * MINUTE],
    [
      'as before while offline, which takes only one request to find out',
      { isLookedAt: false, atLeast: 40 * MINUTE, failures: 9, isOffline: true },
      2 * MINUTE
    ],
    ['longer after a round that took long', { took: 8 * SECOND }, 40 * SECOND],
    ['no longer than ten minutes, however long a round seemed to take', { took: 600 * MINUTE }, 10 * MINUTE],
    ['half a minute after a first failure', { failures: 1, error: { code: 'server' } }, 30 * SECOND],
    ['twice as long after a second', { failures: 2, error: { code: 'server' } }, MINUTE],
    ['some minutes after many', { failures: 40, error: { code: 'server' } }, 5 * MINUTE],
    ['no shorter after a failure', { isLookedAt: false, failures: 1, error: { code: 'server' } }, 2 * MINUTE],
    [
      'as long as the service asks for',
      { failures: 1, error: { code: 'rate-limited', retryAfterMs: 900_000 } },
      15 * MINUTE
    ],
    [
      'an hour at most, however long the service asks for',
      { failures: 1, error: { code: 'rate-limited', retryAfterMs: 30 * 86_400_000 } },
      60 * MINUTE
    ],
    ['minutes if the keychain is locked', { failures: 1, error: { code: 'keychain' } }, 5 * MINUTE],
    ['constant while offline', { failures: 9, isOffline: true, error: { code: 'offline' } }, 30 * SECOND],
    ['longer offline when nobody is looking', { isLookedAt: false, failures: 9, isOffline: true }, 2 * MINUTE]
  ])('is %s', (_words, standing, rest) => {
    expect(restAfter({ ...well, ...standing }, 0)).toBe(rest)
  })

  test('varies after errors, so that not all workstations return at the same moment', () => {
    const failed = { ...well, failures: 1, error: { code: 'server' } as const }
    expect(restAfter(failed, 0.99)).toBeGreaterThan(restAfter(failed, 0))
    expect(restAfter(well, 0.99)).toBe(restAfter(well, 0))
  })
})

describe('throttled announcements', () => {
  test('are made immediately, then at intervals, and the last is never left out', async () => {
    const time = testTime()
    const announcedAt: number[] = []
    const { request } = throttled(time.run(), 250, () => announcedAt.push(time.elapsed()))
    for (let tick = 0; tick < 100; tick++) {
      request()
      await time.pass(10)
    }
    await time.pass(1000)
    expect(announcedAt).toEqual([0, 250, 500, 750, 1000])
  })
})

describe('a missing document', () => {
  let monotonicAt = 0
  /** A round that begins `later` after the previous one. */
  const round = (documents: number, later = 30 * SECOND): CompleteRound => {
    monotonicAt += later
    return {
      monotonicAt,
      firstReadAt: monotonicAt,
      lastReadAt: monotonicAt + 2,
      documents: new Map([['InBox', documents]])
    }
  }

  test('is gone after two consecutive rounds without it', () => {
    const trackers = trackMissing(new Map())
    const [first, second] = [round(20), round(19)]
    expect(trackers.recordRound(first)).toBeUndefined()
    expect(trackers.recordRound(second)).toBe(first.firstReadAt)
    expect(trackers.recordRound(round(19))).toBe(second.firstReadAt)
  })

  test('isn’t gone after a single round that two callers waited for', () => {
    const trackers = trackMissing(new Map())
    const first = round(20)
    trackers.recordRound(first)
    expect(trackers.recordRound(first)).toBeUndefined()
  })

  test('isn’t gone after two rounds in quick succession', () => {
    const trackers = trackMissing(new Map())
    const first = round(20)
    trackers.recordRound(first)
    expect(trackers.recordRound(round(19, 2 * SECOND))).toBeUndefined()
    expect(trackers.recordRound(round(19, 2 * SECOND))).toBeUndefined()
    expect(trackers.recordRound(round(19, 2 * SECOND))).toBe(first.firstReadAt)
  })

  test('is looked for longer if a folder suddenly shrank to less than half', () => {
    const trackers = trackMissing(new Map())
    const [full, empty] = [round(30), round(0, 6 * SECOND)]
    trackers.recordRound(full)
    expect(trackers.recordRound(empty)).toBeUndefined()
    for (let second = 6; second < 30; second += 6) expect(trackers.recordRound(round(0, 6 * SECOND))).toBeUndefined()
    expect(trackers.recordRound(round(0, 6 * SECOND))).toBe(full.firstReadAt)
  })

  test('needs three rounds if a folder suddenly shrank to less than half', () => {
    const trackers = trackMissing(new Map())
    const [full, before, empty, second] = [round(30), round(30), round(0), round(0)]
    trackers.recordRound(full)
    trackers.recordRound(before)
    // Neither of these rounds may call anything gone that the previous round showed.
    expect(trackers.recordRound(empty)).toBe(full.firstReadAt)
    expect(trackers.recordRound(second)).toBe(before.firstReadAt)
    expect(trackers.recordRound(round(0))).toBe(second.firstReadAt)
  })

  test('needs three rounds in a new run, too, as folder sizes are remembered', () => {
    const trackers = trackMissing(new Map([['InBox', 30]]))
    const [first, second] = [round(0), round(0)]
    expect(trackers.recordRound(first)).toBeUndefined()
    expect(trackers.recordRound(second)).toBeUndefined()
    expect(trackers.recordRound(round(0))).toBe(second.firstReadAt)
  })

  test('needs no extra round in a small folder', () => {
    const trackers = trackMissing(new Map([['InBox', 9]]))
    const first = round(0)
    trackers.recordRound(first)
    expect(trackers.recordRound(round(0))).toBe(first.firstReadAt)
  })
})
