/** How long to wait, and what a Retry-After header means. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServiceError, type ServiceErrorCode } from '../../../src/main/core/service/errors.ts'
import { RETRY_LIMITS, readRetryAfter, waitBeforeRetry } from '../../../src/main/core/service/limits.ts'

const now = Date.UTC(2031, 0, 1, 12)
const failed = (code: ServiceErrorCode, retryAfterMs?: number) =>
  new ServiceError({ code, operation: 'x', mayHaveArrived: true, retryAfterMs })

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5_000],
    ['Wed, 01 Jan 2031 12:00:30 GMT', 30_000],
    ['Wednesday, 01-Jan-31 12:00:30 GMT', 30_000],
    ['Wed Jan  1 12:00:30 2031 GMT', 30_000],
    ['Wed, 01 Jan 2031 11:00:00 GMT', 0],
    // Longer than a timer can be set for, so capped at a day.
    ['2592000', 86_400_000],
    ['Wed, 01 Jan 2032 12:00:00 GMT', 86_400_000]
  ])('%s is %i ms', (header, milliseconds) => expect(readRetryAfter(header, now)).toBe(milliseconds))

  test.each([null, '', 'soon', '-5', '1.5', '1e9', '99999999999', 'Wed, 99 Foo 2031 12:00:30 GMT'])(
    '%j is ignored',
    (header) => expect(readRetryAfter(header, now)).toBeUndefined()
  )
})

describe('the wait before a retry', () => {
  test('never exceeds its cap, and there is none after the last attempt', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, chance) => {
          const limits = { ...RETRY_LIMITS, attempts: 50 }
          const wait = waitBeforeRetry(failed('server'), attempt, limits, () => chance)
          if (attempt >= 50) expect(wait).toBeUndefined()
          else expect(wait).toBeLessThanOrEqual(limits.maxWaitMs)
        }
      )
    )
  })

  test('is at least what the service asks for, with jitter', () => {
    const wait = (chance: number) => waitBeforeRetry(failed('rate-limited', 5000), 1, RETRY_LIMITS, () => chance)
    expect(wait(0)).toBe(5000)
    expect(wait(0.99)).toBeGreaterThan(5000)
  })

  test.each([
    'offline',
    'tls',
    'cancelled',
    'unauthorised',
    'invalid',
    'not-json',
    'unexpected-shape',
    'too-large',
    'quota'
  ] as const)('never happens after %s', (code) =>
    expect(waitBeforeRetry(failed(code), 1, RETRY_LIMITS, () => 0)).toBeUndefined()
  )
})
