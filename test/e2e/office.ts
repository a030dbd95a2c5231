/** The tests' own `test`: applications that are started through it are pictured where a test fails, and always closed. */
import { setTimeout as pause } from 'node:timers/promises'
import { test as base, expect } from 'playwright/test'
import { type Clerk, clerkAt } from './clerk.ts'
import { type Launched, type LaunchOptions, launch } from './launch.ts'

interface Fixtures {
  /** Starts the application, as often as a test wants, and waits for its first screen. */
  open: (options?: LaunchOptions) => Promise<Clerk>
  /** A clerk whose application has the practice office open. */
  clerk: Clerk
}

export const test = base.extend<Fixtures>({
  // Playwright demands the destructuring of what a fixture uses, here nothing.
  // biome-ignore lint/correctness/noEmptyPattern: see above
  open: async ({}, use, testInfo) => {
    const opened: Launched[] = []
    await use(async (options) => {
      const app = await launch(options)
      opened.push(app)
      const clerk = clerkAt(app)
      await clerk.arrive()
      return clerk
    })
    for (const [index, app] of opened.entries()) {
      if (testInfo.status !== testInfo.expectedStatus) {
        await app.screenshot(testInfo.outputPath(`window-${index + 1}.png`)).catch(() => undefined)
        await testInfo.attach(`log-${index + 1}`, { body: app.logs() })
      }
      // In the middle of a session the application refuses to quit: only staff ends it.
      if (await isSigning(app)) await app.kill()
      await app.close()
    }
  },
  clerk: async ({ open }, use) => {
    const clerk = await open()
    await clerk.choosePracticeOffice()
    await use(clerk)
  }
})

async function isSigning({ window: page }: Launched): Promise<boolean> {
  const asked = page.evaluate(() => window.countersign.counter.state())
  // A page that is gone or hangs says nothing; then the application is asked to quit as usual.
  const state = await Promise.race([asked.catch(() => undefined), pause(2000, undefined)])
  return state?.ok === true && state.value !== null && state.value.phase !== 'ended'
}

export { expect }
