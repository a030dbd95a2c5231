/**
 * Expects axe to find no violation of WCAG 2.2 AA in any scene, light and dark, at 100 and 200 % zoom. 200 % in a
 * window of 1366 × 768 means half as many CSS pixels. Every second scene is checked light at 100 %, the others dark at
 * 200 %; with EVERY_COMBINATION=1, as in the workflow, each is checked in all four. `npm test` checks only the first
 * scene of each place; the screens for people at the counter are checked in person.spec.ts.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import { expect, test } from 'playwright/test'
import { shots } from '../renderer/preview/shots.ts'
import { openPreview, type Preview, themes } from './preview.ts'

const all = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
// If both themes are checked, the second differs only in its colours.
const ofColours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
const zooms = [
  ['100 %', { width: 1024, height: 640 }, 'light'],
  ['200 %', { width: 683, height: 384 }, 'dark']
] as const
const isEach = process.env.EVERY_COMBINATION === '1'

let preview: Preview
let axe: string
test.beforeAll(async () => {
  axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
  preview = await openPreview()
})
test.afterAll(() => preview.close())

/** Returns each finding as one line: what is wrong, and where. */
async function findings(rules: typeof all | typeof ofColours): Promise<string[]> {
  const how = { runOnly: rules, resultTypes: ['violations'], preload: false, iframes: false, selectors: false }
  const { violations } = await preview.page.evaluate((options) => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }
    return axe.run(options)
  }, how)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html.slice(0, 140)} (${any[0]?.message ?? ''})`)
  )
}

for (const [index, shot] of [{ name: 'gallery', scene: 'gallery', at: '' }, ...shots].entries()) {
  const isInShortRound =
    shot.at === '' ? !/^(person|display)-/.test(shot.name) : shots.find(({ at }) => at === shot.at) === shot
  test(shot.name, { tag: isInShortRound ? [] : '@full' }, async () => {
    const { page, show } = preview
    await page.setViewportSize(zooms[0][1])
    await show(shot, themes.light)
    await page.evaluate(axe)
    const found: string[] = []
    for (const [zoom, size, usual] of isEach ? zooms : [zooms[index % 2 === 0 ? 0 : 1]]) {
      await page.setViewportSize(size)
      for (const theme of isEach ? (['light', 'dark'] as const) : [usual]) {
        await page.emulateMedia({ ...themes[theme], reducedMotion: 'reduce' })
        const rules = isEach && theme === 'dark' ? ofColours : all
        found.push(...(await findings(rules)).map((one) => `${theme}, ${zoom}: ${one}`))
      }
    }
    expect(found).toEqual([])
    expect(preview.complaints()).toEqual([])
  })
}
