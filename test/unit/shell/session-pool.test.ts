import { expect, test } from 'vitest'
import { SessionPool } from '../../../src/main/shell/session-pool.ts'

function numbered(enough: number) {
  let last = 0
  return new SessionPool(enough, () => ++last)
}

test('each has a new one until there are enough', () => {
  const ring = numbered(3)
  const taken = [1, 2, 3].map(() => {
    const one = ring.take()
    ring.giveBack(one, true)
    return one
  })
  expect(taken).toEqual([1, 2, 3])
})

test('then the one that has lain longest is used again', () => {
  const ring = numbered(3)
  const [first = 0, second = 0, third = 0] = [ring.take(), ring.take(), ring.take()]
  for (const one of [second, third, first]) ring.giveBack(one, true)
  expect([ring.take(), ring.take(), ring.take()]).toEqual([second, third, first])
})

test('what was not seen to be clean is never used again, and another takes its place', () => {
  const ring = numbered(2)
  for (const isClean of [false, true]) ring.giveBack(ring.take(), isClean)
  const later = [1, 2, 3, 4].map(() => {
    const one = ring.take()
    ring.giveBack(one, true)
    return one
  })
  expect(later).toEqual([3, 2, 3, 2])
})

test('nobody is ever given one that is in use, however many that makes', () => {
  const ring = numbered(2)
  expect([ring.take(), ring.take(), ring.take()]).toEqual([1, 2, 3])
})

test('giving back twice doesn’t make it two', () => {
  const ring = numbered(1)
  const one = ring.take()
  ring.giveBack(one, true)
  ring.giveBack(one, true)
  expect([ring.take(), ring.take()]).toEqual([1, 2])
})

test('what was given back as unclean stays so', () => {
  const ring = numbered(1)
  const one = ring.take()
  ring.giveBack(one, false)
  ring.giveBack(one, true)
  expect(ring.take()).toBe(2)
})
