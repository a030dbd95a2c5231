/** A page that can't be wiped: no other page is opened until it is gone, in this session or another. */
import { expect, test } from 'vitest'
import { gate, openOffice, PIN, signer } from './office.ts'

/** Returns an office whose first session has ended, with a page that isn't wiped yet. */
async function resisting() {
  const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ben Example')] })
  const { id } = await office.start(['will', 0])
  await office.opens()
  const wiped = gate()
  office.wiping = wiped.passed
  office.events().returned()
  await office.settled()
  await office.counter.unlock(id, PIN)
  expect(office.state().phase).toBe('ended')
  return { office, wiped }
}

test('another session can’t start while the page is there, and the error says so', async () => {
  const { office } = await resisting()
  const start = office.start(['deed', 0])
  const refused = expect(start).rejects.toMatchObject({
    appError: { code: 'internal', message: expect.stringContaining('couldn’t be closed') }
  })
  await office.time.pass(0)
  await office.time.pass(10_000)
  await refused
  expect([office.isTaken, office.counter.isRunning(), office.pages.length]).toEqual([false, false, 1])
})

test('wiping is retried, and once it succeeds the session starts', async () => {
  const { office, wiped } = await resisting()
  wiped.open()
  await office.start(['deed', 0])
  await office.opens()
  expect([office.mostPages, office.state().phase]).toEqual([1, 'open'])
})
