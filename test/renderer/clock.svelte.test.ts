import { flushSync } from 'svelte'
import { expect, test } from 'vitest'
import { Minutes } from '../../src/renderer/src/state/clock.ts'
import { FakeClock, settle } from './fake-clock.ts'

test('the time updates at the start of each minute, and stops when nothing uses it', async () => {
  const clock = new FakeClock(90_500)
  const minutes = new Minutes(clock)
  const times: number[] = []
  const stop = $effect.root(() => {
    $effect(() => {
      times.push(minutes.now)
    })
  })
  flushSync()
  await clock.pass(29_000)
  expect(times).toEqual([90_500])
  await clock.pass(61_000)
  expect(times).toEqual([90_500, 120_000, 180_000])
  stop()
  await settle()
  await clock.pass(600_000)
  expect(times).toHaveLength(3)
})
