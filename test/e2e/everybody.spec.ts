// The main job for everybody’s hands and eyes: a package is composed, sent, seen, reminded or extended, and its file downloaded.
import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect, type Locator, type Page } from 'playwright/test'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { test as base, bodiesOf } from './bad-line.ts'
import { MERE } from './clerk.ts'

const TEMPLATE = 'Privacy consent'
/** The list follows the service within seconds; a loaded machine is given some more. */
const FOLLOWED = { timeout: 45_000 }
/** More stops than any screen has. */
const STOPS = 150

const test = base.extend({
  /** One with templates, and documents that are somewhere on their way. */
  // biome-ignore lint/correctness/noEmptyPattern: Playwright demands it
  office: async ({}, use) => {
    const office = await openPracticeOffice({ data: 'demo', auth: { scheme: 'bearer', token: 'made-up-token-1' } })
    await use(office)
    await office.close()
  }
})

type Kind = 'pointer' | 'key'

/** Counts, from now on, what a person does in the page with a pointer or with keys. */
async function countTouches(window: Page): Promise<(kind: Kind) => Promise<number>> {
  await window.evaluate(() => {
    const touches = { pointer: 0, key: 0 }
    Object.assign(globalThis, { touches })
    for (const name of ['pointerdown', 'pointermove', 'mousedown', 'mousemove', 'wheel', 'dblclick', 'auxclick'])
      addEventListener(name, ({ isTrusted }) => isTrusted && touches.pointer++, { capture: true, passive: true })
    addEventListener('keydown', ({ isTrusted }) => isTrusted && touches.key++, true)
  })
  return (kind) =>
    window.evaluate((kind) => (globalThis as typeof globalThis & { touches: Record<Kind, number> }).touches[kind], kind)
}

/** By the Tab key to a control, as often as it takes. */
async function tabTo({ keyboard }: Page, control: Locator): Promise<void> {
  await control.waitFor()
  for (let stop = 0; stop < STOPS; stop++) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not lead to ${control}`)
}

async function pressByKey(window: Page, control: Locator): Promise<void> {
  await tabTo(window, control)
  await window.keyboard.press('Enter')
}

async function typeInto(window: Page, field: Locator, text: string): Promise<void> {
  await tabTo(window, field)
  await window.keyboard.type(text)
}

/** The document that was sent last is signed by everybody, elsewhere. */
function signedElsewhere({ service }: PracticeOffice): void {
  const document = Object.values(service.state.documents).findLast(({ name }) => name === TEMPLATE)
  if (!document) throw new Error('Nothing was sent')
  for (const signer of document.signers) Object.assign(signer, { status: 'Signed', signedAt: Date.now() })
  Object.assign(document, { ending: 'Complete', endedAt: Date.now() })
}

const sentRow = (window: Page) => window.getByRole('row', { name: new RegExp(`${TEMPLATE}.*Mere Tamati`) }).first()

/** A file that was downloaded. */
async function downloadedIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch(() => [])
  return found.filter((name) => name.endsWith('.pdf'))
}

test('the main job is done by keyboard alone', async ({ open, office }) => {
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

  await expect(window.getByRole('heading', { name: TEMPLATE, level: 2 })).toBeVisible(FOLLOWED)
  // The keys act on its row, which is there once the list is.
  await expect(sentRow(window)).toBeVisible(FOLLOWED)
  await keyboard.press('d')
  await expect(dialog).toBeVisible()
  await pressByKey(window, dialog.getByRole('button', { name: '2 weeks later' }))
  await pressByKey(window, dialog.getByRole('button', { name: /^Extend to/ }))
  await expect(window.getByText(/^Due date changed to /).first()).toBeVisible()
  await keyboard.press('m')
  await pressByKey(window, dialog.getByRole('button', { name: 'Send 1 reminder' }))
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

/** An entry of the menu that is open, by its arrows. */
async function pressMenu(window: Page, name: string): Promise<void> {
  const entry = window.getByRole('menuitem', { name })
  await entry.waitFor()
  for (let stop = 0; stop < STOPS; stop++) {
    if (await entry.evaluate((element) => element === document.activeElement)) return window.keyboard.press('Enter')
    await window.keyboard.press('ArrowDown')
  }
  throw new Error(`The arrows don’t lead to “${name}”`)
}
