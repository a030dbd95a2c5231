/** Two workstations of one office, each an application of its own: they join by the screen, share one Outbox, and one leaves. */
import { formsSentTo } from './bad-line.ts'
import { MERE } from './clerk.ts'
import { expect, test } from './office.ts'
import { openSharedOffice } from './shared-office.ts'

/** What one does is at the other within seconds; a loaded machine is given some more. */
const THERE = { timeout: 60_000 }

test('what is sent at one workstation of an office is in the Outbox of the other, and a pause is everyone’s', async ({
  open
}) => {
  const office = await openSharedOffice('empty')
  try {
    const [front, back] = await Promise.all([open(), open()])
    await office.seat(front, 'Front desk')
    await office.seat(back, 'Back room')
    await expect(back.window.getByRole('list', { name: 'Workstations of the office' })).toContainText('Front desk')

    await back.goTo(/^Outbox/)
    await back.button('Pause for the whole office').click()
    await front.composeForm({ name: 'Deed of gift', people: [MERE] })
    await front.send()
    await front.goTo(/^Outbox/)
    await expect(front.window.getByText(/^Paused for the whole office since/)).toBeVisible(THERE)
    await expect(back.window.getByRole('row', { name: /Deed of gift/ })).toContainText('from Front desk', THERE)
    expect(formsSentTo(office.service)).toEqual([])
    await back.button('Resume').click()
    for (const { window } of [front, back])
      await expect(window.getByRole('row', { name: /Deed of gift/ })).toContainText('Sent', THERE)
    expect(formsSentTo(office.service)).toEqual(['Deed of gift'])

    await front.goTo('Settings')
    await front.button('Leave the office…').click()
    await front.window.getByRole('dialog').getByRole('button', { name: 'Leave the office' }).click()
    await expect(front.button('Join an office…')).toBeVisible(THERE)
    await front.goTo(/^Outbox/)
    await expect(front.window.getByRole('row', { name: /Deed of gift/ })).toContainText('Sent')
  } finally {
    await office.close()
  }
})
