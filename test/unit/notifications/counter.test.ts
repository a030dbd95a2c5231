/** Notifications and the counter together: a notice must not be shown to the person who has the screen. */
import { expect, test } from 'vitest'
import { counterHandlers } from '../../../src/main/ipc/counter.ts'
import { openOffice, PIN } from '../counter/office.ts'
import { office } from './office.ts'

async function bothAtWork() {
  const here = office()
  const notifier = await here.atWork()
  const clerk = openOffice()
  const { counter } = clerk
  clerk.deps.changed = () => {
    here.isSigning = counter.isRunning()
    notifier.counterChanged()
  }
  return { here, clerk, counter }
}

test('what happened during a session is notified once staff has the screen back', async () => {
  const { here, clerk, counter } = await bothAtWork()
  const { id } = await clerk.start(['will', 0])
  await clerk.opens()
  here.worker.happens({ kind: 'declined', documentName: 'Someone else’s deed' })
  await here.goOn()
  clerk.events().returned()
  await clerk.settled()
  // The page is closed, but the signer still sees what is shown then.
  await here.goOn(60_000)
  expect([clerk.state().phase, here.shown]).toEqual(['return', []])
  await counter.unlock(id, PIN)
  await here.goOn()
  expect(here.bodies()).toEqual(['Someone else’s deed'])
})

test('nothing is shown over the second display while someone signs there', async () => {
  const { here, clerk, counter } = await bothAtWork()
  clerk.place = 'other-display'
  const { id } = await clerk.start(['will', 0])
  here.worker.happens({ kind: 'declined', documentName: 'Someone else’s deed' })
  await here.goOn(60_000)
  expect([clerk.state().place, counter.isHandedOver(), here.shown]).toEqual(['other-display', false, []])
  await counterHandlers(counter, () => [])['counter.staff'](
    { id, does: 'end' },
    { from: 'office', stillAsking: () => true }
  )
  await here.goOn()
  expect(here.bodies()).toEqual(['Someone else’s deed'])
})
