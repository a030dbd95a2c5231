import { expect, test } from 'vitest'
import { SessionPool } from '../../../src/main/shell/session-pool.ts'

function numbered(enough: number) {
  let last = 0
  return new SessionPool(enough, () => ++last)
}

test('each caller gets a new session until the pool is full', () => {
  const ring = numbered(3)
  const taken = [1, 2, 3].map(() => {
    const one = ring.take()
    ring.giveBack(one, true)
    return one
  })
  expect(taken).toEqual([1, 2, 3])
})

test('then the one unused for longest is used again', () => {
  const ring = numbered(3)
  const [first = 0, second = 0, third = 0] = [ring.take(), ring.take(), ring.take()]
  for (const one of [second, third, first]) ring.giveBack(one, true)
  expect([ring.take(), ring.take(), ring.take()]).toEqual([second, third, first])
})

test('a session not known to be clean is never used again, and a new one replaces it', () => {
  const ring = numbered(2)
  for (const isClean of [false, true]) ring.giveBack(ring.take(), isClean)
  const later = [1, 2, 3, 4].map(() => {
    const one = ring.take()
    ring.giveBack(one, true)
    return one
  })
  expect(later).toEqual([3, 2, 3, 2])
})

test('nobody ever gets a session in use, however many are needed', () => {
  const ring = numbered(2)
  expect([ring.take(), ring.take(), ring.take()]).toEqual([1, 2, 3])
})

test('giving a session back twice doesn’t add it twice', () => {
  const ring = numbered(1)
  const one = ring.take()
  ring.giveBack(one, true)
  ring.giveBack(one, true)
  expect([ring.take(), ring.take()]).toEqual([1, 2])
})

test('a session given back unclean stays unclean', () => {
  const ring = numbered(1)
  const one = ring.take()
  ring.giveBack(one, false)
  ring.giveBack(one, true)
  expect(ring.take()).toBe(2)
})
