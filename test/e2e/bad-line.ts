/** Tests of a bad line and of restarts: an office's service, the line to it, and a folder that outlives the application. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { type FaultProxy, openFaultProxy } from '../fixtures/fault-proxy.ts'
import type { Clerk } from './clerk.ts'
import { test as base } from './office.ts'

interface Fixtures {
  /** A folder for starting the application in more than once. */
  userData: string
  office: PracticeOffice
  /** The line between the application and the office's service. */
  line: FaultProxy
}

export const test = base.extend<Fixtures>({
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

export const isSend = (method: string, path: string) => method === 'POST' && path.includes('Send')

/** First run: connects the office's own service, over the line. */
export async function connect(clerk: Clerk, line: FaultProxy): Promise<void> {
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

/** The names of the forms that the service was sent, each as often as it was. */
export function formsSentTo({ service }: PracticeOffice): string[] {
  return service
    .recorded()
    .filter(({ operation }) => operation === 'SendForms2')
    .flatMap(({ body }) => (body as { Forms: { Name: string }[] }).Forms.map(({ Name }) => Name))
}

export { expect } from './office.ts'
