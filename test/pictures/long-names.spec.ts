/**
 * Names of 300 characters, written from right to left, on the office's screens, and a sitting of ten people and thirty
 * documents at the counter: nothing leaves the window or is cut off, and what is shortened to a line or two can be read
 * in full under the pointer. The screens for people are checked in person.spec.ts.
 */
import { expect, test } from 'playwright/test'
import { shots } from '../renderer/preview/shots.ts'
import { openPreview, type Preview, themes } from './preview.ts'

/** An office screen, the smallest window, and a usual one at 200 %. */
const sizes = [
  { width: 1366, height: 768 },
  { width: 1024, height: 640 },
  { width: 683, height: 384 }
]
/** Office screens whose every name is long: of documents, people, accounts, templates, workstations and the like. */
const named =
  /^(overview|documents|document|outbox|outbox-batch|drafts|drafts-shared-history|start|editor-all-accounts|data-forms|compose-versions|clerk-appointments-office|clerk-called|downloads|record|activity)$/
const screens = [
  ...shots.filter(({ name }) => /^(clerk|board)-(endless|sitting-large)/.test(name)),
  ...shots
    .filter(({ name }) => named.test(name))
    .map((shot) => ({ ...shot, name: `${shot.name}, long names`, scene: `long-names-${shot.scene}` }))
]

let preview: Preview
test.beforeAll(async () => {
  preview = await openPreview()
})
test.afterAll(() => preview.close())

/** Returns what leaves the window, is cut off or can't be read in full. Self-contained, because it runs in the page. */
function faults(): string[] {
  const found = new Set<string>()
  for (const part of document.querySelectorAll('#main, [role=dialog]')) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      const text = node.textContent?.trim().slice(0, 40)
      if (!parent || !text || parent.closest('.unseen, [aria-hidden=true]') || !parent.checkVisibility()) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const shortened = parent.closest('.two-lines, .ellipsis')
      const isCut =
        shortened &&
        (shortened.scrollHeight > shortened.clientHeight + 1 || shortened.scrollWidth > shortened.clientWidth + 1)
      if (isCut) shortened.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))
      if (isCut && !shortened.closest('[title]')) found.add(`can’t be read in full: ${text}`)
      // A wide table scrolls sideways within itself.
      if (parent.closest('.sitting')) continue
      // What is shortened ends with its box; what its box holds of it is looked at as a whole.
      const rects = shortened ? [shortened.getBoundingClientRect()] : [...range.getClientRects()]
      for (const { left, right } of rects) {
        for (let around = (shortened ?? parent).parentElement; around; around = around.parentElement) {
          const { overflowX } = getComputedStyle(around)
          if (overflowX === 'visible') continue
          const box = around.getBoundingClientRect()
          if (left < box.left - 1 || right > box.right + 1) found.add(`cut off by .${around.className}: ${text}`)
        }
        if (left < -1 || right > innerWidth + 1) found.add(`outside the window: ${text}`)
      }
    }
  }
  for (const control of document.querySelectorAll(':is(#main, [role=dialog]) :is(button, input)')) {
    const { left, right, width } = control.getBoundingClientRect()
    if (width > 0 && !control.closest('.sitting, .unseen') && (left < -1 || right > innerWidth + 1))
      found.add(`outside the window: ${control.getAttribute('aria-label') ?? control.textContent?.slice(0, 40)}`)
  }
  return [...found]
}

for (const [index, shot] of screens.entries())
  test(shot.name, { tag: index === 0 ? [] : '@full' }, async () => {
    const { page, show } = preview
    const found: string[] = []
    for (const size of sizes) {
      await page.setViewportSize(size)
      await show(shot, themes.light)
      found.push(...(await page.evaluate(faults)).map((fault) => `${size.width} × ${size.height}: ${fault}`))
    }
    expect(found).toEqual([])
    expect(preview.complaints()).toEqual([])
  })
