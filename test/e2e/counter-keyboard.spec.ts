/** A person at the counter who has only a keyboard, and reads no English. */
import { readFileSync } from 'node:fs'
import { MERE } from './clerk.ts'
import { countTouches, pressByKey, tabTo, typeInto } from './keyboard.ts'
import { expect, test } from './office.ts'
import { PIN } from './person.ts'
import { configureCounter, formsFor, send } from './sending.ts'

const arabic = new URL('../../src/renderer/src/screens/counter/person/languages/ar.json', import.meta.url)
const { sentences } = JSON.parse(readFileSync(arabic, 'utf8')) as { sentences: Record<string, string> }
const say = (sentence: string) => sentences[sentence] ?? `not translated: ${sentence}`

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

  /** Returns which of our pages has the keyboard. */
  const hasKeyboard = () =>
    app.evaluate(({ webContents }) =>
      webContents.getAllWebContents().flatMap((one) => (one.isFocused() ? [one.getURL().includes('/sign/')] : []))
    )
  const isOnPage = (is: boolean) => expect.poll(hasKeyboard).toEqual([is])
  /** Sends the key as the system would, before the page gets it. */
  const leaveBy = () =>
    app.evaluate(({ webContents }) => {
      const signing = webContents.getAllWebContents().find((one) => one.getURL().includes('/sign/'))
      signing?.sendInputEvent({ type: 'keyDown', keyCode: 'F6' })
    })
  await isOnPage(true)
  await expect(window.getByText(say('F6: to the buttons'))).toBeVisible()
  await leaveBy()
  await isOnPage(false)
  await pressByKey(window, button(say('Help')))
  await expect(window.getByRole('heading', { name: say('Please ask staff') })).toBeVisible()
  await pressByKey(window, button(say('Continue')))
  await isOnPage(true)
  await leaveBy()
  await isOnPage(false)
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

  await typeInto(page, page.getByTestId('signature-name'), 'Mere Tamati')
  await tabTo(page, page.getByTestId('agree'))
  await page.keyboard.press('Space')
  expect(await onPage('pointer')).toBe(0)
  await pressByKey(page, page.getByTestId('sign'))
  await expect(window.getByText(say('Please give the screen back to staff.'))).toBeVisible()
  await pressByKey(window, button(say('Staff')))
  await window.keyboard.type(PIN)
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  expect(await touches('pointer')).toBe(0)
})
