/**
 * Compares the shared components in every state with the screenshots in `kept/`, to catch unintended changes of words,
 * colours or spacing.
 */
import { expect, type Page, test } from 'playwright/test'
import { drawStates, openPreview, type Preview, same, themes } from './preview.ts'

let preview: Preview
test.beforeAll(async () => {
  preview = await openPreview()
})
test.afterAll(() => preview.close())
test.afterEach(() => expect(preview.complaints()).toEqual([]))

test.describe('the shared components', () => {
  for (const [theme, media] of Object.entries(themes)) {
    test(theme, async () => {
      const { page, show } = preview
      await show({ scene: 'gallery', at: '' }, media)
      const session = await drawStates(page)
      for (const part of ['type', 'buttons', 'fields', 'choices', 'said', 'lists']) {
        await same(page.locator(`#${part}`), `part-${part}-${theme}`)
      }
      await session.detach()
    })
  }

  const opened: [name: string, role: 'dialog' | 'menu' | 'region', act: (page: Page) => Promise<unknown>][] = [
    ['dialog', 'dialog', (page) => page.getByRole('button', { name: 'Open a dialog' }).click()],
    ['menu', 'menu', (page) => page.getByRole('button', { name: 'Open a menu' }).click()],
    ['popover', 'dialog', (page) => page.getByRole('button', { name: 'Open a popover' }).click()],
    ['calendar', 'dialog', (page) => page.getByLabel('A day', { exact: true }).press('Alt+ArrowDown')],
    ['toast', 'region', (page) => page.getByRole('button', { name: 'Say something' }).click()]
  ]
  for (const [name, role, act] of opened) {
    test(`opened: ${name}`, async () => {
      for (const theme of ['light', 'dark'] as const) {
        await preview.show({ scene: 'gallery', at: '', act }, themes[theme])
        const part = preview.page.getByRole(role, role === 'region' ? { name: 'Messages' } : {})
        await same(part, `opened-${name}-${theme}`)
      }
    })
  }
})

test('a disabled checkbox stays legible: contrast 3 for its edge and tick, 4.5 for its label', async () => {
  const { page, show } = preview
  for (const theme of ['light', 'dark'] as const) {
    await show({ scene: 'gallery', at: '' }, themes[theme])
    const contrasts = await page
      .getByLabel('Disabled', { exact: true })
      .last()
      .evaluate((box) => {
        const canvas = document
          .createElement('canvas')
          .getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D
        const lightness = (colour: string) => {
          canvas.fillStyle = colour
          canvas.fillRect(0, 0, 1, 1)
          const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => {
            const part = value / 255
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
          }) as [number, number, number]
          return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        const between = (one: string, other: string) => {
          const [low, high] = [lightness(one), lightness(other)].sort((a, b) => a - b) as [number, number]
          return (high + 0.05) / (low + 0.05)
        }
        const { borderTopColor: edge, backgroundColor: inside } = getComputedStyle(box)
        const around = getComputedStyle(document.body).backgroundColor
        const label = getComputedStyle(document.querySelector(`label[for="${box.id}"]`) as Element).color
        return {
          edge: Math.min(between(edge, inside), between(edge, around)),
          tick: between(getComputedStyle(box, '::after').borderBottomColor, inside),
          words: between(label, around)
        }
      })
    expect(contrasts.edge).toBeGreaterThanOrEqual(3)
    expect(contrasts.tick).toBeGreaterThanOrEqual(3)
    expect(contrasts.words).toBeGreaterThanOrEqual(4.5)
  }
})

test('an icon button shows its label while hovered or focused, and Escape hides it', async () => {
  const { page, show } = preview
  await show({ scene: 'gallery', at: '' }, themes.light)
  const button = page.getByRole('main').getByRole('button', { name: 'Settings' }).first()
  const tooltip = page.locator('.tooltip').filter({ hasText: /^Settings/ })
  await button.hover()
  await expect(tooltip).toBeVisible()
  await page.mouse.move(0, 0)
  await expect(tooltip).toBeHidden()
  await page.keyboard.press('Tab')
  while (!(await button.evaluate((element) => element === document.activeElement))) await page.keyboard.press('Tab')
  await expect(tooltip).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(tooltip).toBeHidden()
})
