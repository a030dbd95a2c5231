// A Chromium that is lent to one application after another: each has it to itself and finds nothing of the one before.
import { expect, it } from 'vitest'
import type { Launched, LaunchOptions } from '../e2e/launch.ts'
import { openSite, startFixture } from './fixture/start.ts'

/** Returns the process id of an application's Chromium. */
async function chromiumOf({ window }: Launched): Promise<number | undefined> {
  const session = await window.context().browser()?.newBrowserCDPSession()
  const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {}
  return processInfo.find(({ type }) => type === 'browser')?.id
}

/** Returns how many browser contexts its Chromium has. */
async function sessionsIn({ window }: Launched): Promise<number | undefined> {
  const session = await window.context().browser()?.newBrowserCDPSession()
  return (await session?.send('Target.getBrowserContexts'))?.browserContextIds.length
}

/** Starts an application, closes it again, and returns the process id of its Chromium. */
async function had(options?: LaunchOptions): Promise<number | undefined> {
  const app = await startFixture(options)
  const its = await chromiumOf(app)
  await app.close()
  return its
}

const cookies = (app: Launched) =>
  app.evaluate(async ({ session }) => (await session.fromPartition('kept').cookies.get({})).map(({ name }) => name))

it('is lent to the next application, which finds nothing left by the one before', async () => {
  const site = await openSite({
    '/': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'seen=yes; max-age=1000' }).end('Hello')
  })
  const first = await startFixture()
  const its = await chromiumOf(first)
  const usual = await sessionsIn(first)
  await first.evaluate(async ({ session }, url) => {
    const view = globalThis.fixture.view({ webPreferences: { session: session.fromPartition('kept') } })
    await view.webContents.loadURL(url)
  }, site.origin)
  expect(await cookies(first)).toEqual(['seen'])
  expect(await sessionsIn(first)).toBe((usual ?? 0) + 1)
  await first.close()

  const second = await startFixture()
  expect(await chromiumOf(second)).toBe(its)
  expect(await sessionsIn(second)).toBe(usual)
  expect(await cookies(second)).toEqual([])
  await second.close()
  await site.close()
})

it('serves one application at a time', async () => {
  const first = await startFixture()
  const second = await startFixture()
  expect(await chromiumOf(second)).not.toBe(await chromiumOf(first))
  await first.close()
  await second.close()
})

it('ends with an application that is killed', async () => {
  const app = await startFixture()
  const its = await chromiumOf(app)
  await app.kill()
  await app.close()
  expect(await had()).not.toBe(its)
})

it('is a different one for other switches, or for an application that wants its own', async () => {
  const usual = await had()
  expect(await had()).toBe(usual)
  expect(await had({ args: ['--force-prefers-reduced-motion'] })).not.toBe(usual)
  expect(await had({ env: { HOST_BORROWS: '0' } })).not.toBe(usual)
})
