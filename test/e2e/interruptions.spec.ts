import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { statusLine } from '../../src/main/core/support/status.ts'
import { recoveryKeyText } from '../../src/shared/recovery-key.ts'
import { openKeyring } from '../fixtures/keyring.ts'
import { connect, expect, formsSentTo, isSend, test } from './bad-line.ts'
import { MERE, sign } from './clerk.ts'

test('a package sent before a restart is there afterwards, and can be signed', { tag: '@full' }, async ({
  open,
  userData
}) => {
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

test('of two starts at once with an empty folder one opens, the other hands over, and nothing is damaged', {
  tag: '@full'
}, async ({ open, userData }) => {
  const starts = await Promise.allSettled([open({ userData }), open({ userData })])
  const [opened, ...others] = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  expect(others).toEqual([])
  if (!opened) throw new Error('Neither has opened.')
  const refused = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))
  if (opened.app.flavour === 'host') expect(refused).toEqual([expect.stringContaining('ended (0)')])
  expect(await opened.app.windows()).toHaveLength(1)
  await opened.choosePracticeOffice()
  await opened.composeForm({ name: 'Letter of authority', people: [MERE] })
  await expect(opened.window.getByText('Saved', { exact: false }).first()).toBeVisible()
  await opened.app.quit()

  // It was the only one that wrote: its draft opens with its key, and nothing was set aside.
  const after = await open({ userData })
  await after.goTo(/^Drafts/)
  await expect(after.window.getByText('Letter of authority').first()).toBeVisible()
  expect((await readdir(userData)).filter((name) => /^set-aside|^rekey|^restore/.test(name))).toEqual([])
})

test('a draft survives a power failure', { tag: '@full' }, async ({ open, userData }) => {
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

test('a send interrupted by a power failure is uncertain, and is then found', { tag: '@full' }, async ({
  open,
  userData,
  line,
  office
}) => {
  const before = await open({ userData })
  await connect(before, line)
  await before.composeForm({ name: 'Letter of authority', people: [MERE] })
  line.setFault('swallow-answer', isSend)
  await before.send()
  await expect.poll(() => office.service.recorded().length).toBe(1)
  await before.app.kill()
  line.setFault('pass')

  const after = await open({ userData })
  await after.goTo(/^Outbox/)
  await after.window.getByText('Letter of authority').first().click()
  await expect(after.window.getByText(/^Sent to .+\.$/)).toBeVisible()
  expect(formsSentTo(office)).toEqual(['Letter of authority'])
})

test('a send whose answer was lost is uncertain until the service can be read, and is not repeated', async ({
  open,
  line,
  office
}) => {
  const clerk = await open()
  await connect(clerk, line)
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
  line.setFaultBy((method, path) => (isSend(method, path) ? 'lose-answer' : 'cut'))
  await clerk.send()
  await expect(clerk.window.getByText('Not confirmed. It may have arrived.')).toBeVisible()
  await clerk.button('Check now').click()
  await expect(clerk.window.getByText('We couldn’t check with the service.')).toBeVisible()
  line.setFault('pass')
  await clerk.button('Check now').click()
  await expect(clerk.window.getByText(/^Sent to .+\.$/)).toBeVisible()
  expect(formsSentTo(office)).toEqual(['Letter of authority'])
})

test('a send made offline waits, also across a restart, and goes once when online again', { tag: '@full' }, async ({
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
  await expect(after.window.getByText(/^Sent to .+\.$/)).toBeVisible()
  expect(formsSentTo(office)).toEqual(['Letter of authority'])
})

test('the folders stay readable offline, with the time of the last read', { tag: '@full' }, async ({ open, line }) => {
  const clerk = await open()
  await connect(clerk, line)
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
  await clerk.send()
  await clerk.openFolder('InBox')
  await expect(clerk.window.getByRole('row', { name: 'Letter of authority' })).toBeVisible()
  line.setFault('cut')
  await clerk
    .button(/Refresh/)
    .first()
    .click()
  await expect(clerk.window.getByText(/offline/i).first()).toBeVisible()
  await expect(clerk.window.getByRole('row', { name: 'Letter of authority' })).toBeVisible()
  line.setFault('pass')
  await clerk
    .button(/Refresh/)
    .first()
    .click()
  await expect(clerk.window.getByText('Online', { exact: true })).toBeVisible()
})

test('the application quits even if the keychain never answers', { tag: '@full' }, async ({ open, userData }) => {
  // Elsewhere the system’s keychain is the user’s own.
  if (process.platform !== 'linux') return
  const root = await mkdtemp(join(tmpdir(), 'countersign-keyring-'))
  const keyring = await openKeyring(root)
  try {
    await keyring.start()
    const { app, window: page } = await open({ userData, env: keyring.env as Record<string, string> })
    keyring.suspend()
    await page.evaluate(() => void window.countersign.counter.pin())
    const began = performance.now()
    await app.quit()
    // The bus itself gives up a call after 25 seconds, and never one that waits for its owner.
    expect(performance.now() - began).toBeLessThan(20_000)
  } finally {
    keyring.resume()
    await keyring.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
})

test('while the keychain is locked or missing, the recovery key opens the data for one run, and no keychain entry is taken for empty', {
  tag: '@full'
}, async ({ open, userData, line, office }) => {
  if (process.platform !== 'linux') return
  const root = await mkdtemp(join(tmpdir(), 'countersign-keyring-'))
  const keyring = await openKeyring(root)
  const env = keyring.env as Record<string, string>
  const key = recoveryKeyText(Uint8Array.from({ length: 20 }, (_, at) => at * 7))
  try {
    await keyring.start()
    const first = await open({ userData, env })
    await connect(first, line)
    const made = await first.window.evaluate(async (key) => {
      const { counter, storage } = window.countersign
      return [await storage.keepRecoveryKey({ key }), await counter.setPin({ pin: '73519' })].map(({ ok }) => ok)
    }, key)
    expect(made).toEqual([true, true])
    await first.goTo(/^Drafts/)
    await first.app.quit()

    await keyring.lock()
    const { window: page, button, app, ...second } = await open({ userData, env })
    await expect(page.getByText('Your data is here, but it’s locked.')).toBeVisible()
    await expect(page.getByText(/This computer’s keychain is locked/)).toBeVisible()
    const monitor = () => statusLine(userData, { now: Date.now(), isRunning: () => true }).line
    await expect.poll(monitor).toContain('"data-locked"')
    // Nothing else of the application is available.
    expect(await page.evaluate(() => window.countersign.accounts.list())).toMatchObject({
      error: { code: 'not-allowed' }
    })
    await button('Try again').click()
    await expect(page.getByText('The keychain is still locked.').first()).toBeVisible()
    await page.getByLabel('Recovery key').fill(recoveryKeyText(new Uint8Array(20)))
    await button('Open my data').click()
    await expect(page.getByText('This recovery key doesn’t open the data on this computer.').first()).toBeVisible()
    await page.getByLabel('Recovery key').fill(key)
    await button('Open my data').click()
    await expect(page.getByText('Opened with the recovery key: the keychain can’t be used yet.')).toBeVisible()
    const requestSecrets = () =>
      page.evaluate(async () => {
        const { accounts, counter, storage } = window.countersign
        const answers = [
          await counter.pin(),
          await counter.setPin({ pin: '84261' }),
          await storage.changeKey({ key: 'x' })
        ]
        const list = await accounts.list()
        return {
          accounts: list.ok ? list.value.map(({ hasSecret }) => hasSecret) : list.error,
          answers: answers.map((answer) => (answer.ok ? answer.value : answer.error.code))
        }
      })
    expect(await requestSecrets()).toEqual({ accounts: [true], answers: ['keychain', 'keychain', 'invalid'] })
    await second.composeForm({ name: 'Letter of authority', people: [MERE] })
    await second.send()
    await second.goTo(/^Outbox/)
    await expect(page.getByText(/keychain is locked/).first()).toBeVisible()
    await button('Check again').click()
    await expect(page.getByText('The keychain is still locked.').first()).toBeVisible()
    expect(formsSentTo(office)).toEqual([])
    await keyring.unlock()
    await button('Check again').click()
    await expect(page.getByText(/^Opened with the recovery key/)).toBeHidden()
    await expect.poll(() => formsSentTo(office)).toEqual(['Letter of authority'])
    expect(await requestSecrets()).toMatchObject({
      accounts: [true],
      answers: [{ isSet: true }, 'invalid', 'invalid']
    })
    await app.quit()

    await keyring.stop()
    // Closing that page ends the application, which a monitor sees.
    await (await open({ userData, env })).app.quit()
    expect(monitor()).toContain('"running":false')
    const third = await open({ userData, env })
    await third.window.getByLabel('Recovery key').fill(key)
    await third.button('Open my data').click()
    await third.goTo(/^Outbox/)
    await expect(third.window.getByText('Letter of authority').first()).toBeVisible()
    await third.app.quit()

    // Going on without the data starts with none, says so, and leaves the data as they were.
    const without = await open({ userData, env })
    await without.button('Continue without my data').click()
    // Once is enough.
    await without.button(/Open the practice office/).waitFor()
    await expect(without.window.getByText(/kept only until you close Countersign/)).toBeVisible()
    const withoutData = await without.window.evaluate(async () => {
      const { accounts, storage, system } = window.countersign
      const [list, status, continued] = [await accounts.list(), await system.status(), await storage.continueWithout()]
      return [list.ok && list.value.length, status.ok && status.value.storage, continued.ok]
    })
    expect(withoutData).toEqual([0, { state: 'memory', reason: 'no-keychain', hasData: true, isWithout: true }, true])
    await without.app.dialog.answerMessage('Quit')
    await without.app.quit()

    await keyring.start()
    const last = await open({ userData, env })
    const found = await last.window.evaluate(async () => {
      const { accounts, audit, counter, system } = window.countersign
      const trail = await audit.list({ search: '', offset: 0, limit: 100 })
      const what = trail.ok ? trail.value.entries.map((entry) => entry.what) : []
      const [list, pin, status, check] = [
        ...[await accounts.list(), await counter.pin()],
        ...[await system.status(), await audit.check()]
      ] as const
      return {
        accounts: list.ok && list.value.map(({ hasSecret }) => hasSecret),
        isSet: pin.ok && pin.value.isSet,
        status: status.ok && [status.value.storage, status.value.troubles],
        isWhole: check.ok && check.value.isWhole,
        used: what.filter((one) => one === 'recovery-key-used').length
      }
    })
    expect(found).toEqual({
      accounts: [true],
      isSet: true,
      status: [{ state: 'encrypted' }, []],
      isWhole: true,
      used: 2
    })
    // Quits before its bus ends, which waits for nobody.
    await last.app.quit()
  } finally {
    await keyring.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
})
