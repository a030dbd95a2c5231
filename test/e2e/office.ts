/**
 * The tests' own `test`: applications started through it are always closed, and a screenshot is taken if a test fails.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { test as base, expect } from 'playwright/test'
import { type Clerk, clerkAt } from './clerk.ts'
import { type Launched, type LaunchOptions, launch } from './launch.ts'

interface Options {
  /** Whether animations are off, as on a computer with reduced motion: they are a twentieth of a test's work. */
  isStill: boolean
}

interface Fixtures extends Options {
  /** Starts the application, as often as a test wants, and waits for its first screen. */
  open: (options?: LaunchOptions) => Promise<Clerk>
  /** A clerk with the practice office open. */
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
        // On a machine that nobody can look at, this printed text is all that remains.
        const shown = app.window.locator('body').ariaSnapshot({ timeout: 5000 })
        console.log(await shown.catch(String), app.logs().slice(-4000))
      }
      // During a session the application refuses to quit: only staff can end it.
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
  const pending = page.evaluate(() => window.countersign.counter.state())
  // A page that has gone or hangs doesn't answer; the application is then asked to quit as usual.
  const state = await Promise.race([pending.catch(() => undefined), pause(2000, undefined)])
  return state?.ok === true && state.value !== null && state.value.phase !== 'ended'
}

export { expect }
