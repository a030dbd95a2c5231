import { expect, test } from 'vitest'
import { type BadgeCounts, openBadgeCounts } from '../../../src/main/core/notifications/badge-counts.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { scriptedWorker, TEN, ZONE } from './office.ts'

function counted() {
  const time = testTime(TEN)
  const worker = scriptedWorker(time.clock)
  const self = {
    time,
    worker,
    chosen: 'office' as string | undefined,
    shown: [] as BadgeCounts[],
    happened: 0,
    failures: 0
  }
  const badgeCounts = openBadgeCounts({
    ask: worker.ask,
    shown: () => (self.chosen === undefined ? [] : [self.chosen]),
    show: (one) => void self.shown.push(one),
    newsArrived: () => void self.happened++,
    time: time.run({ zone: () => ZONE }),
    onError: () => void self.failures++
  })
  const pass = async () => {
    await time.pass(1000)
    for (let turn = 0; turn < 20; turn++) await new Promise((resume) => setImmediate(resume))
  }
  return Object.assign(self, { badgeCounts, pass })
}

test('unread documents and waiting people are counted once after many changes, and shown if different', async () => {
  const { worker, badgeCounts, pass, shown } = counted()
  Object.assign(worker, { unread: 3, waiting: 2 })
  for (let one = 0; one < 100; one++) badgeCounts.changed()
  await pass()
  expect(shown).toEqual([{ unread: 3, waiting: 2 }])
  badgeCounts.changed()
  await pass()
  expect(shown).toHaveLength(1)
  worker.unread = 0
  badgeCounts.changed()
  await pass()
  expect(shown[1]).toEqual({ unread: 0, waiting: 2 })
})

test('without an account the counts are zero', async () => {
  const office = counted()
  office.chosen = undefined
  office.badgeCounts.changed()
  await office.pass()
  expect(office.shown).toEqual([{ unread: 0, waiting: 0 }])
})

test('news is announced only if something happened', async () => {
  const office = counted()
  office.badgeCounts.changed()
  await office.pass()
  const before = office.happened
  office.badgeCounts.changed()
  await office.pass()
  expect(office.happened).toBe(before)
  office.worker.happens()
  office.badgeCounts.changed()
  await office.pass()
  expect(office.happened).toBe(before + 1)
})

test('a failing worker is asked again at the next change', async () => {
  const office = counted()
  office.worker.isBroken = true
  office.badgeCounts.changed()
  await office.pass()
  expect(office.failures).toBe(1)
  office.worker.isBroken = false
  office.badgeCounts.changed()
  await office.pass()
  expect(office.shown).toHaveLength(1)
})

test('once stopped, nothing is counted', async () => {
  const office = counted()
  office.badgeCounts.changed()
  office.badgeCounts.stop()
  office.badgeCounts.changed()
  await office.pass()
  expect(office.shown).toEqual([])
})
