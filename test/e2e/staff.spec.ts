import type { Page } from 'playwright'
import { type Clerk, MERE, sign } from './clerk.ts'
import { expect, test } from './office.ts'
import { passTime } from './pass-time.ts'
import { PIN } from './person.ts'
import { formsFor, send } from './sending.ts'

/** Adds Grace Okafor, whose PIN is `PIN`, and Ana Reweti, a manager with a PIN and, if given, a badge. */
async function nameStaff({ window, button, goTo }: Clerk, badge?: string) {
  await goTo('Settings')
  await window.getByLabel('Staff member on this computer').fill('Grace Okafor')
  await window.getByLabel('New PIN').fill(PIN)
  await window.getByLabel('Confirm PIN').fill(PIN)
  await button('Save PIN').click()
  await button('Add a staff member…').click()
  const dialog = window.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Ana Reweti')
  await dialog.getByLabel('Role').selectOption('Manager')
  await dialog.getByLabel('PIN', { exact: true }).fill('60417')
  if (badge !== undefined) {
    await dialog.getByLabel(/^Badge/).focus()
    await scan(window, badge)
  }
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(window.getByRole('list', { name: 'Staff' })).toContainText('Grace Okafor')
}

/** Types like a badge reader: key by key, wherever the focus is, and Enter. */
async function scan(window: Page, code: string) {
  for (const key of [...code, 'Enter']) await window.keyboard.press(key)
}

test('a manager ends the delay caused by someone’s wrong PINs, and the audit trail names the manager', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, button, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  await nameStaff(clerk)
  await button('Lock now').click()
  await expect(window.getByLabel('Use full screen while someone signs')).toBeDisabled()

  await sign(await clerk.handOver(MERE, 'Deed of gift'), MERE)
  await person.heading('Thank you').waitFor()
  await person.button('Staff').click()
  // Enough for a wait of half a minute: a shorter one would end by itself on a busy machine.
  for (const wait of [0, 0, 5_000, 15_000, undefined]) {
    await window.getByLabel('Staff PIN or badge').fill('9713')
    await person.button('Unlock').click()
    await expect(window.getByText('Wrong PIN.')).toBeVisible()
    if (!wait) continue
    await expect(window.getByText(/^Try again in \d+ s/)).toBeVisible()
    await passTime(clerk.app, window, wait)
    await expect(window.getByText(/^Try again in \d+ s/)).toBeHidden()
  }
  await expect(window.getByText(/^Try again in \d+ s/)).toBeVisible()
  await person.button('Another staff member').click()
  await window.getByLabel('Staff name').fill('ana reweti')
  await person.unlock('60417')
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()

  const entries: string[] = await window.evaluate(async () => {
    const list = await globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 100 })
    if (!list.ok) throw new Error(list.error.message)
    return list.value.entries.map(({ what, staff, detail }) =>
      [`${what}: ${staff}`, ...(what === 'pin-wrong' ? [`at ${detail.name}`] : [])].join(', ')
    )
  })
  expect(entries).toEqual(
    expect.arrayContaining([
      'staff-added: Grace Okafor',
      'session-started: Grace Okafor',
      'pin-wrong: Grace Okafor, at Grace Okafor',
      'staff-chosen: Ana Reweti',
      'session-ended: Ana Reweti'
    ])
  )
  expect(entries.some((entry) => entry.startsWith('pin-wait-ended'))).toBe(true)
})

test('a manager’s badge works wherever a PIN is required, even during the delay after wrong PINs', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, button, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  await nameStaff(clerk, 'CARD-0042')
  await expect(window.getByRole('list', { name: 'Staff' })).toContainText('Manager, badge')

  await sign(await clerk.handOver(MERE, 'Deed of gift'), MERE)
  await person.heading('Thank you').waitFor()
  // There is no PIN pad yet: the first key opens it.
  for (let wrong = 1; wrong <= 3; wrong++) {
    await scan(window, '9713')
    await expect(window.getByText('Wrong PIN.')).toBeVisible()
  }
  await expect(window.getByText(/^Try again in \d+ s/)).toBeVisible()
  await scan(window, 'CARD-0042')
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()

  await button(/^Account:/).click()
  await window.getByRole('menuitem', { name: 'Lock Countersign' }).click()
  await expect(window.getByRole('heading', { name: 'Countersign is locked' })).toBeVisible()
  await scan(window, 'CARD-0042')
  await expect(window.getByRole('heading', { name: 'Countersign is locked' })).toBeHidden()
})

test('settings that lock while someone is being added ask for the PIN, and nothing typed is lost', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, button } = clerk
  await nameStaff(clerk)
  await button('Add a staff member…').click()
  const adding = window.getByRole('dialog', { name: 'Add a staff member' })
  await adding.getByLabel('Name', { exact: true }).fill('Ben Tui')
  await adding.getByLabel('PIN', { exact: true }).fill('60418')
  // As happens after ten minutes.
  await window.evaluate(() => globalThis.window.countersign.counter.closeSettings())
  await adding.getByRole('button', { name: 'Add' }).click()
  const asking = window.getByRole('dialog', { name: 'Unlock the counter’s settings' })
  await asking.getByLabel('PIN of Grace Okafor').fill(PIN)
  await asking.getByRole('button', { name: 'Unlock' }).click()
  await expect(asking).toBeHidden()
  await expect(adding.getByLabel('Name', { exact: true })).toHaveValue('Ben Tui')
  await adding.getByRole('button', { name: 'Add' }).click()
  await expect(window.getByRole('list', { name: 'Staff' })).toContainText('Ben Tui')
})

test('what a role doesn’t include is disabled with a reason, until someone else unlocks Countersign', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, button, goTo } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  await nameStaff(clerk)
  await button('Add a staff member…').click()
  const dialog = window.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Ben Tui')
  await dialog.getByLabel('Role').selectOption('Counter')
  await dialog.getByLabel('PIN', { exact: true }).fill('60418')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(window.getByRole('list', { name: 'Staff' })).toContainText('Ben Tui')
  const works = async (name: string, pin: string) => {
    await button(/^Account:/).click()
    await window.getByRole('menuitem', { name: 'Lock Countersign' }).click()
    await button('Another staff member').click()
    await window.getByLabel('Staff name').fill(name)
    await window.getByLabel(/PIN/).fill(pin)
    await button('Unlock').click()
    await expect(window.getByRole('heading', { name: 'Countersign is locked' })).toBeHidden()
  }
  const WHY = 'Only clerks, managers and administrators can do this.'

  await goTo('Today')
  const begin = button('New package')
  await expect(begin).toBeEnabled()
  await works('Ben Tui', '60418')
  await expect(begin).toHaveAttribute('aria-disabled', 'true')
  await expect(begin).toHaveAttribute('title', WHY)
  await expect(window.getByRole('link', { name: /^New package/ })).toHaveCount(0)
  await window.keyboard.press('Control+n')
  await expect(window.getByText(WHY)).toBeVisible()
  await expect(window.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  // The keyboard activates it like any other button, and gets the same message.
  await begin.focus()
  await window.keyboard.press('Enter')
  await expect(window.getByText(WHY).first()).toBeVisible()

  await works('Ana Reweti', '60417')
  await expect(begin).not.toHaveAttribute('aria-disabled', 'true')
  await begin.click()
  await expect(window.getByRole('heading', { name: 'What do you want to send?' })).toBeVisible()
})

test('a package waits until someone else releases it, and is sent once', { tag: '@full' }, async ({ clerk }) => {
  const { window, button, goTo } = clerk
  await nameStaff(clerk)
  await window.getByLabel('Packages someone else must release').selectOption('All')
  await expect(window.getByLabel('Packages someone else must release')).toHaveValue('0')
  const draft = await window.evaluate(
    async (composition) => {
      const { drafts, sends } = globalThis.window.countersign
      const saved = await drafts.save({ composition })
      if (!saved.ok) throw new Error(saved.error.message)
      const started = await sends.start({ draftId: saved.value.id })
      if (!started.ok) throw new Error(started.error.message)
      return started.value
    },
    formsFor(['Deed of gift'], [MERE])
  )
  expect(draft).toMatchObject({ state: 'ready', hold: 'release', release: { by: 'Grace Okafor' } })

  // “Don't release…” contains the word too.
  const release = window.getByRole('button', { name: 'Release', exact: true })
  await goTo(/^Outbox/)
  await window.getByRole('row', { name: /Deed of gift/ }).click()
  await expect(window.getByText('Waiting for release.')).toBeVisible()
  await expect(
    window.getByText('It will be sent once another person, a manager or administrator, releases it.')
  ).toBeVisible()
  await expect(release).toBeHidden()
  const own = await window.evaluate((id) => globalThis.window.countersign.sends.release({ id }), draft.id)
  expect(own).toMatchObject({ ok: false, error: { message: 'Someone else has to release this: you sent it.' } })

  await button(/^Account:/).click()
  await window.getByRole('menuitem', { name: 'Lock Countersign' }).click()
  await button('Another staff member').click()
  await window.getByLabel('Staff name').fill('Ana Reweti')
  await window.getByLabel(/PIN/).fill('60417')
  await button('Unlock').click()
  await expect(window.getByRole('heading', { name: 'Countersign is locked' })).toBeHidden()
  await release.click()
  await expect(window.getByText('Released by Ana Reweti')).toBeVisible()
  // An action that requires an administrator is refused before it is looked at.
  const refused = await window.evaluate(() => globalThis.window.countersign.accounts.remove({ id: 'none' }))
  expect(refused).toMatchObject({ ok: false, error: { message: 'Only administrators can do this.' } })
  await expect(window.getByText('Delivered', { exact: true })).toBeVisible()
  const sent = await window.evaluate(async () => {
    const list = await globalThis.window.countersign.sends.list({ show: 'sent', search: '', offset: 0, limit: 10 })
    return list.ok ? list.value.rows.map(({ release }) => release) : []
  })
  expect(sent).toMatchObject([{ by: 'Grace Okafor', released: 'Ana Reweti' }])
})
