/**
 * Time that passes when a test says so. What waits in the application asks the clock that never jumps, its process's or its
 * page's own; here both are moved from outside. What ships knows nothing of it, and the delays stay what they are.
 */
import type { Page } from 'playwright'
import type { Launched } from './launch.ts'

/** Moves that clock on in the main process and in a page. Timers are not moved: what ticks sees it at its next tick. */
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
