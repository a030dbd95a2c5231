import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openKeyring } from '../fixtures/keyring.ts'
import { connect, expect, formsSentTo, isSend, test } from './bad-line.ts'
import { MERE, sign } from './clerk.ts'

test('what was sent before a restart is there after it, and can be signed', async ({ open, userData }) => {
  const before = await open({ userData })
  await before.choosePracticeOffice()
  await before.composeForm({ name: 'Letter of authority', people: [MERE], embedded: true })
  await before.send()
  await expect(before.window.getByText(/^Sent to .+\.$/)).toBeVisible()
  expect(await before.app.quit()).toBe(0)

  const after = await open({ userData })
  await sign(await after.handOver(MERE, 'Letter of authority'), MERE)
  await after.giveBack()
  await expect(after.window.getByRole('heading', { name: /signed/i })).toBeVisible()
})

test('a draft is there after the power went', async ({ open, userData }) => {
  const before = await open({ userData })
  await before.choosePracticeOffice()
  await before.composeForm({ name: 'Letter of authority', people: [MERE] })
  await expect(before.window.getByText('Saved', { exact: false }).first()).toBeVisible()
  await before.app.kill()

  const after = await open({ userData })
  await after.goTo(/^Drafts/)
  await after.window
    .getByRole('link', { name: 'Letter of authority' })
    .or(after.button('Letter of authority'))
    .first()
    .click()
  await expect(after.window.getByLabel('E-mail', { exact: true })).toHaveValue(MERE.email)
})

test('a send that was on its way when the power went is uncertain, and is found', async ({
  open,
  userData,
  line,
  office
}) => {
  const before = await open({ userData })
  await connect(before, line)
  await before.composeForm({ name: 'Letter of authority', people: [MERE] })
  line.fault('swallow-answer', isSend)
  await before.send()
  await expect.poll(() => office.service.recorded().length).toBe(1)
  await before.app.kill()
  line.fault('pass')

  const after = await open({ userData })
  await after.goTo(/^Outbox/)
  await after.window.getByText('Letter of authority').first().click()
  await expect(after.window.getByText(/^Sent to .+\.$/)).toBeVisible()
  expect(formsSentTo(office)).toEqual(['Letter of authority'])
})

test('a send whose answer was lost is in doubt until the service can be asked, and is not sent again', async ({
  open,
  line,
  office
}) => {
  const clerk = await open()
  await connect(clerk, line)
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
  line.faultBy((method, path) => (isSend(method, path) ? 'lose-answer' : 'cut'))
  await clerk.send()
  await expect(clerk.window.getByText('No answer from the service. It may have arrived.')).toBeVisible()
  await clerk.button('Check now').click()
  await expect(clerk.window.getByText('We couldn’t check with the service.')).toBeVisible()
  line.fault('pass')
  await clerk.button('Check now').click()
  await expect(clerk.window.getByText(/^Sent to .+\.$/)).toBeVisible()
  expect(formsSentTo(office)).toEqual(['Letter of authority'])
})

test('what is sent while offline waits, also over a restart, and goes once when it is back', async ({
  open,
  userData,
  line,
  office
}) => {
  const before = await open({ userData })
  await connect(before, line)
  await line.goDown()
  await before.composeForm({ name: 'Letter of authority', people: [MERE] })
  await before.send()
  await expect(before.window.getByText('Waiting for a connection.')).toBeVisible()
  await before.app.dialog.answerMessage('Quit')
  expect(await before.app.quit()).toBe(0)

  const after = await open({ userData })
  await after.goTo(/^Outbox/)
  await after.window.getByText('Letter of authority').first().click()
  await expect(after.window.getByText('Waiting for a connection.').first()).toBeVisible()
  expect(formsSentTo(office)).toEqual([])
  await line.comeBack()
  await expect(after.window.getByText(/^Sent to .+\.$/)).toBeVisible({ timeout: 60_000 })
  expect(formsSentTo(office)).toEqual(['Letter of authority'])
})

test('the folders stay readable offline, and say since when', async ({ open, line }) => {
  const clerk = await open()
  await connect(clerk, line)
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
  await clerk.send()
  await clerk.openFolder('InBox')
  await expect(clerk.window.getByRole('row', { name: 'Letter of authority' })).toBeVisible()
  line.fault('cut')
  await clerk
    .button(/Refresh/)
    .first()
    .click()
  await expect(clerk.window.getByText(/offline/i).first()).toBeVisible()
  await expect(clerk.window.getByRole('row', { name: 'Letter of authority' })).toBeVisible()
  line.fault('pass')
  await clerk
    .button(/Refresh/)
    .first()
    .click()
  await expect(clerk.window.getByText('Online', { exact: true })).toBeVisible()
})

test('it ends though the keychain never answers', async ({ open, userData }) => {
  // Elsewhere the system’s keychain is the user’s own.
  if (process.platform !== 'linux') return
  const root = await mkdtemp(join(tmpdir(), 'countersign-keyring-'))
  const keyring = await openKeyring(root)
  try {
    await keyring.start()
    const { app, window: page } = await open({ userData, env: keyring.env as Record<string, string> })
    keyring.silence()
    await page.evaluate(() => void window.countersign.counter.pin())
    const began = performance.now()
    await app.quit()
    // The bus itself gives a call up after 25 seconds, and one that waits for its owner never.
    expect(performance.now() - began).toBeLessThan(20_000)
  } finally {
    keyring.goOn()
    await keyring.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
})
