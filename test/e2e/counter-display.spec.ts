import type { Page } from 'playwright'
import { type Clerk, MERE, sign, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'
import { confirmByVideo, type PersonSide, personAt, startCamera } from './person.ts'
import { configureCounter, formsFor, happened, inOrder, send } from './sending.ts'

/** Plugs in a second display and uses it. Returns its page, and what a person does there. */
async function secondDisplay(clerk: Clerk): Promise<{ id: number; page: Page; person: PersonSide }> {
  const id = await clerk.app.addDisplay({ width: 1280, height: 800 })
  await configureCounter(clerk, { useOtherDisplay: true, idleText: 'Nau mai, welcome' })
  const page = await clerk.app.waitForWindow(/counter\.html/)
  return { id, page, person: personAt(clerk.app, page) }
}

/** The notice that calls the clerk to the second display. */
const callIn = (window: Page) => window.getByRole('alert').filter({ hasText: 'You’re needed at the second display.' })

/**
 * Expects the ring on whatever screen the clerk is: a notice without a name, a mark in the side bar and tray, and a
 * sound, more than the `before` heard. It sounds again until someone says that they are coming, and a busy machine may
 * take longer than the interval.
 */
async function expectRing({ app, window }: Clerk, before: number): Promise<void> {
  const called = callIn(window)
  await expect(called).toBeVisible()
  await expect(called).not.toContainText('Mere')
  await expect(window.getByRole('link', { name: 'Counter, staff wanted' })).toBeVisible()
  await expect.poll(async () => (await app.tray())?.toolTip).toContain('staff wanted at the counter')
  await expect.poll(() => app.beeps()).toBeGreaterThan(before)
}

/** Says that staff are coming. Returns how often it has rung. */
async function answerRing({ app, window }: Clerk): Promise<number> {
  const called = callIn(window)
  await called.getByRole('button', { name: 'On my way' }).click()
  await expect(called).toBeHidden()
  const heard = await app.beeps()
  await expect(window.getByRole('link', { name: 'Counter, staff wanted' })).toBeVisible()
  return heard
}

/** Expects that nobody is called any more, and that nothing has rung since. */
async function expectQuiet({ app, window }: Clerk, heard: number): Promise<void> {
  await expect(window.getByRole('link', { name: 'Counter, staff wanted' })).toBeHidden()
  await expect.poll(async () => (await app.tray())?.toolTip).not.toContain('wanted')
  expect(await app.beeps()).toBe(heard)
}

test('the second display shows a welcome and nothing of the office; two people sign there while the clerk’s side stays on the first', async ({
  clerk
}) => {
  const { app, window } = clerk
  const { page, person } = await secondDisplay(clerk)
  await expect(page.getByRole('heading', { name: 'Nau mai, welcome' })).toBeVisible()
  await expect
    .poll(async () => (await app.windows()).at(-1))
    .toMatchObject({ fullScreen: true, bounds: { x: 1920, width: 1280, height: 800 } })
  await configureCounter(clerk, { idleText: 'Haere mai' })
  await expect(page.getByRole('heading', { name: 'Haere mai' })).toBeVisible()
  const answers = await page.evaluate(async () => {
    const { documents, accounts } = globalThis.window.countersign
    return Promise.all([documents?.counts(), accounts?.list()].map(async (answer) => (await answer)?.ok ?? false))
  })
  expect(answers).toEqual([false, false])

  await send(clerk, inOrder('Deed of trust', [MERE, WIREMU]))
  await clerk.openSheet(MERE, 'Deed of trust')
  await clerk.handOverAs({ also: ['Wiremu Ngata'] })
  await expect(window.getByRole('region', { name: 'On the second display' })).toBeVisible()
  await expect(window.getByRole('button', { name: /– start$/ })).toHaveCount(0)
  const first = await person.begin('Mere Tamati')
  const view = await app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map(({ contentView }) => contentView.children.length)
  )
  expect(view).toEqual([0, 1])
  // The clerk's own window may have the focus; the page isn't covered because of that.
  await app.focusWindow()
  await app.blurWindow()
  expect((await app.views()).length).toBe(1)
  await clerk.goTo(/^Documents/)
  await clerk.goTo(/^Counter/)
  await sign(first, MERE)
  await person.handOn()
  await sign(await person.begin('Wiremu Ngata'), WIREMU)
  await expect(person.heading('Thank you')).toBeVisible()
  await window.getByRole('button', { name: 'See result' }).click()
  await expect(window.getByRole('heading', { name: 'All 2 signed' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Haere mai' })).toBeVisible()
})

test('a second display whose idle page crashes comes back, even after a second crash', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app } = clerk
  await secondDisplay(clerk)
  /** Returns the pages there, each with whether it is up. */
  const pages = () =>
    app.evaluate(({ webContents }) => {
      const all = webContents.getAllWebContents().filter((one) => one.getURL().includes('counter.html'))
      return all.map((one) => ({ id: one.id, isThere: !one.isCrashed() && !one.isLoading() }))
    })
  const crash = () =>
    app.evaluate(({ webContents }) => {
      const displayContents = webContents.getAllWebContents().find((one) => one.getURL().includes('counter.html'))
      return new Promise<void>((crashed) => {
        displayContents?.once('render-process-gone', () => crashed())
        displayContents?.forcefullyCrashRenderer()
      })
    })
  const [{ id } = { id: 0 }] = await pages()
  await crash()
  await expect.poll(pages).toEqual([{ id, isThere: true }])
  await crash()
  // Its window is then given up, and another opened in its place.
  await expect.poll(async () => (await pages()).map((one) => one.isThere && one.id !== id)).toEqual([true])
  const back = await app.waitForWindow(/counter\.html/)
  await expect(back.getByRole('heading', { name: 'Nau mai, welcome' })).toBeVisible()
})

test('a call for staff rings on any screen of the clerk’s without a name; the clerk hides the page and lets it continue', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window } = clerk
  const { person } = await secondDisplay(clerk)
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  await clerk.openSheet(MERE, 'Deed of gift')
  await clerk.handOverAs()
  const page = await person.begin('Mere Tamati')
  await clerk.goTo(/^Outbox/)
  await expect(callIn(window)).toBeHidden()
  await person.button('Help').click()
  await expectRing(clerk, 0)
  const heard = await answerRing(clerk)
  await clerk.goTo(/^Counter/)
  await expect(window.getByText('Help needed at the second display')).toBeVisible()
  await person.button('Continue').click()
  await expectQuiet(clerk, heard)

  await window.getByRole('button', { name: 'Hide page' }).click()
  await expect(person.heading('Please ask staff to continue')).toBeVisible()
  expect(await app.views()).toEqual([])
  await window.getByRole('button', { name: 'Continue signing' }).click()
  await expect.poll(async () => (await app.views()).length).toBe(1)
  await sign(page, MERE)
  await person.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
})

test('“That’s not me” and a page that asks for the camera ring, too', { tag: '@full' }, async ({ clerk }) => {
  const { window } = clerk
  const { person } = await secondDisplay(clerk)
  const onVideo = { ...MERE, video: 'may be left out' } as const
  await send(clerk, formsFor(['Deed of gift'], [onVideo]))
  await clerk.openSheet(onVideo, 'Deed of gift')
  await clerk.handOverAs()
  await clerk.goTo(/^Outbox/)
  await person.button('That’s not me').click()
  await expect(person.heading('Please ask staff')).toBeVisible()
  await expectRing(clerk, 0)
  const heard = await answerRing(clerk)
  await clerk.goTo(/^Counter/)
  await expect(window.getByText('The wrong person is at the second display')).toBeVisible()
  await window.getByRole('button', { name: 'Continue signing' }).click()
  await expectQuiet(clerk, heard)

  const page = await person.begin('Mere Tamati')
  await clerk.goTo(/^Documents/)
  await startCamera(page)
  await expect(person.heading('The page needs the camera')).toBeVisible()
  // A call that was answered doesn't silence the next one.
  await expectRing(clerk, heard)
  const heardAgain = await answerRing(clerk)
  await clerk.goTo(/^Counter/)
  await window.getByRole('button', { name: 'Allow camera' }).click()
  // Nobody is needed while the person is asked.
  await expectQuiet(clerk, heardAgain)
  await person.button('Allow').click()
  await confirmByVideo(page)
  await sign(page, onVideo)
  await person.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
})

test('when the second display is unplugged during signing, the clerk’s window is locked and the page closed', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window } = clerk
  const { id, person } = await secondDisplay(clerk)
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  await clerk.openSheet(MERE, 'Deed of gift')
  await clerk.handOverAs()
  await (await person.begin('Mere Tamati')).getByTestId('sign').waitFor()
  await app.removeDisplay(id)
  await expect(clerk.person.heading('Please ask staff to continue')).toBeVisible()
  await expect.poll(async () => (await app.views('all')).length).toBe(0)
  await clerk.person.unlock()
  await clerk.person.button('End session').click()
  await expect(window.getByRole('heading', { name: 'Mere Tamati hasn’t signed yet' })).toBeVisible()
  await expect.poll(async () => (await app.windows()).length).toBe(1)
  expect(await happened(clerk)).toEqual(expect.arrayContaining(['left', 'unlocked', 'session-ended']))
})

test('a second display connected during a session is used by the next one', { tag: '@full' }, async ({ clerk }) => {
  const { app, window } = clerk
  await configureCounter(clerk, { useOtherDisplay: true })
  await send(clerk, formsFor(['Deed of gift', 'Cover letter'], [MERE]))
  const page = await clerk.handOver(MERE, 'Deed of gift')
  await app.addDisplay({ width: 1280, height: 800 })
  await sign(page, MERE)
  expect(await app.windows(), 'windows while someone signs in the first').toHaveLength(1)
  await clerk.giveBack()
  const person = personAt(app, await app.waitForWindow(/counter\.html/))
  await clerk.button('Back to Counter').click()
  await clerk.openSheet(MERE, 'Cover letter')
  await clerk.handOverAs()
  await sign(await person.begin('Mere Tamati'), MERE)
  await expect(person.heading('Thank you')).toBeVisible()
  await window.getByRole('button', { name: 'See result' }).click()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
})

test('quitting while someone signs on the second display asks in front, and ends their session', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app } = clerk
  const { person } = await secondDisplay(clerk)
  await send(clerk, inOrder('Deed of trust', [MERE]))
  await clerk.openSheet(MERE, 'Deed of trust')
  await clerk.handOverAs()
  await person.begin('Mere Tamati')
  // As from the tray or the Dock.
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
  await app.dialog.answerMessage('Quit anyway')
  expect(await app.quit()).toBe(0)
  expect(app.logs()).toContain('A counter session ended.')
})
