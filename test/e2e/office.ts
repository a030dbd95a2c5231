/** The tests' own `test`: applications that are started through it are pictured where a test fails, and always closed. */
import { setTimeout as pause } from 'node:timers/promises'
import { test as base, expect } from 'playwright/test'
import { type Clerk, clerkAt } from './clerk.ts'
import { type Launched, type LaunchOptions, launch } from './launch.ts'

interface Options {
  /** Whether nothing moves on the screens, as on a computer that is set so: what fades and turns is a twentieth of a test's work. */
  isStill: boolean
}

interface Fixtures extends Options {
  /** Starts the application, as often as a test wants, and waits for its first screen. */
  open: (options?: LaunchOptions) => Promise<Clerk>
  /** A clerk whose application has the practice office open. */
  clerk: Clerk
}

export const test = base.extend<Fixtures>({
  isStill: [true, { option: true }],
  open: async ({ isStill }, use, testInfo) => {
    const opened: Launched[] = []
    const still = isStill ? ['--force-prefers-reduced-motion'] : []
    await use(async (options) => {
      const app = await launch({ ...options, args: [...still, ...(options?.args ?? [])] })
      opened.push(app)
      const clerk = clerkAt(app)
      await clerk.arrive()
      return clerk
    })
    for (const [index, app] of opened.entries()) {
      if (testInfo.status !== testInfo.expectedStatus) {
        await app.screenshot(testInfo.outputPath(`window-${index + 1}.png`)).catch(() => undefined)
        await testInfo.attach(`log-${index + 1}`, { body: app.logs() })
        // What is left on a machine that nobody can look at are the words that it printed.
        const shown = app.window.locator('body').ariaSnapshot({ timeout: 5000 })
        console.log(await shown.catch(String), app.logs().slice(-4000))
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
