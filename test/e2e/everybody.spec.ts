// The main job for everybody's hands and eyes: composing and sending a package, viewing it, reminding or extending, and
// downloading its file.
import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect, type Locator, type Page } from 'playwright/test'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { test as base, bodiesOf } from './bad-line.ts'
import { type Clerk, MERE } from './clerk.ts'
import { countTouches, pressByKey, STOPS, tabTo, typeInto } from './keyboard.ts'
import { test as practice } from './office.ts'

const TEMPLATE = 'Privacy consent'

const test = base.extend({
  /** An office with templates, and with documents in progress. */
  // biome-ignore lint/correctness/noEmptyPattern: Playwright demands it
  office: async ({}, use) => {
    const office = await openPracticeOffice({ data: 'demo', auth: { scheme: 'bearer', token: 'made-up-token-1' } })
    await use(office)
    await office.close()
  }
})

/** Has everybody sign the document that was sent last, elsewhere. */
function signedElsewhere({ service }: PracticeOffice): void {
  const document = Object.values(service.state.documents).findLast(({ name }) => name === TEMPLATE)
  if (!document) throw new Error('Nothing was sent')
  for (const signer of document.signers) Object.assign(signer, { status: 'Signed', signedAt: Date.now() })
  Object.assign(document, { ending: 'Complete', endedAt: Date.now() })
}

const sentRow = (window: Page) => window.getByRole('row', { name: new RegExp(`${TEMPLATE}.*Mere Tamati`) }).first()

/** Returns the downloaded PDFs. */
async function downloadedIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => [])
  return found.filter((name) => name.endsWith('.pdf'))
}

test('the main job can be done with the keyboard alone', { tag: '@full' }, async ({ open, office }) => {
  const { app, window } = await open()
  const { keyboard } = window
  const touches = await countTouches(window)
  const button = (name: string | RegExp) => window.getByRole('button', { name })
  const dialog = window.getByRole('dialog')

  await pressByKey(window, button(/Connect your office/))
  await typeInto(window, window.getByLabel('Name', { exact: true }), 'Harbour Law')
  await typeInto(window, window.getByLabel('Service address'), office.url)
  await tabTo(window, window.getByRole('radio').first())
  const bearer = window.getByLabel(/Bearer token/).first()
  while (!(await bearer.isChecked())) await keyboard.press('ArrowDown')
  await typeInto(window, window.getByLabel('Token', { exact: true }), 'made-up-token-1')
  await pressByKey(window, button(/^Add|^Connect/))
  await window.getByRole('navigation', { name: 'Screens' }).waitFor()

  await keyboard.press('Control+n')
  await window.getByRole('listitem').filter({ hasText: TEMPLATE }).first().waitFor()
  await keyboard.press('Control+f')
  await keyboard.type(TEMPLATE)
  await keyboard.press('Enter')
  await typeInto(window, window.getByLabel('First name').first(), MERE.first)
  await typeInto(window, window.getByLabel('Last name').first(), MERE.last)
  await typeInto(window, window.getByLabel('E-mail', { exact: true }).first(), MERE.email)
  await keyboard.press('Control+Enter')
  await pressByKey(window, button('Send now'))
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()

  await pressByKey(window, window.getByRole('link', { name: 'Show in the Outbox' }))
  const packages = window.getByRole('grid', { name: 'Packages' })
  await expect(packages.getByRole('row', { name: new RegExp(TEMPLATE) }).first()).toBeVisible()
  await tabTo(window, packages)
  await keyboard.press('Home')
  await keyboard.press('Shift+F10')
  await pressMenu(window, 'Show the document')

  await expect(window.getByRole('heading', { name: TEMPLATE, level: 2 })).toBeVisible()
  // The keys act on its row, which exists once the list does.
  await expect(sentRow(window)).toBeVisible()
  await keyboard.press('d')
  await expect(dialog).toBeVisible()
  await pressByKey(window, dialog.getByRole('button', { name: '2 weeks later' }))
  await pressByKey(window, dialog.getByRole('button', { name: /^Extend to/ }))
  await expect(window.getByText(/^Due date changed to /).first()).toBeVisible()
  await keyboard.press('m')
  await pressByKey(window, dialog.getByRole('button', { name: 'Send reminder' }))
  await expect(window.getByText('Reminder sent to Mere Tamati.').first()).toBeVisible()
  expect(bodiesOf(office, 'Extend')).toHaveLength(1)
  expect(bodiesOf(office, 'SendReminder')).toHaveLength(1)

  signedElsewhere(office)
  await keyboard.press('F5')
  await pressByKey(window, button('View signed document'))
  await pressByKey(window, button('Yes, allow downloads'))
  await pressByKey(window, button(/^Download$/))
  await app.dialog.answerOpen([app.userData])
  await pressByKey(window, dialog.getByRole('button', { name: 'Change…' }))
  await expect(dialog.getByText(basename(app.userData))).toBeVisible()
  await pressByKey(window, dialog.getByRole('button', { name: 'Save here' }))
  await expect.poll(() => downloadedIn(app.userData)).toHaveLength(1)
  expect(await touches('pointer')).toBe(0)
})

/** Presses an entry of the open menu, by the arrow keys. */
async function pressMenu(window: Page, name: string): Promise<void> {
  const entry = window.getByRole('menuitem', { name })
  await entry.waitFor()
  for (let stop = 0; stop < STOPS; stop++) {
    if (await entry.evaluate((element) => element === document.activeElement)) return window.keyboard.press('Enter')
    await window.keyboard.press('ArrowDown')
  }
  throw new Error(`The arrows don’t lead to “${name}”`)
}

test('once composed, it can be done with right clicks alone', { tag: '@full' }, async ({ open, office }) => {
  const clerk = await open()
  const { app, button, window } = clerk
  const dialog = window.getByRole('dialog')
  const chooseOf = async (row: Locator, name: string | RegExp) => {
    await row.click({ button: 'right' })
    await window.getByRole('menuitem', { name }).click()
  }
  await clerk.connectTo(office.url)
  await clerk.composeTemplate({ name: TEMPLATE, people: [MERE] })
  await window.getByText('More about this signer').click()
  await window.getByLabel('Video confirmation').check()
  await clerk.putInOutbox()

  const touches = await countTouches(window)
  await clerk.goTo(/^Outbox/)
  const sent = window.getByRole('row', { name: new RegExp(TEMPLATE) }).first()
  await chooseOf(sent, 'Send now')
  await expect(sent).toContainText('Sent')
  await chooseOf(sent, 'Show the document')
  await expect(sentRow(window)).toBeVisible()

  await chooseOf(sentRow(window), /^Extend due date/)
  await dialog.getByRole('button', { name: /^Extend to/ }).click()
  await expect(window.getByText(/^Due date changed to /).first()).toBeVisible()
  await chooseOf(sentRow(window), /^Remind/)
  await dialog.getByRole('button', { name: 'Send reminder' }).click()
  await expect(window.getByText('Reminder sent to Mere Tamati.').first()).toBeVisible()
  expect(bodiesOf(office, 'Extend')).toHaveLength(1)
  expect(bodiesOf(office, 'SendReminder')).toHaveLength(1)

  signedElsewhere(office)
  await button('Refresh').click()
  await expect(sentRow(window)).toContainText('Complete')
  await chooseOf(sentRow(window), /^Download/)
  await app.dialog.answerOpen([app.userData])
  await dialog.getByRole('button', { name: 'Change…' }).click()
  await expect(dialog.getByText(basename(app.userData))).toBeVisible()
  await dialog.getByRole('button', { name: 'Download 1 PDF' }).click()
  await expect.poll(() => downloadedIn(app.userData)).toHaveLength(1)
  expect(await touches('key')).toBe(0)
  expect(await touches('pointer')).toBeGreaterThan(0)
})

/** Expects nothing to reach beyond the right edge, and the next control to be visible as a whole. */
async function expectItFits(window: Page, next: Locator): Promise<void> {
  // At 200 % a control may begin within a pixel, of which rounding cuts off a part.
  await expect(next).toBeInViewport({ ratio: 0.98 })
  const tooWide = await window.evaluate(() =>
    [...document.querySelectorAll('html, #main, #main .page, [role=dialog]')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((element) => `${element.tagName} ${element.className}`)
  )
  expect(tooWide).toEqual([])
}

/**
 * Does the main job by clicks: each control is visible as a whole, after scrolling up or down at most, before it is
 * pressed.
 */
async function doMainJob(clerk: Clerk, office: PracticeOffice): Promise<void> {
  const { app, button, window } = clerk
  const dialog = window.getByRole('dialog')
  const press = async (next: Locator) => {
    await next.waitFor()
    await next.scrollIntoViewIfNeeded()
    await expectItFits(window, next)
    await next.click()
  }
  await clerk.composeTemplate({ name: TEMPLATE, people: [MERE] })
  await press(button(/^Send 1 document$/))
  await press(button('Send now'))
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
  await press(window.getByRole('link', { name: 'Show in the Outbox' }))
  await press(
    window
      .getByRole('link', { name: TEMPLATE })
      .or(button(/^Show the document|^View document/))
      .first()
  )
  await press(button(/^Extend due date/))
  await press(dialog.getByRole('button', { name: /^Extend to/ }))
  await expect(window.getByText(/^Due date changed to /).first()).toBeVisible()
  await press(button('Remind Mere Tamati…'))
  await press(dialog.getByRole('button', { name: 'Send reminder' }))
  await expect(window.getByText('Reminder sent to Mere Tamati.').first()).toBeVisible()
  signedElsewhere(office)
  await press(button('Refresh'))
  await press(button('View signed document'))
  await press(button('Yes, allow downloads'))
  await press(button(/^Download$/))
  await app.dialog.answerOpen([app.userData])
  await press(dialog.getByRole('button', { name: 'Change…' }))
  await expect(dialog.getByText(basename(app.userData))).toBeVisible()
  await press(dialog.getByRole('button', { name: 'Save here' }))
  await expect.poll(() => downloadedIn(app.userData)).toHaveLength(1)
}

test('at 200 % nothing in it is cut off', { tag: '@full' }, async ({ open, office }) => {
  const clerk = await open()
  const { window } = clerk
  await clerk.connectTo(office.url)
  for (let step = 0; step < 5; step++) await window.keyboard.press('Control+=')
  await expect
    .poll(() => window.evaluate(() => globalThis.window.countersign.settings.get()))
    .toMatchObject({ value: { zoom: 2 } })
  await expect.poll(() => window.evaluate(() => innerWidth)).toBeLessThan(700)
  await doMainJob(clerk, office)
})

test('in the smallest window nothing in it is cut off', { tag: '@full' }, async ({ open, office }) => {
  const clerk = await open()
  await clerk.app.resizeWindow({ width: 1024, height: 640 })
  await clerk.connectTo(office.url)
  await doMainJob(clerk, office)
})

/** Ten screens, and whether each has more than the smallest window shows. */
const SCREENS = [
  [/^Documents/, true],
  [/^New package/, true],
  [/^Bulk send/, false],
  [/^Drafts/, false],
  [/^Outbox/, false],
  [/^Counter/, true],
  [/^Downloads/, false],
  [/^Directory/, false],
  [/^Activity/, false],
  [/^Settings/, true]
] as const

practice(
  'mouse buttons and keys go back and forward through ten screens, each restored as it was left',
  { tag: '@full' },
  async ({ clerk }) => {
    const { app, window } = clerk
    await app.resizeWindow({ width: 1024, height: 640 })
    const where = () =>
      window.evaluate(() => ({
        address: location.hash,
        scrolled: [...document.querySelectorAll('#main .scrolls')].map(({ scrollTop }) => scrollTop).filter(Boolean)
      }))
    const scroll = () =>
      window.evaluate(() => {
        for (const element of document.querySelectorAll('#main .scrolls')) element.scrollTop = 40
      })
    const left: Awaited<ReturnType<typeof where>>[] = []
    for (const [name, isLong] of SCREENS) {
      await clerk.goTo(name)
      if (isLong) await expect.poll(() => scroll().then(where)).toMatchObject({ scrolled: [40] })
      left.push(await where())
    }
    expect(new Set(left.map(({ address }) => address)).size).toBe(SCREENS.length)

    const input = await window.context().newCDPSession(window)
    const pressSide = async (button: 'back' | 'forward') => {
      for (const type of ['mousePressed', 'mouseReleased'] as const)
        await input.send('Input.dispatchMouseEvent', { type, button, x: 500, y: 300, clickCount: 1 })
    }
    const there = left.slice(1)
    const back = left.toReversed().slice(1)
    for (const [press, places] of [
      [() => pressSide('back'), back],
      [() => pressSide('forward'), there],
      [() => window.keyboard.press('Alt+ArrowLeft'), back],
      [() => window.keyboard.press('Alt+ArrowRight'), there]
    ] as const)
      for (const place of places) {
        await press()
        await expect.poll(where).toEqual(place)
      }
  }
)
