/** Notifications and the counter together: a notice must not be shown to the person who has the screen. */
import { expect, test } from 'vitest'
import { counterHandlers } from '../../../src/main/ipc/counter.ts'
import { openOffice, PIN } from '../counter/office.ts'
import { office } from './office.ts'

async function bothAtWork() {
  const workstation = office()
  const notifier = await workstation.atWork()
  const clerk = openOffice()
  const { counter } = clerk
  clerk.deps.changed = () => {
    workstation.isSigning = counter.isRunning()
    notifier.counterChanged()
  }
  return { here: workstation, clerk, counter }
}

test('what happened during a session is notified once staff has the screen back', async () => {
  const { here: workstation, clerk, counter } = await bothAtWork()
  const { id } = await clerk.start(['will', 0])
  await clerk.opens()
  workstation.worker.happens({ kind: 'declined', documentName: 'Someone else’s deed' })
  await workstation.goOn()
  clerk.events().returned()
  await clerk.settled()
  // The page is closed, but the signer still sees what is shown then.
  await workstation.goOn(60_000)
  expect([clerk.state().phase, workstation.shown]).toEqual(['return', []])
  await counter.unlock(id, PIN)
  await workstation.goOn()
  expect(workstation.bodies()).toEqual(['Someone else’s deed'])
})

test('nothing is shown over the second display while someone signs there', async () => {
  const { here: workstation, clerk, counter } = await bothAtWork()
  clerk.place = 'other-display'
  const { id } = await clerk.start(['will', 0])
  workstation.worker.happens({ kind: 'declined', documentName: 'Someone else’s deed' })
  await workstation.goOn(60_000)
  expect([clerk.state().place, counter.isHandedOver(), workstation.shown]).toEqual(['other-display', false, []])
  await counterHandlers(counter, () => [])['counter.staff'](
    { id, does: 'end' },
    { from: 'office', stillAsking: () => true }
  )
  await workstation.goOn()
  expect(workstation.bodies()).toEqual(['Someone else’s deed'])
})
