import { expect, test } from 'vitest'
import { AccountLanes, SYNC_THROTTLE } from '../../../src/main/core/office/account-lanes.ts'
import { testTime } from '../../fixtures/own-time.ts'

test('another round requested between two rounds follows soon, and doesn’t hold back local changes', async () => {
  const time = testTime()
  let rounds = 0
  const lanes = new AccountLanes({
    time: time.run(),
    accounts: () => new Map([['account', 'office']]),
    sync: async () => void rounds++
  })
  lanes.connect()
  await time.pass(0)
  expect(rounds).toBe(1)
  lanes.syncAgain('account')
  lanes.syncSoon('account', SYNC_THROTTLE)
  await time.pass(SYNC_THROTTLE)
  expect(rounds).toBe(2)
  await time.pass(SYNC_THROTTLE)
  expect(rounds).toBe(2)
})
