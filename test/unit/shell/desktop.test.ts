// The sound and signs that a person at the second display wants staff; the host's tray and badge are tested in
// test/host.
import { expect, test, vi } from 'vitest'
import { RING_INTERVAL } from '../../../src/main/core/counter/ring.ts'
import { openDesktop } from '../../../src/main/shell/desktop.ts'
import { testTime } from '../../fixtures/own-time.ts'

const { beeps } = vi.hoisted(() => ({ beeps: { count: 0 } }))
vi.mock('electron', () => ({
  app: { isPackaged: false, setAppUserModelId() {}, setToastActivatorCLSID() {}, setBadgeCount() {} },
  shell: { beep: () => void beeps.count++ },
  Notification: { isSupported: () => false }
}))

test('the sound lasts until someone answers, the flashing until the call is over; no sound after the application ends', async () => {
  const time = testTime()
  const flashed: boolean[] = []
  const window = { isDestroyed: () => false, flashFrame: (is: boolean) => void flashed.push(is) }
  const desktop = openDesktop({
    window: window as never,
    isAway: () => false,
    send() {},
    time: time.run(),
    log: { warn() {} }
  })
  beeps.count = 0
  desktop.call(true, true)
  desktop.call(true, true)
  await time.pass(RING_INTERVAL)
  expect([beeps.count, flashed]).toEqual([2, [true]])
  desktop.call(true, false)
  await time.pass(3 * RING_INTERVAL)
  expect([beeps.count, flashed]).toEqual([2, [true]])
  desktop.call(false, false)
  expect(flashed).toEqual([true, false])
  desktop.call(true, true)
  desktop.remove()
  desktop.call(true, true)
  await time.pass(3 * RING_INTERVAL)
  expect(beeps.count).toBe(3)
})
