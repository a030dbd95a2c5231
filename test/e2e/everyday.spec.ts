// What people expect of any program: right click, keys, back and forward, find, undo, and returning to where they were.
import { expect, type Page } from 'playwright/test'
import { connect, sendElsewhere, test } from './bad-line.ts'
import { MERE, WIREMU } from './clerk.ts'
import { test as practice } from './office.ts'

const row = (window: Page, name: string) => window.getByRole('row', { name: new RegExp(name) })

test('with right clicks alone addresses are copied and a signer is corrected, in the smallest window', {
  tag: '@full'
}, async ({ open, line, office }) => {
  for (const name of ['Deed of gift', 'Will']) await sendElsewhere(office, [name], [MERE, WIREMU])
  const clerk = await open()
  await connect(clerk, line)
  const { app, window } = clerk
  await app.resizeWindow({ width: 1024, height: 640 })
  await clerk.goTo(/^Documents/)
  await clerk.button('Refresh').click()
  await expect(row(window, 'Will')).toBeVisible()

  await row(window, 'Deed of gift').click({ button: 'right' })
  await window.getByRole('menuitem', { name: /^Copy e-mails/ }).click()
  await expect.poll(() => app.clipboardText()).toBe('mere.tamati@example.com; wiremu.ngata@example.com')

  await row(window, 'Will').click({ button: 'right' })
  await window.getByRole('menuitem', { name: /^Correct a signer/ }).click()
  await window.getByRole('radio', { name: /Wiremu Ngata/ }).check()
  await clerk.button('Continue').click()
  await expect(window.getByRole('dialog', { name: 'Correct Wiremu Ngata' })).toBeVisible()
})

test('with the keyboard alone a document is found, opened and extended, and its menu opens at its row', {
  tag: '@full'
}, async ({ open, line, office }) => {
  await sendElsewhere(office, ['Deed of gift'], [MERE])
  await sendElsewhere(office, ['Will'], [WIREMU])
  const clerk = await open()
  await connect(clerk, line)
  const { app, window } = clerk
  await clerk.goTo(/^Documents/)
  await clerk.button('Refresh').click()
  await expect(row(window, 'Will')).toBeVisible()

  const { keyboard } = window
  await keyboard.press('Control+f')
  await keyboard.type('gift')
  await expect(row(window, 'Will')).toBeHidden()
  await keyboard.press('Enter')
  await keyboard.press('ArrowDown')
  await keyboard.press('Escape')
  await keyboard.press('Space')
  await expect(window.getByRole('heading', { name: 'Deed of gift', level: 2 })).toBeVisible()
  await keyboard.press('Space')
  await expect(window.getByRole('heading', { name: 'Deed of gift', level: 2 })).toBeHidden()
  await keyboard.press('Shift+F10')
  await expect(window.getByRole('menuitem', { name: /^Extend due date/ })).toBeVisible()
  await keyboard.press('Escape')
  await expect(window.getByRole('grid')).toBeFocused()
  await keyboard.press('d')
  await expect(window.getByRole('dialog', { name: /Extend/ })).toBeVisible()
  await keyboard.press('Escape')
  await app.clickMenu(['Document', 'Extend due date…'])
  await expect(window.getByRole('dialog', { name: /Extend/ })).toBeVisible()
})

practice(
  'back and forward go through ten screens, and a list keeps its scroll position',
  { tag: '@full' },
  async ({ clerk }) => {
    const { window } = clerk
    await clerk.app.resizeWindow({ width: 1024, height: 640 })
    await clerk.goTo(/^Documents/)
    await window.getByRole('link', { name: /^All/ }).first().click()
    const grid = window.getByRole('grid')
    await grid.waitFor()
    await window.getByRole('searchbox').fill('e')
    await expect.poll(() => window.evaluate(() => location.hash)).toContain('search=e')
    await grid.evaluate((element) => (element.scrollTop = 200))
    const left = await grid.evaluate((element) => element.scrollTop)
    const names = [
      /^Drafts/,
      /^Outbox/,
      /^Counter/,
      /^Downloads/,
      /^Directory/,
      /^Activity/,
      /^Settings/,
      /^New package/,
      /^Outbox/
    ]
    for (const name of names) await clerk.goTo(name)
    for (const _ of names) {
      const before = await window.evaluate(() => location.hash)
      await window.keyboard.press('Alt+ArrowLeft')
      await expect.poll(() => window.evaluate(() => location.hash)).not.toBe(before)
      await window.waitForTimeout(300)
    }
    await expect(window.getByRole('searchbox')).toHaveValue('e')
    await expect.poll(() => grid.evaluate((element) => element.scrollTop)).toBe(left)
    for (const _ of names) {
      await window.keyboard.press('Alt+ArrowRight')
      await window.waitForTimeout(300)
    }
    await expect(window.getByRole('heading', { level: 1, name: 'Outbox' })).toBeVisible()
  }
)

practice(
  'a draft started with the keyboard at 200 % is open again after a crash',
  { tag: '@full' },
  async ({ open }, testInfo) => {
    const userData = testInfo.outputPath('data')
    const before = await open({ userData })
    await before.choosePracticeOffice()
    for (let step = 0; step < 5; step++) await before.window.keyboard.press('Control+=')
    await expect
      .poll(() => before.window.evaluate(() => window.countersign.settings.get()))
      .toMatchObject({ value: { zoom: 2 } })
    await before.window.keyboard.press('Control+n')
    await before.button(/^Forms/).click()
    await before.window.getByLabel('Name', { exact: true }).pressSequentially('Letter of authority')
    await expect.poll(() => before.window.evaluate(() => location.hash)).toMatch(/^#\/compose\/.+/)
    const hash = await before.window.evaluate(() => location.hash)
    // The current place is saved after a moment, and nothing shows that.
    await before.window.waitForTimeout(2000)
    await before.app.kill()

    const after = await open({ userData })
    await expect(after.window.getByLabel('Name', { exact: true })).toHaveValue('Letter of authority')
    expect(await after.window.evaluate(() => location.hash)).toBe(hash)
  }
)

practice(
  'a text field has our own context menu, and nothing in it is requested from a server',
  { tag: '@full' },
  async ({ clerk }) => {
    const { app, window } = clerk
    await clerk.goTo('New package')
    await clerk.button(/^Forms/).click()
    const field = window.getByLabel('Name', { exact: true })
    await field.fill('Deed')
    await field.click({ button: 'right' })
    await expect.poll(async () => (await app.menu()).map(({ label }) => label)).toContain('Select all')
    await app.clickMenu(['Select all'])
    await field.press('Control+x')
    await expect(field).toHaveValue('')
  }
)
