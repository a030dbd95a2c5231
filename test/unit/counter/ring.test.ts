import { expect, test } from 'vitest'
import { RINGS_EVERY, Ring } from '../../../src/main/core/counter/ring.ts'
import { ownTime } from '../../fixtures/own-time.ts'

function ringing() {
  const time = ownTime()
  const heard = { times: 0 }
  return { time, heard, ring: new Ring(time.run(), () => void heard.times++) }
}

test('it rings at once, and every twenty seconds until it is over, however often it is told', async () => {
  const { time, heard, ring } = ringing()
  for (let told = 0; told < 3; told++) ring.set(true)
  expect(heard.times).toBe(1)
  await time.pass(RINGS_EVERY - 1)
  expect(heard.times).toBe(1)
  ring.set(true)
  await time.pass(1)
  expect(heard.times).toBe(2)
  await time.pass(3 * RINGS_EVERY)
  expect(heard.times).toBe(5)
  ring.set(false)
  await time.pass(10 * RINGS_EVERY)
  expect(heard.times).toBe(5)
})

test('what is wanted again rings again, at once', async () => {
  const { time, heard, ring } = ringing()
  ring.set(true)
  ring.set(false)
  await time.pass(RINGS_EVERY / 2)
  ring.set(true)
  expect(heard.times).toBe(2)
  await time.pass(RINGS_EVERY)
  expect(heard.times).toBe(3)
})

test('after the application’s end nothing rings, whatever is told', async () => {
  const { time, heard, ring } = ringing()
  ring.set(true)
  ring.end()
  ring.set(true)
  await time.pass(5 * RINGS_EVERY)
  expect(heard.times).toBe(1)
})
