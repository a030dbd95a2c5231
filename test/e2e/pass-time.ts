/**
 * Time that passes when a test says so. Waits in the application are measured by the monotonic clock of its process or
 * page; here both are moved from outside. The shipped application knows nothing of it, and the delays stay what they
 * are.
 */
import type { Page } from 'playwright'
import type { Launched } from './launch.ts'

/**
 * Moves the monotonic clock on in the main process and in a page. Timers aren't moved: whatever polls sees the new time
 * at its next tick.
 */
export async function passTime(app: Launched, page: Page, milliseconds: number): Promise<void> {
  await app.evaluate((_electron, by) => {
    const before = performance.now.bind(performance)
    performance.now = () => before() + by
  }, milliseconds)
  await page.evaluate((by) => {
    const before = performance.now.bind(performance)
    performance.now = () => before() + by
  }, milliseconds)
}

/**
 * Stops both clocks, so that only `passTime` moves them and a short wait doesn't end by itself on a busy machine. At
 * whole milliseconds, so that sums of waits are exact.
 */
export async function stopClocks(app: Launched, page: Page): Promise<void> {
  await app.evaluate(() => {
    const stopped = Math.round(performance.now())
    performance.now = () => stopped
  })
  await page.evaluate(() => {
    const stopped = Math.round(performance.now())
    performance.now = () => stopped
  })
}
