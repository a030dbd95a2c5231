import { test as withFolder } from './bad-line.ts'
import { MERE, sign, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'
import { passTime, stopClocks } from './pass-time.ts'
import { PIN } from './person.ts'
import { auditOf, configureCounter, formsFor, happened, inOrder, send, signElsewhere } from './sending.ts'

const IDLE_SOON = { idle: { warnAfter: 5, coverAfter: 5, endAfter: 5 } }

test('after the connection is lost and restored midway, the page is reloaded and signed', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const page = await clerk.handOver(MERE, 'Deed of gift')
  await page.getByTestId('signature-name').fill('Mere Tamati')
  await page.getByTestId('agree').check()
  await app.setOnline(false)
  await page.getByTestId('sign').click()
  await expect(person.heading('The page couldn’t be opened')).toBeVisible()
  expect(await app.views('all')).toEqual([])
  await app.setOnline(true)
  await person.button('Try again').click()
  await sign(await app.waitForView(/\/sign\//), MERE)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
})

test('a signature that can’t be checked isn’t reported as signed, and is confirmed once online again', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const page = await clerk.handOver(MERE, 'Deed of gift')
  await page.getByTestId('sign').waitFor()
  await app.setOnline(false)
  await signElsewhere(page.url(), 'Mere Tamati')
  await person.stop()
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'We can’t confirm the result for Mere Tamati yet' })).toBeVisible()
  await app.setOnline(true)
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  const outcomes = (await auditOf(clerk)).entries.filter(({ what }) => what === 'turn-ended')
  expect(outcomes.map(({ detail }) => detail.outcome)).toEqual(['unknown', 'signed'])
})

withFolder(
  'after a crash midway the next start is locked, reports the true state, and signing can be resumed',
  { tag: '@full' },
  async ({ open, userData }) => {
    const before = await open({ userData })
    await before.choosePracticeOffice()
    await send(before, inOrder('Deed of trust', [MERE, WIREMU]))
    await sign(await before.handOver(MERE, 'Deed of trust', { also: ['Wiremu Ngata'] }), MERE)
    await before.person.handOn()
    const page = await before.takeScreen(WIREMU)
    await page.getByTestId('signature-name').fill('Wiremu Ngata')
    await before.app.kill()

    const after = await open({ userData })
    const { app, window, person } = after
    await expect(person.heading('Signing was interrupted')).toBeVisible()
    expect(await app.views('all')).toEqual([])
    await expect(window.getByRole('navigation', { name: 'Screens' })).not.toBeInViewport()
    await person.giveBack()
    await after.goTo(/^Counter/)
    const outcomes = window.getByRole('list', { name: 'Results' }).getByRole('listitem')
    await expect(outcomes).toHaveText([/Wiremu Ngata\s*Not signed yet/, /Mere Tamati\s*Signed/])
    expect(await happened(after)).toContain('session-interrupted')
    await after.button('Back to Counter').click()

    await sign(await after.handOver(WIREMU, 'Deed of trust'), WIREMU)
    await after.giveBack()
    await expect(window.getByRole('heading', { name: 'Wiremu Ngata has signed' })).toBeVisible()
    expect((await auditOf(after)).check).toMatchObject({ isWhole: true, isCutOff: false })
  }
)

test('an abandoned page is announced, then covered, then ended', { tag: '@full' }, async ({ clerk }) => {
  const { app, window, person } = clerk
  await configureCounter(clerk, IDLE_SOON)
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const page = await clerk.handOver(MERE, 'Deed of gift')
  await page.getByTestId('sign').waitFor()
  await expect(window.getByText('Are you still there?', { exact: true })).toBeVisible()
  // Touching the page itself counts as being there.
  await page.getByTestId('signature-name').click()
  await expect(window.getByText('Are you still there?', { exact: true })).toBeHidden()
  await expect(person.heading('Please ask staff to continue')).toBeVisible()
  expect(await app.views()).toEqual([])
  await expect(person.heading('Thank you')).toBeVisible()
  expect(await app.views('all')).toEqual([])
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati hasn’t signed yet' })).toBeVisible()
  expect((await happened(clerk)).filter((what) => what === 'idle')).toHaveLength(2)
})

/** The wait before the next PIN after this many wrong ones, in milliseconds. */
const WAITS: Record<number, number> = { 3: 5_000, 4: 15_000, 5: 30_000, 6: 60_000, 7: 300_000 }
/** The last wait is long: what is left of it after the restart is measured by the wall clock, which runs. */
const WRONG_PINS = 7

withFolder(
  'after some wrong PINs each further one waits longer, also across a restart, and the right one then unlocks',
  { tag: '@full' },
  async ({ open, userData }) => {
    const before = await open({ userData })
    await before.choosePracticeOffice()
    await send(before, formsFor(['Deed of gift'], [MERE]))
    await sign(await before.handOver(MERE, 'Deed of gift'), MERE)
    // While the service is being asked, the heading is longer than this, and its answer removes the PIN pad.
    await before.person.heading(/^Thank you$/).waitFor()
    await before.person.button('Staff').click()
    await stopClocks(before.app, before.window)
    for (let wrong = 1; wrong <= WRONG_PINS; wrong++) {
      await before.person.unlock('9713')
      await expect(before.window.getByText('Wrong PIN.')).toBeVisible()
      if (!(wrong in WAITS)) continue
      await expect(before.window.getByText(/^Try again in \d+ s/)).toBeVisible()
      if (wrong === WRONG_PINS) break
      await passTime(before.app, before.window, WAITS[wrong - 1] ?? 0)
      await expect(before.window.getByText(/^Try again in \d+ s/)).toBeVisible()
      await passTime(before.app, before.window, (WAITS[wrong] ?? 0) - (WAITS[wrong - 1] ?? 0))
      await expect(before.window.getByText(/^Try again in \d+ s/)).toBeHidden()
    }
    await before.app.kill()

    const after = await open({ userData })
    await expect(after.person.heading('Signing was interrupted')).toBeVisible()
    // The wait is shown without asking for a PIN first.
    await after.person.button('Staff').click()
    await expect(after.window.getByText(/^Try again in \d+ s/)).toBeVisible()
    await passTime(after.app, after.window, WAITS[WRONG_PINS] ?? 0)
    await expect(after.window.getByText(/^Try again in \d+ s/)).toBeHidden()
    await after.person.unlock()
    await after.goTo(/^Counter/)
    await expect(after.window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
    expect((await happened(after)).filter((what) => what === 'pin-wrong')).toHaveLength(WRONG_PINS)
  }
)

const LEAVING = {
  'another program comes to the front': ({ app }) => app.blurWindow(),
  'the screen is no longer filled': ({ app }) =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setFullScreen(false)),
  'the computer is locked': ({ app }) => app.setLocked(true),
  'the window is put away': ({ app }) =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize()),
  'someone wants to close the window': ({ app }) => app.closeWindow()
} satisfies Record<string, (clerk: Parameters<typeof send>[0]) => Promise<void>>

test('each way of leaving the page covers it until staff enter the PIN, and then it continues as it was', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window, person } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const page = await clerk.handOver(MERE, 'Deed of gift')
  for (const [how, leave] of Object.entries(LEAVING))
    await test.step(how, async () => {
      await page.getByTestId('signature-name').fill(how)
      await leave(clerk)
      await expect(person.heading('Please ask staff to continue')).toBeVisible()
      expect(await app.views()).toEqual([])
      await expect(window.getByRole('navigation', { name: 'Screens' })).not.toBeInViewport()
      await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.restore())
      await app.focusWindow()
      await app.setLocked(false)
      expect(await app.views()).toEqual([])
      await person.unlock()
      await person.button('Continue signing').click()
      await expect.poll(async () => (await app.views()).length).toBe(1)
      expect((await app.windows())[0]?.fullScreen).toBe(true)
      await expect(page.getByTestId('signature-name')).toHaveValue(how)
    })
  await sign(page, MERE)
  await clerk.giveBack()
  const left = (await happened(clerk)).filter((what) => what === 'left' || what === 'unlocked')
  expect(left).toEqual([...Object.keys(LEAVING).flatMap(() => ['left', 'unlocked']), 'unlocked'])
})

withFolder(
  'an unattended computer locks automatically, stays locked across a restart, and the PIN restores the screen',
  { tag: '@full' },
  async ({ open, userData }) => {
    const before = await open({ userData })
    await before.choosePracticeOffice()
    await send(before, formsFor(['Deed of gift'], [MERE]))
    await before.window.evaluate((pin) => window.countersign.counter.setPin({ pin }), PIN)
    await configureCounter(before, { lockAfter: 5 })
    await before.goTo(/^Documents/)
    await before.app.setIdleSeconds(300)
    const heading = { name: 'Countersign is locked' }
    await expect(before.window.getByRole('heading', heading)).toBeVisible()
    await expect(before.window.getByText('Deed of gift')).toBeHidden()
    await before.app.kill()

    const after = await open({ userData })
    await expect(after.window.getByRole('heading', heading)).toBeVisible()
    await expect(after.window.getByRole('navigation', { name: 'Screens' })).toBeHidden()
    await after.person.unlock()
    await expect(after.window.getByRole('heading', heading)).toBeHidden()
    await after.goTo(/^Documents/)
    await expect(after.window.getByText('Deed of gift').first()).toBeVisible()

    // Staff needn't wait for the automatic lock when they leave.
    await after.button(/^Account:/).click()
    await after.window.getByRole('menuitem', { name: 'Lock Countersign' }).click()
    await expect(after.window.getByRole('heading', heading)).toBeVisible()
    await after.person.unlock()
    await expect(after.window.getByText('Deed of gift').first()).toBeVisible()
  }
)
