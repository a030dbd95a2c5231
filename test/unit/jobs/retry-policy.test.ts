/** What a failure holds up, from the traits of its code; and every code has an answer. */
import { expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { failureOf } from '../../../src/main/core/jobs/recovery.ts'
import { troubleOf } from '../../../src/main/core/jobs/retry-policy.ts'
import { AppFailure } from '../../../src/main/core/lib/failure.ts'
import { ServiceError, type ServiceErrorDetails } from '../../../src/main/core/service/errors.ts'
import { type ErrorCode, localErrorCodes, serviceErrorCodes } from '../../../src/shared/contract/index.ts'

const codes = [...serviceErrorCodes, ...localErrorCodes]
const failureWith = (code: ErrorCode) => new AppFailure({ code, message: 'It failed.', mayHaveArrived: false })
const holding = (trouble: string) =>
  codes.filter((code) => {
    const failure = failureWith(code)
    return troubleOf(failure, failure.appError) === trouble
  })
const unreadable = (more: Partial<ServiceErrorDetails> = {}) => {
  const operation = 'Document/Validation'
  const error = new ServiceError({ code: 'not-json', operation, status: 200, mayHaveArrived: false, ...more })
  return troubleOf(error, asAppError(error))
}

test('each error holds up what would fail in the same way, and only what may pass is tried again by itself', () => {
  expect({
    offline: holding('offline'),
    attempt: holding('attempt'),
    account: holding('account'),
    folder: holding('folder')
  }).toEqual({
    offline: ['offline', 'dns', 'refused', 'tls', 'rate-limited', 'not-json'],
    attempt: ['timeout', 'server', 'incomplete'],
    account: ['unauthorised', 'payment-required', 'quota', 'keychain', 'unsafe-address'],
    folder: ['storage', 'no-space', 'not-writable']
  })
})

test('a send that didn’t arrive waits, is refused, or stops its account, by the same traits', () => {
  const kinds = Map.groupBy(codes, (code) => failureOf(failureWith(code)).kind)
  expect([kinds.get('offline'), kinds.get('stopped'), kinds.get('rate-limited')]).toEqual([
    ['offline', 'dns', 'refused', 'timeout', 'tls', 'not-json', 'cancelled', 'keychain'],
    ['unauthorised', 'payment-required', 'quota', 'unsafe-address'],
    ['rate-limited']
  ])
})

test('something else in the service’s place holds up all, but what came in place of a file is that file’s own', () => {
  expect(unreadable()).toBe('offline')
  expect(unreadable({ asked: 'json', finding: 'sign-in-page' })).toBe('offline')
  expect(unreadable({ asked: 'json', finding: 'something-else' })).toBe('final')
  expect(unreadable({ asked: 'json', status: 406 })).toBe('final')
})
