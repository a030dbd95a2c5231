/**
 * A bad day at the practice office, set on its own panel: visible in the application, and over once it is switched off.
 */
import { MERE } from './clerk.ts'
import { expect, test } from './office.ts'

test('a send on a bad day reports each problem, and succeeds on a good one', { tag: '@full' }, async ({ clerk }) => {
  const { window } = clerk
  await clerk.goTo('Settings')
  await window.getByText('Simulate problems').click()
  await window.getByLabel('Refuse every request').selectOption({ label: 'Account on hold (402)' })
  await expect(window.getByText('the practice office refuses everything (402)')).toBeVisible()
  await clerk.goTo('Today')
  await expect(window.getByText('the practice office refuses everything (402)')).toBeVisible()

  await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
  await clerk.send()
  await clerk.goTo(/^Outbox/)
  await expect(window.getByText('Paused: the service says a payment is due.').first()).toBeVisible()

  await clerk.goTo('Settings')
  await clerk.button('Reset to normal').click()
  await expect(window.getByText('Simulating problems')).toBeHidden()
  await clerk.goTo(/^Outbox/)
  await clerk.button('Resume').click()
  await window.getByRole('row', { name: 'Letter of authority' }).first().dblclick()
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
})
