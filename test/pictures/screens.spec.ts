/**
 * Compares each screen, light and dark, with the screenshots in `kept/`, to catch unintended changes of words, colours
 * or spacing.
 */
import { expect, test } from 'playwright/test'
import { shots } from '../renderer/preview/shots.ts'
import { openPreview, type Preview, same, themes } from './preview.ts'

/** Each screen in the state that shows the most; the first two with the frame, which is the same around all others. */
const framed = ['overview', 'palette']
const unframed = [
  'start',
  'editor',
  'bulk',
  'bulk-corrected',
  'drafts',
  'drafting-empty',
  'outbox',
  'outbox-batch',
  'documents',
  'document',
  'identity'
]
unframed.push(
  'clerk',
  'clerk-appointments',
  'board',
  'board-help',
  'board-office',
  'board-office-apart',
  'board-many',
  'record',
  'downloads',
  'directory',
  'activity',
  'settings',
  'requests'
)
const complete = [
  'first',
  'bulk-drop',
  'clerk-sheet',
  'person-handover-three',
  'person-away',
  'display-idle',
  'display-call'
]

let preview: Preview
test.beforeAll(async () => {
  preview = await openPreview()
})
test.afterAll(() => preview.close())
test.afterEach(() => expect(preview.complaints()).toEqual([]))

for (const shot of shots) {
  if (![...framed, ...unframed, ...complete].includes(shot.name)) continue
  test(shot.name, async () => {
    const { page, show } = preview
    await show(shot, themes.light)
    const what = unframed.includes(shot.name) ? page.locator('#main') : page
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ ...themes[theme], reducedMotion: 'reduce' })
      await same(what, `screen-${shot.name}-${theme}`)
    }
  })
}

test('in portrait, a call is shown in full, and the PIN pad is right below the lock’s message', async () => {
  const { page, show } = preview
  const before = page.viewportSize()
  for (const width of [800, 480]) {
    await page.setViewportSize({ width, height: width * 1.6 })
    await show({ scene: 'display-call', at: '' }, themes.light)
    for (const line of await page.locator('.said :is(.block, p)').all()) {
      const box = await line.evaluate((element) => {
        const range = document.createRange()
        range.selectNodeContents(element)
        const { left, right } = range.getBoundingClientRect()
        return { left, right }
      })
      expect(box.left).toBeGreaterThanOrEqual(0)
      expect(box.right).toBeLessThanOrEqual(width)
    }
  }
  await page.setViewportSize({ width: 800, height: 1280 })
  await show({ scene: 'clerk-locked', at: '#/counter' }, themes.light)
  const prompt = await page.getByText(/^Enter the staff PIN/).boundingBox()
  const pad = await page.getByLabel('Staff PIN').boundingBox()
  if (before) await page.setViewportSize(before)
  expect((pad?.y ?? 0) - (prompt?.y ?? 0)).toBeLessThan(140)
})

test('in the smallest window at 200 %, the page to sign has most of the height', async () => {
  const { page, show } = preview
  const before = page.viewportSize()
  await page.setViewportSize({ width: 512, height: 320 })
  await show({ scene: 'person-open-three', at: '' }, themes.light)
  const place = await page.locator('.sunken').boundingBox()
  if (before) await page.setViewportSize(before)
  expect((place?.height ?? 0) / 320).toBeGreaterThan(0.6)
})

test('a touch screen, which has no keys, shows no hint of F6', async () => {
  const { page, show } = preview
  const before = page.viewportSize()
  await page.setViewportSize({ width: 1366, height: 768 })
  const way = page.getByText('F6: to the buttons')
  const isSeen = () => way.evaluate((one) => getComputedStyle(one).clipPath === 'none')
  await show({ scene: 'person-open', at: '' }, themes.light)
  const withKeys = await isSeen()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  const isCoarse = await page.evaluate(() => matchMedia('(pointer: coarse)').matches)
  const withTouch = await isSeen()
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await devtools.detach()
  if (before) await page.setViewportSize(before)
  expect([withKeys, isCoarse, withTouch]).toEqual([true, true, false])
})

test('a board of 14 counters fits a usual office screen without scrolling', async () => {
  const { page, show } = preview
  const before = page.viewportSize()
  await page.setViewportSize({ width: 1366, height: 768 })
  await show({ scene: 'board-many', at: '#/counter/board' }, themes.light)
  const counters = page.getByRole('region', { name: 'Counters' }).getByRole('article')
  await expect(counters).toHaveCount(14)
  const lowest = await counters.evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().bottom)))
  if (before) await page.setViewportSize(before)
  expect(lowest).toBeLessThanOrEqual(768)
})
