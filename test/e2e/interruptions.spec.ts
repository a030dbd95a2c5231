import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { type FaultProxy, openFaultProxy } from '../fixtures/fault-proxy.ts'
import { type Clerk, MERE, sign } from './clerk.ts'
import { test as base, expect } from './office.ts'

interface Fixtures {
  /** A folder for starting the application in more than once. */
  userData: string
  office: PracticeOffice
  /** The line between the application and the office's service. */
  line: FaultProxy
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright demands it
  userData: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-e2e-kept-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright demands it
  office: async ({}, use) => {
    const office = await openPracticeOffice({ data: 'empty', auth: { scheme: 'bearer', token: 'made-up-token-1' } })
    await use(office)
    await office.close()
  },
  line: async ({ office }, use) => {
    const line = await openFaultProxy(office.url)
    await use(line)
    await line.close()
  }
})

const isSend = (method: string, path: string) => method === 'POST' && path.includes('Send')

async function connect(clerk: Clerk, line: FaultProxy): Promise<void> {
  const { window } = clerk
  await clerk.button(/Connect your office/).click()
  await window.getByLabel('Name', { exact: true }).fill('Harbour Law')
  await window.getByLabel(/^Address/).fill(line.url)
  await window
    .getByLabel(/Bearer token/)
    .first()
    .check()
  await window.getByLabel('Token', { exact: true }).fill('made-up-token-1')
  await clerk.button(/^Add|^Connect/).click()
  await window.getByRole('navigation', { name: 'Screens' }).waitFor()
}

test('what was sent before a restart is there after it, and can be signed', async ({ open, userData }) => {
  const before = await open({ userData })
  await before.choosePracticeOffice()
  await before.composeForm({ name: 'Letter of authority', people: [MERE], embedded: true })
  await before.send()
  await expect(before.window.getByText('Sent: the service made')).toBeVisible()
  expect(await before.app.quit()).toBe(0)

  const after = await open({ userData })
  await sign(await after.handOver(MERE, 'Letter of authority'), MERE)
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
  await after.button('Ask the service').click()
  await expect(after.window.getByText('Sent: the service made')).toBeVisible()
  expect(office.service.recorded().filter(({ operation }) => operation === 'SendForms2')).toHaveLength(1)
})

test('while the service is down nothing is lost, nothing is called sent, and it goes once when it is back', async ({
  open,
  line,
  office
}) => {
  const clerk = await open()
  await connect(clerk, line)
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE] })
  line.fault('lose-answer', isSend)
  await clerk.send()
  await expect(clerk.window.getByText('No answer came. It may have arrived.')).toBeVisible()
  line.fault('cut')
  await clerk.button('Ask the service').click()
  await expect(clerk.window.getByText('The service could not be asked.')).toBeVisible()
  line.fault('pass')
  await clerk.button('Ask the service').click()
  await expect(clerk.window.getByText('Sent: the service made')).toBeVisible()
  expect(office.service.recorded().filter(({ operation }) => operation === 'SendForms2')).toHaveLength(1)
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
