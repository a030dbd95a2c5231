/** A person at the counter who has only a keyboard. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { type Clerk, MERE } from './clerk.ts'
import { countTouches, pressByKey, tabTo, typeInto } from './keyboard.ts'
import { expect, test } from './office.ts'
import { PIN } from './person.ts'
import { configureCounter, formsFor, send } from './sending.ts'

const arabic = new URL('../../src/renderer/src/screens/counter/person/languages/ar.json', import.meta.url)
const { sentences } = JSON.parse(readFileSync(arabic, 'utf8')) as { sentences: Record<string, string> }
const say = (sentence: string) => sentences[sentence] ?? `not translated: ${sentence}`

/** Returns who has the keyboard, our page or the signing page, and how the person moves from there to our buttons. */
function keyboardAt({ app }: Clerk) {
  const onPage = () =>
    app.evaluate(({ webContents }) =>
      webContents.getAllWebContents().flatMap((one) => (one.isFocused() ? [one.getURL().includes('/sign/')] : []))
    )
  /** Sends F6 as the system would, before the page gets it. */
  const pressLeave = () =>
    app.evaluate(({ webContents }) => {
      const signing = webContents.getAllWebContents().find((one) => one.getURL().includes('/sign/'))
      signing?.sendInputEvent({ type: 'keyDown', keyCode: 'F6' })
    })
  return {
    isOnPage: (is: boolean) => expect.poll(onPage).toEqual([is]),
    /** Leaves the page. Within milliseconds of its return, its frame may still give the keyboard back to it. */
    leave: () =>
      expect(async () => {
        await pressLeave()
        await expect.poll(onPage, { timeout: 2000 }).toEqual([false])
      }).toPass()
  }
}

/** Signs on the last step of a practice signing page, without touching it otherwise. */
async function signByKey(page: Page): Promise<void> {
  const touches = await countTouches(page)
  await typeInto(page, page.getByTestId('signature-name'), 'Mere Tamati')
  await tabTo(page, page.getByTestId('agree'))
  await page.keyboard.press('Space')
  expect(await touches('pointer')).toBe(0)
  await pressByKey(page, page.getByTestId('sign'))
}

/** The person gives the screen back, and staff take it by their PIN. */
async function giveBackByKey({ window, button }: Clerk): Promise<void> {
  await expect(window.getByText('Please give the screen back to staff.')).toBeVisible()
  await pressByKey(window, button('Staff'))
  await window.keyboard.type(PIN)
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
}

test('with the keyboard alone, in Arabic, a person signs, and moves from the page to our buttons and back', async ({
  clerk
}) => {
  const { app, window, button } = clerk
  // Each key counts as a touch, so the warning comes only where the test waits for it.
  await configureCounter(clerk, { idle: { warnAfter: 5, coverAfter: 600, endAfter: 600 } })
  await send(clerk, formsFor(['Will'], [MERE]))
  await clerk.beginTurn(MERE, 'Will')
  const touches = await countTouches(window)
  await pressByKey(window, button('العربية'))
  await pressByKey(window, button(/Mere Tamati/))
  const page = await app.waitForView(/\/sign\//)
  await page.getByTestId('sign').or(page.getByTestId('review-continue')).first().waitFor()
  const onPage = await countTouches(page)

  const { isOnPage, leave } = keyboardAt(clerk)
  await isOnPage(true)
  await expect(window.getByText(say('F6: to the buttons'))).toBeVisible()
  await leave()
  await pressByKey(window, button(say('Help')))
  await expect(window.getByRole('heading', { name: say('Please ask staff') })).toBeVisible()
  await pressByKey(window, button(say('Continue')))
  await isOnPage(true)
  await leave()
  await window.keyboard.press('F6')
  await isOnPage(true)

  const warning = window.getByText(say('Are you still there?'), { exact: true })
  await expect(warning).toBeVisible()
  expect(await warning.evaluate((element) => element.closest<HTMLElement>('[lang]')?.lang)).toBe('ar')
  const seconds = async () => Number(await window.locator('.warning .count').textContent())
  const before = await seconds()
  await expect.poll(seconds).toBeLessThan(before)
  await page.keyboard.press('Shift')
  await expect(warning).toBeHidden()

  expect(await onPage('pointer')).toBe(0)
  await signByKey(page)
  await expect(window.getByText(say('Please give the screen back to staff.'))).toBeVisible()
  await pressByKey(window, button(say('Staff')))
  await window.keyboard.type(PIN)
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  expect(await touches('pointer')).toBe(0)
})

test('with the keyboard alone, a person sets text size, contrast and time, hasn’t signed yet, and opens the page again', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, button, person } = clerk
  await send(clerk, formsFor(['Will'], [MERE]))
  await clerk.beginTurn(MERE, 'Will')
  const touches = await countTouches(window)
  const panel = window.getByRole('region', { name: 'Language and display' })
  await pressByKey(window, button('Language and display'))
  await expect(panel.getByRole('heading', { level: 1 })).toBeFocused()
  for (const [group, choice] of [
    ['Text size', 'Large'],
    ['High contrast', 'On'],
    ['More time', 'On']
  ] as const) {
    const control = panel.getByRole('group', { name: group }).getByRole('button', { name: choice, exact: true })
    await tabTo(window, control)
    await window.keyboard.press('Space')
    await expect(control).toHaveAttribute('aria-pressed', 'true')
  }
  await pressByKey(window, panel.getByRole('button', { name: 'Done' }))
  await expect(panel).toBeHidden()
  await expect(button('Language and display')).toBeFocused()
  await window.keyboard.press('Enter')
  await expect(panel).toBeVisible()
  await window.keyboard.press('Escape')
  await expect(panel).toBeHidden()

  await pressByKey(window, button(/Mere Tamati/))
  const first = await app.waitForView(/\/sign\//)
  await first.getByTestId('sign').waitFor()
  const { isOnPage, leave } = keyboardAt(clerk)
  /** From the page to the question whether they have signed. */
  const finish = async () => {
    await isOnPage(true)
    await leave()
    await pressByKey(window, button('I’ve finished'))
    await expect(person.heading('Have you signed?')).toBeFocused()
  }
  await finish()
  await window.keyboard.press('Tab')
  await expect(button('Yes, I’ve signed')).toBeFocused()
  await pressByKey(window, button('Not yet'))
  await finish()
  await window.keyboard.press('Escape')
  await finish()
  await pressByKey(window, button('Yes, I’ve signed'))
  await pressByKey(window, button('Open again'))
  const again = await app.waitForView(/\/sign\//)
  await isOnPage(true)
  await signByKey(again)
  await giveBackByKey(clerk)
  expect(await touches('pointer')).toBe(0)
})

test('with the keyboard alone, a person agrees to the camera, and gives one of the files that staff opened', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, button, person } = clerk
  const theirs = await mkdtemp(join(tmpdir(), 'parata-'))
  for (const name of ['passport.pdf', 'visa.pdf']) await writeFile(join(theirs, name), name)
  await configureCounter(clerk, { mayGiveFiles: true })
  await send(clerk, formsFor(['Medical records'], [{ ...MERE, video: 'may be left out' }]))
  await clerk.beginTurn(MERE, 'Medical records', { allowsCamera: true })
  const touches = await countTouches(window)
  await pressByKey(window, button(/Mere Tamati/))
  const page = await app.waitForView(/\/sign\//)
  const { isOnPage } = keyboardAt(clerk)
  const on = (id: string) => page.getByTestId(id)
  await isOnPage(true)
  const onPage = await countTouches(page)
  await pressByKey(page, on('camera-start'))
  // The page has lost the keyboard to the question.
  await isOnPage(false)
  await expect(person.heading('The page needs the camera')).toBeFocused()
  await pressByKey(window, button(/^Allow$/))
  await isOnPage(true)
  await pressByKey(page, on('camera-take'))
  await on('camera-still').waitFor()
  await tabTo(page, on('video-confirm'))
  await page.keyboard.press('Space')
  expect(await onPage('pointer')).toBe(0)
  await pressByKey(page, on('video-continue'))

  await pressByKey(page, on('file'))
  await isOnPage(false)
  await expect(person.heading('The page asks for a file')).toBeFocused()
  await pressByKey(window, button('Staff'))
  await window.keyboard.type(PIN)
  await window.keyboard.press('Enter')
  await app.dialog.answerOpen([theirs])
  await pressByKey(window, button('Open a folder…'))
  await expect(person.heading('Choose a file')).toBeFocused()
  await tabTo(window, window.getByRole('radio', { name: /passport/ }))
  await window.keyboard.press('ArrowDown')
  await expect(window.getByRole('radio', { name: /visa/ })).toBeChecked()
  await pressByKey(window, button('Give this file'))
  await isOnPage(true)
  await expect.poll(() => on('file').evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('visa.pdf')
  await rm(theirs, { recursive: true })
  await signByKey(page)
  await giveBackByKey(clerk)
  expect(await touches('pointer')).toBe(0)
})
