/**
 * Checks the screens for people at the counter in their language, at the sizes of a small laptop, a tablet held upright
 * and a desktop screen, at 100 and 200 % zoom: axe finds nothing, nothing is cut off or overlaps, every target has 48
 * pixels, and other languages contain no English except texts for staff. In `npm test`, the first scene of each stage
 * is checked in one of the two most telling languages at every size but the largest, and in all others at the size with
 * the least room; the telling one is also checked there in high contrast. EVERY_COMBINATION=1 checks everything.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import { expect, test } from 'playwright/test'
import { PERSON_LANGUAGES, type PersonLanguage } from '../../src/shared/contract/counter-views.ts'
import { shots } from '../renderer/preview/shots.ts'
import { openPreview, type Preview, themes } from './preview.ts'

const isEach = process.env.EVERY_COMBINATION === '1'
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const sizes = [
  { width: 1024, height: 640 },
  { width: 800, height: 1280 },
  { width: 1920, height: 1080 }
]
/** 200 % means half as many CSS pixels. */
const views = sizes.flatMap(({ width, height }) => [
  { width, height },
  { width: width / 2, height: height / 2 }
])
const few = views.slice(0, 4)
/** The smallest laptop at 200 %. */
const least = views.slice(1, 2)
/** The language with the longest words, and one written right to left. */
const telling: readonly PersonLanguage[] = ['to', 'ar']
const screens = shots.filter(
  ({ name }) => /^(person|display)-/.test(name) && !/display-(nameless|idle|bare|long|call|picture)/.test(name)
)
/** Once the PIN is entered, staff have the screen and its texts are for them. */
const isStaffs = (name: string) => /-(staff|reset)/.test(name)

let preview: Preview
let axe: string
test.describe.configure({ timeout: 600_000 })
test.beforeAll(async () => {
  axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
  preview = await openPreview()
})
test.afterAll(() => preview.close())

async function setLanguage(language: PersonLanguage): Promise<void> {
  await preview.page.evaluate(async (code) => {
    const { counter } = window.countersign
    const state = await counter.state()
    if (state.ok && state.value) await counter.adjust({ id: state.value.id, language: code })
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  }, language)
}

/** Switches to black and white, as people can choose: borders and weights take more room than colours. */
async function contrast(isHigh: boolean): Promise<void> {
  await preview.page.evaluate(async (highContrast) => {
    const { counter } = window.countersign
    const state = await counter.state()
    if (state.ok && state.value) await counter.adjust({ id: state.value.id, highContrast })
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  }, isHigh)
}

async function violations(): Promise<string[]> {
  const found = await preview.page.evaluate((values) => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }
    return axe.run({ runOnly: values, resultTypes: ['violations'], preload: false, iframes: false, selectors: false })
  }, rules)
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 140)}`))
}

/** Returns what is cut off, overlaps or is too small to hit. Self-contained, because it runs in the page. */
function faults(): string[] {
  const side = document.querySelector<HTMLElement>('.person')
  if (!side) return ['There is no person’s side.']
  const found: string[] = []
  const isSeen = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest('.unseen, [inert]')
  const named = (element: Element) =>
    (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60)
  const walker = document.createTreeWalker(side, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (!element || !node.textContent?.trim() || !isSeen(element)) continue
    // A document's name is shortened if it is too long.
    if (element.closest('.two-lines')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const box =
      element.closest('button')?.getBoundingClientRect() ?? element.closest('.bar, .top')?.getBoundingClientRect()
    for (const rect of range.getClientRects()) {
      if (rect.left < -1 || rect.right > innerWidth + 1) found.push(`outside: ${node.textContent.trim()}`)
      else if (
        box &&
        (rect.left < box.left - 1 ||
          rect.right > box.right + 1 ||
          rect.top < box.top - 3 ||
          rect.bottom > box.bottom + 3)
      )
        found.push(`cut off: ${node.textContent.trim()}`)
    }
  }
  for (const element of side.querySelectorAll('.stage, .bar, .top, .choosing'))
    if (isSeen(element) && element.scrollWidth > element.clientWidth + 1) found.push(`too wide: .${element.className}`)
  for (const bar of side.querySelectorAll('.bar, .top')) {
    const parts = [...bar.querySelectorAll('button, p, h1')].filter((one) => isSeen(one) && !one.closest('.warning'))
    const boxes = parts.map((part) => ({ part, box: part.getBoundingClientRect() })).filter(({ box }) => box.width > 0)
    for (const [index, one] of boxes.entries())
      for (const other of boxes.slice(index + 1)) {
        const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
        const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
        if (wide > 1 && high > 1) found.push(`over each other: ${named(one.part)} / ${named(other.part)}`)
      }
    for (const { part, box } of boxes) if (box.bottom > innerHeight + 1) found.push(`below the screen: ${named(part)}`)
  }
  for (const target of side.querySelectorAll('button, summary, input')) {
    if (!isSeen(target)) continue
    // An input with a label is as large as the label.
    const { width, height } = (target.closest('label') ?? target).getBoundingClientRect()
    if (Math.min(width, height) < 47.5)
      found.push(`too small (${Math.round(width)} × ${Math.round(height)}): ${named(target)}`)
  }
  return [...new Set(found)]
}

/** Returns texts to compare between languages, except inserted values and texts marked as English. */
function textsOf(): string[] {
  const side = document.querySelector<HTMLElement>('.person')
  const texts: string[] = []
  const walker = document.createTreeWalker(side ?? document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    const isEnglish = element?.closest('[lang]')?.getAttribute('lang') === 'en-GB' && element.closest('[lang]') !== side
    const text = node.textContent?.trim() ?? ''
    if (!isEnglish && !element?.closest('bdi, .language, .two-lines') && /\p{L}{3}/u.test(text)) texts.push(text)
  }
  for (const element of side?.querySelectorAll('[aria-label]:not(.language)') ?? [])
    if (element.closest('[lang]') === side) texts.push(element.getAttribute('aria-label') ?? '')
  return texts
}

const stageOf = ({ name }: { name: string }) => name.split('-').slice(0, 2).join()

for (const [index, screen] of screens.entries()) {
  const isInShortRound = screens.find((other) => stageOf(other) === stageOf(screen)) === screen
  test(screen.name, { tag: isInShortRound ? [] : '@full' }, async () => {
    const { page, show } = preview
    await page.setViewportSize({ width: 1024, height: 640 })
    await show(screen, themes.light)
    await page.evaluate(axe)
    await setLanguage('en')
    const english = new Set(await page.evaluate(textsOf))
    const one = telling[index % telling.length] ?? 'ar'
    const languages = isStaffs(screen.name) ? (['en'] as const) : PERSON_LANGUAGES
    const found: string[] = []
    for (const language of languages) {
      await setLanguage(language)
      if (language !== 'en') {
        const left = (await page.evaluate(textsOf)).filter((text) => english.has(text))
        found.push(...left.map((text) => `${language}: still English: ${text}`))
      }
      for (const view of isEach ? views : language === one || languages.length === 1 ? few : least) {
        await page.setViewportSize(view)
        const where = `${language}, ${view.width} × ${view.height}`
        const wrong = await page.evaluate(faults)
        if (isEach || view === few[0]) wrong.push(...(await violations()))
        found.push(...wrong.map((fault) => `${where}: ${fault}`))
      }
      if (isEach || language === one || languages.length === 1) {
        await contrast(true)
        for (const view of least) {
          await page.setViewportSize(view)
          const wrong = [...(await page.evaluate(faults)), ...(await violations())]
          found.push(...wrong.map((fault) => `${language}, high contrast, ${view.width} × ${view.height}: ${fault}`))
        }
        await contrast(false)
      }
      await page.setViewportSize({ width: 1024, height: 640 })
    }
    expect(found).toEqual([])
    expect(preview.complaints()).toEqual([])
  })
}
