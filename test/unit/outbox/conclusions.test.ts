/** What follows of a look, without a line, a clock or a database. */
import { expect, test } from 'vitest'
import { conclude, type Look, SECOND_LOOK_AFTER, type Seen } from '../../../src/main/core/outbox/conclusions.ts'

const MINUTE = 60_000
const missing: Seen = { kind: 'missing', at: 0, isTwice: false }
const look: Look = {
  verdict: { kind: 'missing' },
  isComplete: true,
  begun: SECOND_LOOK_AFTER,
  before: missing,
  isDoubtOpen: false,
  age: { byWall: 2 * MINUTE, measured: 2 * MINUTE, byService: undefined }
}
const send = { attempt: 1, doubt: undefined, error: undefined }
const refusal = { code: 'conflict', message: 'There already.', mayHaveArrived: false } as const
const documents = [{ Reference: 'a' }]

test.each<[string, Partial<Look>, Partial<typeof send> | { error: typeof refusal }, string]>([
  ['shows it: it arrived', { verdict: { kind: 'found', documents } }, {}, 'arrived'],
  [
    'shows it, though some could not be read',
    { verdict: { kind: 'found', documents }, isComplete: false },
    {},
    'arrived'
  ],
  ['shows what may be it', { verdict: { kind: 'doubt', documents } }, {}, 'doubt'],
  ['misses it for the first time', { before: undefined }, {}, 'nothing'],
  ['misses it too soon after the first', { begun: SECOND_LOOK_AFTER - 1 }, {}, 'nothing'],
  ['misses it for the second time', {}, {}, 'ready'],
  ['misses it after a doubt', { before: { ...missing, kind: 'doubt' } }, {}, 'nothing'],
  ['could not read all', { isComplete: false }, {}, 'nothing'],
  ['was made while a twin was on its way', { verdict: { kind: 'unclear' } }, {}, 'nothing'],
  ['misses what may have been it', { isDoubtOpen: true }, {}, 'nothing'],
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
  expect(conclude({ ...send, ...of }, { ...look, ...changes }).conclusion.kind).toBe(kind)
})
