import { expect, test } from 'vitest'
import { RING_INTERVAL, Ring } from '../../../src/main/core/counter/ring.ts'
import { testTime } from '../../fixtures/own-time.ts'

function ringing() {
  const time = testTime()
  const heard = { times: 0 }
  return { time, heard, ring: new Ring(time.run(), () => void heard.times++) }
}

test('it rings immediately, and every twenty seconds until it is stopped', async () => {
  const { time, heard, ring } = ringing()
  for (let times = 0; times < 3; times++) ring.setRinging(true)
  expect(heard.times).toBe(1)
  await time.pass(RING_INTERVAL - 1)
  expect(heard.times).toBe(1)
  ring.setRinging(true)
  await time.pass(1)
  expect(heard.times).toBe(2)
  await time.pass(3 * RING_INTERVAL)
  expect(heard.times).toBe(5)
  ring.setRinging(false)
  await time.pass(10 * RING_INTERVAL)
  expect(heard.times).toBe(5)
})

test('starting again rings again immediately', async () => {
  const { time, heard, ring } = ringing()
  ring.setRinging(true)
  ring.setRinging(false)
  await time.pass(RING_INTERVAL / 2)
  ring.setRinging(true)
  expect(heard.times).toBe(2)
  await time.pass(RING_INTERVAL)
  expect(heard.times).toBe(3)
})

test('nothing rings after the application has ended', async () => {
  const { time, heard, ring } = ringing()
  ring.setRinging(true)
  ring.end()
  ring.setRinging(true)
  await time.pass(5 * RING_INTERVAL)
  expect(heard.times).toBe(1)
})
