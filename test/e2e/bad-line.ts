/**
 * Fixtures for a bad connection and for restarts: an office's service, the line to it, and a folder that outlives the
 * application.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { type FaultProxy, openFaultProxy } from '../fixtures/fault-proxy.ts'
import { type Clerk, MERE, type Person } from './clerk.ts'
import { test as base } from './office.ts'

interface Fixtures {
  /** A user-data folder for starting the application more than once. */
  userData: string
  office: PracticeOffice
  /** The proxy between the application and the office's service. */
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
  await clerk.connectTo(line.url)
}

/** Returns the names of the forms that the service was sent, once for each time. */
export function formsSentTo({ service }: PracticeOffice): string[] {
  return service
    .recorded()
    .filter(({ operation }) => operation === 'SendForms2')
    .flatMap(({ body }) => (body as { Forms: { Name: string }[] }).Forms.map(({ Name }) => Name))
}

/**
 * Sends a package of forms, each for these signers, as another program of the office. Returns its documents'
 * references.
 */
export async function sendElsewhere(
  { url }: PracticeOffice,
  names: readonly string[],
  people: readonly Person[] = [MERE]
): Promise<string[]> {
  const Forms = names.map((Name, index) => ({
    Name,
    FormType: 1,
    Reference: `FORM-${index + 1}`,
    EmbedForm: true,
    Signers: people.map(({ first, last, email, faceToFace }) => ({
      FirstName: first,
      LastName: last,
      Email: email,
      ...(faceToFace && { EnabledFaceToFaceSigning: true })
    }))
  }))
  const answer = await fetch(`${url}/FormDirect/SendForms2`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer made-up-token-1',
      'content-type': 'application/json',
      accept: 'application/json'
    },
    body: JSON.stringify({ Forms })
  })
  if (!answer.ok) throw new Error(`The practice service answered ${answer.status}.`)
  return ((await answer.json()) as { Documents: { Reference: string }[] }).Documents.map(({ Reference }) => Reference)
}

/** Returns the bodies that the service was sent for an operation, in order. */
export function bodiesOf<Body>({ service }: PracticeOffice, operation: string): Body[] {
  return service
    .recorded()
    .filter((request) => request.operation === operation)
    .map(({ body }) => body as Body)
}

export { expect } from './office.ts'
