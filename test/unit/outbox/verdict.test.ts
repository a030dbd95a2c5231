/** The verdict on a look, without a network, a clock or a database. */
import { expect, test } from 'vitest'
import { SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { type SendCheck, type SendObservation, verdictOf } from '../../../src/main/core/outbox/verdict.ts'

const MINUTE = 60_000
const missing: SendObservation = { kind: 'missing', at: 0, isConfirmed: false }
const look: SendCheck = {
  match: { kind: 'missing' },
  isComplete: true,
  startedAt: SECOND_CHECK_AFTER,
  earlier: missing,
  isStillAmbiguous: false,
  age: { byWall: 2 * MINUTE, measured: 2 * MINUTE, byService: undefined }
}
const send = { attempt: 1, ambiguity: undefined, error: undefined }
const refusal = { code: 'conflict', message: 'There already.', mayHaveArrived: false } as const
const documents = [{ Reference: 'a' }]

test.each<[string, Partial<SendCheck>, Partial<typeof send> | { error: typeof refusal }, string]>([
  ['shows it: it arrived', { match: { kind: 'found', documents } }, {}, 'arrived'],
  [
    'shows it, though some could not be read',
    { match: { kind: 'found', documents }, isComplete: false },
    {},
    'arrived'
  ],
  ['shows what may be it', { match: { kind: 'ambiguous', documents } }, {}, 'ambiguous'],
  ['misses it for the first time', { earlier: undefined }, {}, 'nothing'],
  ['misses it too soon after the first', { startedAt: SECOND_CHECK_AFTER - 1 }, {}, 'nothing'],
  ['misses it for the second time', {}, {}, 'ready'],
  ['misses it after it was ambiguous', { earlier: { ...missing, kind: 'ambiguous' } }, {}, 'nothing'],
  ['could not read all', { isComplete: false }, {}, 'nothing'],
  ['was made while a twin was on its way', { match: { kind: 'unclear' } }, {}, 'nothing'],
  ['misses what may have been it', { isStillAmbiguous: true }, {}, 'nothing'],
  ['misses one that was refused meanwhile', {}, { error: refusal }, 'refused'],
  ['misses one that was tried three times', {}, { attempt: 3 }, 'not-sent'],
  ['misses an old one, by the wall clock', { age: { ...look.age, byWall: 31 * MINUTE } }, {}, 'not-sent'],
  ['misses an old one, by this run’s clock', { age: { ...look.age, measured: 31 * MINUTE } }, {}, 'not-sent'],
  [
    'misses an old one, by what happened at the service since',
    { age: { ...look.age, measured: undefined, byService: 31 * MINUTE } },
    {},
    'not-sent'
  ],
  ['misses one of the future', { age: { ...look.age, byWall: -1 } }, {}, 'not-sent'],
  [
    'misses an old one that a person let go again',
    { age: { ...look.age, byWall: 31 * MINUTE } },
    { attempt: 0 },
    'ready'
  ]
])('a look that %s', (_, changes, of, kind) => {
  expect(verdictOf({ ...send, ...of }, { ...look, ...changes }).verdict.kind).toBe(kind)
})
