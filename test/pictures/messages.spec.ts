/**
 * Messages are shown over the screen, so where they are matters: away from the search, the buttons of the screen, the
 * first row of its list and the side bar, in a window of any size.
 */
import { expect, test } from 'playwright/test'
import { openPreview, type Preview, themes } from './preview.ts'

let preview: Preview
test.beforeAll(async () => {
  preview = await openPreview()
})
test.afterAll(() => preview.close())

for (const [size, width, height] of [
  ['1366 × 768', 1366, 768],
  ['1024 × 640', 1024, 640],
  ['1366 × 768 at 200 %', 683, 384]
] as const) {
  test(`three messages leave the head, the first row and the side bar free: ${size}`, async () => {
    const { page, show } = preview
    await page.setViewportSize({ width, height })
    const act = async () => {
      const list = page.getByRole('grid')
      await list.focus()
      for (let deleted = 0; deleted < 3; deleted++) {
        await page.keyboard.press('Home')
        await page.keyboard.press('Delete')
        await page
          .getByText(/^Deleted “/)
          .nth(deleted)
          .waitFor()
      }
    }
    await show({ scene: 'drafting-many', at: '#/drafts', act }, themes.light)
    const boxOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => element.getBoundingClientRect().toJSON())
    const messages = await boxOf('[aria-label=Messages]')
    const row = await boxOf('[role=grid] [role=row]:has([role=gridcell])')
    const bar = await boxOf('nav[aria-label=Screens]')
    expect(messages.top).toBeGreaterThanOrEqual(row.bottom)
    expect(messages.left).toBeGreaterThanOrEqual(bar.right)
    expect([messages.right <= width, messages.bottom <= height]).toEqual([true, true])
  })
}
